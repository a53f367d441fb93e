"""Rank the systems of a board again from its values, with the same function that ranked them first."""

from collections.abc import Mapping
from typing import Any

from scorer.boards.board import Board, Entry, Row, build_board, rows_of
from scorer.boards.serialization import board_dict, board_of
from scorer.errors import BoardError, Problem, RequestError
from scorer.scoring.evaluate import Result
from scorer.values import write_json


def rerank_board(values: Mapping[str, Any]) -> Board:
    """Recompute the ranks, totals and order of a board from its values.

    Parameters
    ----------
    values : mapping
        The board, as `read_board` returns it.

    Returns
    -------
    Board
        The result of `build_board` for these values.

    Raises
    ------
    BoardError
        If the board has unknown metrics, or rules that are not valid for its levels.
    """
    try:
        board = board_of(dict(values))
        entries = [Entry(row.team, row.run, row.kind, _results(row)) for row in rows_of(board)]
        return build_board(board.levels, board.rules, entries)
    except (RequestError, ArithmeticError, LookupError) as error:
        message = f"cannot be ranked by its own rules: {error}"
        raise BoardError([Problem("board.json", None, "bad_board", message)]) from error


def reranked_json(values: Mapping[str, Any]) -> str:
    """Return the JSON of the reranked board, with the original's task, title, split and scorer version."""
    names = {name: values[name] for name in ("task", "title", "split")}
    board = board_dict(rerank_board(values), **names) | {"scorer": values["scorer"]}
    return write_json(board)


def _results(row: Row) -> dict[str, dict[str, Result]]:
    """Return the results of a system, by level and metric."""
    return {
        slug: {
            metric: Result(metric, cell.value, cell.n or 0, cell.signature)
            for metric, cell in cells.items()
            if cell.signature is not None
        }
        for slug, cells in row.cells.items()
    }
