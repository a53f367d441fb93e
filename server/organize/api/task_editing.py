"""API: editing a task's texts and its rules for teams."""

from typing import Any

from apiflask import APIBlueprint

from server.access.api_auth import auth, caller, get_organized_task, is_early_organizer, organizers_only
from server.organize import task_editing
from server.organize.forms import TEXT_LIMIT
from server.organize.schemas import ChangedSchema, TaskChange
from server.web import context

blueprint = APIBlueprint("api_edits", __name__, url_prefix="/api/v1/tasks/<slug>", tag="Organizing")


@blueprint.patch("")
@blueprint.auth_required(auth, roles=["organize"])
@organizers_only
@blueprint.input(TaskChange, arg_name="given")
@blueprint.output(ChangedSchema)
def edit(slug: str, given: dict[str, Any]) -> dict[str, list[str]]:
    """Change the texts of a task, the contact and the rules for teams. Changed terms are a new version."""
    with context.writing() as session:
        task = get_organized_task(slug)
        edit = task_editing.edit_of(task, **given)
        return {"changed": task_editing.edit_task(session, caller(), task, edit, context.arrival_time())}


def limit_body() -> int | None:
    """The maximum size of the texts; None: that of other requests."""
    return TEXT_LIMIT if is_early_organizer() else None
