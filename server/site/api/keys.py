"""The keys that this site signs with."""

from apiflask import APIBlueprint
from flask import Response

from server.access.api_auth import ANONYMOUS_ALLOWED, auth
from server.signing import service as keys
from server.web import context
from server.web.caching import revalidated
from server.web.downloads import send_json
from server.web.rest.answers import BYTES

blueprint = APIBlueprint("api_keys", __name__, url_prefix="/api/v1/keys", tag="Receipts")


@blueprint.get("")
@blueprint.output(BYTES, content_type="application/json", description="What `scorer verify --key` reads.")
@blueprint.auth_required(auth, optional=ANONYMOUS_ALLOWED)
def show() -> Response:
    """Read the public keys, each with the time that it was in use."""
    return revalidated(send_json(keys.published_text(context.session()), "keys.json"), public=True)
