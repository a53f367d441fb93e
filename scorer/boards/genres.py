"""The values of a board's systems by genre: where the order of the levels comes from."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from scorer._version import __version__
from scorer.boards.board import Board, BoardLevel, Kind, rows_of, systems_of
from scorer.boards.board_data import LevelData, SystemData
from scorer.scoring.evaluate import Result, evaluate
from scorer.values import Undefined

SCHEMA = "assay.genres/1"

Systems = Mapping[tuple[Kind, str, str], SystemData]


def board_by_genre(
    board: Board, levels: Sequence[LevelData], systems: Sequence[SystemData]
) -> dict[str, Any]:
    """Score the systems of a board on the items of each genre.

    Parameters
    ----------
    board : Board
        From `build_board`.
    levels : sequence of LevelData
        The gold and the genres of the board's levels.
    systems : sequence of SystemData
        The files of its rows; a row without files here has no values.

    Returns
    -------
    dict
        Plain values: the systems in the order of the board, and for each level whose scored items are of two
        genres or more its columns (genre, metric, n, signature) and a row of values for each system that
        entered it, at full precision. An undefined value has its reason.

    Raises
    ------
    RequestError
        If a level's files do not fit its gold.

    Notes
    -----
    Genres stand in the order in which the items have them. The values are those of `evaluate` with
    `genres`: of the items of one genre alone, so that their mean is not the value over all items, and may
    order the systems in another way.

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
    files = {(each.kind, each.team, each.run): each for each in systems}
    data = {each.slug: each for each in levels}
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
        system = files.get((row.kind, row.team, row.run))
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
