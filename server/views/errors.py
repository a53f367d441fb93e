"""Errors as pages that say what to do next."""

from flask import Blueprint, g, render_template, request
from flask_wtf.csrf import CSRFError
from werkzeug.exceptions import HTTPException

from server.errors import ServerError
from server.views.submissions import FORM_OVERHEAD
from server.views.words import size

blueprint = Blueprint("errors", __name__)

TITLES = {
    400: "That request was not understood",
    403: "Not for this role",
    404: "There is no such page",
    405: "Not this way",
    409: "The task's rules say no",
    410: "This invitation is over",
    413: "The file is too large",
    422: "The file cannot be used",
    429: "Too fast",
    500: "Our fault",
}

UPLOADS = {"submissions.upload", "gold.upload", "dry_runs.test"}
"""Pages that send a file to their own address."""


def _page(status: int, message: str) -> tuple[str, int]:
    if status >= 500:  # such a page asks the database nothing: not even who is signed in, in which zone
        g.zone = None
    page = render_template(
        "errors/show.html",
        title=TITLES.get(status, "Error"),
        message=message,
        status=status,
        failed=status >= 500,
        back=request.path if status == 413 and request.endpoint in UPLOADS else None,
    )
    return page, status


@blueprint.app_errorhandler(ServerError)
def server_error(error: ServerError) -> tuple[str, int]:
    """A refusal that no view caught."""
    return _page(error.status, error.message)


@blueprint.app_errorhandler(CSRFError)
def csrf_error(_error: CSRFError) -> tuple[str, int]:
    """A form without its token: it was open too long, or came from another site."""
    return _page(
        400,
        "The form is no longer valid: it was open too long, or its page was not ours. "
        "Go back, reload it, send it again.",
    )


@blueprint.app_errorhandler(HTTPException)
def http_error(error: HTTPException) -> tuple[str, int]:
    """Whatever the web server refuses."""
    status = error.code or 500
    messages = {
        404: "The address may be mistyped, or the page is not for everybody.",
        413: _too_large(),
        500: "Something failed on our side. Nothing that was acknowledged is lost, and nothing was counted "
        "against your quota; try again.",
    }
    return _page(status, messages.get(status, error.description or ""))


def _too_large() -> str:
    limit = request.max_content_length
    if limit is None:
        return "Send a smaller file."
    if request.endpoint == "submissions.upload":
        most = size(limit - FORM_OVERHEAD)
        return (
            f"A file may have {most} here. Check that you chose the right one; nothing was stored or counted."
        )
    if request.endpoint == "imports.create":
        return f"Such an upload may have {limit // 1024} kB. Whoever runs this site can host a larger task."
    return (
        f"Such an upload may have {limit // 1024} kB. Check that you chose the "
        "right file: runs and gold have one short line an item."
    )
