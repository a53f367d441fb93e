"""The values of a board's systems by genre."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from scorer._version import __version__
from scorer.boards.board import Board, BoardLevel, SystemKey, rows_of, systems_of
from scorer.boards.board_data import LevelData, SystemData
from scorer.scoring.evaluate import Result, evaluate
from scorer.values import Undefined

SCHEMA = "assay.genres/1"

Systems = Mapping[SystemKey, SystemData]


def board_by_genre(
    board: Board, levels: Sequence[LevelData], systems: Sequence[SystemData]
) -> dict[str, Any]:
    """Score the systems of a board on the items of each genre.

    Parameters
    ----------
    board : Board
        The board, as `build_board` returns it.
    levels : sequence of LevelData
        The gold and the genres of the board's levels.
    systems : sequence of SystemData
        The runs of its rows. A row without runs here has no values.

    Returns
    -------
    dict
        JSON values: "systems" lists the systems in the order of the board. "levels" has an entry for each
        level whose scored items are of two or more genres, with its columns (genre, metric, n, signature)
        and a row of values at full precision for each system that entered it. An undefined value has its
        code and reason.

    Raises
    ------
    RequestError
        If the runs of a level do not match its gold.

    Notes
    -----
    Genres are in the order of their first item. The values are those of `evaluate` with `genres`. Each is
    computed only from the items of one genre, so their mean is not the value over all items, and they may
    rank the systems differently.

    References
    ----------
    D. Jurgens, M. T. Pilehvar, R. Navigli (2016), Cross level semantic similarity: an evaluation framework
    for universal measures of similarity, Language Resources and Evaluation 50, 5-33, Figure 3,
    doi:10.1007/s10579-015-9318-3.

    Examples
    --------
    >>> from scorer import BoardLevel, BoardRules, Entry, Gold, Run, build_board
    >>> level = BoardLevel("p2s", "Paragraph to sentence", ("pearson",))
    >>> run = Run((1.0, 2.0, 3.0, 1.0), (None,) * 4)
    >>> data = LevelData("p2s", Gold((0.0, 4.0, 4.0, 0.0)), ("news", "news", "travel", "travel"))
    >>> board = build_board([level], BoardRules(), [Entry("ash", "one", "official", {})])
    >>> found = board_by_genre(board, [data], [SystemData("official", "ash", "one", {"p2s": run})])
    >>> [(column["genre"], column["n"]) for column in found["levels"][0]["columns"]]
    [('news', 2), ('travel', 2)]
    >>> found["levels"][0]["rows"][0]["values"]
    [1.0, 1.0]
    """
    files = {(system.kind, system.team, system.run): system for system in systems}
    data = {level_data.slug: level_data for level_data in levels}
    shown = [level for level in board.levels if level.slug in data and _has_genres(data[level.slug])]
    return {
        "schema": SCHEMA,
        "scorer": __version__,
        "systems": systems_of(board),
        "levels": [_level(board, level, data[level.slug], files) for level in shown],
    }


def _has_genres(level: LevelData) -> bool:
    scored = zip(level.gold.values, level.genres, strict=True)
    places = None if level.part is None else level.part.places
    scored_genres = {
        genre
        for place, (value, genre) in enumerate(scored)
        if value is not None and (places is None or place in places)
    }
    return len(scored_genres) > 1


def _level(board: Board, level: BoardLevel, data: LevelData, files: Systems) -> dict[str, Any]:
    results_by_system: dict[int, list[Result]] = {}
    for number, row in enumerate(rows_of(board)):
        system = files.get(row.key)
        if system is not None and level.slug in system.runs:
            run = system.runs[level.slug]
            report = evaluate(data.gold, run, level.metrics, genres=data.genres, part=data.part)
            results_by_system[number] = [result for result in report.results if result.n]
    columns = next(iter(results_by_system.values()), [])
    return {
        "level": level.slug,
        "columns": [
            {"genre": score.genre, "metric": score.metric, "n": score.n, "signature": score.signature}
            for score in columns
        ],
        "rows": [
            {"system": number, "values": [_value(score.value) for score in results]}
            for number, results in results_by_system.items()
        ],
    }


def _value(value: float | Undefined) -> float | dict[str, str]:
    return asdict(value) if isinstance(value, Undefined) else value
