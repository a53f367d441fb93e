"""The query parameters of a leaderboard’s address; unknown values raise an error.

They choose level, metric, order, filter and page.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal
from urllib.parse import urlencode

from scorer.boards.board import Board, Kind
from server.boards.inference_marks import MarkedBoard
from server.core.errors import NotFound
from server.core.i18n import N_, translate

SortOrder = Literal["asc", "desc"]
GROUPS: dict[str, Kind] = {"official": "official", "late": "late", "baselines": "baseline"}
"""The kinds of the rows that a page shows together, by the name of their group."""
QueryArgs = Mapping[str, Sequence[str]]
"""The query of an address: each name with all its values."""
MAX_FILTER_LENGTH = 100
"""The maximum length of a filter."""


@dataclass(frozen=True, slots=True)
class BoardQuery:
    """A view of a leaderboard as its address describes it; omitted parameters have their defaults."""

    level: str | None = None
    """The only level to show; None: all levels, side by side."""
    metric: str | None = None
    """The metric to show; None: the official one of each level."""
    sort: str = "rank"
    order: SortOrder | None = None
    """The order; None: the column's default, the best first."""
    q: str = ""
    show: tuple[str, ...] = ()
    """The groups of rows to show; empty: all."""
    page: int = 1
    genres: bool = False
    """Whether to show values by genre."""
    numbers: bool = False
    """Whether to show intervals in numbers too."""

    def address(self, base: str, **changes: Any) -> str:
        """Return the address of this view with changes; a new order or filter starts at the first page."""
        query = replace(self, **{"page": 1, **changes})
        parameters = [
            ("view", "genres" if query.genres else ""),
            ("level", query.level or ""),
            ("metric", query.metric or ""),
            ("sort", "" if query.sort == "rank" else query.sort),
            ("order", query.order or ""),
            ("q", query.q),
            ("show", ",".join(query.show)),
            ("intervals", "numbers" if query.numbers else ""),
            ("page", "" if query.page == 1 else str(query.page)),
        ]
        query_string = urlencode([(name, value) for name, value in parameters if value], safe=",")
        separator = "&" if "?" in base else "?"
        return f"{base}{separator}{query_string}" if query_string else base


def read_query(board: Board, args: QueryArgs) -> BoardQuery:
    """Parse the view that an address requests; unknown parameters are ignored, such as other sites' own.

    Raises:
        NotFound: this board does not have the requested value.
    """
    levels = {level.slug: level for level in board.levels}
    slug = _parameter(args, "level")
    if slug and slug not in levels:
        raise _unknown_value("level", slug, levels)
    metrics = levels[slug].metrics if slug else metrics_of(board)
    metric = _parameter(args, "metric")
    if metric and metric not in metrics:
        raise _unknown_value("metric", metric, metrics)
    order = _parameter(args, "order")
    if order not in ("", "asc", "desc"):
        raise _unknown_value("order", order, ("asc", "desc"))
    show = [word for value in args.get("show", ()) for word in value.split(",") if word]
    for word in show:
        if word not in GROUPS:
            raise _unknown_value("show", word, GROUPS)
    shown_groups = tuple(group for group in GROUPS if group in show)
    return BoardQuery(
        level=slug or None,
        metric=None if metric in ("", official_metric(board, slug)) else metric,
        sort=_parameter(args, "sort") or "rank",
        order=order or None,  # type: ignore[arg-type]  # it is one of the two
        q=_filter(args),
        show=() if len(shown_groups) == len(GROUPS) else shown_groups,
        page=_page(args),
        genres=_is_by_genre(args),
        numbers=_shows_numbers(args),
    )


def select_genre_level(board: MarkedBoard, query: BoardQuery) -> BoardQuery:
    """Return the view by genre of the requested level, or of the first level with genres.

    Raises:
        NotFound: there are no values by genre, or not at this level.
    """
    levels = () if board.inference is None else board.inference.genres
    if not levels:
        raise NotFound.of("There are no scores by genre for this leaderboard.")
    if query.level is not None and query.level not in levels:
        raise NotFound.of("All items of this level have the same genre, so there are no scores by genre.")
    return replace(query, level=query.level or levels[0])


def metrics_of(board: Board) -> list[str]:
    """List every metric of a leaderboard, the official ones first."""
    first = [level.metrics[0] for level in board.levels]
    return list(dict.fromkeys([*first, *(name for level in board.levels for name in level.metrics)]))


def official_metric(board: Board, level: str | None = None) -> str | None:
    """Return the official metric of a level, or of all levels; None: they differ."""
    official = {entry.metrics[0] for entry in board.levels if level in (None, "", entry.slug)}
    return next(iter(official)) if len(official) == 1 else None


def _parameter(args: QueryArgs, name: str) -> str:
    values = args.get(name, ())
    return values[0].strip() if values else ""


def _filter(args: QueryArgs) -> str:
    text = _parameter(args, "q")
    if len(text) > MAX_FILTER_LENGTH or "\0" in text:
        raise NotFound.of(
            "A search has at most %(most)d characters. Enter part of a team or run name.",
            most=MAX_FILTER_LENGTH,
        )
    return text


def _page(args: QueryArgs) -> int:
    text = _parameter(args, "page") or "1"
    if not (text.isascii() and text.isdecimal() and int(text[:9]) > 0 and len(text) < 9):
        raise NotFound.of("There is no page “%(page)s”. Pages are numbered from 1.", page=text[:20])
    return int(text)


def _is_by_genre(args: QueryArgs) -> bool:
    view = _parameter(args, "view")
    if view not in ("", "genres"):
        raise _unknown_value("view", view, ("genres",))
    return view == "genres"


def _shows_numbers(args: QueryArgs) -> bool:
    word = _parameter(args, "intervals")
    if word not in ("", "numbers"):
        raise _unknown_value("intervals", word, ("numbers",))
    return bool(word)


_UNKNOWN_VALUE_MESSAGES = {
    "level": N_("There is no level “%(value)s”. Choose one of: %(known)s."),
    "metric": N_("There is no metric “%(value)s” here. Choose one of: %(known)s."),
    "order": N_("“%(value)s” is not a sort order. Choose one of: %(known)s."),
    "show": N_("“%(value)s” is not a kind of row. Choose one of: %(known)s."),
    "view": N_("“%(value)s” is not a view of the leaderboard. The only choice is %(known)s."),
    "intervals": N_("Intervals cannot be shown as “%(value)s”. The only choice is %(known)s."),
}


def _unknown_value(name: str, value: str, choices: Iterable[str]) -> NotFound:
    words = ", ".join(f"“{choice}”" for choice in choices)
    return NotFound(
        translate(_UNKNOWN_VALUE_MESSAGES[name]) % {"value": value[:MAX_FILTER_LENGTH], "known": words}
    )
