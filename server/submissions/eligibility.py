"""Why a file may not be uploaded now: asked before the write lock, and again behind it."""

import hashlib
from datetime import datetime

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session

from server.access import service as access
from server.core.dates import clock_words
from server.core.errors import Conflict, NoGold, QuotaUsed, RunWithdrawn, TooLarge, TooManyRefused
from server.core.i18n import _, ngettext
from server.gold.models import GoldVersion
from server.phases.quotas import REFUSALS, REFUSALS_WITHIN, day_of, files_left, upload_limit
from server.runs.models import Run
from server.scoring import service as scoring
from server.submissions import runs
from server.submissions.models import Submission
from server.submissions.targets import ReceivedFile, Target
from server.tasks.models import Level

_CAME = select(Submission.late).where(
    Submission.run_id == bindparam("run_id"),
    Submission.level_id == bindparam("level_id"),
    Submission.sha256 == bindparam("sha256"),
)


def require_may_submit(session: Session, file: ReceivedFile, now: datetime) -> None:
    """Let a team pass that may send this file now.

    Raises:
        Conflict: the run is a baseline.
        NotCompeting: its team may send no files.
        RunWithdrawn: it is withdrawn.
        PhaseShut: the phase takes no files at `now`.
        QuotaUsed: the team has had as many files of this level scored as it may.
    """
    target, run = file.target, file.target.run
    if run.baseline is not None:
        raise Conflict(_("Baselines are computed; they take no files."))
    access.require_competing(run.team)
    access.require_within(target.window, run.phase, now)
    if target.withdrawn:
        raise RunWithdrawn(
            _("This run is withdrawn, so no file of it would count; bring the run back first.")
        )
    if run.phase.files_per_level is not None or run.phase.files_per_day is not None:
        _require_quota(session, file, now)


def was_only_late(session: Session, run: Run, level: Level, sha256: str) -> bool:
    """Whether these bytes came late for a run and level, and never on time."""
    same = {"run_id": run.id, "level_id": level.id, "sha256": sha256}
    return set(session.scalars(_CAME, same)) == {True}


def _require_quota(session: Session, file: ReceivedFile, now: datetime) -> None:
    run, level, phase = file.target.run, file.target.level, file.target.run.phase
    used = runs.files_used(session, run.team, phase, level, now)
    left = files_left(used, phase.files_per_level, phase.files_per_day)
    if left.now != 0:
        return
    sha256 = hashlib.sha256(file.data).hexdigest()
    if file.target.state == "open" and was_only_late(session, run, level, sha256):
        return
    if left.in_all == 0:
        raise QuotaUsed(
            _(
                "Your team has had %(used)s for %(level)s scored in %(phase)s; this file was not scored.",
                used=_of(used.in_all, phase.files_per_level),
                level=level.title,
                phase=phase.title,
            )
        )
    if left.today == 0:
        day, next_day = day_of(now)
        raise QuotaUsed(
            _(
                "Your team has had %(used)s for %(level)s scored in %(phase)s on %(day)s, a day of UTC; this "
                "file was not scored. The next day begins at %(next)s.",
                used=_of(used.today, phase.files_per_day),
                level=level.title,
                phase=phase.title,
                day=f"{day:%Y-%m-%d}",
                next=clock_words(next_day),
            )
        )


def _of(used: int, quota: int | None) -> str:
    """What was used of a quota, which may have been lowered since."""
    if quota is not None and used > quota:
        return _("%(used)d files, where %(quota)d may be,", used=used, quota=quota)
    return ngettext(
        "%(used)d of %(quota)d file", "%(used)d of %(quota)d files", quota or 0, used=used, quota=quota
    )


def check_rejection_rate(last: datetime | None) -> None:
    """Raise TooManyRefused if the run had too many rejected files in the past hour; `last`: its LAST_ALLOWED.

    This limits checks, and the reasons that a rejected upload gets; a valid file is accepted all the same.
    """
    if last is not None:
        retry_at = last + REFUSALS_WITHIN
        raise TooManyRefused(
            _(
                "%(count)d different invalid files came for this run within an hour. The site shows the "
                "errors of another one from %(at)s; until then, find them on your computer with `scorer "
                "check`. You can still upload: a valid file is accepted.",
                count=REFUSALS,
                at=clock_words(retry_at),
            ),
            retry_at,
        )


def require_golds(target: Target) -> list[GoldVersion]:
    """The gold in force, and the candidate that this scorer scores files against.

    Raises:
        NoGold: there is none yet.
    """
    gold, candidate = target.gold, target.candidate
    if gold is None:
        raise NoGold(_("The organizers have not brought the gold of this level yet; nothing can be scored."))
    scored = candidate is not None and candidate.scorer == scoring.VERSION
    return [gold, candidate] if candidate is not None and scored else [gold]


def require_size(file: ReceivedFile) -> None:
    """Let a file pass that is no larger than one for its level can need to be.

    Raises:
        TooLarge: it has more bytes.
    """
    limit = upload_limit(file.target.split.n_items, keyed=scoring.is_keyed(file.target.level))
    if len(file.data) > limit:
        raise TooLarge(
            _(
                "%(file)s is too large; a file for %(level)s may have %(limit)d kB.",
                file=file.filename,
                level=file.target.level.title,
                limit=limit // 1000,
            )
        )
