"""API: the dates and rules of a phase, and extensions."""

from typing import Any

from server.access import service as access, tasks
from server.access.api_auth import ApiBlueprint, caller, get_organized_task, organizers_only
from server.api.phases.schemas import ChangedPhase, ExtensionSchema, ExtensionsPage, NewExtension, PhaseChange
from server.phases.models import Extension, Phase
from server.planning import extensions, phase_editing
from server.planning.inputs import explain_confirmation, list_phase_warnings, phase_values, read_phase_edit
from server.teams import service as teams
from server.web import context
from server.web.rest.fields import load_json
from server.web.rest.responses import PageQuery, cut_page

blueprint = ApiBlueprint("api_phase_editing", url_prefix="/tasks/<slug>/phases/<phase>", tag="Organizing")


@blueprint.patch("", scopes=["organize"])
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


@blueprint.post("/extensions", scopes=["organize"])
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


def _phase(slug: str, phase: str) -> Phase:
    return tasks.get_phase(context.session(), get_organized_task(slug), phase)
