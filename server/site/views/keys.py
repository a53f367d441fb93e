"""The keys that this site signs with."""

from flask import Blueprint, Response, render_template

from server.signing import service as signing_keys
from server.web import context
from server.web.caching import require_revalidation
from server.web.downloads import send_json

blueprint = Blueprint("keys", __name__)


@blueprint.get("/keys")
def show() -> str:
    """All keys with the time that they were in use, and what they are for."""
    return render_template("site/keys.html", keys=signing_keys.list_published_keys(context.session()))


@blueprint.get("/keys.json")
def published() -> Response:
    """The same for programs: what `scorer verify --key` reads."""
    return require_revalidation(
        send_json(signing_keys.published_keys_text(context.session()), "keys.json"), public=True
    )
