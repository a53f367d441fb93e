"""API: the dates and rules of a phase, extensions, and releases."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from apiflask import APIBlueprint
from sqlalchemy.orm import Session

from server.access import service as access
from server.access import tasks
from server.access.api_auth import ANONYMOUS_ALLOWED, auth, caller, get_organized_task, organizers_only
from server.core.actors import Actor
from server.organize import confirmations, extensions, phase_editing
from server.organize.inputs import explain_confirmation, list_phase_warnings, phase_values, read_phase_edit
from server.organize.schemas import (
    ChangedPhase,
    ExtensionSchema,
    ExtensionsPage,
    MadeRelease,
    NewExtension,
    NewRelease,
    PhaseChange,
    ReasonSchema,
)
from server.phases.models import Extension, Phase
from server.releases import creation as release_creation
from server.releases import live_boards, pseudonyms, public_releases
from server.releases import scheduling as release_scheduling
from server.releases import service as releases
from server.releases.creation import ReleaseOptions
from server.teams import service as teams
from server.web import context
from server.web.rest.fields import load_json
from server.web.rest.responses import PageQuery, cut_page

blueprint = APIBlueprint(
    "api_scheduling", __name__, url_prefix="/api/v1/tasks/<slug>/phases/<phase>", tag="Organizing"
)


@blueprint.patch("")
@blueprint.auth_required(auth, roles=["organize"])
@organizers_only
@blueprint.input(PhaseChange, arg_name="sent", validation=False)
@blueprint.output(ChangedPhase)
def edit(slug: str, phase: str, sent: Any) -> dict[str, Any]:
    """Change a phase's dates and rules.

    Files that have already arrived keep their status, on time or late.
    """
    with context.writing() as session:
        target, now = _phase(slug, phase), context.arrival_time()
        before = phase_values(target)
        given = load_json(PhaseChange(before), sent)
        edit, sure = read_phase_edit({**before, **given}), given.get("sure", False)
        with explain_confirmation():
            changed = phase_editing.edit_phase(session, caller(), target, edit, now, sure=sure)
    return {"changed": changed, "warnings": list_phase_warnings(_phase(slug, phase))}


@blueprint.get("/extensions")
@blueprint.input(PageQuery, location="query", arg_name="query")
@blueprint.output(ExtensionsPage)
@blueprint.auth_required(auth, optional=ANONYMOUS_ALLOWED)
def list_extensions(slug: str, phase: str, query: dict[str, int]) -> dict[str, Any]:
    """List the extensions for all teams and for your team, with reasons. Organizers see all of them."""
    session, actor = context.session(), caller()
    task = tasks.get_task(session, slug)
    target = tasks.get_phase(session, task, phase)
    if access.sees_all(session, actor, task):
        visible_extensions = extensions.list_extensions(session, target)
    else:
        visible_extensions = extensions.list_visible_extensions(
            session, [target], access.find_team(session, actor, task)
        )
    return cut_page(visible_extensions, query)


@blueprint.post("/extensions")
@blueprint.auth_required(auth, roles=["organize"])
@organizers_only
@blueprint.input(ExtensionSchema, arg_name="given")
@blueprint.output(NewExtension, status_code=201)
def extend(slug: str, phase: str, given: dict[str, Any]) -> Extension:
    """Extend the deadline for all teams or for one team."""
    with context.writing() as session:
        target = _phase(slug, phase)
        team = None if given["team"] is None else teams.get_team(session, target.task, given["team"])
        return extensions.extend_deadline(
            session, caller(), target, team, given["closes"], given["reason"], context.arrival_time()
        )


@blueprint.post("/releases")
@blueprint.auth_required(auth, roles=["organize"])
@organizers_only
@blueprint.input(NewRelease, arg_name="given")
@blueprint.output(MadeRelease, status_code=201)
def release(slug: str, phase: str, given: dict[str, Any]) -> dict[str, Any]:
    """Release the leaderboard, now or at a set time.

    Send `sure` to confirm that it shows hidden scores, files, names or gold labels, or that teams can still
    submit.
    """
    manner = ReleaseOptions(given["anonymous"], given["opens_gold"], given["note"])
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
@blueprint.auth_required(auth, roles=["organize"])
@blueprint.output({}, status_code=204)
def cancel_plan(slug: str, phase: str) -> str:
    """Cancel the scheduled release."""
    return _act_on_releases(release_scheduling.cancel_plan, slug, phase)


@blueprint.post("/releases/name")
@blueprint.auth_required(auth, roles=["organize"])
@blueprint.output({}, status_code=204)
def name_releases(slug: str, phase: str) -> str:
    """Reveal the team names in anonymous releases."""
    return _act_on_releases(pseudonyms.reveal_names, slug, phase)


@blueprint.post("/releases/make-live")
@blueprint.auth_required(auth, roles=["organize"])
@blueprint.output({}, status_code=204)
def make_live(slug: str, phase: str) -> str:
    """Resume a live leaderboard that a manual release or withdrawal has paused."""
    return _act_on_releases(live_boards.resume_live_board, slug, phase)


@blueprint.post("/releases/<int:number>/withdraw")
@blueprint.auth_required(auth, roles=["organize"])
@organizers_only
@blueprint.input(ReasonSchema, arg_name="given")
@blueprint.output({}, status_code=204)
def withdraw_release(slug: str, phase: str, number: int, given: dict[str, str]) -> str:
    """Withdraw a release. Readers see the reason instead of the leaderboard."""
    with context.writing() as session:
        target, now = _phase(slug, phase), context.arrival_time()
        public_releases.get_any_release(session, target, number)
        releases.withdraw_release(session, caller(), target, given["reason"], now, number)
    return ""


def _phase(slug: str, phase: str) -> Phase:
    return tasks.get_phase(context.session(), get_organized_task(slug), phase)


def _act_on_releases(act: Callable[[Session, Actor, Phase, datetime], object], slug: str, phase: str) -> str:
    """Carry out one action on a phase's releases."""
    with context.writing() as session:
        act(session, caller(), _phase(slug, phase), context.arrival_time())
    return ""
