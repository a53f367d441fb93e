"""Previews: a task's pages as a visitor or as a participant would see them, for people who may see all of it.

A preview acts as that role in every check of access, so it cannot show more than the role sees. It changes
nothing. Links between the pages of the task stay in the preview.
"""

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

from flask import Flask, flash, g, redirect, request, url_for
from flask.typing import ResponseReturnValue
from flask_security import current_user

from server.access import service as access, tasks
from server.core.actors import VISITOR, Actor
from server.core.errors import NotFound
from server.core.i18n import _
from server.web import context
from server.web.rest import problems

PARAMETER = "preview"
NEW_PARTICIPANT = Actor(user_id=0)
"""Someone who has signed in, and has no team, no role, and accepted no terms: no account has this number."""
ACTORS: Mapping[str, Actor] = {"visitor": VISITOR, "participant": NEW_PARTICIPANT}


def init_previews(app: Flask) -> None:
    """Let links keep the preview of their page, and templates see its reader."""
    app.url_defaults(_keep_preview)
    app.context_processor(_template_values)


def begin_preview() -> ResponseReturnValue | None:
    """Begin the preview that the address asks for; for people who do not see all of the task, there is none.

    A request that would change something is sent back to the task's page.
    """
    role, slug = request.args.get(PARAMETER, ""), context.path_values().get("slug")
    if role not in ACTORS or slug is None or problems.is_api_request():
        return None
    try:
        task = tasks.get_task(context.session(), slug)
    except NotFound:
        return None
    if not access.sees_all(context.session(), context.actor(), task):
        return None
    g.preview = context.Preview(role, ACTORS[role], url_for("dashboard.show", slug=slug))
    if request.method in context.WRITE_METHODS:
        flash(_("This is a preview. Nothing was changed."), "error")
        return redirect(url_for("tasks.show", slug=slug))
    return None


def _keep_preview(_endpoint: str, values: dict[str, Any]) -> None:
    if "slug" in values and (shown := context.preview()) is not None:
        values.setdefault(PARAMETER, shown.role)


def _template_values() -> dict[str, Any]:
    shown = context.preview()
    if shown is None:
        return {"role_preview": None}
    reader = SimpleNamespace(is_authenticated=False) if shown.actor.user_id is None else current_user
    return {"role_preview": shown, "current_user": reader}
