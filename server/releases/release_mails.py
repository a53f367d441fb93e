"""The job that emails released results and revealed names to the teams with submissions."""

from collections.abc import Iterator, Mapping
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
from server.runs.models import Run
from server.submissions.models import Submission
from server.tasks.models import Task
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
        phases_by_person = _list_people(session, payload["task"], since)
    people = sorted(phases_by_person)
    for first in range(0, len(people), BATCH):
        with db.writing(session):
            task = session.get_one(Task, payload["task"])
            news, cause = dict(_list_news(session, task.id, since)), f"release {task.id} {payload['since']}"
            for user in session.scalars(select(User).where(User.id.in_(people[first : first + BATCH]))):
                news_of_user = [
                    (phase, news[phase]) for phase in news if phase.id in phases_by_person[user.id]
                ]
                if news_of_user:
                    mails.queue_mail(site, task, user, "release", cause, now, news=news_of_user)


def _list_news(session: Session, task_id: int, since: datetime) -> Iterator[tuple[Phase, PhaseNews]]:
    """Yield the phases of a task whose results are new, in their order."""
    for phase in session.scalars(select(Phase).where(Phase.task_id == task_id).order_by(Phase.position)):
        found = _find_news(session, phase, since)
        if found is not None:
            yield phase, found


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
    session: Session, phase: Phase, newest: releases.ReleaseState, before: releases.ReleaseState | None
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


def _list_people(session: Session, task_id: int, since: datetime) -> dict[int, set[int]]:
    """Return the phases with news in which a person's team has a submission, by the person's id."""
    phases = [phase.id for phase, _news in _list_news(session, task_id, since)]
    query = (
        select(Membership.user_id, Run.phase_id)
        .join(Run, Run.team_id == Membership.team_id)
        .join(Submission, Submission.run_id == Run.id)
        .where(Run.phase_id.in_(phases), Run.baseline.is_(None))
        .distinct()
    )
    found: dict[int, set[int]] = {}
    for user_id, phase_id in session.execute(query):
        found.setdefault(user_id, set()).add(phase_id)
    return found
