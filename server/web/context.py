"""What a view needs of its request: the session, the files, who asks, and when it arrived."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import cast

from flask import Flask, current_app, g, request
from flask_security import current_user
from sqlalchemy.orm import Session

from server.core import clock, db
from server.core.actors import VISITOR, Actor
from server.core.clock import arrival_after_body, parse_arrival
from server.core.site_resources import Site
from server.core.storage import Storage

EXTENSION = "assay"


def site_of(app: Flask) -> Site:
    """The parts of an app."""
    return cast(Site, app.extensions[EXTENSION])


def session() -> Session:
    """The request's session."""
    return site_of(current_app).session()


def close_session(app: Flask) -> None:
    """End the request's transaction, and give its connection back."""
    sessions = site_of(app).session
    db.end_reading(sessions())
    sessions.remove()


def storage() -> Storage:
    """The store of files."""
    return site_of(current_app).storage


@contextmanager
def writing() -> Iterator[Session]:
    """The request's one transaction that writes."""
    current = session()
    with db.writing(current):
        yield current


def actor() -> Actor:
    """Who asks."""
    return Actor(user_id=current_user.id) if current_user.is_authenticated else VISITOR


def note_arrival() -> None:
    """Read the clock before anything of the body is read: deadlines go by this instant.

    A proxy that keeps bodies until they are whole says when it read the head, if the settings believe it.
    """
    header = site_of(current_app).config.arrival_header
    g.arrived = parse_arrival(request.headers.get(header) if header else None, clock.now())


WRITE_METHODS = ("POST", "PATCH", "PUT", "DELETE")
UPLOAD_ENDPOINTS = {
    "submissions.upload", "submissions.check", "whole_runs.upload", "whole_runs.check",
    "api_uploads.upload", "api_uploads.upload_all", "api_uploads.check", "api_uploads.check_all",
}  # fmt: skip
"""What is parsed and scored in the answer, one after the other: many come at once, in the last minute."""


def read_body() -> None:
    """Have the whole body before anything is decided: what holds may have changed while it was sent."""
    if request.method not in WRITE_METHODS:
        return
    request.get_data(parse_form_data=True)  # forms and JSON
    g.arrived = arrival_after_body(g.arrived, clock.now())
    db.end_reading(session())  # what was read of the database so far may be older than the body


def arrival_time() -> datetime:
    """When the request arrived."""
    return cast(datetime, g.arrived)


MAX_PAGE = 1_000_000
"""Further nobody can ask."""


def page_number() -> int:
    """The page that is asked for; an odd one is the first."""
    return min(max(1, request.args.get("page", 1, type=int)), MAX_PAGE)
