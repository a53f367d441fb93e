"""What the annotators' pages share: a cookie, the tokens of forms, headers and error pages."""

from typing import Any
from urllib.parse import urlsplit

from flask import Blueprint, current_app, make_response, render_template, request, url_for
from flask.typing import ResponseReturnValue
from werkzeug.wrappers import Response as BaseResponse

from scorer.campaigns.config import LANGUAGES
from server.annotation.answers import own_work, tickets
from server.annotation.assignments import progress
from server.annotation.models import Annotator, Assignment
from server.core import i18n
from server.core.errors import Forbidden, ServerError
from server.core.i18n import N_, _
from server.web import context

COOKIE = "annotator"
TITLES = {
    400: N_("The form is no longer valid"),
    403: N_("Open your personal link"),
    404: N_("Page not found"),
    409: N_("Not possible now"),
    410: N_("This link was replaced"),
}
OTHER_TITLE = N_("That did not work")
INVALID_TOKEN = N_("The form is no longer valid. Reload the page and try again.")


def make_blueprint(name: str, import_name: str) -> Blueprint:
    """Make a blueprint of annotators' pages, whose errors have the same layout."""
    blueprint = Blueprint(name, import_name, url_prefix="/a")
    blueprint.url_value_preprocessor(_speak_to_browser)  # APIFlask wants `before_request` for itself
    blueprint.teardown_request(_speak_to_users)
    blueprint.register_error_handler(ServerError, show_error)
    return blueprint


def current_annotator(campaign_id: int) -> Annotator:
    """Return the annotator of the request's cookie.

    Raises:
        Forbidden: there is no cookie, it is too old, or its link was replaced.
    """
    annotator = find_current_annotator(campaign_id)
    if annotator is None:
        raise Forbidden.of(
            "You have not opened your link in this browser, or not for a long time. Open the personal "
            "link that you got."
        )
    return annotator


def render_own(template: str, annotator: Annotator, **values: Any) -> str:
    """Render a page of an annotator."""
    return render_template(template, annotator=annotator, campaign=annotator.campaign, **values)


def find_current_annotator(campaign_id: int) -> Annotator | None:
    """Return the annotator of the request's cookie, if it is valid."""
    annotator = own_work.find_annotator(context.session(), campaign_id, current_key())
    if annotator is not None:
        i18n.speak(annotator.language)
    return annotator


def current_key() -> str:
    """Return the hash of the key that the request's cookie was signed for; empty without a valid cookie."""
    cookie, now = request.cookies.get(COOKIE, ""), context.arrival_time()
    return tickets.find_key(secret_key(), COOKIE, cookie, now) or ""


def remember(response: BaseResponse, campaign_id: int, key_sha256: str) -> None:
    """Set the cookie of an annotator, for the pages of one campaign: there may be several in one browser."""
    response.set_cookie(
        COOKIE,
        tickets.sign_key(secret_key(), COOKIE, key_sha256, context.arrival_time()),
        max_age=tickets.LIFETIME,
        path=f"/a/{campaign_id}/",
        secure=context.site_of(current_app).config.secure_cookies,
        httponly=True,
        samesite="Lax",
    )


def next_address(assignment: Assignment, **query: Any) -> str:
    """Return the address of the first step without an answer, or of what comes after the last one.

    `query`: what the page says of the answer before.
    """
    session, campaign_id = context.session(), assignment.plan.round.campaign_id
    if not own_work.may_work(session, assignment):
        return url_for("annotator_pages.show", campaign_id=campaign_id, **query)
    step = progress.next_step(session, assignment)
    if step is None or own_work.is_between_passes(session, assignment, step):
        return url_for("annotator_pages.end", campaign_id=campaign_id, assignment_id=assignment.id, **query)
    return url_for("annotator_steps.show", campaign_id=campaign_id, step_id=step.id, **query)


def form_token(purpose: str, key_sha256: str) -> str:
    """Return the CSRF token of a form, which is good for one purpose and one link."""
    return tickets.sign_key(secret_key(), f"form {purpose}", key_sha256, context.arrival_time())


def check_token(purpose: str, key_sha256: str) -> None:
    """Check that the form was sent by its own page.

    Raises:
        Forbidden: another website sent the form.
        ServerError: its CSRF token is not valid.
    """
    if read_token(purpose) != key_sha256:
        raise ServerError.of(INVALID_TOKEN)


def read_token(purpose: str) -> str:
    """Return whose the token of a form is that was sent by its own page.

    The token is not enough: annotators have one of their own link, with which another website could put a
    visitor's browser under their pseudonym.

    Raises:
        Forbidden: another website sent the form.
        ServerError: its CSRF token is not valid.
    """
    if not _is_from_own_page():
        raise Forbidden.of(
            "Another website sent this form, so nothing was done. Open the personal link that you got."
        )
    sent = request.form.get("csrf_token", "")
    found = tickets.find_key(secret_key(), f"form {purpose}", sent, context.arrival_time())
    if found is None:
        raise ServerError.of(INVALID_TOKEN)
    return found


def secret_key() -> str:
    """Return the site's secret."""
    return context.site_of(current_app).config.secret_key


def show_error(error: ServerError) -> ResponseReturnValue:
    """Show an error in the layout of the annotators' pages."""
    page = render_template(
        "annotation/annotators/problem.html",
        title=_(TITLES.get(error.status, OTHER_TITLE)),
        message=error.message,
        saved="saved" in request.args,
        campaign_id=None if error.status == Forbidden.status else context.path_values().get("campaign_id"),
    )
    return make_response(page, error.status)


def _speak_to_browser(_endpoint: str | None, _values: dict[str, Any] | None) -> None:
    """Speak the language of the browser until it is known whose page this is."""
    i18n.speak(request.accept_languages.best_match(LANGUAGES) or i18n.ENGLISH)


def _speak_to_users(_error: BaseException | None) -> None:
    i18n.speak(None)


def _is_from_own_page() -> bool:
    """Whether a page of the site sent the request, as the browser says; old ones send the Origin alone."""
    sender, origin = request.headers.get("Sec-Fetch-Site"), request.headers.get("Origin")
    if sender is not None:
        return sender in ("same-origin", "none")
    return origin is None or urlsplit(origin).netloc == request.host
