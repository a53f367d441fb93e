"""The privacy page and the imprint: Markdown files that the settings name."""

from pathlib import Path

from flask import Blueprint, current_app, render_template

from server.core.errors import NotFound
from server.core.i18n import _
from server.web import context
from server.web.markdown import render_markdown

blueprint = Blueprint("legal", __name__)


@blueprint.app_context_processor
def _footer_links() -> dict[str, object]:
    """Return whether the footer links an imprint."""
    return {"has_imprint": bool(context.site_of(current_app).config.imprint_file)}


@blueprint.get("/privacy")
def privacy() -> str:
    """Show the operator's privacy text, or a default one that says what the site stores."""
    return _render_page(_("Privacy"), context.site_of(current_app).config.privacy_file)


@blueprint.get("/imprint")
def imprint() -> str:
    """Show who is responsible for the site; without that setting, there is no such page."""
    file = context.site_of(current_app).config.imprint_file
    if not file:
        raise NotFound(_("This site has no imprint."))
    return _render_page(_("Imprint"), file)


def _render_page(title: str, file: str | None) -> str:
    text = render_markdown(Path(file).read_text(encoding="utf-8")) if file else None
    return render_template("legal.html", title=title, text=text)
