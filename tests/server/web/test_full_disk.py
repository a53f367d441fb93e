"""A disk without space: everything that writes answers 503, says when to try again, and loses nothing."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from http.client import HTTPConnection
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest
from httpx2 import Client
from sqlalchemy import make_url

from scorer.client.connection import Connection
from scorer.client.settings import Login
from server.accounts import tokens
from server.core import db
from tests.server.small_task import GOOD, TASK, variant
from tests.server.test_serving import BOUNDARY, served
from tests.server.world import World

pytestmark = [pytest.mark.slow, pytest.mark.one_database]


class SmallDisk:
    """A file system of a few megabytes of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._filler = folder / "filler"

    def fill(self) -> None:
        """Leave no byte."""
        with self._filler.open("ab", buffering=0) as file:
            for size in (65536, 4096, 1):
                try:
                    while True:
                        file.write(b"x" * size)
                except OSError:
                    continue

    def free(self) -> None:
        self._filler.unlink()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[SmallDisk]:
    folder = tmp_path / "small"
    folder.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", folder], check=False)
    if done.returncode != 0:
        pytest.skip("missed: a site on a full disk; mounting a small one takes root")
    yield SmallDisk(folder)
    subprocess.run(["umount", "--lazy", folder], check=True)


def copied(disk: SmallDisk, world: World) -> Path:
    """The world's files on the small disk."""
    return Path(shutil.copytree(world.site.config.data_dir, disk.folder / "data"))


def moved_to(disk: SmallDisk, world: World) -> dict[str, object]:
    """Settings of the site on the small disk: its files, and its database where that is a file."""
    with db.writing(world.session):
        world.phase().closes = datetime.now(UTC) + timedelta(days=1)
    world.session.rollback()
    world.site.engine.dispose()  # which writes what a SQLite file lacks
    address, data = make_url(world.site.config.database_url), copied(disk, world)
    if address.drivername != "sqlite":
        return {"data_dir": data}
    moved = shutil.copy(str(address.database), data / "site.sqlite")
    return {"data_dir": data, "database_url": f"sqlite:///{moved}"}


class Program:
    """A program with a token of bo, which sends a file for a level by the API."""

    def __init__(self, world: World, port: int) -> None:
        now = datetime.now(UTC)
        with db.writing(world.session):
            made = tokens.make_token(world.session, world.actor("bo"), "script", ["read", "submit"], 1, now)
        self.login, self._port = Login(f"http://127.0.0.1:{port}", made[1]), port

    def send(self, path: str, data: bytes) -> tuple[int, str | None, dict[str, object]]:
        """Status, Retry-After and body of the answer."""
        part = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="run.tsv"\r\n\r\n'
        body = part.encode() + data + f"\r\n--{BOUNDARY}--\r\n".encode()
        headers = {
            "Authorization": f"Bearer {self.login.token}",
            "Content-Type": f"multipart/form-data; boundary={BOUNDARY}",
        }
        with closing(HTTPConnection("127.0.0.1", self._port, timeout=60)) as connection:
            connection.request("POST", f"/api/v1{path}", body, headers)
            with connection.getresponse() as answer:
                return answer.status, answer.headers["Retry-After"], json.loads(answer.read())


def test_full_disk_answers_503_with_retry_after_and_loses_nothing(
    world: World, small_disk: SmallDisk
) -> None:
    run_id, settings = world.run().id, moved_to(small_disk, world)
    path = f"/tasks/small/runs/{run_id}/p2s/upload"
    with served(world, **settings) as bo:
        assert bo.upload(path, GOOD) == 302
        small_disk.fill()
        page = bo.send("POST", path, bo.file(variant(1)), f"multipart/form-data; boundary={BOUNDARY}")
        assert (page.status, page.retry_after) == (503, "60"), page.body
        assert "database or disk is not available. Accepted submissions are safe" in page.body
        assert bo.send("GET", "/tasks/small/").status == 200, "pages can be read"
        small_disk.free()
        listed = bo.send("GET", f"/tasks/small/runs/{run_id}/").body
        assert len(set(re.findall("/submissions/[0-9]+", listed))) == 1, "the file before it"
        assert bo.upload(path, variant(1)) == 302


def test_site_whose_files_have_no_space_finds_no_fault_with_a_bundle_and_the_client_waits_and_retries(
    world: World, small_disk: SmallDisk
) -> None:
    with db.writing(world.session):
        world.phase().closes = datetime.now(UTC) + timedelta(days=1)
    run_id, waited = world.run().id, list[float]()

    def free_the_disk(seconds: float) -> None:
        waited.append(seconds)
        small_disk.free()

    with served(world, open_import=True, data_dir=copied(small_disk, world)) as bo:
        program = Program(world, bo.port)
        small_disk.fill()
        for size in (100, 700_000):  # cannot be unpacked, cannot be received
            page = bo.send(
                "POST", "/import", bo.file(bundle_of(size)), f"multipart/form-data; boundary={BOUNDARY}"
            )
            assert (page.status, page.retry_after) == (503, "60"), page.body
        status, retry_after, problem = program.send(f"/runs/{run_id}/files/p2s", GOOD)
        assert (status, retry_after, problem["status"], problem["code"]) == (503, "60", 503, "failed")
        assert "database or disk is not available. Nothing was counted. Try again" in str(problem["detail"])
        with Client() as client:
            site = Connection(program.login, client, free_the_disk)
            (sent,), _ = site.upload(f"/runs/{run_id}/files", [("p2s.tsv", GOOD)], "a-key-of-this-upload", {})
    assert (waited, sent["new"], sent["counts"]) == ([60.0], True, True)


def bundle_of(size: int) -> bytes:
    """A bundle of a task, and so many bytes of noise."""
    bundle = BytesIO()
    with ZipFile(bundle, "w") as archive:
        archive.writestr("task.toml", TASK)
        archive.writestr("noise", bytes(size))
    return bundle.getvalue()
