"""API: publishing, hiding, archiving, renaming, copying and deleting a task."""

from typing import Any

from server.access.api_auth import OrganizerBlueprint, caller, get_organized_task
from server.api.tasks.schemas import CopySchema, RenameSchema, StateChange, TaskStateSchema
from server.core.i18n import _
from server.planning import task_deletion, task_states
from server.planning.inputs import explain_confirmation
from server.planning.responses import copy_task
from server.releases import confirmations
from server.tasks.models import Task
from server.web import context
from server.web.rest.requests import SureSchema

blueprint = OrganizerBlueprint("api_task_states")


@blueprint.post("/state")
@blueprint.input(StateChange, arg_name="given")
@blueprint.output(TaskStateSchema)
def change(slug: str, given: dict[str, Any]) -> Task:
    """Publish, hide, archive or unarchive a task. Send `sure` to confirm it."""
    with context.writing() as session:
        task = get_organized_task(slug)
        _require_confirmation(sure=given["sure"])
        task_states.change_state(session, caller(), task, given["state"], context.arrival_time(), sure=True)
    return get_organized_task(slug)


@blueprint.post("/rename")
@blueprint.input(RenameSchema, arg_name="given")
@blueprint.output(TaskStateSchema)
def rename(slug: str, given: dict[str, Any]) -> Task:
    """Change the slug of a draft."""
    with context.writing() as session:
        task, now = get_organized_task(slug), context.arrival_time()
        task_deletion.rename_task(session, caller(), task, given["slug"], task.title, now)
    return get_organized_task(given["slug"])


@blueprint.post("/copy")
@blueprint.input(CopySchema, arg_name="given")
@blueprint.output(TaskStateSchema, status_code=201)
def copy(slug: str, given: dict[str, Any]) -> Task:
    """Copy the task for another year, as a draft.

    The copy has no teams, runs, submissions or releases. Its dates are moved.
    """
    get_organized_task(slug)
    return get_organized_task(copy_task(slug, caller(), given["slug"], given["days"]))


@blueprint.post("/delete")
@blueprint.input(SureSchema, arg_name="given")
def delete(slug: str, given: dict[str, Any]) -> None:
    """Delete a draft that was never published. This cannot be undone; send `sure` to confirm it."""
    with context.writing() as session:
        task = get_organized_task(slug)
        _require_confirmation(sure=given["sure"])
        task_deletion.delete_task(session, caller(), task, context.arrival_time())


def _require_confirmation(*, sure: bool) -> None:
    with explain_confirmation():
        confirmations.require_confirmation([_("This changes who can see or use the task.")], sure=sure)
