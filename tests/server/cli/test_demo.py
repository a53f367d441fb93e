import socket
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from sqlalchemy import text

from scorer.files.reading import parse_run
from server.cli.__main__ import main
from server.core import db
from server.demo.populate import FOLDER, STARTER_KIT

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


@pytest.mark.parametrize("level", ["paragraph2sentence", "word2sense"])
def test_baseline_of_the_starter_kit_writes_a_run_that_the_site_accepts(level: str) -> None:
    items = FOLDER / "data" / "test" / f"{level}.tsv"
    command = [sys.executable, STARTER_KIT / "word_overlap.py", items]
    written = subprocess.run(command, capture_output=True, check=True).stdout
    run = parse_run(written, "run.tsv", n=len(items.read_bytes().splitlines()), scale=(0, 4))
    assert run is not None
    assert any(run.scores) == (level == "paragraph2sentence")
