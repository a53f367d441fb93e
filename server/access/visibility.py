"""Hides drafts: the one place where each request about a task is checked before its view runs.

Anyone who may not see a draft gets the answer that an unknown address gets, so that the answer does not tell
whether the draft exists.
"""

from flask import request
from sqlalchemy import bindparam, column, select, table

from server.access import service as access
from server.access.api_auth import early_actor
from server.core.errors import NotFound
from server.core.i18n import _
from server.tasks.models import RoleInvitation, Task
from server.tasks.rules import HIDDEN_STATES
from server.teams.models import Team
from server.web import context
from server.web.rest import problems

# These tables are in packages above this one, so they are declared here, not imported.
_RUN = table("run", column("id"), column("team_id"))
_SUBMISSION, _REJECTION = (
    table(name, column("id"), column("run_id")) for name in ("submission", "rejection")
)
_STATE = select(Task.state)
_OF_RUN = _STATE.join(Team, Team.task_id == Task.id).join(_RUN, _RUN.c.team_id == Team.id)
_QUERIES = {
    "slug": _STATE.where(Task.slug == bindparam("value")),
    "run_id": _OF_RUN.where(_RUN.c.id == bindparam("value")),
    "submission_id": _OF_RUN.join(_SUBMISSION, _SUBMISSION.c.run_id == _RUN.c.id).where(
        _SUBMISSION.c.id == bindparam("value")
    ),
    "rejection_id": _OF_RUN.join(_REJECTION, _REJECTION.c.run_id == _RUN.c.id).where(
        _REJECTION.c.id == bindparam("value")
    ),
}
"""The state of the task by what names it in an address: a run or a file of it, if the address has no slug."""
INVITATION_ENDPOINT = "roles.accept"
"""A person who was invited to a draft by a link has no role yet."""

SELF_CHECKED_ENDPOINTS = frozenset({"boards.show"})
"""The view that checks it with the query that finds the task, since most requests are for leaderboards."""


def require_visible_task() -> None:
    """Raise if the request is about a task that does not exist for the person.

    Raises:
        NotFound: there is no such task, or it is a draft, and the person has no role in it.
    """
    if request.endpoint in SELF_CHECKED_ENDPOINTS:
        return
    parts = request.view_args or {}
    name = next((name for name in _QUERIES if name in parts), None)
    if name is None or (name == "slug" and "\0" in parts["slug"]):
        return
    state = context.session().scalar(_QUERIES[name], {"value": parts[name]})
    if state is None and name != "slug":
        return  # the view says that there is no such run or file
    if state is None or state in HIDDEN_STATES:
        _require_role(name)


def _require_role(name: str) -> None:
    actor = early_actor() if problems.is_api_request() else context.actor()
    if name != "slug" and actor.user_id is None:
        return  # the view asks for a token, as it does for a run that does not exist
    query = _QUERIES[name].with_only_columns(Task)
    task = context.session().scalar(query, {"value": (request.view_args or {})[name]})
    if task is None:
        raise NotFound(_(access.NO_TASK))
    if not _is_invited(task):
        access.require_visible(context.session(), actor, task)


def _is_invited(task: Task) -> bool:
    if task.state != "draft" or request.endpoint != INVITATION_ENDPOINT:
        return False
    token = (request.view_args or {})["token"]
    query = select(RoleInvitation.id).where(RoleInvitation.task_id == task.id, RoleInvitation.token == token)
    return context.session().scalar(query) is not None
