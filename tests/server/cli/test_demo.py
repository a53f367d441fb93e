import json
import re
import socket
import subprocess
import sys
import time
import urllib.parse
import urllib.request
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from sqlalchemy.orm import Session

from server.cli.__main__ import main
from server.core import db
from server.demo.populate import FOLDER, PASSWORD
from server.releases.models import Release
from server.submissions.models import Refusal

pytestmark = pytest.mark.one_database


def demo(data: Path, *arguments: str) -> Result:
    return CliRunner().invoke(main, ["demo", "--data", str(data), *arguments])


def test_occupied_port_is_reported_before_the_demo_is_created(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = demo(tmp_path / "demo", "--port", str(port))
    assert result.exit_code == 2
    assert f"port {port} of 127.0.0.1 cannot be used" in result.stderr
    assert "--port" in result.stderr
    assert not (tmp_path / "demo" / "assay.sqlite").exists()


def test_incomplete_demo_is_not_served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("server.cli.demo.populate_site", interrupted)
        assert demo(tmp_path / "demo", "--load-only").exit_code == 1
    result = demo(tmp_path / "demo", "--load-only")
    assert result.exit_code == 2
    assert "Remove the folder" in result.stderr


def test_demo_is_created_once_with_runs_a_late_file_a_rejected_file_and_a_board(tmp_path: Path) -> None:
    first = demo(tmp_path / "demo", "--load-only")
    assert first.exit_code == 0, first.stderr
    assert "ada@demo.example" in first.stdout
    second = demo(tmp_path / "demo", "--load-only")
    assert (second.exit_code, "Filling" in second.stderr) == (0, False)

    engine = db.open_engine(f"sqlite:///{tmp_path / 'demo' / 'assay.sqlite'}")
    with Session(engine) as session:
        over, live, release = session.query(Release).order_by(Release.id)
        assert (live.feedback, release.feedback) == ("scores", None)
        assert (over.feedback, over.opens_gold, over.files is None) == (None, True, False)
        board = json.loads(release.board)
        assert [len(board[rows]) for rows in ("official", "late", "baselines")] == [6, 1, 2]
        board = json.loads(over.board)
        assert [len(board[rows]) for rows in ("official", "late", "baselines")] == [38, 2, 2]
        (refusal,) = session.query(Refusal).all()
        assert [problem["line"] for problem in refusal.problems] == [None, 7, 12, 18, 25, 31]
    engine.dispose()


def test_new_demo_accepts_uploads(tmp_path: Path) -> None:
    """Workers that are forked after the store has started its threads hang in about half of the uploads."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = str(probe.getsockname()[1])
    command = [sys.executable, "-m", "server.cli", "demo", "--data", str(tmp_path / "demo"), "--port", port]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, start_new_session=True) as served:
        try:
            bo = Visit(f"http://127.0.0.1:{port}")
            bo.wait_for_the_site()
            bo.post("/sign-in", email="bo@demo.example", password=PASSWORD)
            practice = bo.get("/tasks/harbour-2026/team/").split('id="practice"')[1]
            links = re.findall(r"/tasks/harbour-2026/runs/\d+/\w+/upload", practice)
            pages = [
                bo.upload(link, FOLDER / "examples" / f"{link.split('/')[-2]}.trial.tsv")
                for link in links[:4]
            ]
        finally:
            served.terminate()
            served.wait(timeout=30)
    assert len(pages) == 4
    assert all("Pearson" in page for page in pages)


class Visit:
    """A browser of one person, with the standard library's means."""

    def __init__(self, address: str) -> None:
        self.address = address
        cookies = urllib.request.HTTPCookieProcessor()
        self.opener = urllib.request.build_opener(cookies)

    def wait_for_the_site(self) -> None:
        for _ in range(600):
            try:
                self.get("/")
            except OSError:
                time.sleep(0.2)
            else:
                return
        raise AssertionError("the demo does not answer")

    def get(self, path: str) -> str:
        return str(self.opener.open(self.address + path, timeout=20).read().decode())

    def token(self, path: str) -> str:
        found = re.search(r'name="csrf_token"[^>]*value="([^"]+)"', self.get(path))
        assert found is not None
        return found[1]

    def post(self, path: str, **form: str) -> str:
        data = urllib.parse.urlencode({"csrf_token": self.token(path), **form}).encode()
        return str(self.opener.open(self.address + path, data, timeout=20).read().decode())

    def upload(self, path: str, file: Path) -> str:
        """Send a file as a browser does; an answer has to come within 20 seconds."""
        parts = [
            f'--cut\r\nContent-Disposition: form-data; name="csrf_token"\r\n\r\n{self.token(path)}\r\n',
            f'--cut\r\nContent-Disposition: form-data; name="file"; filename="{file.name}"\r\n\r\n',
            file.read_text(encoding="utf-8"),
            "\r\n--cut--\r\n",
        ]
        head = {"Content-Type": "multipart/form-data; boundary=cut"}
        request = urllib.request.Request(self.address + path, "".join(parts).encode(), head)  # noqa: S310  (our own address)
        return str(self.opener.open(request, timeout=20).read().decode())
