"""The description of the API, for programs and for people."""

from apiflask import APIBlueprint
from flask import Response

from server.web.caching import require_revalidation
from server.web.rest.openapi import openapi_text

blueprint = APIBlueprint("api_openapi", __name__, url_prefix="/api/v1", enable_openapi=False)


@blueprint.get("/openapi.json")
def openapi() -> Response:
    """Send the description of the whole API as OpenAPI."""
    return require_revalidation(Response(openapi_text(), content_type="application/json"), public=True)
