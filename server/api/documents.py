"""What the API is, for programs and for people."""

from apiflask import APIBlueprint
from flask import Response, current_app, json

from server.views.caching import revalidated

blueprint = APIBlueprint("api", __name__, url_prefix="/api/v1", enable_openapi=False)


@blueprint.get("/openapi.json")
def openapi() -> Response:
    """Everything that the API does, as OpenAPI."""
    text = json.dumps(current_app.spec, indent=1)  # type: ignore[attr-defined]  # an APIFlask
    return revalidated(Response(text, content_type="application/json"), public=True)
