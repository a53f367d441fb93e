"""Authentication of API requests: the person of a token, within its scopes, or a visitor."""

from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import Any, NoReturn, ParamSpec, TypeVar

from apiflask import APIBlueprint, HTTPTokenAuth
from apiflask.exceptions import HTTPError
from flask import request

from server.access import service as access, tasks
from server.accounts import tokens
from server.accounts.models import ApiToken
from server.accounts.scopes import Scope
from server.core.actors import VISITOR, Actor
from server.core.errors import BadToken, ScopeMissing
from server.core.i18n import N_, _
from server.tasks.models import Task
from server.teams.models import Team
from server.web import context
from server.web.rest.openapi import find_operation

P = ParamSpec("P")
R = TypeVar("R")
ANONYMOUS_ALLOWED = "anybody"
"""Marks an operation that needs no token."""
TOKEN_MISSING_MESSAGE = N_(
    "Send an API token: “Authorization: Bearer assay_…”. You can create tokens on your account page."
)
READ_SCOPES: tuple[Scope, ...] = ("read", "organize")
"""A token needs one of these scopes to read what its person may read."""
auth = HTTPTokenAuth(
    "Bearer",
    name="token",
    description=(
        "A personal API token, which you create on your account page. It is valid until it expires or is "
        "revoked. A change of your password or two-factor authentication revokes it, unless you keep it."
    ),
)


@auth.verify_token  # type: ignore[untyped-decorator]  # Flask-HTTPAuth has no types
def _find_token(text: str) -> ApiToken | None:
    """Return the token of the header; an invalid one is an error even where none is needed."""
    if not text:
        return None
    token = tokens.find_token(context.session(), text, context.arrival_time())
    if token is None:
        raise BadToken.of("This token is not valid. It may have expired or been revoked. Create a new one.")
    return token


@auth.get_user_roles  # type: ignore[untyped-decorator]  # as above
def _scopes(token: ApiToken) -> list[str]:
    return token.scopes


@auth.error_processor
def _raise_auth_error(error: HTTPError) -> NoReturn:
    if error.status_code == 403:
        raise _missing_scope(
            scope for requirement in find_operation()["security"] for scope in requirement["token"]
        )
    raise BadToken.of(TOKEN_MISSING_MESSAGE)


def _missing_scope(scopes: Iterable[str]) -> ScopeMissing:
    needed = _("” or “").join(scopes)
    return ScopeMissing.of("This token lacks the scope “%(scopes)s”.", scopes=needed)


class ApiBlueprint(APIBlueprint):
    """Operations that need a token with one of their scopes, or of the blueprint's; without any, no token.

    Their paths begin with `/api/v1` and the prefix.
    """

    def __init__(self, name: str, *, tag: str, url_prefix: str = "", scopes: Sequence[Scope] = ()) -> None:
        super().__init__(name, __name__, url_prefix=f"/api/v1{url_prefix}", tag=tag)
        self.scopes = scopes

    def add_url_rule(
        self, rule: str, endpoint: str | None = None, view_func: Any = None, *args: Any, **options: Any
    ) -> None:
        """Add an operation, which asks for the token before it reads anything of the request.

        One whose function returns None has an empty response.
        """
        if view_func.__annotations__["return"] is None:
            view_func = self.output({}, status_code=204)(view_func)
        scopes = list(options.pop("scopes", self.scopes))
        protected = self.auth_required(auth, scopes or None, None if scopes else ANONYMOUS_ALLOWED)(view_func)
        super().add_url_rule(rule, endpoint, protected, *args, **options)


class OrganizerBlueprint(ApiBlueprint):
    """Operations of organizers on a task; their paths begin with its address and `path`."""

    def __init__(self, name: str, path: str = "") -> None:
        super().__init__(name, tag="Organizing", url_prefix=f"/tasks/<slug>{path}", scopes=["organize"])


def early_caller(scope: Scope = "submit") -> Actor:
    """Return the caller before the body is read; use it only to decide how large the body may be.

    A token that lacks the scope is rejected at once, since an error about the body's size would hide that.
    """
    token = _find_early_token()
    if token is not None and scope not in token.scopes:
        raise _missing_scope([scope])
    return VISITOR if token is None else Actor(user_id=token.user_id)


def early_actor() -> Actor:
    """Return the caller before the view asks for a token, with the rights that `caller` has later."""
    token = _find_early_token()
    return VISITOR if token is None else _actor_of(token)


def _find_early_token() -> ApiToken | None:
    kind, _blank, text = request.headers.get("Authorization", "").partition(" ")
    return _find_token(text) if kind == "Bearer" else None


def is_early_organizer() -> bool:
    """Whether the caller organizes the task of the path, before the body is read."""
    session, actor = context.session(), early_caller("organize")
    if actor.user_id is None:
        return False
    return access.is_organizer(session, actor, tasks.get_task(session, context.path_values()["slug"]))


def limit_for_organizers(size: int) -> Callable[[], int | None]:
    """Make a function that returns the maximum size of a body for organizers; None: that of others."""

    def limit() -> int | None:
        return size if is_early_organizer() else None

    return limit


def caller() -> Actor:
    """Return the caller. A token without the scope `organize` acts without its person's roles.

    Where no token is needed, any token shows what its person sees, such as the deadlines of their team.
    """
    token: ApiToken | None = auth.current_user
    return VISITOR if token is None else _actor_of(token)


def _actor_of(token: ApiToken) -> Actor:
    return Actor(user_id=token.user_id, without_roles="organize" not in token.scopes)


def own_token() -> ApiToken:
    """Return the token of the request, where one is needed."""
    token: ApiToken | None = auth.current_user
    if token is None:
        raise BadToken.of(TOKEN_MISSING_MESSAGE)
    return token


def get_organized_task(slug: str) -> Task:
    """Return the task of the path, for organizers."""
    session = context.session()
    task = tasks.get_task(session, slug)
    access.require_organizer(session, caller(), task)
    return task


def organizers_only(view: Callable[P, R]) -> Callable[P, R]:
    """Reject a caller who does not organize the task of the path.

    Stands between `auth_required` and `input`, because someone who may not act should be told that, and not
    what is wrong with the body.
    """

    @wraps(view)
    def check_and_run(*args: P.args, **kwargs: P.kwargs) -> R:
        get_organized_task(str(kwargs["slug"]))
        return view(*args, **kwargs)

    return check_and_run


def get_own_team(slug: str) -> Team:
    """Return the caller's team in the task of the path."""
    session = context.session()
    return access.require_team(session, caller(), tasks.get_task(session, slug))


def get_observed_task(slug: str) -> Task:
    """Return the task of the path, for people who may see all of it."""
    session = context.session()
    task = tasks.get_task(session, slug)
    access.require_observer(session, caller(), task)
    return task
