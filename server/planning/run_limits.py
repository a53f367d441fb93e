"""Limits on runs and files that a phase can no longer have, because a team has used more."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from server.core.i18n import ngettext
from server.phases.models import Phase
from server.phases.quotas import utc_day
from server.runs.models import Run
from server.submissions.models import Submission


def find_low_limits(session: Session, phase: Phase, new: Mapping[str, Any], now: datetime) -> dict[str, str]:
    """Find lowered limits that are below what a team has used, by the field that should be fixed.

    Withdrawn runs and files count, as they do for the limits themselves.
    """
    of_teams = (Run.phase_id == phase.id) & Run.baseline.is_(None)
    files = select(func.count(Submission.id)).join(Run).where(of_teams)
    files = files.group_by(Run.team_id, Submission.level_id)
    day, next_day = utc_day(now)
    counts = {
        "runs_per_team": select(func.count(Run.id)).where(of_teams).group_by(Run.team_id),
        "files_per_level": files,
        "files_per_day": files.where(Submission.arrived_at >= day, Submission.arrived_at < next_day),
    }
    low = {}
    for name, count in counts.items():
        old, limit = getattr(phase, name), new[name]
        if limit is None or (old is not None and limit >= old):
            continue
        used = session.scalar(select(func.max(count.subquery().c[0]))) or 0
        if limit < used:
            low[name] = _describe(name, used)
    return low


def _describe(name: str, used: int) -> str:
    if name == "runs_per_team":
        return ngettext(
            "A team already has %(num)d run in this phase. Enter at least %(num)d.",
            "A team already has %(num)d runs in this phase. Enter at least %(num)d.",
            used,
        )
    if name == "files_per_level":
        return ngettext(
            "A team already has %(num)d submission at a level. Enter at least %(num)d, or leave it empty.",
            "A team already has %(num)d submissions at a level. Enter at least %(num)d, or leave it empty.",
            used,
        )
    return ngettext(
        "A team already has %(num)d submission at a level today. Enter at least %(num)d, or leave it empty.",
        "A team already has %(num)d submissions at a level today. Enter at least %(num)d, or leave it empty.",
        used,
    )
