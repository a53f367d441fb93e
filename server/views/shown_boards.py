"""The tables of released boards as pages have them, kept by what they are made of.

A release never changes, so its table is made once and stands on each page until another is asked for; the
page around it is made anew. Only readers whose team has no row of its own share one.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from flask import current_app, get_template_attribute
from markupsafe import Markup

from server.domain.recent import Recent
from server.language import spoken

MOST = 6
EXTENSION = "assay.boards"


@dataclass(frozen=True, slots=True)
class ShownBoard:
    """The table with its tools and legend, and what else a page asks of the board."""

    table: Markup
    facts: dict[str, Any]
    by_genre: bool


def find_shown(key: tuple[object, ...], own: str | None, make: Callable[[], ShownBoard]) -> ShownBoard:
    """The table of a release, whose `key` names all that it is made of but the reader's `own` team."""
    kept: Recent[tuple[object, ...], ShownBoard]
    kept = current_app.extensions.setdefault(EXTENSION, Recent(MOST))
    return make() if own is not None else kept.get((spoken(), *key), make)


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
