"""Files that no row names go after a day, and no other file ever does."""

import os
import threading
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import select

from server.backups import sweeps
from server.core import db
from server.core.storage import Storage
from server.tasks.models import Level, Split
from tests.server.commands import Assay
from tests.server.small_task import variant
from tests.server.world import World

pytestmark = pytest.mark.both_databases

DAY = timedelta(days=1)


def age(folder: Path, name: str, by: timedelta = 2 * DAY) -> None:
    at = (datetime.now(UTC) - by).timestamp()
    os.utime(folder / name[:2] / name, (at, at))


def names(storage: Storage) -> set[str]:
    return {file.name for file in storage.files()}


def swept(world: World) -> set[str]:
    found = sweeps.remove_orphaned_files(world.session, datetime.now(UTC) - DAY)
    return {file.name for file in found}


OTHER_HASH_COLUMNS = frozenset(
    {
        "annotation_bar.person_hash",
        "annotator_identity.person_hash",
        "round_data_set.answers_sha256",
        "round_export.answers_sha256",
        "round_export.changes_sha256",
        "round_figures.answers_sha256",
        "annotator_key.sha256",
        "api_token.token_sha256",
        "audit_entry.sha256",
        "idempotency_key.request_sha256",
        "inference.board_sha256",
        "inference.sha256",
        "paper.inputs_sha256",
        "rejection.sha256",
        "release.named_sha256",
        "release.sha256",
        "release_seal.board_sha256",
        "sign_in.token_sha256",
        "unit_answer.key_sha256",
        "unit_answer.texts_sha256",
    }
)
"""Columns with hashes of something else: of entries, rejected files, boards in their rows, secrets."""


def test_every_hash_column_is_classified_as_file_reference_or_not() -> None:
    columns = [
        column
        for table in db.Base.metadata.sorted_tables
        for column in table.columns
        if "sha256" in column.name or "hash" in column.name
    ]
    named = {f"{attribute.class_.__table__.name}.{attribute.key}" for attribute in sweeps.FILE_COLUMNS}
    unknown = [str(column) for column in columns if str(column) not in named | OTHER_HASH_COLUMNS]
    assert unknown == [], (
        "say in server/backups/sweeps.py or here whether they name files of the store: files may be lost"
    )
    assert len(columns) >= len(named) + len(OTHER_HASH_COLUMNS)


def test_orphaned_files_are_deleted_after_a_day_and_referenced_files_stay(world: World) -> None:
    storage, folder = world.storage, world.site.config.files_dir
    submission = world.upload(world.run(), "p2s").sha256
    with db.writing(world.session):
        senses, public = storage.put(b"bank#n#1\tof a river"), storage.put(b"News-1\n")
        world.session.scalars(select(Level)).first().senses_sha256 = senses
        world.session.scalars(select(Split)).first().public_items_sha256 = public
    named = names(storage)
    assert {submission, senses, public} < named
    old, young, again = storage.put(b"old"), storage.put(b"young"), storage.put(b"again")
    piece = folder / old[:2] / f"{old}#1"
    piece.write_bytes(b"ol")
    for name in names(storage) - {young}:
        age(folder, name)
    storage.put(b"again")
    found = sweeps.find_orphaned_files(world.session, datetime.now(UTC) - DAY)
    assert {file.name for file in found} == {old, piece.name}
    assert names(storage) >= {old, piece.name}
    world.session.rollback()
    assert swept(world) == {old, piece.name}
    assert names(storage) == named | {young, again}
    assert swept(world) == set()


def test_file_referenced_while_the_sweep_waits_for_the_lock_stays(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = variant(3)
    orphan = world.storage.put(data)
    age(world.site.config.files_dir, orphan)
    run_id, found = world.run().id, sweeps.find_orphaned_files

    def found_and_then_named(*arguments):
        listed = found(*arguments)
        other = threading.Thread(target=upload)
        other.start()
        other.join()
        age(world.site.config.files_dir, orphan)  # as if the upload had been long ago: the row alone keeps it
        return listed

    def upload() -> None:
        with world.app.app_context():
            world.upload(world.run(), "p2s", data)
            world.site.session.remove()

    monkeypatch.setattr(sweeps, "find_orphaned_files", found_and_then_named)
    assert run_id
    world.session.rollback()
    assert swept(world) == set()
    assert world.storage.get(orphan) == data


def test_sweep_never_deletes_a_file_that_put_has_returned(tmp_path: Path) -> None:
    storage = Storage(tmp_path)
    lost = []
    for number in range(90):
        data = f"file {number}".encode()
        name = storage.put(data)
        age(tmp_path, name)
        (file,) = [each for each in storage.files() if each.name == name]
        barrier = threading.Barrier(2)

        def remove(file=file, barrier=barrier) -> None:
            barrier.wait()
            storage.remove(file, datetime.now(UTC) - DAY)

        sweeping = threading.Thread(target=remove)
        sweeping.start()
        barrier.wait()
        if number % 3:
            time.sleep(0.00002 * (number % 7))
        storage.put(data)
        sweeping.join()
        if not storage.has(name) or storage.get(name) != data:
            lost.append(number)
    assert lost == []


def test_killed_sweep_leaves_the_files_it_had_set_aside(tmp_path: Path) -> None:
    storage = Storage(tmp_path)
    name = storage.put(b"held")
    path = tmp_path / name[:2] / name
    path.rename(path.with_name(name + ".aside"))
    assert not storage.has(name)
    assert names(storage) == {name}
    assert storage.get(name) == b"held"


def test_command_lists_and_counts_orphaned_files(assay: Assay, world: World) -> None:
    world.set_clock(datetime.now(UTC))  # files have the age that the disk gives them
    name = world.storage.put(b"nobody's")
    age(world.site.config.files_dir, name)
    before = names(world.storage)
    dry = assay("sweep", "--dry-run")
    assert (dry.exit_code, dry.stdout, dry.stderr) == (0, f"{name}\t8\n", "Would remove 1 file, 8 bytes.\n")
    assert names(world.storage) == before
    assert "Removed 0 files" in assay("sweep", "--older-than", 100).stderr
    done = assay("sweep")
    assert (done.stdout, done.stderr) == (f"{name}\t8\n", "Removed 1 file, 8 bytes.\n")
    assert names(world.storage) == before - {name}
    assert assay("sweep", "--older-than", 0).exit_code == 2
