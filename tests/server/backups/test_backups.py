"""A backup is the whole site at one instant, or there is none; a site comes back whole, or not at all."""

import contextlib
import shutil
import subprocess
import sys
import tarfile
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import Engine, func, select

from server import backups
from server.app import create_app
from server.audit.models import AuditEntry
from server.backups.archive import new_archive, visit_members
from server.backups.manifest import Manifest
from server.core import db, migrate
from server.core.config import Config, find_package_folder, to_env
from server.core.errors import BackupFailed, BadBackup, Conflict
from server.core.storage import Storage
from server.runs.models import Run
from server.scoring.models import Score
from server.signing import service as signing_keys
from server.submissions.models import Submission
from tests.bench.flips import flipped
from tests.server.commands import Assay
from tests.server.core.test_ids import add_and_delete_rows
from tests.server.databases import Databases
from tests.server.small_task import variant
from tests.server.world import AFTER, DURING, World

pytestmark = pytest.mark.both_databases


def save(world: World, target: Path) -> Manifest:
    return backups.save(world.site.config, world.site.engine, target, AFTER)


@pytest.fixture
def new(world: World, tmp_path: Path, databases: Databases) -> Config:
    """Where a site may come back to: no folder, and a database without tables."""
    return replace(world.site.config, data_dir=tmp_path / "back" / "site", database_url=databases.empty())


@contextlib.contextmanager
def opened(config: Config) -> Iterator[Engine]:
    engine = db.open_engine(config.database_url)
    yield engine
    engine.dispose()


def rows(engine: Engine) -> dict[str, list[object]]:
    with engine.connect() as connection:
        return {
            table.name: sorted(map(repr, connection.execute(table.select())))
            for table in db.Base.metadata.sorted_tables
        }


def contents(storage: Storage) -> dict[str, bytes]:
    return {file.name: storage.get(file.name) for file in storage.files()}


def left(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


def test_restored_site_has_every_row_and_file_and_people_can_sign_in(
    world: World, new: Config, tmp_path: Path
) -> None:
    world.upload(world.run(), "p2s")
    world.release()
    world.storage.put(b"what a transaction that was rolled back has left")
    manifest = save(world, tmp_path / "site.tar.gz")
    assert (tmp_path / "site.tar.gz").stat().st_mode & 0o777 == 0o600
    with world.site.engine.connect() as connection:
        named = backups.sweeps.list_named_files(connection)
        head = connection.execute(
            select(AuditEntry.number, AuditEntry.sha256).order_by(AuditEntry.number)
        ).all()[-1]
    assert manifest.audit == tuple(head)
    assert {part.sha256 for part in manifest.parts[1:]} == named
    assert (
        backups.check(tmp_path / "site.tar.gz") == manifest == backups.restore(new, tmp_path / "site.tar.gz")
    )
    assert left(new.data_dir) in (["files"], ["files", Path(new.database_url).name])
    with opened(new) as engine:
        assert rows(engine) == rows(world.site.engine)
    assert contents(Storage(new.files_dir)) == {name: world.storage.get(name) for name in named}
    back = World(create_app(new), lambda _: None)
    with back.app.app_context():
        assert back.client("bo").get("/tasks/small/team/").status_code == 200
        signing_keys.require_usable_key(back.session)
        back.upload(back.run("two"), "s2p")
    back.site.session.remove()
    back.site.engine.dispose()


def test_restored_site_gives_no_id_of_a_row_that_was_made_after_the_backup(
    world: World, new: Config, tmp_path: Path
) -> None:
    save(world, tmp_path / "site.tar.gz")
    for _ in range(2):
        lost = add_and_delete_rows(world.site.engine)
    backups.restore(new, tmp_path / "site.tar.gz")
    with opened(new) as engine:
        later = add_and_delete_rows(engine)
    assert [name for name in lost if later[name] <= lost[name]] == []


def test_upload_during_a_backup_is_wholly_in_the_backup_or_absent(
    world: World, tmp_path: Path, databases: Databases
) -> None:
    run, stop, sent = world.run("busy", "practice").id, threading.Event(), []

    def send(number: int) -> None:
        while not stop.is_set():
            own = World(world.app, lambda _: None)
            with world.app.app_context():
                data = variant(len(sent) * 2 + number)
                sent.append(own.upload(own.session.get_one(Run, run), "p2s", data).sha256)
                own.site.session.remove()

    threads = [threading.Thread(target=send, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for number in range(3):
        save(world, tmp_path / f"{number}.tar.gz")
    stop.set()
    for thread in threads:
        thread.join()
    found = []
    for number in range(3):
        folder = tmp_path / f"back-{number}"
        config = replace(world.site.config, data_dir=folder, database_url=databases.empty())
        backups.restore(config, tmp_path / f"{number}.tar.gz")
        with opened(config) as engine, engine.connect() as connection:
            ids = connection.scalars(select(Submission.id).where(Submission.run_id == run)).all()
            scored = connection.scalars(select(func.count()).where(Score.submission_id.in_(ids))).one()
            stored = backups.sweeps.list_named_files(connection)
        assert scored == 2 * len(ids)
        assert stored == contents(Storage(config.files_dir)).keys()
        found.append(len(ids))
    assert found == sorted(found)
    assert len(sent) > 0


@pytest.mark.one_database
def test_damaged_backup_is_detected_and_undetectable_damage_changes_nothing(
    world: World, tmp_path: Path
) -> None:
    good = tmp_path / "good.tar.gz"
    save(world, good)
    bad, data = tmp_path / "bad.tar.gz", good.read_bytes()
    whole = read(good)
    cuts = ((-1, data[:size]) for size in (0, 1, 9, 10, 400, len(data) // 2, len(data) - 9, len(data) - 1))
    found = 0
    for _, damaged in (*flipped(data, 40, seed=3), *cuts, (-1, data + b"x"), (-1, b"\x1f\x8b" * 100)):
        bad.write_bytes(damaged)
        try:
            assert read(bad) == whole
        except BadBackup:
            found += 1
    assert found >= 48


def read(path: Path) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    visit_members(path, lambda name, file: found.setdefault(name, file.read_all()))
    return found


def made(path: Path, manifest: Manifest, parts: dict[str, bytes]) -> Path:
    """A backup that says something else than it has."""
    with new_archive(path) as writer:
        for name, data in parts.items():
            writer.add(name, data)
        writer.finish(manifest)
    return path


@pytest.mark.one_database
def test_backup_with_invalid_manifest_is_rejected(world: World, new: Config, tmp_path: Path) -> None:
    manifest = save(world, tmp_path / "good.tar.gz")
    parts = read(tmp_path / "good.tar.gz")
    last = list(parts)[-1]
    cases = {
        "does not match backup.json": (manifest, {**parts, last: b"other"}),
        f"the contents of {last} do not match its name": (
            replace(manifest, parts=(*manifest.parts[:-1], replace(manifest.parts[-1], sha256="0" * 64))),
            parts,
        ),
        "members, but backup.json lists": (manifest, {name: parts[name] for name in list(parts)[:-1]}),
        "is not a valid member of a backup": (manifest, {**parts, "../../escape": b""}),
        "which this version does not support": (replace(manifest, revision="9999_tomorrow"), parts),
        "names sqlite. Name an empty postgresql database": (replace(manifest, database="postgresql"), parts),
    }
    for number, (words, (says, has)) in enumerate(cases.items()):
        path = made(tmp_path / f"{number}.tar.gz", says, has)
        if last in words:
            with tarfile.open(path) as tar:
                assert tar.getnames()[-2] == last
            continue
        with pytest.raises(BadBackup, match=words.replace(".", r"\.")):
            backups.restore(new, path)
    assert not new.data_dir.exists()
    assert not Path(new.database_url.removeprefix("sqlite:///")).exists()


def test_backup_and_restore_overwrite_nothing(world: World, new: Config, tmp_path: Path) -> None:
    backup = tmp_path / "site.tar.gz"
    save(world, backup)
    with pytest.raises(Conflict, match=r"already exists\. Name a new file"):
        save(world, backup)
    with pytest.raises(Conflict, match="can be restored into a"):
        backups.restore(replace(new, database_url=world.site.config.database_url), backup)
    new.data_dir.mkdir(parents=True)
    (new.data_dir / "lost+found").mkdir()
    (new.data_dir / ".restoring").mkdir()
    with pytest.raises(Conflict, match=r"contains \.restoring \(left by an interrupted restore\)"):
        backups.restore(new, backup)
    (new.data_dir / ".restoring").rmdir()
    backups.restore(new, backup)
    with pytest.raises(Conflict, match="contains files"):
        backups.restore(new, backup)


@pytest.mark.one_database
def test_backup_fails_if_a_stored_file_is_missing_or_damaged(world: World, tmp_path: Path) -> None:
    folder, files = tmp_path / "backups", world.site.config.files_dir
    folder.mkdir()
    name = world.upload(world.run(), "p2s").sha256
    path = files / name[:2] / name
    data = path.read_bytes()
    path.write_bytes(data[:-1])
    with pytest.raises(BackupFailed, match=f"The stored file {name} is damaged"):
        save(world, folder / "site.tar.gz")
    path.unlink()
    with pytest.raises(
        BackupFailed,
        match=f"files that the database refers to are missing, such as {name}; missing in total: 1",
    ):
        save(world, folder / "site.tar.gz")
    assert left(folder) == []


FULL = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), int(sys.argv[1])))
from server.cli.__main__ import run
sys.argv = ["assay", *sys.argv[2:]]
run()
"""


def limited(config: Config, size: int, *arguments: object) -> subprocess.CompletedProcess[str]:
    """The command where no file may have more bytes than this, as on a disk that is full."""
    command = [sys.executable, "-c", FULL, str(size), *map(str, arguments)]
    return subprocess.run(command, env=to_env(config), capture_output=True, text=True, check=False)


@pytest.mark.one_database
def test_full_disk_leaves_no_partial_backup(world: World, new: Config, tmp_path: Path) -> None:
    folder = tmp_path / "backups"
    folder.mkdir()
    good = tmp_path / "site.tar.gz"
    save(world, good)
    done = limited(world.site.config, 30_000, "backup", folder / "site.tar.gz")
    assert (done.returncode, done.stdout, left(folder)) == (1, "", [])
    assert done.stderr.startswith("assay: ")
    done = limited(new, 30_000, "restore", good)
    assert (done.returncode, done.stdout, left(new.data_dir)) == (1, "", [])
    assert done.stderr == "assay: The site cannot be written: File too large. Nothing was restored.\n"
    assert backups.restore(new, good)


def test_the_command_makes_checks_and_restores(
    world: World, new: Config, tmp_path: Path, assay: Assay, monkeypatch: pytest.MonkeyPatch
) -> None:
    with db.writing(world.session):
        signing_keys.sign_document(world.session, {"n": 1}, DURING)
    path = tmp_path / "site.tar.gz"
    monkeypatch.setenv("ASSAY_SITE_URL", "https://assay.test")
    assert assay("backup", path).stdout.startswith(f"{path} was written: https://assay.test as of ")
    assert "files, " in assay("backup", "--check", path).stdout
    assert assay("backup", path).exit_code == 1
    monkeypatch.setenv("ASSAY_DATA_DIR", str(new.data_dir))
    monkeypatch.setenv("ASSAY_DATABASE_URL", new.database_url)
    monkeypatch.setenv("ASSAY_SECRET_KEY", "another" * 8)
    result = assay("restore", path)
    assert (result.exit_code, result.stdout.split(" ", 2)[:2]) == (0, ["Restored", "https://assay.test"])
    assert "warning: the site's signing key was sealed with another ASSAY_SECRET_KEY" in result.stderr
    assert assay("user", "list").stdout.count("@example.org") == 4
    verified = assay("audit", "verify")
    assert (
        verified.exit_code,
        "No entry is missing or edited, and each follows from the one before it." in verified.stdout,
    ) == (
        0,
        True,
    )
    assert assay("backup", "--check", tmp_path / "none").stderr.endswith(
        "cannot be read: No such file or directory.\n"
    )


LATER_MIGRATION = """
import sqlalchemy as sa
from alembic import op

revision = "9999_add_later"
down_revision = "{head}"


def upgrade() -> None:
    op.create_table("later", sa.Column("id", sa.Integer(), primary_key=True))
"""


@pytest.mark.own_site  # whose tables become later ones
def test_site_with_older_schema_is_backed_up_completely(
    assay: Assay, config: Config, tmp_path: Path, databases: Databases, monkeypatch: pytest.MonkeyPatch
) -> None:
    Storage(config.files_dir).put(b"kept")
    older, migrations = migrate.head_revision(), tmp_path / "migrations"
    shutil.copytree(find_package_folder("migrations"), migrations)
    later = LATER_MIGRATION.format(head=older)
    (migrations / "versions" / "9999_add_later.py").write_text(later, encoding="utf-8")
    (migrations / "HEAD").write_text("9999_add_later\n", encoding="utf-8")
    monkeypatch.setattr("server.core.migrate.find_package_folder", lambda _name: migrations)

    assert f"schema {older}; the database and 1 file" in assay("backup", tmp_path / "old.tar.gz").stdout
    monkeypatch.setenv("ASSAY_DATA_DIR", str(tmp_path / "back"))
    monkeypatch.setenv("ASSAY_DATABASE_URL", databases.empty())
    assert "Run `assay migrate` before `assay serve`" in assay("restore", tmp_path / "old.tar.gz").stderr
    assert assay("migrate").stdout == "The database is at 9999_add_later.\n"
    assert assay("user", "list").exit_code == 0


def test_missing_site_and_missing_program_are_reported(
    assay: Assay, config: Config, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    postgresql = config.database_url.startswith("postgresql")
    if postgresql:
        monkeypatch.setenv("PATH", "")
        words = "pg_dump is not installed; it comes with Debian's postgresql-client"
    else:
        monkeypatch.setenv("ASSAY_DATABASE_URL", f"sqlite:///{tmp_path}/none.sqlite")
        words = f"There is no database at {tmp_path}/none.sqlite"
    result = assay("backup", tmp_path / "site.tar.gz")
    assert (result.exit_code, result.stdout) == (1, "")
    assert words in result.stderr
    assert not (tmp_path / "site.tar.gz").exists()
