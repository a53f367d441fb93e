"""The export of a round as a zip file to download: sent directly if it is small, else made by a job.

An export of 5,000 answers takes about a second, and a job would only make people wait longer. A larger
one would occupy the site for seconds (141,542 answers: 10 s), so a job stores it.

What is stored is offered only as long as it has exactly the answers and decisions of now. While people
annotate, answers can arrive faster than the file is made, so for ten minutes new answers are no obstacle.
What was excluded, withdrawn, erased or decided since then always is.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from server.access import service as access
from server.annotation.models import AnnotationRound, Annotator, AnnotatorIdentity, RoundExport
from server.annotation.results import answer_rows, exports
from server.annotation.results.compared_rounds import list_compared
from server.core import db
from server.core.actors import Actor
from server.core.errors import Conflict
from server.core.site_resources import Site
from server.core.storage import storage_of, text_sha256
from server.core.zips import write_folder
from server.jobs import service as jobs

EXPORT_JOB = "annotation.export"
"""The kind of job that stores the zip file of an export; waiting jobs have this name."""
DIRECT_LIMIT = 5000
"""The maximum number of answers of a round whose export is made while people wait for it."""
_SNAPSHOT_PERIOD = timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class ExportState:
    """Whether an export can be downloaded, or its job waits or runs; `failure`: why the job could not run."""

    ready: bool
    waiting: bool = False
    failure: str | None = None


def find_state(session: Session, round_: AnnotationRound, now: datetime) -> ExportState:
    """Return whether the export of a round can be downloaded now."""
    if _is_small(session, round_):
        return ExportState(ready=True)
    ready, key = _find_current(session, round_, now) is not None, _job_key(round_.id)
    return ExportState(ready, jobs.is_queued(session, key), jobs.find_error(session, key))


def request_zip(session: Session, actor: Actor, round_: AnnotationRound, now: datetime) -> None:
    """Have the zip file of a large export made, unless that waits already.

    Raises:
        Forbidden, NotFound: `actor` may not see all of the task.
    """
    access.require_observer(session, actor, round_.campaign.task)
    if not find_state(session, round_, now).ready:
        jobs.add_job(session, EXPORT_JOB, {"round": round_.id}, now, key=_job_key(round_.id))


def open_zip(session: Session, actor: Actor, round_: AnnotationRound, now: datetime) -> IO[bytes]:
    """Return the zip file of an export, at its end.

    Raises:
        Forbidden, NotFound: `actor` may not see all of the task.
        Conflict: the export is large, and no job has made it with the answers of now.
    """
    access.require_observer(session, actor, round_.campaign.task)
    file = BytesIO()
    if _is_small(session, round_):
        _write_zip(session, round_, file)
    elif (row := _find_current(session, round_, now)) is not None:
        file.write(storage_of(session).get(row.sha256))
    else:
        raise Conflict.of("The download has not been made, or answers have changed since. Make it first.")
    return file


def make_zip(site: Site, payload: Mapping[str, Any], now: datetime) -> None:
    """Store the zip file of an export with the answers of now, in place of an earlier one."""
    session, zipped = site.session(), BytesIO()
    with db.reading(session):
        round_ = session.get_one(AnnotationRound, payload["round"])
        answers, changes = _hash_state(session, round_)
        _write_zip(session, round_, zipped)
    sha256 = site.storage.put(zipped.getvalue())
    with db.writing(session):
        round_ = session.get_one(AnnotationRound, payload["round"])
        if changes == _hash_state(session, round_)[1]:  # what was erased meanwhile must not be stored
            session.execute(delete(RoundExport).where(RoundExport.round_id == round_.id))
            hashes = {"answers_sha256": answers, "changes_sha256": changes, "sha256": sha256}
            session.add(RoundExport(round_id=round_.id, made_at=now, **hashes))


def _write_zip(session: Session, round_: AnnotationRound, target: IO[bytes]) -> None:
    with TemporaryDirectory() as folder:
        exports.write_files(session, round_, Path(folder))
        write_folder(target, exports.name_folder(round_), Path(folder))


def _is_small(session: Session, round_: AnnotationRound) -> bool:
    return answer_rows.count_answers(session, round_) <= DIRECT_LIMIT


def _find_current(session: Session, round_: AnnotationRound, now: datetime) -> RoundExport | None:
    row = session.scalar(select(RoundExport).where(RoundExport.round_id == round_.id))
    if row is None:
        return None
    answers, changes = _hash_state(session, round_)
    has_answers = row.answers_sha256 == answers or now < row.made_at + _SNAPSHOT_PERIOD
    return row if has_answers and row.changes_sha256 == changes else None


def _hash_state(session: Session, round_: AnnotationRound) -> tuple[str, str]:
    """Return a hash of the answers, and one of what was excluded, withdrawn, decided and erased."""
    rounds, identity = [round_, *list_compared(session, round_)], AnnotatorIdentity
    erased = select(func.count(identity.erased_at)).join(Annotator, Annotator.id == identity.annotator_id)
    n_erased = session.scalar(erased.where(Annotator.campaign_id == round_.campaign_id))
    changes = answer_rows.hash_state(session, rounds, with_answers=False)
    return answer_rows.hash_state(session, rounds), text_sha256(f"{changes} {n_erased}")


def _job_key(round_id: int) -> str:
    return f"{EXPORT_JOB} {round_id}"
