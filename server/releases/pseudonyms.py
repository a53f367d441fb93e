"""Pseudonyms: random letters for teams in anonymous releases, until the names are revealed."""

import secrets
from collections import defaultdict
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from server.access import service as access
from server.audit import service as audit
from server.boards.service import RunNames
from server.core.actors import Actor
from server.core.errors import Conflict
from server.mail import notices
from server.phases.models import Phase
from server.releases import inferences, seals, service as releases
from server.releases.models import Pseudonym, Release, ReleaseNaming
from server.runs.models import Run
from server.submissions.models import Standing


def name_runs(session: Session, phase: Phase) -> RunNames:
    """Return the pseudonyms of runs on the leaderboard; teams without a pseudonym get one now."""
    letters = _draw_pseudonyms(session, phase)
    runs = select(Run).where(Run.phase_id == phase.id, Run.team_id.in_(letters), Run.baseline.is_(None))
    own: dict[int, list[int]] = defaultdict(list)
    for run in session.scalars(runs.order_by(Run.position, Run.id)):
        own[run.team_id].append(run.id)
    return {
        run_id: (letters[team_id], f"run {number}")
        for team_id, run_ids in own.items()
        for number, run_id in enumerate(run_ids, start=1)
    }


def find_pseudonym(session: Session, phase: Phase, team_id: int) -> str | None:
    """Return a team's name in the anonymous releases of a phase, for that team and the organizers only."""
    pseudonym = session.get(Pseudonym, (phase.id, team_id))
    return None if pseudonym is None else pseudonym.name


def list_anonymous(session: Session, phase: Phase) -> list[releases.ReleaseState]:
    """List the anonymous releases of a phase that were not withdrawn, the newest first."""
    states = releases.list_manual_releases(session, phase)
    return [state for state in states if state.anonymous and state.withdrawal is None]


def reveal_names(session: Session, actor: Actor, phase: Phase, now: datetime) -> list[Release]:
    """Reveal the names in all anonymous releases of a phase at once: they use the same pseudonyms.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task.
        Conflict: there is no anonymous release.
    """
    access.require_organizer(session, actor, phase.task)
    anonymous_releases = [state.release for state in list_anonymous(session, phase)]
    if not anonymous_releases:
        raise Conflict.of("%(phase)s has no anonymous release.", phase=phase.title)
    notices.queue_release_notice(session, phase, now)
    for release in reversed(anonymous_releases):
        session.add(ReleaseNaming(release_id=release.id, **actor.made(now)))
        session.flush()
        inferences.queue_named_release(session, release, now)
        first = seals.find_anonymous_seal(session, release)
        details = {"number": release.number, "sha256": release.named_sha256}
        details |= {} if first is None else {"statement": True}
        entry = audit.record(session, actor, now, "release.name", phase.task_id, phase=phase.slug, **details)
        if first is not None:
            seals.seal_named(session, phase, release, first, entry, now)
    return anonymous_releases


def letters_of(number: int) -> str:
    """Return A, B ... Z, AA, AB ...: the letters of the first (0), second, ... team."""
    letters = ""
    number += 1
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


def _draw_pseudonyms(session: Session, phase: Phase) -> dict[int, str]:
    """Draw pseudonyms for all teams on the leaderboard, by their ids; later teams get further letters."""
    pseudonym_query = select(Pseudonym).where(Pseudonym.phase_id == phase.id)
    names = {pseudonym.team_id: pseudonym.name for pseudonym in session.scalars(pseudonym_query)}
    on_board = select(Run.team_id).join(Standing, Standing.run_id == Run.id)
    query = on_board.where(Run.phase_id == phase.id, Run.baseline.is_(None)).distinct()
    present = set(session.scalars(query))
    new = sorted(present - set(names))
    secrets.SystemRandom().shuffle(new)
    drawn = {team_id: f"Team {letters_of(number)}" for number, team_id in enumerate(new, start=len(names))}
    rows = [Pseudonym(phase_id=phase.id, team_id=team_id, name=name) for team_id, name in drawn.items()]
    session.add_all(rows)
    session.flush()
    return {team_id: name for team_id, name in (names | drawn).items() if team_id in present}
