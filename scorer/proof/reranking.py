"""Rank the systems of a board again from its values, with the same function that ranked them first."""

from scorer.boards.board import Board, Entry, Row, build_board, rows_of
from scorer.boards.serialization import BoardFile, board_json
from scorer.errors import BoardError, Problem, RequestError
from scorer.scoring.evaluate import Result


def rerank_board(board: Board) -> Board:
    """Recompute the ranks, totals and order of a board from its values.

    Parameters
    ----------
    board : Board
        The board of a file, as `read_board` returns it.

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
        entries = [Entry(row.team, row.run, row.kind, _results(row)) for row in rows_of(board)]
        return build_board(board.levels, board.rules, entries)
    except (RequestError, ArithmeticError, LookupError) as error:
        message = f"cannot be ranked by its own rules: {error}"
        raise BoardError([Problem("board.json", None, "bad_board", message)]) from error


def reranked_json(file: BoardFile) -> str:
    """Return the JSON of the reranked board, with the original's task, title, split and scorer version."""
    return board_json(rerank_board(file.board), **file.names, scorer=file.scorer)


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
