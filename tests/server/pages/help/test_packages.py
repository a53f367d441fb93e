"""The site gives its own version of the scorer away."""

import base64
import csv
import hashlib
import re
from io import BytesIO, StringIO
from zipfile import ZipFile

import pytest

from tests.server.world import World

pytestmark = pytest.mark.one_database


def test_wheel_of_this_version_is_complete_and_linked_with_its_hash(world: World) -> None:
    visitor = world.client()
    page = visitor.get("/packages/").text
    name, sha256 = re.findall(r'href="/packages/(assay-[^"#]+\.whl)#sha256=(\w{64})"', page)[0]
    answer = visitor.get(f"/packages/{name}")
    assert hashlib.sha256(answer.data).hexdigest() == sha256
    again = visitor.get(f"/packages/{name}", headers={"If-None-Match": answer.headers["ETag"]})
    assert again.status_code == 304
    with ZipFile(BytesIO(answer.data)) as wheel:
        names = set(wheel.namelist())
        (record,) = [name for name in names if name.endswith(".dist-info/RECORD")]
        rows = list(csv.reader(StringIO(wheel.read(record).decode())))
        assert {row[0] for row in rows} == names
        for path, digest, size in rows:
            data = wheel.read(path)
            found = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            assert path == record or (digest, size) == (f"sha256={found}", str(len(data)))
    some = {
        "scorer/bundles/examples/keyed/gold/test.csv",
        "scorer/bundles/task_keys.toml",
        "scorer/cli/site/submit.py",
        "scorer/datasets/readme.md",
        "server/templates/base.html",
        "server/migrations/HEAD",
        "server/static/assay.css",
    }
    assert some <= names
    assert not [name for name in names if "__pycache__" in name]
