"""Hides drafts: the one place where each request about a task is checked before its view runs.

Anyone who may not see a draft gets the answer that an unknown address gets, so that the answer does not tell
whether the draft exists.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any

from flask import request, url_for
from sqlalchemy import BindParameter, Select, bindparam, select
from werkzeug.routing import RequestRedirect

from server.access import service as access
from server.access.api_auth import early_actor
from server.access.tables_above import tables_above
from server.core.actors import Actor
from server.core.errors import NotFound
from server.core.identity import get_identity
from server.tasks.models import RoleInvitation, Task
from server.tasks.rules import DRAFT_MARK, VISIBLE_STATES, TaskState
from server.teams.models import Team
from server.web import context
from server.web.page_rules import is_team_page
from server.web.rest import problems

INVITATION_ENDPOINT = "roles.accept"
"""A person who was invited to a draft by a link has no role yet."""

MAX_DIGITS = 9
"""How long the id of a task in an address can be."""
SELF_CHECKED_ENDPOINTS = frozenset({"boards.show", "tasks.show", "teams.show"})
"""The views that check it with the query that finds the task, since most requests are for these pages."""


@cache
def _state_queries() -> dict[str, Select[TaskState]]:
    """Select the state of the task by what names it in an address: a run or a file, if it has no slug."""
    run, submission, rejection = tables_above("run", "submission", "rejection")
    state = select(Task.state)
    value: BindParameter[Any] = bindparam("value")
    of_run = state.join(Team, Team.task_id == Task.id).join(run, run.c.team_id == Team.id)
    return {
        "slug": state.where(Task.slug == value),
        "run_id": of_run.where(run.c.id == value),
        "submission_id": of_run.join(submission, submission.c.run_id == run.c.id).where(
            submission.c.id == value
        ),
        "rejection_id": of_run.join(rejection, rejection.c.run_id == run.c.id).where(rejection.c.id == value),
    }


def require_visible_task() -> None:
    """Raise if the request is about a task that does not exist for the person.

    Raises:
        NotFound: there is no such task, or it is a draft, and the person has no role in it.
    """
    parts = context.path_values()
    if request.endpoint in SELF_CHECKED_ENDPOINTS and DRAFT_MARK not in parts["slug"] and _reaches_view():
        return
    name = next((name for name in _state_queries() if name in parts), None)
    if name is None or (name == "slug" and "\0" in parts["slug"]):
        return
    state = context.session().scalar(_state_queries()[name], {"value": parts[name]})
    if state in VISIBLE_STATES or (state is None and name != "slug"):
        return  # in the second case the view says that there is no such run or file
    actor = early_actor() if problems.is_api_request() else context.actor()
    if name != "slug" and actor.user_id is None:
        return  # the view asks for a token, as it does for a run that does not exist
    query = _state_queries()[name].where(access.IS_VISIBLE)
    state = context.session().scalar(query, {"value": parts[name], **access.reader_of(actor)})
    if state is None and not _is_invited(parts):
        if name == "slug":
            _lead_on(parts["slug"], actor)
        raise NotFound.of(access.NO_TASK)


def _reaches_view() -> bool:
    """Whether the person does not have to sign in first."""
    return not is_team_page() or context.actor().user_id is not None


def _lead_on(slug: str, actor: Actor) -> None:
    """Redirect a request, with its form, for a draft that was renamed or published meanwhile.

    The task must be visible to the person: they may have it from another tab, or guess.
    """
    _short_name, mark, number = slug.rpartition(DRAFT_MARK)
    if not mark or not number.isascii() or not number.isdigit() or len(number) > MAX_DIGITS:
        return
    query = select(Task.slug).where(Task.id == int(number), access.IS_VISIBLE)
    found = context.session().scalar(query, access.reader_of(actor))
    if found in (None, slug):
        return
    address = url_for(str(request.endpoint), **{**context.path_values(), "slug": found})
    arguments = request.query_string.decode("utf-8", "replace")
    raise RequestRedirect(f"{address}?{arguments}" if arguments else address)


def _is_invited(parts: Mapping[str, Any]) -> bool:
    """Whether the request has the link of an invitation, which leads to a draft too."""
    if request.endpoint != INVITATION_ENDPOINT:
        return False
    query = select(RoleInvitation.id).join(Task, Task.id == RoleInvitation.task_id)
    query = query.where(Task.slug == parts["slug"], Task.state == "draft")
    nonce = get_identity(context.session()).read_link(parts["token"])
    return context.session().scalar(query.where(RoleInvitation.nonce == nonce)) is not None
