import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import text

from server.core import db, file_permissions, migrate
from server.core.config import Config
from tests.server.commands import Assay

pytestmark = pytest.mark.one_database


def test_migrate_creates_a_database_and_is_safe_to_repeat(
    assay: Assay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_DATA_DIR", str(tmp_path / "new" / "site"))
    monkeypatch.delenv("ASSAY_DATABASE_URL")
    for _ in range(2):
        result = assay("migrate")
        assert (result.exit_code, result.stderr) == (0, "")
        assert result.stdout == f"The database is at {migrate.head_revision()}.\n"
    assert assay("user", "list").exit_code == 0


def test_migrate_goes_back_to_an_empty_database_and_forward_again(assay: Assay) -> None:
    assert assay("migrate", "--to", "base").stdout == "The database is at base.\n"
    assert assay("migrate").stdout == f"The database is at {migrate.head_revision()}.\n"


def test_unknown_revision_is_a_usage_error_and_changes_nothing(assay: Assay) -> None:
    result = assay("migrate", "--to", "9999_nonsense")
    assert result.exit_code == 2
    assert "9999_nonsense" in result.stderr
    assert "Traceback" not in result.output
    assert assay("user", "list").exit_code == 0


def test_site_with_an_older_schema_says_which_command_to_run(assay: Assay) -> None:
    assay("migrate", "--to", "base")
    result = assay("task", "list")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        "assay: the database is not at this version's schema; run `assay migrate` first\n"
    )


@pytest.mark.parametrize("line", ["user list", "worker", "sweep", "audit verify"])
def test_command_without_a_database_says_how_to_create_one_and_creates_nothing(
    assay: Assay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    monkeypatch.setenv("ASSAY_DATA_DIR", str(tmp_path / "new"))
    monkeypatch.delenv("ASSAY_DATABASE_URL")
    result = assay(*line.split())
    assert result.exit_code == 2
    assert "there is no database at" in result.stderr
    assert "run `assay migrate` to create one" in result.stderr
    assert not (tmp_path / "new").exists()


def test_database_of_an_unknown_schema_is_refused_in_one_sentence_and_unchanged(
    assay: Assay, config: Config
) -> None:
    assay("migrate")
    engine = db.open_engine(config.database_url)
    with db.connect_to_write(engine) as connection, connection.begin():
        connection.execute(text("UPDATE alembic_version SET version_num = '0039_add_round_data_sets'"))
    for command in (("migrate",), ("migrate", "--to", "base"), ("task", "list")):
        result = assay(*command)
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr == (
            "assay: the database has the schema 0039_add_round_data_sets, which this version cannot migrate; "
            "name an empty database, or install the version that made this one\n"
        )
    assert migrate.current_revision(engine) == "0039_add_round_data_sets"
    engine.dispose()


def make_open_site(folder: Path) -> list[Path]:
    """A site as an earlier version made it with the usual umask; its paths."""
    (folder / "files" / "ab").mkdir(parents=True)
    (folder / "assay.sqlite").touch()
    (folder / "files" / "ab" / ("ab" * 32)).write_bytes(b"gold")
    (folder / "elsewhere").symlink_to("/etc/hostname")
    (folder / "notes.txt").touch()
    made = [folder, *folder.rglob("*")]
    for path in made:
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() else 0o644)
    return made


def test_data_folder_readable_by_others_is_restricted_with_one_line(
    assay: Assay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "earlier"
    made = make_open_site(folder)
    monkeypatch.setenv("ASSAY_DATA_DIR", str(folder))
    monkeypatch.delenv("ASSAY_DATABASE_URL")
    first, second = assay("migrate"), assay("migrate")
    assert first.stderr == (
        f"Other accounts of this machine had access to 5 files and folders of this site, such as {folder}. "
        "Now only this one has.\n"
    )
    assert (first.exit_code, second.exit_code, second.stderr) == (0, 0, "")
    assert {path.name: f"{path.lstat().st_mode & 0o7777:o}" for path in made if not path.is_symlink()} == {
        "earlier": "700", "files": "700", "ab": "700", "assay.sqlite": "600", "ab" * 32: "600",
        "notes.txt": "644",  # is not the site's
    }  # fmt: skip
    assert Path("/etc/hostname").stat().st_mode & 0o044, "what a link leads to is left alone"


def test_database_outside_the_data_folder_is_restricted_too(
    assay: Assay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = tmp_path / "beside.sqlite"
    for ending in ("", "-wal"):
        Path(f"{database}{ending}").touch(0o644)
        Path(f"{database}{ending}").chmod(0o644)
    monkeypatch.setenv("ASSAY_DATABASE_URL", f"sqlite:///{database}")
    assert f"had access to 2 files and folders of this site, such as {database}." in assay("migrate").stderr
    assert database.stat().st_mode & 0o777 == 0o600


def test_files_of_another_account_are_left_and_the_line_says_what_to_run_for_them(config: Config) -> None:
    foreign = Path("/proc/self/attr")  # of the kernel, which lets nobody change its permissions
    closed, refused = file_permissions.restrict_paths([foreign])
    assert (closed, foreign in refused) == ([], True)
    (line,) = file_permissions.restrict_data(replace(config, data_dir=foreign, database_url="sqlite://"))
    assert line.startswith("Other accounts of this machine have access to ")
    assert line.endswith(f"As root, run `chown -R {os.geteuid()} /proc/self/attr`, and start again.")


@pytest.mark.parametrize("start", ["import server.wsgi", "from server.cli import run; run()"])
def test_every_start_of_the_site_restricts_its_data_folder(assay: Assay, config: Config, start: str) -> None:
    assay("migrate")
    config.data_dir.chmod(0o755)
    command = [sys.executable, "-c", start, "worker", "--parent", "1"]  # such a worker ends at once
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stderr.count("Other accounts of this machine had access to") == 1
    assert config.data_dir.stat().st_mode & 0o777 == 0o700


def test_new_files_are_readable_only_by_their_owner(tmp_path: Path) -> None:
    settings = {**os.environ, "ASSAY_SECRET_KEY": "k" * 40, "ASSAY_DATA_DIR": str(tmp_path / "site")}
    subprocess.run([sys.executable, "-m", "server.cli", "migrate"], env=settings, check=True)
    made = [tmp_path / "site", *(tmp_path / "site").rglob("*")]
    assert tmp_path / "site" / "assay.sqlite" in made
    assert [path for path in made if path.stat().st_mode & 0o077] == []
