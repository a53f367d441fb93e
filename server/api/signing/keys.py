"""API: the public keys of this site's signatures."""

from flask import Response

from server.access.api_auth import ApiBlueprint
from server.signing import service as signing_keys
from server.web import context
from server.web.caching import require_revalidation
from server.web.downloads import send_json
from server.web.rest.responses import JSON_FILE

blueprint = ApiBlueprint("api_keys", url_prefix="/keys", tag="Receipts")


@blueprint.get("")
@blueprint.output(JSON_FILE, content_type="application/json", description="What `scorer verify --key` reads.")
def show() -> Response:
    """Read the public keys, each with the period in which it was in use."""
    return require_revalidation(
        send_json(signing_keys.published_keys_text(context.session()), "keys.json"), public=True
    )
