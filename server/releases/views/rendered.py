"""The tables of released boards as HTML, cached by all that they are made of.

A release never changes, so its table is rendered once; the page around it is rendered for each request. The
view checks that the release stands before it asks for the table. A reader whose team has a row of its own
gets a table that is not cached.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from flask import get_template_attribute
from markupsafe import Markup

from server.core.by_hash import CacheByHash
from server.core.i18n import spoken


@dataclass(frozen=True, slots=True)
class ShownBoard:
    """The table with its tools and legend, and what else a page asks of the board."""

    table: Markup
    facts: dict[str, Any]
    by_genre: bool


TABLES: CacheByHash[tuple[object, ...], ShownBoard] = CacheByHash(6)


def find_shown(key: tuple[object, ...], own: str | None, make: Callable[[], ShownBoard]) -> ShownBoard:
    """The table of a release, whose `key` names all that it is made of but the reader's `own` team."""
    return make() if own is not None else TABLES.get((spoken(), *key), make)


def show_board(
    board: dict[str, Any], view: object, own: str | None, places: int | None, table: object, at: object
) -> ShownBoard:
    """A marked board as its page shows it."""
    whole = get_template_attribute("boards/_table.html", "whole")
    inference = board.get("inference")
    facts = {
        "scorer": board["scorer"],
        "baselines": bool(board["baselines"]),
        "inference": inference and {name: inference[name] for name in ("options", "stability", "genres")},
    }
    return ShownBoard(whole(board, view, own, places, table, at), facts, table is not None)
