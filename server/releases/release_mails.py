"""The job that emails released results and revealed names to the teams with submissions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import select
from sqlalchemy.orm import Session

from server.access import tasks
from server.accounts.models import User
from server.core import db
from server.core.site_resources import Site
from server.gold.models import GoldEvent, GoldVersion
from server.mail import service as mails
from server.phases.models import Phase
from server.releases import service as releases
from server.releases.service import ReleaseState
from server.runs.models import Run
from server.submissions.models import Submission
from server.teams.models import Membership

BATCH = 50
"""The number of emails that are written in one transaction."""
ReleaseNews = Literal["first", "again", "corrected"]


@dataclass(frozen=True, slots=True)
class PhaseNews:
    """What is new about the results of a phase."""

    release: ReleaseNews | None
    named: bool


def write_release_mails(site: Site, payload: Mapping[str, Any], now: datetime) -> None:
    """Write the emails about what is new since the first change; none if it was withdrawn in the meantime."""
    session, since = site.session(), datetime.fromisoformat(payload["since"])
    with db.reading(session):
        phase = session.get(Phase, payload["phase"])
        news = None if phase is None else _find_news(session, phase, since)
        people = [] if phase is None or news is None else _list_people(session, phase)
    for first in range(0, len(people), BATCH):
        with db.writing(session):
            phase = session.get_one(Phase, payload["phase"])
            for user in session.scalars(select(User).where(User.id.in_(people[first : first + BATCH]))):
                mails.queue_mail(
                    session,
                    site.config,
                    phase.task,
                    user,
                    "release",
                    f"release {phase.id} {payload['since']}",
                    now,
                    phase=phase,
                    news=news,
                )


def _find_news(session: Session, phase: Phase, since: datetime) -> PhaseNews | None:
    """Return what organizers changed since then; None: nothing that is still public."""
    made = releases.list_manual_releases(session, phase)
    if not made or made[0].withdrawal is not None:
        return None
    newest, *earlier = made
    released = newest.release.made_at >= since
    named = newest.naming is not None and newest.naming.made_at >= since
    if not (released or named):
        return None
    before = next((state for state in earlier if state.release.made_at < since), None)
    return PhaseNews(_describe(session, phase, newest, before) if released else None, named)


def _describe(
    session: Session, phase: Phase, newest: ReleaseState, before: ReleaseState | None
) -> ReleaseNews:
    if before is None:
        return "first"
    splits = [split.id for _level, split in tasks.splits_of(phase)]
    corrected = select(GoldEvent.id).join(GoldVersion, GoldVersion.id == GoldEvent.gold_version_id)
    corrected = corrected.where(
        GoldVersion.split_id.in_(splits),
        GoldEvent.event == "published",
        GoldEvent.made_at > before.release.made_at,
        GoldEvent.made_at <= newest.release.made_at,
    )
    return "again" if session.scalar(corrected.limit(1)) is None else "corrected"


def _list_people(session: Session, phase: Phase) -> Sequence[int]:
    """List the members of the teams that have a submission in the phase."""
    teams = select(Run.team_id).join(Submission, Submission.run_id == Run.id)
    teams = teams.where(Run.phase_id == phase.id, Run.baseline.is_(None))
    query = select(Membership.user_id).where(Membership.team_id.in_(teams)).order_by(Membership.user_id)
    return session.scalars(query).all()
