"""The job that makes the tables and figures of papers: what `scorer paper` writes, as a zip file.

The command runs in a process of its own, since the site's processes load neither numpy nor matplotlib. The
same command makes the same files from the downloads that it names.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sqlalchemy import delete
from sqlalchemy.orm import Session

from server import bundles
from server.annotation.results import exports
from server.core import db
from server.core.actors import CONSOLE
from server.core.errors import NotFound, ReleaseWithdrawn
from server.core.scorer_zips import store_made
from server.core.site_resources import Site
from server.core.storage import Storage, storage_of
from server.core.zips import UniqueFilenames, write_zip_file
from server.evidence import service as evidence
from server.papers import service as papers
from server.papers.models import StoredPaper
from server.releases import public_releases
from server.releases.models import Release
from server.signing import service as signing_keys
from server.tasks.models import Task

STYLE = "plain"
"""The style of main.tex, unless an organizer chooses another one."""
_OUT = "paper"


@dataclass(frozen=True, slots=True)
class PaperSources:
    """What a paper is made of: files in a folder; `name`: the name of the folder in the zip file."""

    task_id: int
    release_id: int | None
    inputs_sha256: str
    name: str
    files: tuple[str, ...]


def make_paper(site: Site, payload: Mapping[str, Any], now: datetime) -> None:
    """Make the tables and figures of a release or a task, and store the zip file or why there is none."""
    session, style = site.session(), payload.get("style", STYLE)
    with db.writing(session):  # after an import, this site has not signed anything yet
        signing_keys.ensure_key(session, now)
    with TemporaryDirectory() as name:
        folder = Path(name)
        with db.reading(session):
            sources = _write_sources(session, payload, folder, now)
        if sources is None:
            return
        sha256, error = _run_scorer(site.storage, sources, folder, style)
    of_task = StoredPaper.task_id == sources.task_id
    of_release = StoredPaper.release_id.is_not_distinct_from(sources.release_id)
    with db.writing(session):
        session.execute(delete(StoredPaper).where(of_task, of_release))
        session.add(
            StoredPaper(
                task_id=sources.task_id,
                release_id=sources.release_id,
                inputs_sha256=sources.inputs_sha256,
                style=style,
                sha256=sha256,
                made_at=now,
                error=error,
            )
        )


def _run_scorer(
    storage: Storage, sources: PaperSources, folder: Path, style: str
) -> tuple[str | None, str | None]:
    """Return the hash of the zip file, or else why there is none."""
    if not sources.files:
        return None, "The task has no gold standard, and no annotator has answered."
    arguments = ("paper", *sources.files, f"--out={_OUT}", f"--style={style}")
    return store_made(storage, arguments, folder, _OUT, sources.name)


def _write_sources(
    session: Session, payload: Mapping[str, Any], folder: Path, now: datetime
) -> PaperSources | None:
    if "release" in payload:
        return _write_evidence(session, session.get_one(Release, payload["release"]), folder, now)
    return _write_exports(session, session.get_one(Task, payload["task"]), folder)


def _write_evidence(session: Session, release: Release, folder: Path, now: datetime) -> PaperSources | None:
    """Write the evidence of a release; None: it has none, or was withdrawn meanwhile."""
    phase = release.phase
    try:
        state = public_releases.get_release(session, phase, release.number)
        archive = evidence.collect_evidence(session, phase, state, now)
    except (NotFound, ReleaseWithdrawn):
        return None
    file = f"{archive.name}.zip"
    write_zip_file(folder / file, archive.name, archive.readers(storage_of(session)))
    name = f"{phase.task.slug}-{phase.slug}-release-{release.number}-paper"
    return PaperSources(phase.task_id, release.id, papers.hash_evidence(archive), name, (file,))


def _write_exports(session: Session, task: Task, folder: Path) -> PaperSources:
    """Write the export of a task if it has gold, and those of its rounds that have answers."""
    export, names, files = bundles.collect_export(session, CONSOLE, task, "ids"), UniqueFilenames(), []
    if any(path.startswith("gold/") for path in export.files):
        files.append(f"{export.slug}.zip")
        write_zip_file(folder / files[0], export.slug, export.readers(storage_of(session)))
    rounds = papers.list_rounds(session, CONSOLE, task)
    for round_ in rounds:
        files.append(names.give("", round_.id, exports.name_folder(round_)))
        (folder / files[-1]).mkdir()
        exports.write_files(session, round_, folder / files[-1])
    inputs = papers.hash_rounds(session, rounds)
    return PaperSources(task.id, None, inputs, f"{task.short_name}-paper", tuple(files))
