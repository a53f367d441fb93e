"""Creates the app, the only place where all packages are connected."""

import traceback
from collections.abc import Callable, Mapping
from types import TracebackType
from urllib.parse import urlsplit, urlunsplit

from apiflask import APIFlask
from flask import Flask, Response, redirect, request
from flask_wtf import CSRFProtect
from werkzeug.exceptions import BadRequest, NotFound, RequestURITooLarge, UnsupportedMediaType
from werkzeug.middleware.proxy_fix import ProxyFix
from werkzeug.routing import IntegerConverter, Map, RequestRedirect
from werkzeug.wrappers import Response as BaseResponse

import server.tables  # noqa: F401  (loads every table)
from server.access.api import me as me_api
from server.access.api import roles as people_api
from server.access.api import terms as terms_api
from server.access.api import tokens as tokens_api
from server.access.views import previews, roles, terms, tokens, visibility
from server.accounts import sign_ins
from server.accounts.setup import init_accounts
from server.activity import api as log_api
from server.activity import views as log
from server.annotation import api as campaigns_api
from server.annotation.answers.views import entrances, own_pages, steps
from server.annotation.campaigns.views import campaigns
from server.annotation.campaigns.views import people as campaign_people
from server.annotation.results.views import datasets as annotation_datasets
from server.annotation.results.views import results as annotation_results
from server.bundles import api as bundles_api
from server.bundles.views import exports, imports
from server.core import i18n
from server.core.config import Config, find_package_folder
from server.core.i18n import _
from server.core.site_resources import create_site
from server.corrections import api as gold_api
from server.corrections import views as gold
from server.help import api as openapi_api
from server.help.views import packages
from server.help.views import pages as help_pages
from server.mail import api as announcements_api
from server.mail.views import announcements, mails
from server.organize.api import baselines as baselines_api
from server.organize.api import deadlines_and_releases as deadlines_and_releases_api
from server.organize.api import drafts as drafts_api
from server.organize.api import gold_and_teams as gold_and_teams_api
from server.organize.api import phases as phases_api
from server.organize.api import task_editing as task_editing_api
from server.organize.api import task_states as task_states_api
from server.organize.views import (
    baselines,
    dashboard,
    phases,
    registrations,
    systems,
    task_editing,
    task_states,
)
from server.organize.views import releases as organize_releases
from server.questions import api as questions_api
from server.questions.views import questions
from server.releases.views import board as boards
from server.releases.views import comparisons, feeds, stability
from server.releases.views import systems as release_systems
from server.runs.api import run_editing as run_editing_api
from server.runs.api import runs as runs_api
from server.runs.views import counts, run_archives
from server.setups.views import creation as setup_creation
from server.setups.views import levels as setup_levels
from server.setups.views import phases as setup_phases
from server.setups.views import setups
from server.site.api import boards as boards_api
from server.site.api import keys as keys_api
from server.site.api import release_files as release_files_api
from server.site.api import tasks as tasks_api
from server.site.api import teams as teams_api
from server.site.views import (
    accounts,
    errors,
    keys,
    legal,
    own_account,
    releases,
    runs,
    submissions,
    task_header,
    task_rules,
    task_statistics,
    tasks,
    teams,
    whole_runs,
)
from server.site.views.template_filters import FILTERS
from server.submissions.api import dry_runs as dry_runs_api
from server.submissions.api import rejections as refusals_api
from server.submissions.api import submissions as submissions_api
from server.submissions.api import uploads as uploads_api
from server.submissions.api import withdrawals as withdrawals_api
from server.submissions.views import dry_runs
from server.teams.api import invitations as invitations_api
from server.teams.api import memberships as memberships_api
from server.teams.views import invitations, memberships
from server.web import caching, context, error_responses, static_files, times
from server.web.rest import problems
from server.web.rest.setup import init_api

VIEWS = (
    accounts,
    announcements,
    annotation_datasets,
    annotation_results,
    baselines,
    boards,
    campaign_people,
    campaigns,
    comparisons,
    counts,
    dashboard,
    dry_runs,
    entrances,
    errors,
    exports,
    feeds,
    gold,
    help_pages,
    imports,
    invitations,
    keys,
    legal,
    log,
    mails,
    memberships,
    organize_releases,
    own_account,
    own_pages,
    packages,
    phases,
    questions,
    registrations,
    release_systems,
    releases,
    roles,
    run_archives,
    runs,
    setup_creation,
    setup_levels,
    setup_phases,
    setups,
    stability,
    steps,
    submissions,
    systems,
    task_editing,
    task_rules,
    task_states,
    task_statistics,
    tasks,
    teams,
    terms,
    tokens,
    whole_runs,
)

APIS = (
    announcements_api,
    baselines_api,
    boards_api,
    bundles_api,
    campaigns_api,
    deadlines_and_releases_api,
    drafts_api,
    dry_runs_api,
    gold_and_teams_api,
    gold_api,
    invitations_api,
    keys_api,
    log_api,
    me_api,
    memberships_api,
    openapi_api,
    people_api,
    phases_api,
    questions_api,
    refusals_api,
    release_files_api,
    run_editing_api,
    runs_api,
    submissions_api,
    task_editing_api,
    task_states_api,
    tasks_api,
    teams_api,
    terms_api,
    tokens_api,
    uploads_api,
    withdrawals_api,
)

BODY_LIMIT = 64 * 1024
"""The maximum size of a request that is not an upload."""
ADDRESS_LIMIT = 4 * 1024
"""The maximum length of an address; gunicorn's own limit is higher, because its error page is not ours."""
FORM_MEMORY = 2 * BODY_LIMIT
"""The maximum number of bytes of a form that are parsed at once.

These are Werkzeug's chunks of 64 kB, and the rest of the previous one if it ended with a line end, which
might start the next part.
"""

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class RowId(IntegerConverter):
    """An id in an address, limited to the range of the database, so that a larger one is not found.

    With `max` alone, Werkzeug would answer 405 if the address has other methods, too.
    """

    regex = "[0-9]{1,10}"

    def __init__(self, map_: Map) -> None:
        super().__init__(map_, max=2**31 - 1)


class App(APIFlask):
    """Flask with an API."""

    def log_exception(
        self, exc_info: tuple[type, BaseException, TracebackType] | tuple[None, None, None]
    ) -> None:
        """Log the traceback of a failed request; Flask would log the client's input unescaped."""
        lines = "".join(traceback.format_exception(exc_info[1])).splitlines()
        text = "\n  ".join(
            map(error_responses.printable, lines)
        )  # indented, so that no line looks like an entry
        self.logger.error(
            "Exception on %s [%s]\n  %s", error_responses.printable(request.path), request.method, text
        )


def create_app(config: Config) -> Flask:
    """Create the site as a WSGI app."""
    site = create_site(config)
    app = App(
        "server",
        title="Assay",
        version="1",
        json_errors=False,
        spec_path=None,
        docs_path=None,
        template_folder=str(find_package_folder("templates")),
        static_folder="static",
    )
    app.config.update(
        SECRET_KEY=config.secret_key,
        MAX_CONTENT_LENGTH=BODY_LIMIT,
        MAX_FORM_MEMORY_SIZE=FORM_MEMORY,
        PERMANENT_SESSION_LIFETIME=sign_ins.LONG_LIFETIME,
        SESSION_COOKIE_SECURE=config.secure_cookies,
        SESSION_COOKIE_SAMESITE="Lax",
        SESSION_COOKIE_HTTPONLY=True,
        SEND_FILE_MAX_AGE_DEFAULT=3600,
        WTF_CSRF_TIME_LIMIT=12 * 3600,
        TESTING=config.testing,
    )
    if config.proxies:
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=config.proxies, x_proto=config.proxies)  # type: ignore[method-assign]
    app.url_map.converters["int"] = RowId
    app.jinja_options = {"trim_blocks": True, "lstrip_blocks": True, "extensions": [i18n.JINJA_EXTENSION]}
    i18n.install_gettext(app.jinja_env)
    app.extensions[context.EXTENSION] = site
    app.before_request(context.note_arrival)
    app.before_request(_redirect_on_same_host)
    app.before_request(_limit_address)
    app.before_request(visibility.require_visible_task)
    app.before_request(previews.begin_preview)
    app.before_request(_limit_body)
    app.before_request(context.read_body)
    app.before_request(_refuse_nul)
    app.before_request(_refuse_json)
    csrf = CSRFProtect(app)
    csrf.exempt(mails.stop_now)  # mail programs send this request, with a signed link
    for module in (entrances, own_pages, steps):
        csrf.exempt(module.blueprint)  # their forms have signed tokens of their own, which last for 30 days
    init_accounts(app, site)
    static_files.init_static_files(app)
    for module in VIEWS:
        app.register_blueprint(module.blueprint)
    init_api(app, csrf, [module.blueprint for module in APIS])
    app.jinja_env.filters.update(FILTERS)
    app.jinja_env.globals.update(
        site_url=config.site_url,
        words_of_times=times.script_messages,
        head_of=task_header.build_task_header,
    )
    previews.init_previews(app)
    app.after_request(_set_headers)
    app.teardown_appcontext(lambda _error: context.close_session(app))
    return app


def _redirect_on_same_host() -> BaseResponse | None:
    """Send a client to the address with its slash, on the same host.

    Flask's own redirect uses the header `Host`, which anyone can forge.
    """
    redirection = request.routing_exception
    if not isinstance(redirection, RequestRedirect):
        return None
    to = urlsplit(redirection.new_url)
    return redirect(urlunsplit(("", "", "/" + to.path.lstrip("/"), to.query, "")), redirection.code)


def _limit_address() -> None:
    if len(request.path) + len(request.query_string) > ADDRESS_LIMIT:
        raise RequestURITooLarge


BODY_LIMITS: Mapping[str, Callable[[], int | None]] = {
    "annotation_datasets.make": annotation_datasets.limit_upload,
    "campaigns.create": campaigns.limit_upload,
    "gold.upload": gold.limit_upload,
    "dry_runs.test": dry_runs.limit_upload,
    "imports.create": imports.limit_upload,
    "setup_levels.save": setup_levels.limit_upload,
    "api_bundles.host": bundles_api.limit_upload,
    "api_dry_runs.test": dry_runs_api.limit_upload,
    "api_edits.edit": task_editing_api.limit_body,
    "api_organizing.bring_gold": gold_and_teams_api.limit_upload,
    **dict.fromkeys(
        (f"api_uploads.{name}" for name in uploads_api.UPLOAD_ENDPOINTS), uploads_api.limit_upload
    ),
}
"""The maximum size of a request's body by endpoint; None: that of other requests."""
RUN_BODY_LIMITS = {
    "submissions.upload": submissions.limit_upload,
    "submissions.check": submissions.limit_upload,
    "whole_runs.upload": whole_runs.limit_upload,
    "whole_runs.check": whole_runs.limit_upload,
}
"""The maximum size of a body with files for a run of the reader's team, by endpoint."""

TEXT_LIMITS: Mapping[str, Callable[[], int | None]] = {
    "campaign_people.add": campaign_people.limit_body,
    "campaign_people.consent": campaign_people.limit_body,
    "edits.edit_task": task_editing.limit_body,
    "phases.list_public": phases.limit_body,
    "setups.edit": setups.limit_body,
}
"""The maximum size of a form with a task's texts, by endpoint; None: that of other forms."""


def _limit_body() -> None:
    """Limit the size of the body before it is read."""
    if request.method not in ("POST", "PATCH"):
        return
    if request.endpoint in context.UPLOAD_ENDPOINTS and 0 < (request.content_length or 0) <= BODY_LIMIT:
        return  # these have one limit, so the database need not be queried
    if (own_limit := RUN_BODY_LIMITS.get(request.endpoint or "")) is not None:
        if context.actor().user_id is not None:
            request.max_content_length = own_limit()
    elif (limit := BODY_LIMITS.get(request.endpoint or "")) is not None:
        request.max_content_length = limit() or BODY_LIMIT
    elif (text_limit := TEXT_LIMITS.get(request.endpoint or "")) is not None:
        request.max_content_length = request.max_form_memory_size = text_limit() or BODY_LIMIT


def _refuse_nul() -> None:
    """Reject NUL in addresses and fields: it has no use, and PostgreSQL's texts cannot contain it."""
    if any("\0" in part for part in (request.path, *request.args.values())):
        raise NotFound
    if request.method not in context.WRITE_METHODS:
        return  # the body is not read
    if any("\0" in value for values in request.form.listvalues() for value in values):
        raise BadRequest("A field of the form has a NUL character, which no text has; leave it out.")


def _refuse_json() -> None:
    """Reject JSON on pages, which accept forms: the form libraries would parse it, and fail on a list."""
    has_body = request.method in context.WRITE_METHODS or request.content_length
    if request.is_json and has_body and not problems.is_api_request():
        raise UnsupportedMediaType(_("This page expects a form. Send JSON to the API under /api/v1."))


def _set_headers(response: Response) -> Response:
    header_names = {name.lower() for name, _value in response.headers}
    response.headers.extend(
        [(name, value) for name, value in HEADERS.items() if name.lower() not in header_names]
    )
    is_cacheable = request.endpoint == "static" or response.headers.get("Cache-Control") in caching.CACHEABLE
    if response.status_code >= 400 or not is_cacheable:
        response.headers["Cache-Control"] = "no-store"
    return response
