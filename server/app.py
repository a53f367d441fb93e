"""Creates the app, the only place where all packages are connected."""

import traceback
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any, TypeVar
from urllib.parse import urlsplit, urlunsplit

from apiflask import APIBlueprint, APIFlask
from flask import Blueprint, Flask, Response, redirect, request
from flask_wtf import CSRFProtect
from werkzeug.exceptions import BadRequest, NotFound, RequestURITooLarge, UnsupportedMediaType
from werkzeug.middleware.proxy_fix import ProxyFix
from werkzeug.routing import IntegerConverter, Map, RequestRedirect
from werkzeug.utils import find_modules, import_string
from werkzeug.wrappers import Response as BaseResponse

import server.tables  # noqa: F401  (loads every table)
from server.access import visibility
from server.accounts import sign_ins
from server.accounts.setup import init_accounts
from server.core import i18n, logs, metrics
from server.core.config import Config, find_package_folder
from server.core.i18n import _
from server.core.site_resources import create_site
from server.demo.populate import ACCOUNTS as DEMO_ACCOUNTS, PASSWORD as DEMO_PASSWORD
from server.health.scrapes import MetricsListener
from server.pages.access import previews
from server.pages.annotation import annotator_crowd, annotator_links, annotator_pages, annotator_steps
from server.pages.mail import mails
from server.pages.tasks import task_header
from server.pages.template_filters import FILTERS
from server.web import caching, context, error_responses, page_rules, request_log, static_files, times
from server.web.rest import problems
from server.web.rest.setup import init_api

AnyBlueprint = TypeVar("AnyBlueprint", bound=Blueprint)

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

    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function as it is: none is a coroutine, and to ask for each takes 3 % of a page."""
        return func

    def log_exception(
        self, exc_info: tuple[type, BaseException, TracebackType] | tuple[None, None, None]
    ) -> None:
        """Log and report why a request failed; Flask would log the client's input unescaped."""
        if exc_info[1] is not None:
            logs.report_error(exc_info[1])
        lines = "".join(traceback.format_exception(exc_info[1])).splitlines()
        text = "\n  ".join(
            map(error_responses.printable, lines)
        )  # indented, so that no line looks like an entry
        self.logger.error(
            "Exception on %s [%s]\n  %s", error_responses.printable_path(), request.method, text
        )


def create_app(config: Config) -> Flask:
    """Create the site as a WSGI app."""
    site = create_site(config, impatient=True)
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
        SESSION_COOKIE_NAME="__Host-session" if config.secure_cookies else "session",
        SESSION_COOKIE_SECURE=config.secure_cookies,
        SESSION_COOKIE_SAMESITE="Lax",
        SESSION_COOKIE_HTTPONLY=True,
        SEND_FILE_MAX_AGE_DEFAULT=3600,
        WTF_CSRF_TIME_LIMIT=12 * 3600,
        TESTING=config.testing,
    )
    if config.proxies:
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=config.proxies, x_proto=config.proxies)  # type: ignore[method-assign]
    if metrics.is_on():  # outside of ProxyFix, which believes headers
        app.wsgi_app = MetricsListener(app.wsgi_app, site)  # type: ignore[method-assign]
    app.url_map.converters["int"] = RowId
    app.jinja_options = {"trim_blocks": True, "lstrip_blocks": True, "extensions": [i18n.JINJA_EXTENSION]}
    i18n.install_gettext(app.jinja_env)
    app.extensions[context.EXTENSION] = site
    app.before_request(request_log.begin_request)
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
    for module in (annotator_crowd, annotator_links, annotator_pages, annotator_steps):
        csrf.exempt(module.blueprint)  # their forms have signed tokens of their own, which last for 30 days
    init_accounts(app, site)
    static_files.init_static_files(app)
    for blueprint in _list_blueprints("server.pages", Blueprint):
        app.register_blueprint(blueprint)
    init_api(app, csrf, _list_blueprints("server.api", APIBlueprint))
    app.jinja_env.filters.update(FILTERS)
    app.jinja_env.globals.update(
        site_url=config.site_url,
        demo_accounts=DEMO_ACCOUNTS if config.demo else None,
        demo_password=DEMO_PASSWORD,
        words_of_times=times.script_messages,
        head_of=task_header.render_task_header,
        path_to_return_to=context.path_to_return_to,
    )
    previews.init_previews(app)
    app.after_request(request_log.note_response)
    app.after_request(_set_headers)
    if config.secure_cookies and config.site_url.startswith("https:"):
        app.after_request(_require_https)
    app.teardown_request(request_log.end_request)
    app.teardown_appcontext(lambda _error: context.close_session(app))
    return app


def _list_blueprints(package: str, kind: type[AnyBlueprint]) -> Iterator[AnyBlueprint]:
    """Yield the blueprint of each module of a package that has one."""
    for name in find_modules(package, recursive=True):
        blueprint = getattr(import_string(name), "blueprint", None)
        if isinstance(blueprint, kind):
            yield blueprint


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


def _limit_body() -> None:
    """Limit the size of the body before it is read, as the view says on itself."""
    rules = page_rules.current_rules()
    if request.method not in ("POST", "PATCH") or rules.body_limit is None:
        return
    if rules.is_scored and 0 < (request.content_length or 0) <= BODY_LIMIT:
        return  # these have one limit, so the database need not be queried
    request.max_content_length = rules.body_limit() or BODY_LIMIT
    if rules.is_text:
        request.max_form_memory_size = request.max_content_length


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


def _require_https(response: Response) -> Response:
    """Tell browsers to come by HTTPS alone for a year."""
    response.headers["Strict-Transport-Security"] = "max-age=31536000"
    return response


def _set_headers(response: Response) -> Response:
    if error_responses.SECRET_PARTS & set(request.view_args or ()):
        # Otherwise a proxy would log the path with the next request. Without a referrer, browsers would send
        # forms with the Origin "null", as those of other websites can be.
        response.headers["Referrer-Policy"] = "strict-origin"
    header_names = {name.lower() for name, _value in response.headers}
    response.headers.extend(
        [(name, value) for name, value in HEADERS.items() if name.lower() not in header_names]
    )
    is_cacheable = request.endpoint == "static" or response.headers.get("Cache-Control") in caching.CACHEABLE
    if response.status_code >= 400 or not is_cacheable:
        response.headers["Cache-Control"] = "no-store"
    return response
