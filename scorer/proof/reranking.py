"""The ranks of a board from its values alone: the one ranking function, asked again."""

import json
from collections.abc import Mapping
from typing import Any

from scorer.boards.board import Board, Entry, Row, build_board, rows_of
from scorer.boards.serialization import board_dict, board_of
from scorer.errors import BoardError, Problem, RequestError
from scorer.scoring.evaluate import Result


def rerank_board(values: Mapping[str, Any]) -> Board:
    """A board with the values of another, ranked, totalled and ordered again.

    Parameters
    ----------
    values : mapping
        From `read_board`.

    Returns
    -------
    Board
        What `build_board` makes of them.

    Raises
    ------
    BoardError
        If it has metrics that are not known here, or rules that make no sense for its levels.
    """
    try:
        board = board_of(dict(values))
        entries = [Entry(row.team, row.run, row.kind, _results(row)) for row in rows_of(board)]
        return build_board(board.levels, board.rules, entries)
    except (RequestError, ArithmeticError, LookupError) as error:
        message = f"cannot be ranked by its own rules: {error}"
        raise BoardError([Problem("board.json", None, "bad_board", message)]) from error


def reranked_json(values: Mapping[str, Any]) -> str:
    """The JSON of `rerank_board`; what no ranking decides (title, scorer) is as it was."""
    names = {name: values[name] for name in ("task", "title", "split")}
    board = board_dict(rerank_board(values), **names) | {"scorer": values["scorer"]}
    return json.dumps(board, ensure_ascii=False, indent=1) + "\n"


def _results(row: Row) -> dict[str, dict[str, Result]]:
    """What a system got at each level that it entered."""
    return {
        slug: {
            metric: Result(metric, cell.value, cell.n or 0, cell.signature)
            for metric, cell in cells.items()
            if cell.signature is not None
        }
        for slug, cells in row.cells.items()
    }
