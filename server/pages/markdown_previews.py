"""Previews of texts in Markdown, which forms show below their fields."""

from flask import request

from server.tasks.forms import TEXT_LIMIT
from server.web.markdown import render_markdown
from server.web.page_rules import SignedInBlueprint, takes_texts

blueprint = SignedInBlueprint("markdown_previews", __name__)


@blueprint.post("/preview")
@takes_texts(lambda: TEXT_LIMIT)
def show() -> dict[str, str]:
    """Render a text as pages do; nothing is stored."""
    return {"html": render_markdown(request.form.get("text", ""))}
