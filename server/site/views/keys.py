"""The keys that this site signs with."""

from flask import Blueprint, Response, render_template

from server.signing import service as keys
from server.web import context
from server.web.caching import revalidated
from server.web.downloads import send_json

blueprint = Blueprint("keys", __name__)


@blueprint.get("/keys")
def show() -> str:
    """All keys with the time that they were in use, and what they are for."""
    return render_template("site/keys.html", keys=keys.list_published(context.session()))


@blueprint.get("/keys.json")
def published() -> Response:
    """The same for programs: what `scorer verify --key` reads."""
    return revalidated(send_json(keys.published_text(context.session()), "keys.json"), public=True)
