"""`assay task export`: a zip or a folder, from which `import` hosts the task again."""

import stat
import zipfile
from pathlib import Path

import pytest
from sqlalchemy import select

from server.app import create_app
from server.audit.models import AuditEntry
from server.core.config import Config
from server.web.context import site_of
from tests.server.commands import Assay
from tests.server.small_task import write_bundle

pytestmark = pytest.mark.one_database


@pytest.fixture
def hosted(assay: Assay, tmp_path: Path) -> None:
    assert assay("task", "import", write_bundle(tmp_path / "bundle")).exit_code == 0


@pytest.mark.usefixtures("hosted")
def test_export_writes_a_zip_with_one_folder_and_warns_that_it_contains_gold(
    assay: Assay, tmp_path: Path
) -> None:
    target = tmp_path / "out.zip"
    result = assay("task", "export", "small", "-o", target)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith(f"Task small was exported to {target}: ")
    assert "The export contains gold labels. Keep it private." in result.stdout
    with zipfile.ZipFile(target) as archive:
        names = archive.namelist()
        assert {name.split("/")[0] for name in names} == {"small"}
        assert {"small/task.toml", "small/history.json", "small/gold/test/p2s.tsv"} <= set(names)
        assert {info.date_time for info in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert {stat.S_IFMT(info.external_attr >> 16) for info in archive.infolist()} == {stat.S_IFREG}
    assert [path.name for path in tmp_path.glob("out*")] == ["out.zip"]


@pytest.mark.usefixtures("hosted")
def test_export_to_a_folder_has_the_same_files_as_the_zip(assay: Assay, tmp_path: Path) -> None:
    assay("task", "export", "small", "-o", tmp_path / "out.zip")
    assert assay("task", "export", "small", "-o", tmp_path / "folder").exit_code == 0
    with zipfile.ZipFile(tmp_path / "out.zip") as archive:
        zipped = {name.removeprefix("small/"): archive.read(name) for name in archive.namelist()}
    folder = tmp_path / "folder"
    files = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    assert {name: path.read_bytes() for name, path in files.items()} == zipped


@pytest.mark.usefixtures("hosted")
def test_exporting_twice_gives_the_same_bytes_and_two_audit_entries(
    assay: Assay, tmp_path: Path, config: Config
) -> None:
    for name in ("a.zip", "b.zip"):
        assay("task", "export", "small", "-o", tmp_path / name, "--people", "names")
    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()
    app = create_app(config)
    with app.app_context():
        entries = site_of(app).session().scalars(select(AuditEntry).where(AuditEntry.action == "task.export"))
        details = [entry.details for entry in entries]
    assert len(details) == 2
    assert details[0]["people"] == "names"
    site_of(app).engine.dispose()


@pytest.mark.usefixtures("hosted")
def test_export_can_be_imported_on_a_site_without_the_task(assay: Assay, tmp_path: Path) -> None:
    assay("task", "publish", "small")
    assay("task", "export", "small", "-o", tmp_path / "out.zip")
    again = assay("task", "import", tmp_path / "out.zip")
    assert (again.exit_code, again.stderr) == (
        1,
        'assay: There is already a task "small". Change the key slug in task.toml and import the bundle '
        "again.\n",
    )


@pytest.mark.usefixtures("hosted")
def test_export_overwrites_nothing(assay: Assay, tmp_path: Path) -> None:
    (tmp_path / "out.zip").write_text("mine", encoding="utf-8")
    result = assay("task", "export", "small", "-o", tmp_path / "out.zip")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "already exists. Choose another name." in result.stderr
    assert (tmp_path / "out.zip").read_text(encoding="utf-8") == "mine"
    result = assay("task", "export", "small", "-o", tmp_path)
    assert "already exists. Choose another name." in result.stderr
    result = assay("task", "export", "small", "-o", tmp_path / "no" / "where.zip")
    assert "does not exist." in result.stderr


def test_export_of_an_unknown_task_leaves_no_file(assay: Assay, tmp_path: Path) -> None:
    result = assay("task", "export", "nowhere", "-o", tmp_path / "out.zip")
    assert (result.exit_code, result.stderr) == (1, "assay: There is no such task.\n")
    assert not list(tmp_path.glob("out*"))
