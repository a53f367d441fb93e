"""What a page or an endpoint says on itself: how large a body it takes, and how its errors look."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from flask import Blueprint, current_app, request
from flask_security import auth_required

View = TypeVar("View", bound=Callable[..., object])
BodyLimit = Callable[[], int | None]
"""Returns the maximum size of the request's body; None: that of other requests."""


@dataclass(frozen=True, slots=True)
class PageRules:
    """The rules of a view; most have the default ones."""

    body_limit: BodyLimit | None = None
    is_text: bool = False
    """Whether the body is a form with long texts, and not files."""
    is_scored: bool = False
    """Whether files are parsed and scored within the request, of which many come before a deadline."""
    describe_limit: Callable[[int], str] | None = None
    """Says how large a file can be, given the maximum size of the body."""
    limit_steps: tuple[str, ...] = ()
    """What a person can do about a file that is too large, if it is not what they usually can."""
    has_views: bool = False
    """Whether the query of the address says how the page is looked at."""
    is_public: bool = False
    """Whether anyone can open a page among those for people who are signed in."""


_DEFAULT = PageRules()
_ATTRIBUTE = "page_rules"


def current_rules() -> PageRules:
    """Return the rules of the view that the request is for."""
    view = current_app.view_functions.get(request.endpoint or "")
    rules: PageRules = getattr(view, _ATTRIBUTE, _DEFAULT)
    return rules


def takes_files(
    limit: BodyLimit,
    *,
    scored: bool = False,
    describe_limit: Callable[[int], str] | None = None,
    limit_steps: tuple[str, ...] = (),
) -> Callable[[View], View]:
    """Mark a view that takes files of this total size."""
    return _marker(PageRules(limit, False, scored, describe_limit, limit_steps))


def takes_texts(limit: BodyLimit) -> Callable[[View], View]:
    """Mark a view that takes a form with texts of this total size."""
    return _marker(PageRules(body_limit=limit, is_text=True))


def has_views(view: View) -> View:
    """Mark a page whose address may ask for a view that does not exist."""
    setattr(view, _ATTRIBUTE, replace(getattr(view, _ATTRIBUTE, _DEFAULT), has_views=True))
    return view


def open_to_all(view: View) -> View:
    """Mark a page of a SignedInBlueprint that anyone can open."""
    return _marker(PageRules(is_public=True))(view)


def _marker(rules: PageRules) -> Callable[[View], View]:
    def mark(view: View) -> View:
        setattr(view, _ATTRIBUTE, rules)
        return view

    return mark


class SignedInBlueprint(Blueprint):
    """Pages for people who are signed in; all others are sent to the page where they can sign in."""

    def add_url_rule(
        self, rule: str, endpoint: str | None = None, view_func: Any = None, *args: Any, **options: Any
    ) -> None:
        """Add a page, for people who are signed in unless it is open to all."""
        is_public = getattr(view_func, _ATTRIBUTE, _DEFAULT).is_public
        view = view_func if is_public else auth_required("session")(view_func)
        super().add_url_rule(rule, endpoint, view, *args, **options)


class TeamBlueprint(SignedInBlueprint):
    """Pages for members of a team: their errors link to the team's runs."""


def is_team_page() -> bool:
    """Whether the request is for a page for members of a team."""
    return isinstance(current_app.blueprints.get(request.blueprint or ""), TeamBlueprint)
