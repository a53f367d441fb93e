"""Previews of texts in Markdown, which forms show below their fields."""

from flask import request

from server.access import request_tasks
from server.pages.tasks.task_files import render_text
from server.tasks.forms import TEXT_LIMIT
from server.web.page_rules import SignedInBlueprint, takes_texts

blueprint = SignedInBlueprint("markdown_previews", __name__)


@blueprint.post("/preview")
@takes_texts(lambda: TEXT_LIMIT)
def show() -> dict[str, str]:
    """Render a text as pages do; nothing is stored."""
    return {"html": render_text(request.form.get("text", ""))}


@blueprint.post("/tasks/<slug>/preview")
@takes_texts(lambda: TEXT_LIMIT)
def of_task(slug: str) -> dict[str, str]:
    """Render a text as the pages of a task do, with its pictures."""
    return {"html": render_text(request.form.get("text", ""), request_tasks.get_task(slug))}
