"""Files that may be meant for another level or run: the team is asked before they count, at no cost."""

import hashlib
from datetime import datetime, timedelta

from sqlalchemy import or_, select
from sqlalchemy.orm import Session, joinedload

from scorer.bundles.run_file_names import levels_in_name
from server.access import tasks
from server.core.errors import FileProblem, InvalidFile
from server.core.i18n import _
from server.runs.models import Run
from server.submissions.eligibility import ReceivedFile, UploadTarget
from server.submissions.models import Standing, Submission
from server.submissions.rejections import MISPLACED

LAST_MINUTES = timedelta(minutes=10)
"""The time before a deadline in which such a file is accepted with a warning: an answer may come too late."""


def find_doubt(session: Session, file: ReceivedFile, now: datetime) -> FileProblem | None:
    """Return what suggests that a file is for another level or run, as a warning; None: nothing does.

    Raises:
        InvalidFile: there is time to ask.
    """
    words = None if file.sure else _by_name(file) or _by_content(session, file)
    if words is None:
        return None
    doubt, closes = FileProblem(file.filename, None, MISPLACED, words), file.target.window.closes
    if file.target.state == "open" and (closes is None or closes - now > LAST_MINUTES):
        raise InvalidFile(
            _("Is the file in the right place? If so, confirm that (sure) and send it again."), [doubt], 1
        )
    return doubt


def _by_name(file: ReceivedFile) -> str | None:
    level, levels = file.target.level, tasks.levels_of(file.target.run.phase)
    named = levels_in_name(file.filename, [each.slug for each in levels])
    if len(named) != 1 or named[0] == level.slug:
        return None
    (other,) = (each for each in levels if each.slug == named[0])
    return _("by its name it is for %(other)s, not for %(level)s", other=other.title, level=level.title)


def _by_content(session: Session, file: ReceivedFile) -> str | None:
    twin = _find_twin(session, file.target, hashlib.sha256(file.data).hexdigest())
    if twin is None:
        return None
    place = {"level": twin.level.title, "run": twin.run.name}
    return _("the same file already counts for %(level)s in the run %(run)s", **place)


def _find_twin(session: Session, target: UploadTarget, sha256: str) -> Submission | None:
    """Find a submission of the team that counts elsewhere in the phase and has the same bytes."""
    elsewhere = or_(Submission.run_id != target.run.id, Submission.level_id != target.level.id)
    query = (
        select(Submission)
        .join(Standing, Standing.submission_id == Submission.id)
        .join(Submission.run)
        .where(Run.team_id == target.run.team_id, Run.phase_id == target.run.phase_id)
        .where(Submission.sha256 == sha256, elsewhere)
        .options(joinedload(Submission.run), joinedload(Submission.level))
        .order_by(Submission.id)
        .limit(1)
    )
    return session.scalar(query)
