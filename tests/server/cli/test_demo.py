import json
import re
import socket
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from sqlalchemy import text
from sqlalchemy.orm import Session

from server.annotation.models import RoundFigures
from server.cli.__main__ import main
from server.core import db
from server.releases.models import Inference, Release
from server.submissions.models import Rejection
from server.teams.models import Membership

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


def test_demo_of_another_schema_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "demo"
    monkeypatch.setattr("server.cli.demo.populate_site", lambda *_: None)
    assert demo(folder, "--load-only").exit_code == 0
    (folder / "old").touch()
    assert demo(folder, "--load-only").exit_code == 0
    assert (folder / "old").exists()

    engine = db.open_engine(f"sqlite:///{folder / 'assay.sqlite'}")
    with db.connect_to_write(engine) as connection, connection.begin():
        connection.execute(text("UPDATE alembic_version SET version_num = '0039_add_round_data_sets'"))
    engine.dispose()
    again = demo(folder, "--load-only")
    assert (again.exit_code, "Making it again" in again.stderr) == (0, True)
    assert not (folder / "old").exists()


def test_demo_is_created_once_with_runs_a_late_file_a_rejected_file_and_a_board(tmp_path: Path) -> None:
    first = demo(tmp_path / "demo", "--load-only")
    assert first.exit_code == 0, first.stderr
    assert "ada@demo.example     organizes both tasks\n" in first.stdout
    assert "The site is not served." in first.stdout
    assert not re.search("127.0.0.1:8000/$|printed here", first.stdout, re.MULTILINE)
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
        assert [len(board[rows]) for rows in ("official", "late", "baselines")] == [24, 2, 2]
        assert all(row.made_at for row in session.query(Inference))
        assert session.query(RoundFigures).count() == 1
        teams = {member.team_id for member in session.query(Membership)}
        assert len(teams) == 15
        (rejection,) = session.query(Rejection).all()
        assert [problem["line"] for problem in rejection.problems] == [None, 7, 12, 18, 25, 31]
    engine.dispose()
