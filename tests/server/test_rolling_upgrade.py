"""Hosts are upgraded one after the other: the version before goes on with the schema of this one."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import text

from server.core import db, migrate
from server.core.config import Config, find_package_folder, to_env
from tests.server.databases import Databases

ROOT = Path(__file__).parents[2]
BEFORE = """
import sys
from io import BytesIO
from pathlib import Path
from server.app import create_app
from server.core import migrate
from server.core.config import from_env
from server.core.db import open_engine
from tests.bench.kills_site import GOLD, RELEASED, SLUG, fill

config = from_env()
config.data_dir.mkdir(mode=0o700, parents=True)
migrate.migrate(open_engine(config.database_url))
organizer, senders = fill(config, Path(sys.argv[1]))
client = create_app(config).test_client()
for number, sender in enumerate(senders[:2]):
    if number:
        print("waits", flush=True)
        sys.stdin.readline()
    data = {"file": (BytesIO("".join(f"{value + number}\\n" for value in GOLD).encode()), "run.tsv")}
    bearer = {"Authorization": f"Bearer {sender.token}"}
    answers = [
        client.post(f"/api/v1/runs/{sender.runs[RELEASED]}/files/one", data=data, headers=bearer),
        client.post(
            f"/api/v1/tasks/{SLUG}/phases/{RELEASED}/releases", json={"sure": True},
            headers={"Authorization": f"Bearer {organizer}"},
        ),
        client.get(f"/tasks/{SLUG}/"),
        client.get(f"/tasks/{SLUG}/boards/{RELEASED}"),
    ]
    print(*(answer.status_code for answer in answers), flush=True)
"""
"""What a host of the version before does: it uploads, releases and reads; meanwhile the schema changes."""


@pytest.mark.slow
@pytest.mark.skipif(not os.environ.get("TEST_DATABASE_URL"), reason="PostgreSQL is not running")
def test_host_of_the_version_before_goes_on_after_the_migration(databases: Databases, tmp_path: Path) -> None:
    before = tmp_path / "before"
    before.mkdir()
    extract_version_before(before)
    config = Config("k" * 32, tmp_path / "data", databases.empty(), secure_cookies=False)
    env = {**to_env(config), "PYTHONPATH": str(before), "PATH": os.environ["PATH"]}
    command = [sys.executable, "-c", BEFORE, str(tmp_path / "bundle")]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=before, env=env, stdin=pipe, stdout=pipe, text=True) as host:
        assert host.stdin is not None
        assert host.stdout is not None
        first = host.stdout.readline()
        assert host.stdout.readline() == "waits\n"
        engine = db.open_engine(config.database_url)
        assert migrate.current_revision(engine) != migrate.head_revision()
        migrate.migrate(engine)
        second = host.communicate("go on\n")[0]
    assert (first, second) == ("201 201 200 200\n",) * 2
    with engine.connect() as connection:
        waiting = connection.execute(text("SELECT key FROM job WHERE kind = 'mail.confirm'")).all()
    engine.dispose()
    assert len(waiting) == 2, "what the older host adds is a job like any other"


def extract_version_before(folder: Path) -> None:
    """Extract the files as they were before the newest migration."""
    head = find_package_folder("migrations") / "HEAD"
    newest = ["git", "-C", str(ROOT), "log", "-1", "--format=%H", "--", str(head)]
    commit = subprocess.run(newest, capture_output=True, text=True, check=False).stdout.strip()
    archive = ["git", "-C", str(ROOT), "archive", f"{commit}~1"]
    packed = subprocess.run(archive, capture_output=True, check=False)
    if packed.returncode != 0:
        pytest.skip("this copy of the repository has no history")
    subprocess.run(["tar", "-x", "-C", str(folder)], input=packed.stdout, check=True)
