"""API: organizers release leaderboards."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session

from server.access import tasks
from server.access.api_auth import OrganizerBlueprint, caller, get_organized_task, organizers_only
from server.api.releases.schemas import MadeRelease, NewRelease
from server.core.actors import Actor
from server.phases.models import Phase
from server.planning.inputs import explain_confirmation
from server.releases import (
    confirmations,
    creation as release_creation,
    live_boards,
    pseudonyms,
    public_releases,
    scheduling as release_scheduling,
    service as releases,
)
from server.web import context
from server.web.rest.requests import ReasonSchema

blueprint = OrganizerBlueprint("api_releasing", "/phases/<phase>")


def _phase(slug: str, phase: str) -> Phase:
    return tasks.get_phase(context.session(), get_organized_task(slug), phase)


@blueprint.post("/releases")
@organizers_only
@blueprint.input(NewRelease, arg_name="given")
@blueprint.output(MadeRelease, status_code=201)
def release(slug: str, phase: str, given: dict[str, Any]) -> dict[str, Any]:
    """Release the leaderboard, now or at a set time.

    Send `sure` to confirm that it shows hidden scores, files, names or gold labels, or that teams can still
    submit.
    """
    manner = release_creation.ReleaseOptions(given["anonymous"], given["opens_gold"], given["note"])
    with context.writing() as session:
        target, due_at, now = _phase(slug, phase), given["at"], context.arrival_time()
        with explain_confirmation():
            confirmations.require_release_confirmation(
                session, target, manner, due_at, now, sure=given["sure"]
            )
        if due_at is None:
            new_release = release_creation.release_board(session, caller(), target, now, manner)
            return {"number": new_release.number, "planned_for": None}
        release_scheduling.schedule_release(session, caller(), target, due_at, now, manner)
    return {"number": None, "planned_for": due_at}


@blueprint.post("/releases/cancel-plan")
def cancel_plan(slug: str, phase: str) -> None:
    """Cancel the scheduled release."""
    _act_on_releases(release_scheduling.cancel_plan, slug, phase)


@blueprint.post("/releases/name")
def name_releases(slug: str, phase: str) -> None:
    """Reveal the team names in anonymous releases."""
    _act_on_releases(pseudonyms.reveal_names, slug, phase)


@blueprint.post("/releases/make-live")
def make_live(slug: str, phase: str) -> None:
    """Resume a live leaderboard that a manual release or withdrawal has paused."""
    _act_on_releases(live_boards.resume_live_board, slug, phase)


@blueprint.post("/releases/<int:number>/withdraw")
@organizers_only
@blueprint.input(ReasonSchema, arg_name="given")
def withdraw_release(slug: str, phase: str, number: int, given: dict[str, str]) -> None:
    """Withdraw a release. Readers see the reason instead of the leaderboard."""
    with context.writing() as session:
        target, now = _phase(slug, phase), context.arrival_time()
        public_releases.get_any_release(session, target, number)
        releases.withdraw_release(session, caller(), target, given["reason"], now, number)


def _act_on_releases(act: Callable[[Session, Actor, Phase, datetime], object], slug: str, phase: str) -> None:
    """Carry out one action on a phase's releases."""
    with context.writing() as session:
        act(session, caller(), _phase(slug, phase), context.arrival_time())
