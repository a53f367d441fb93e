"""The privacy page and the imprint, Markdown files that the settings name; and the files for programs."""

from datetime import timedelta
from pathlib import Path

from flask import Blueprint, Response, current_app, render_template, request

from server.core import clock
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
        raise NotFound.of("This site has no imprint.")
    return _render_page(_("Imprint"), file)


@blueprint.get("/.well-known/security.txt")
def security() -> Response:
    """Say where to report a weakness of the site, as RFC 9116 has it."""
    config = context.site_of(current_app).config
    if not config.security_contact:
        raise NotFound.of("This site names no contact for security.")
    midnight = clock.now().replace(hour=0, minute=0, second=0, microsecond=0)
    lines = (
        f"Contact: {config.security_contact}",
        f"Expires: {(midnight + timedelta(days=180)).isoformat()}",
        f"Canonical: {config.site_url}{request.path}",
    )
    return Response("".join(f"{line}\n" for line in lines), content_type="text/plain; charset=utf-8")


@blueprint.get("/robots.txt")
def robots() -> Response:
    """Ask search engines to leave out what is one person's own, or made for programs."""
    closed = "".join(f"Disallow: {path}\n" for path in ("/a/", "/account/", "/api/"))
    return Response(f"User-agent: *\n{closed}", content_type="text/plain; charset=utf-8")


def _render_page(title: str, file: str | None) -> str:
    text = render_markdown(Path(file).read_text(encoding="utf-8-sig")) if file else None
    return render_template("legal.html", title=title, text=text)
