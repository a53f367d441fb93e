"""The page of the keys that this site signs with."""

from flask import Blueprint, Response, render_template

from server.signing import service as signing_keys
from server.web import context
from server.web.caching import require_revalidation
from server.web.downloads import send_json

blueprint = Blueprint("keys", __name__)


@blueprint.get("/keys")
def show() -> str:
    """Show all keys with the periods in which they were in use, and their purpose."""
    return render_template("signing/keys.html", keys=signing_keys.list_published_keys(context.session()))


@blueprint.get("/keys.json")
def published() -> Response:
    """Send the keys in the format that `scorer verify --key` reads."""
    return require_revalidation(
        send_json(signing_keys.published_keys_text(context.session()), "keys.json"), public=True
    )
