"""Live leaderboards: a phase releases its leaderboard on every change, at most once a minute."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy.orm import Session

from server.access import service as access
from server.audit import service as audit
from server.boards import service as boards
from server.core.actors import WORKER, Actor
from server.core.errors import Conflict
from server.core.site_resources import Site
from server.core.storage import text_sha256
from server.inferences import inference_inputs
from server.jobs import service as jobs
from server.phases import windows
from server.phases.feedback import Feedback
from server.phases.models import Phase
from server.releases import creation as release_creation, inferences, release_gold, service as releases
from server.releases.models import Release
from server.submissions.follow_up_jobs import RELEASE_JOB, live_key
from server.tasks.rules import HIDDEN_STATES

MIN_INTERVAL = timedelta(minutes=1)
"""The minimum time between two live releases of a phase."""
BASELINES_DELAY = timedelta(seconds=1)
"""How long after the last deadline a live leaderboard shows its baselines."""


def is_paused(session: Session, phase: Phase) -> bool:
    """Whether a live leaderboard is paused, because its newest release was made or withdrawn manually."""
    if phase.board != "live":
        return False
    newest = releases.find_newest(session, phase)
    return newest is not None and newest.by_hand


def resume_live_board(session: Session, actor: Actor, phase: Phase, now: datetime) -> Release:
    """Make a leaderboard live again after a manual release or withdrawal.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task.
        Conflict: the task is a draft, the phase is not live, or is so already, or there is nothing to show.
    """
    access.require_organizer(session, actor, phase.task)
    access.require_published(phase.task)
    if not is_paused(session, phase):
        raise Conflict.of("The leaderboard of %(phase)s is already live.", phase=phase.title)
    release = replace_with_live(session, actor, phase, now)
    if release is None:
        raise Conflict.of("There is nothing to show on the leaderboard of %(phase)s.", phase=phase.title)
    return release


def replace_with_live(session: Session, actor: Actor, phase: Phase, now: datetime) -> Release | None:
    """Replace a manual release by a live one; the caller checks the permission; None: nothing to show."""
    text = _shown_text(session, phase, now) if _is_visible(phase, now) else None
    if text is None:
        return None
    release = _add(session, phase, text, now)
    audit.record(session, actor, now, "board.live", phase.task_id, phase=phase.slug, number=release.number)
    return release


def release_live_board(session: Session, phase: Phase, now: datetime) -> Release | None:
    """Release the live leaderboard; None if nothing would change, or it may not be released.

    Nothing of a draft is released; publishing the task adds the job again.
    A release that an organizer made or withdrew stays what the public sees: no live one replaces it.
    """
    if phase.task.state in HIDDEN_STATES:
        return None
    newest = releases.find_newest(session, phase)
    if phase.board != "live" or phase.feedback == "hidden" or (newest is not None and newest.by_hand):
        return None
    bounds = (phase.opens, None if newest is None else newest.release.made_at + MIN_INTERVAL)
    earliest = max((bound for bound in bounds if bound is not None), default=now)
    if now < earliest:
        jobs.add_job(session, RELEASE_JOB, {"phase": phase.id}, now, due_at=earliest, key=live_key(phase))
        return None
    text = _shown_text(session, phase, now)
    if text is None or (newest is not None and newest.shows(text_sha256(text))):
        return None
    return _add(session, phase, text, now)


def _add(session: Session, phase: Phase, text: str, now: datetime) -> Release:
    """Add a live release, and queue its inference if that would not help probing."""
    release = release_creation.add_release(
        session, WORKER, phase, release_creation.ReleaseContent(text), now, phase.feedback
    )
    baselines = _shows_baselines(session, phase, now)
    if may_show_intervals(phase.feedback, gold_open=release_gold.is_open(phase), baselines=baselines):
        inputs = inference_inputs.collect_inputs(session, phase, baselines=baselines)
        inferences.queue_live_release(session, release, inputs, now)
    return release


def _shown_text(session: Session, phase: Phase, now: datetime) -> str | None:
    """Return the live leaderboard, and schedule another release with baselines; None: it is empty."""
    hidden_until = windows.baselines_hidden_until(session, phase, now)
    if hidden_until is not None:
        key = f"{live_key(phase)}:{hidden_until:%Y%m%dT%H%M%S}"
        jobs.add_job(
            session, RELEASE_JOB, {"phase": phase.id}, now, due_at=hidden_until + BASELINES_DELAY, key=key
        )
    board = boards.feedback_board(session, phase, baselines=_shows_baselines(session, phase, now))
    return boards.serialize_board(board, phase) if board.official or board.late or board.baselines else None


def _shows_baselines(session: Session, phase: Phase, now: datetime) -> bool:
    hidden_until = windows.baselines_hidden_until(session, phase, now)
    return hidden_until is None and not _awaits_release(session, phase)


def _is_visible(phase: Phase, now: datetime) -> bool:
    """Whether teams can see scores now: nobody can before the phase opens."""
    return phase.feedback != "hidden" and phase.window.state(now) != "early"


def _awaits_release(session: Session, phase: Phase) -> bool:
    """Whether another phase on the same items hides its scores until a release that was not made yet.

    Until then a live leaderboard must not show baselines, whose scores would reveal facts about the gold.
    """
    if phase.baselines == "always":
        return False
    on_items = windows.list_phases_on_items(session, phase.task_id, phase.split)
    hiding = [other for other in on_items if other.feedback == "hidden" and other.id != phase.id]
    states_by_phase = releases.list_releases_by_phase(session, hiding)
    return not all(any(state.withdrawal is None for state in states_by_phase[other.id]) for other in hiding)


def run_live_release(site: Site, payload: Mapping[str, Any], now: datetime) -> None:
    """Release the live leaderboard of the job's phase."""
    with site.writing() as session:
        phase = session.get(Phase, payload["phase"])
        if phase is not None:  # otherwise it was removed
            release_live_board(session, phase, now)


def may_show_intervals(feedback: Feedback, *, gold_open: bool, baselines: bool) -> bool:
    """Whether a live leaderboard may show intervals, which depend on the gold and would help probing.

    So it may only if teams see unrounded scores anyway, and the gold or the baselines are public.
    """
    return feedback == "scores" and (gold_open or baselines)
