"""Error pages: what happened, what to do next, and a way back."""

import re
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple
from urllib.parse import urlsplit

from flask import Blueprint, Response, g, make_response, render_template, request, url_for
from flask_security import current_user
from flask_wtf.csrf import CSRFError
from gunicorn.http.errors import ParseException
from werkzeug.exceptions import BadRequest, HTTPException, InternalServerError, MethodNotAllowed

from server.access import tasks
from server.core import i18n
from server.core.errors import NotFound, RateLimited, ServerError
from server.core.i18n import N_, _
from server.core.outages import RETRY_SECONDS, is_outage
from server.tasks.models import Task
from server.tasks.rules import DRAFT_MARK
from server.web import context, page_rules
from server.web.error_responses import log_failure, retry_after
from server.web.formatting import format_size
from server.web.rest import problems

blueprint = Blueprint("errors", __name__)


class StatusText(NamedTuple):
    """The title of a status, its meaning, and what can be done."""

    title: str
    message: str
    steps: tuple[str, ...] = ()


RELOAD = N_("Go back, reload the page and submit the form again. What you typed may still be there.")
ASK = N_("If you should have access, ask the organizers of the task.")
LIST = N_("Start from the list of tasks.")
DELETED_DRAFT = N_("If this was a draft of yours, it was deleted meanwhile.")
RIGHT_FILE = N_("Check that you chose the right file: run and gold files have one short line per item.")
FEWER_DIGITS = N_(
    "Write fewer digits (2.75 rather than 2.7500000000000001), and leave out the texts of the items."
)
STATUS_TEXTS = {
    400: StatusText(N_("Invalid request"), N_("Part of it is missing or wrong."), (RELOAD,)),
    403: StatusText(N_("Access denied"), N_("You do not have access to this page."), (ASK,)),
    404: StatusText(
        N_("Page not found"),
        N_("The address may be wrong, or the page may not be public."),
        (N_("Check the address: a link in an email may have been cut off."), LIST),
    ),
    405: StatusText(
        N_("Wrong method"),
        N_("This page cannot be opened directly."),
        (N_("Go back to the form and use its button."),),
    ),
    409: StatusText(N_("Not possible now"), N_("This action is not possible now.")),
    410: StatusText(
        N_("No longer available"),
        N_("It has expired, been used or been withdrawn."),
        (
            N_(
                "If you followed an invitation link, ask for a new one. The task’s page shows what is "
                "public now."
            ),
        ),
    ),
    413: StatusText(N_("The file is too large"), N_("Send a smaller file."), (RIGHT_FILE, FEWER_DIGITS)),
    414: StatusText(
        N_("The address is too long"), N_("An address can have at most a few thousand characters."), (LIST,)
    ),
    415: StatusText(
        N_("Unsupported format"),
        N_("This address cannot read the format of what was sent."),
        (N_("Use the form on the page, or send the same format."),),
    ),
    422: StatusText(N_("The file cannot be used"), N_("Something is wrong with what was sent."), (RELOAD,)),
    429: StatusText(
        N_("Too many requests"),
        N_("You sent more requests than a person would."),
        (N_("Nothing is lost, and your earlier submissions still count."),),
    ),
    500: StatusText(
        N_("Server error"),
        N_(
            "Something went wrong on the server. Accepted submissions are safe, and nothing was "
            "counted against your quota."
        ),
        (N_("Reload the page, or submit the form again."),),
    ),
    503: StatusText(
        N_("Temporarily unavailable"),
        N_(
            "The site’s database or disk is not available. Accepted submissions are safe, and "
            "nothing was counted against your quota."
        ),
        (N_("Try again in a minute. If you were uploading a file, it was not accepted: upload it again."),),
    ),
}
TYPED_LENGTH = 3
"""Texts that are longer than this are shown again; most shorter ones are choices."""
_NOT_SHOWN = re.compile("password|token|code|ticket|made_")
"""What the names of fields have that are secrets, or that nobody typed."""
OTHER_STATUS = StatusText(N_("Error"), N_("The server refused the request."), (RELOAD,))

UNKNOWN_VIEW = (N_("The address asks for something that does not exist (the part after the question mark)."),)


def _error_page(
    status: int,
    message: str = "",
    *,
    steps: Sequence[str] = (),
    retry_at: datetime | None = None,
    reference: str | None = None,
) -> Response:
    i18n.speak(None)  # this page is in the site's language, on annotators' addresses too
    failed = status >= 500
    viewed = status == 404 and bool(request.args) and page_rules.current_rules().has_views
    if failed:  # after a failure the page must not query the database, not even for the user and time zone
        g.zone, g.without_user = None, True
    fault = STATUS_TEXTS.get(status, OTHER_STATUS)
    task = None if failed else _find_task()
    of_team = task is not None and current_user.is_authenticated and page_rules.is_team_page()
    gone = status == 404 and task is None and DRAFT_MARK in context.path_values().get("slug", "")
    if gone:
        steps = (DELETED_DRAFT, LIST)
    if not steps:
        steps = UNKNOWN_VIEW if viewed else () if status == 403 and (of_team or task is None) else fault.steps
    if request.method == "GET":  # nothing was typed into a form
        steps = [step for step in steps if step != RELOAD]
    page = render_template(
        "error.html",
        title=_(fault.title),
        message=message or _(fault.message),
        steps=[_(step) for step in steps],
        status=status,
        failed=failed,
        retry_at=retry_at,
        reference=reference,
        back=request.path if viewed else None if gone else _find_form_path(status),
        viewed=viewed,
        typed=_list_typed(status),
        task=task,
        own_runs=url_for("teams.show", slug=context.path_values()["slug"]) if of_team else None,
    )
    response = make_response(page, status)
    if status == 503:
        response.headers["Retry-After"] = str(RETRY_SECONDS)
    return response


def _list_typed(status: int) -> list[str]:
    """List the texts of a form whose page is gone, or which is no longer valid: going back may not show them.

    Another site can send a form without a token, but its texts are not shown as what the person typed.
    """
    own = status == 400 and _find_form_path(status) is not None
    if request.method != "POST" or not (own or status in (404, 409, 410)):
        return []
    try:
        fields = list(request.form.items(multi=True))
    except HTTPException:  # it was too large, or broken
        return []
    return [text for name, text in fields if len(text) > TYPED_LENGTH and not _NOT_SHOWN.search(name)]


def _find_form_path(status: int) -> str | None:
    """Return the page with the form that sent the request, if it is one of ours."""
    if request.method != "POST":
        return None
    if status == 413 and request.url_rule is not None and "GET" in (request.url_rule.methods or ()):
        return request.path
    came_from = urlsplit(request.referrer or "")
    return came_from.path if came_from.netloc == request.host and came_from.path else None


def _find_task() -> Task | None:
    """Return the task in the address, if it exists for the person."""
    slug = context.path_values().get("slug")
    if not slug or "\0" in slug:  # NUL is rejected before any view, and must not reach the database
        return None
    try:
        return tasks.get_task(context.session(), slug, context.actor())
    except NotFound:
        return None


@blueprint.app_errorhandler(ServerError)
def server_error(error: ServerError) -> Response:
    """Show an error of a service that no view caught."""
    if problems.is_api_request():
        return problems.from_server_error(error)
    retry_at = error.retry_at if isinstance(error, RateLimited) else None
    response = _error_page(error.status, error.message, retry_at=retry_at)
    response.headers.update(retry_after(error))
    return response


@blueprint.app_errorhandler(CSRFError)
def csrf_error(_error: CSRFError) -> Response:
    """A form without its token: its session has ended, it was open too long, or it came from another site."""
    if current_user.is_authenticated:
        message = _("The form is no longer valid. It may have been open for too long.")
    else:
        message = _("The form is no longer valid. You are signed out, or it was open for too long.")
    return _error_page(400, message, steps=(N_("Open the form again, and submit it."),))


@blueprint.app_errorhandler(ParseException)
def broken_body(_error: ParseException) -> Response:
    """A body that gunicorn cannot read, such as one whose chunks have no size."""
    return http_error(BadRequest(_("The request was incomplete. Send it again.")))


@blueprint.app_errorhandler(HTTPException)
def http_error(error: HTTPException) -> Response:
    """Show an error of the web server or an unexpected failure; the log has the latter's reference."""
    if problems.is_api_request():
        return problems.from_http_error(error)
    status = error.code or 500
    if isinstance(error, InternalServerError):
        cause = error.original_exception
        return _error_page(503 if is_outage(cause) else 500, reference=log_failure(cause))
    if status == 413:
        return _error_page(413, *_too_large(), steps=page_rules.current_rules().limit_steps)
    if isinstance(error, MethodNotAllowed) and "GET" in (error.valid_methods or ()):
        return _error_page(405, _("This address is a page; you cannot send anything to it."), steps=(LIST,))
    own_words = error.description if error.description != type(error).description else None
    return _error_page(status, own_words or "")


def _too_large() -> tuple[str, ...]:
    limit = request.max_content_length
    if limit is None:
        return ()
    if (describe_limit := page_rules.current_rules().describe_limit) is not None:
        return (describe_limit(limit),)
    return (_("An upload can have at most %(size)s. Nothing was stored.", size=format_size(limit)),)
