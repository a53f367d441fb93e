"""API: publishing, hiding and archiving a task."""

from typing import Any

from apiflask import APIBlueprint

from server.access.api_auth import auth, caller, get_organized_task
from server.core.errors import ConfirmationRequired
from server.core.i18n import _
from server.organize import task_states
from server.organize.inputs import CONFIRMATION_HINT
from server.organize.schemas import StateChange, TaskStateSchema
from server.tasks.models import Task
from server.web import context

blueprint = APIBlueprint("api_states", __name__, url_prefix="/api/v1/tasks/<slug>", tag="Organizing")


@blueprint.post("/state")
@blueprint.auth_required(auth, roles=["organize"])
@blueprint.input(StateChange, arg_name="given")
@blueprint.output(TaskStateSchema)
def change(slug: str, given: dict[str, Any]) -> Task:
    """Publish, hide, archive or unarchive a task. Send `sure` to confirm it."""
    with context.writing() as session:
        task = get_organized_task(slug)
        _require_confirmation(sure=given["sure"])
        task_states.change_state(session, caller(), task, given["state"], context.arrival_time())
    return get_organized_task(slug)


def _require_confirmation(*, sure: bool) -> None:
    if not sure:
        raise ConfirmationRequired(f"{_('This changes who can see or use the task.')} {_(CONFIRMATION_HINT)}")
