"""API: adding and removing phases, and declaring public items."""

from typing import Any

from server.access import tasks
from server.access.api_auth import OrganizerBlueprint, caller, get_organized_task, organizers_only
from server.api.phases.schemas import AddedPhase, ListedItemsSchema, NewPhase, PublicItemsSchema
from server.core.i18n import _
from server.planning import phase_editing, public_items
from server.planning.inputs import PHASE_DEFAULTS, explain_confirmation, list_phase_warnings, read_phase_edit
from server.web import context
from server.web.rest.fields import invalid_fields

blueprint = OrganizerBlueprint("api_phases", "/phases")


@blueprint.post("")
@organizers_only
@blueprint.input(NewPhase, arg_name="given")
@blueprint.output(AddedPhase, status_code=201)
def add(slug: str, given: dict[str, Any]) -> dict[str, Any]:
    """Add a phase. By default, it has no deadline and hides scores.

    Send `sure` to confirm that it makes its items public at once.
    """
    splits = {split.name for level in get_organized_task(slug).levels for split in level.splits}
    if given["split"] not in splits:
        words = _("Send one of: %(there)s.", there=", ".join(sorted(splits)))
        raise invalid_fields({"split": [words]})
    edit = read_phase_edit({**PHASE_DEFAULTS, **given})
    with context.writing() as session:
        task, now = get_organized_task(slug), context.arrival_time()
        with explain_confirmation():
            made_id = phase_editing.add_phase(
                session, caller(), task, given["slug"], given["split"], edit, now, sure=given["sure"]
            ).id
    session = context.session()
    listed = tasks.list_phases(session, get_organized_task(slug), now)
    view = next(view for view in listed if view.phase.id == made_id)
    return {
        "phase": view.phase,
        "window": view.window,
        "state": view.state,
        "warnings": list_phase_warnings(view.phase),
    }


@blueprint.delete("/<phase>")
def remove(slug: str, phase: str) -> None:
    """Remove a phase that has not been used."""
    with context.writing() as session:
        target = tasks.get_phase(session, get_organized_task(slug), phase)
        phase_editing.remove_phase(session, caller(), target, context.arrival_time())


@blueprint.post("/<phase>/public-items")
@organizers_only
@blueprint.input(PublicItemsSchema, arg_name="given")
def declare_public(slug: str, phase: str, given: dict[str, Any]) -> None:
    """Draw the public items of every level by a seed. This is possible before the first submission only."""
    with context.writing() as session:
        target, now = tasks.get_phase(session, get_organized_task(slug), phase), context.arrival_time()
        public_items.declare_public_items(session, caller(), target, now=now, **given)


@blueprint.post("/<phase>/public-items/<level>")
@organizers_only
@blueprint.input(ListedItemsSchema, arg_name="given")
def list_public(slug: str, phase: str, level: str, given: dict[str, str]) -> None:
    """Declare your own list of public items of a level. This is possible before the first submission only."""
    with context.writing() as session:
        target, now = tasks.get_phase(session, get_organized_task(slug), phase), context.arrival_time()
        public_items.declare_listed_items(session, caller(), target, level, given["ids"], now)
