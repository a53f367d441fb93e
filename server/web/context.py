"""What a view needs of its request: the session, the files, the actor, and the arrival time."""

from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from flask import Flask, current_app, g, request
from flask_security import current_user
from sqlalchemy.orm import Session

from server.core import clock, db
from server.core.actors import VISITOR, Actor
from server.core.errors import Conflict
from server.core.site_resources import Site
from server.core.storage import Storage

EXTENSION = "assay"


def site_of(app: Flask) -> Site:
    """Return the resources of an app's site."""
    return cast(Site, app.extensions[EXTENSION])


def session() -> Session:
    """Return the request's session."""
    return site_of(current_app).session()


def close_session(app: Flask) -> None:
    """End the request's transaction, and return its connection to the pool."""
    sessions = site_of(app).session
    sessions().expunge_all()  # ending the transaction would expire what was read, one by one
    db.end_reading(sessions())
    sessions.remove()


def storage() -> Storage:
    """Return the file store."""
    return site_of(current_app).storage


def writing() -> AbstractContextManager[Session]:
    """Run the request's one transaction that writes."""
    return site_of(current_app).writing()


@dataclass(frozen=True, slots=True)
class Preview:
    """A page as another role would see it, for a person who may see all of the task."""

    role: str
    actor: Actor
    back: str
    """The address of the organizers' overview."""


def preview() -> Preview | None:
    """Return the preview that the request asks for, once it was checked that the person may see it."""
    return cast("Preview | None", g.get("preview"))


def actor() -> Actor:
    """Return who makes the request, or whom a preview shows the page to."""
    shown = preview()
    if shown is not None:
        return shown.actor
    return Actor(user_id=current_user.id) if current_user.is_authenticated else VISITOR


def note_arrival() -> None:
    """Read the clock before anything of the body is read: deadlines are checked against this instant.

    A proxy that buffers bodies sends the time when it read the headers, and the site uses it if the settings
    name the proxy's header.
    """
    header = site_of(current_app).config.arrival_header
    g.arrived = clock.parse_arrival(request.headers.get(header) if header else None, clock.now())


WRITE_METHODS = ("POST", "PATCH", "PUT", "DELETE")


def read_body() -> None:
    """Read the whole body before anything is decided: the database may have changed while it was sent."""
    if request.method not in WRITE_METHODS:
        return
    request.get_data(parse_form_data=True)  # forms and JSON
    g.arrived = clock.arrival_after_body(g.arrived, clock.now())
    db.end_reading(session())  # results of earlier queries may be older than the body


def path_values() -> dict[str, Any]:
    """Return the variable parts of the request's path."""
    return request.view_args or {}


def path_to_return_to() -> str | None:
    """Return the page of a task to which signing in leads back; None: the request is for no such page."""
    if request.method not in ("GET", "HEAD") or "slug" not in path_values():
        return None
    return request.full_path.rstrip("?")


def arrival_time() -> datetime:
    """Return when the request arrived."""
    return cast(datetime, g.arrived)


MAX_PAGE = 1_000_000
"""The highest page number that can be requested."""


def page_number() -> int:
    """Return the page number of the request; the first page if it is not a number."""
    return min(max(1, request.args.get("page", 1, type=int)), MAX_PAGE)


def require_made_for(row_id: int) -> None:
    """Raise if the form that was sent was made for a row that was deleted, whose short name this row has now.

    Raises:
        Conflict: it was.
    """
    if request.form.get("made_for", row_id, type=int) != row_id:
        raise Conflict.of(
            "This form was made for a campaign, level or phase that was deleted. Nothing was changed. "
            "Open the page again."
        )
