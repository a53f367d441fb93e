"""API: gold versions, for people who may see all of a task."""

from typing import Any

from apiflask.schemas import FileSchema
from flask import Response

from server.access import tasks
from server.access.api_auth import ApiBlueprint, caller
from server.api.corrections.schemas import GoldPage
from server.corrections import preview as gold_previews, preview_exports, service as gold
from server.web import context
from server.web.downloads import send_tsv
from server.web.rest.responses import JSON_FILE, PageQuery, cut_page

blueprint = ApiBlueprint(
    "api_gold", url_prefix="/tasks/<slug>/gold", tag="Gold standard", scopes=["organize"]
)


@blueprint.get("")
@blueprint.input(PageQuery, location="query", arg_name="query")
@blueprint.output(GoldPage)
def index(slug: str, query: dict[str, int]) -> dict[str, Any]:
    """List all gold versions with their states, by level, split and number."""
    session = context.session()
    return cut_page(gold_previews.list_version_views(session, caller(), tasks.get_task(session, slug)), query)


@blueprint.get("/<int:version_id>")
@blueprint.output(JSON_FILE, content_type="application/json", description="The preview, all of it.")
def show(slug: str, version_id: int) -> Response:
    """Read what a version would change: labels, leaderboards, ranks. The response has its own JSON schema."""
    session = context.session()
    task = tasks.get_task(session, slug)
    preview = gold_previews.preview_version(session, caller(), task, version_id)
    return Response(preview_exports.preview_json(preview), content_type="application/json")


@blueprint.get("/<int:version_id>/file")
@blueprint.output(FileSchema(), content_type="text/tab-separated-values", description="The gold.")
def file(slug: str, version_id: int) -> Response:
    """Download the file of a version."""
    session = context.session()
    version = gold.get_version(session, caller(), tasks.get_task(session, slug), version_id)
    name = f"{version.split.level.slug}.{version.split.name}.gold.{version.number}.tsv"
    return send_tsv(context.storage().get(version.sha256), name)
