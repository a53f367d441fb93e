import os
import subprocess
import sys
from pathlib import Path

import pytest

from server import migrate
from tests.server.sites import Assay


def test_makes_a_new_database_and_is_safe_to_repeat(
    assay: Assay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_DATA_DIR", str(tmp_path / "new" / "site"))
    for _ in range(2):
        result = assay("migrate")
        assert (result.exit_code, result.stderr) == (0, "")
        assert result.stdout == f"The database is at {migrate.head_revision()}.\n"
    assert assay("user", "list").exit_code == 0


def test_goes_back_to_an_older_revision_and_forth(assay: Assay) -> None:
    assert assay("migrate", "--to", "0003_create_teams").stdout == "The database is at 0003_create_teams.\n"
    assert assay("migrate", "--to", "base").stdout == "The database is at base.\n"
    assert assay("migrate").stdout == f"The database is at {migrate.head_revision()}.\n"


def test_a_revision_that_is_not_there_is_bad_usage_and_changes_nothing(assay: Assay) -> None:
    result = assay("migrate", "--to", "9999_nonsense")
    assert result.exit_code == 2
    assert "9999_nonsense" in result.stderr
    assert "Traceback" not in result.output
    assert assay("user", "list").exit_code == 0


def test_a_site_with_an_older_schema_says_what_to_run(assay: Assay) -> None:
    assay("migrate", "--to", "0003_create_teams")
    result = assay("task", "list")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        "assay: the database is not at this version's schema; run `assay migrate` first\n"
    )


def test_what_it_makes_is_its_owners_alone(tmp_path: Path) -> None:
    settings = {**os.environ, "ASSAY_SECRET_KEY": "k" * 40, "ASSAY_DATA_DIR": str(tmp_path / "site")}
    subprocess.run([sys.executable, "-m", "server.cli", "migrate"], env=settings, check=True)
    made = [tmp_path / "site", *(tmp_path / "site").rglob("*")]
    assert tmp_path / "site" / "assay.sqlite" in made
    assert [path for path in made if path.stat().st_mode & 0o077] == []
