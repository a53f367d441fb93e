"""API: editing a task's texts and its rules for teams."""

from typing import Any

from server.access.api_auth import (
    OrganizerBlueprint,
    caller,
    get_organized_task,
    limit_for_organizers,
    organizers_only,
)
from server.api.tasks.schemas import TaskChange
from server.planning import task_editing
from server.tasks.forms import TEXT_LIMIT
from server.web import context
from server.web.page_rules import takes_texts
from server.web.rest.requests import ChangedSchema

blueprint = OrganizerBlueprint("api_task_editing")


@blueprint.patch("")
@organizers_only
@blueprint.input(TaskChange, arg_name="given")
@blueprint.output(ChangedSchema)
@takes_texts(limit_for_organizers(TEXT_LIMIT))
def edit(slug: str, given: dict[str, Any]) -> dict[str, list[str]]:
    """Change the texts of a task, the contact and the rules for teams. Changed terms are a new version."""
    with context.writing() as session:
        task = get_organized_task(slug)
        edit = task_editing.edit_of(task, **given)
        return {"changed": task_editing.edit_task(session, caller(), task, edit, context.arrival_time())}
