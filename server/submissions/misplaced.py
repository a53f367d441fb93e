"""Files that may be meant for another level or run: the team is asked before they count, at no cost."""

import hashlib
from datetime import datetime, timedelta

from sqlalchemy import bindparam, or_, select
from sqlalchemy.orm import Session

from scorer.bundles.run_file_names import levels_in_name
from server.core.errors import FileProblem, InvalidFile
from server.core.i18n import _
from server.runs.models import Run
from server.submissions.eligibility import ReceivedFile
from server.submissions.models import Standing, Submission
from server.submissions.rejections import MISPLACED
from server.tasks.models import Level, Split

LAST_MINUTES = timedelta(minutes=10)
"""The time before a deadline in which such a file is accepted with a warning: an answer may come too late."""
_TWIN = (
    select(Standing.level_id, Run.name)
    .join(Standing, Standing.run_id == Run.id)
    .join(Standing.submission)
    .where(Run.team_id == bindparam("team_id"), Run.phase_id == bindparam("phase_id"))
    .where(Submission.sha256 == bindparam("sha256"))
    .where(or_(Standing.run_id != bindparam("run_id"), Standing.level_id != bindparam("level_id")))
    .subquery()
)
_PLACES = (
    select(Level.slug, Level.title, _TWIN.c.name)
    .join(Level.splits)
    .outerjoin(_TWIN, _TWIN.c.level_id == Level.id)
    .where(Level.task_id == bindparam("task_id"), Split.name == bindparam("split"))
    .order_by(Level.position)
)
"""The levels of a phase, each with the run in which the same file counts there already."""


def find_doubt(session: Session, file: ReceivedFile, now: datetime) -> FileProblem | None:
    """Return what suggests that a file is for another level or run, as a warning; None: nothing does.

    Raises:
        InvalidFile: there is time to ask.
    """
    words = None if file.sure else _name_other_place(session, file)
    if words is None:
        return None
    doubt, closes = FileProblem(file.filename, None, MISPLACED, words), file.target.window.closes
    if file.target.state == "open" and (closes is None or closes - now > LAST_MINUTES):
        words = _("Is the file in the right place? If so, confirm that (sure) and send it again.")
        raise InvalidFile(words, [doubt], 1)
    return doubt


def _name_other_place(session: Session, file: ReceivedFile) -> str | None:
    run, level = file.target.run, file.target.level
    upload = {"run_id": run.id, "level_id": level.id, "sha256": hashlib.sha256(file.data).hexdigest()}
    phase = {"phase_id": run.phase_id, "task_id": level.task_id, "split": run.phase.split}
    places = session.execute(_PLACES, {**upload, **phase, "team_id": run.team_id}).all()
    titles = {slug: title for slug, title, _run in places}
    named = levels_in_name(file.filename, list(titles))
    if len(named) == 1 and named[0] != level.slug:
        return _(
            "by its name it is for %(other)s, not for %(level)s", other=titles[named[0]], level=level.title
        )
    for _slug, title, name in places:
        if name is not None:
            return _("the same file already counts for %(level)s in the run %(run)s", level=title, run=name)
    return None
