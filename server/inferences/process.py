"""The subprocess that computes inferences: reads a request as JSON and prints the scorer’s results.

It knows no database and no storage, runs at a lower priority, and ends with its parent.
"""

import json
import os
import sys
import threading
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from scorer.boards.board import Board, Row, SystemKey
from scorer.boards.board_data import LevelData, SystemData
from scorer.boards.genres import board_by_genre
from scorer.boards.serialization import read_board
from scorer.errors import ScorerError
from scorer.files.public_items import ItemsPart
from scorer.files.reading import Gold, Run
from scorer.inference.board_inference import InferenceOptions, infer_board, infer_column

POLL_SECONDS = 0.5
"""How often the process checks whether its parent still exists."""


def compute(request: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Compute the inference of a leaderboard, and its values by genre if they are requested.

    A request with "key" gets this column instead, and one with "columns" has them joined.
    """
    inputs, options = _read_request(request), InferenceOptions(**request["options"])
    if not request.get("inference", True):
        return [{}, board_by_genre(*inputs)]
    if "key" in request:
        slug, metric = request["key"]
        return [infer_column(*inputs, options, (slug, metric))]
    values = infer_board(*inputs, options, columns=request.get("columns"))
    if not request.get("orders", True):
        values["stability"] = [
            {name: part for name, part in ranking.items() if name != "ranks"}
            for ranking in values["stability"]
        ]
    values |= {"left_out": request["left_out"]} if request["left_out"] else {}
    return [values, board_by_genre(*inputs)] if request.get("genres") else [values]


def _read_request(request: Mapping[str, Any]) -> tuple[Board, list[LevelData], list[SystemData]]:
    """Parse a request to a leaderboard, without the systems that are left out, and its files."""
    levels = [
        LevelData(
            slug=level["slug"],
            gold=Gold(
                tuple(level["gold"]),
                groups=None if level["groups"] is None else tuple(level["groups"]),
                sds=None if level["sds"] is None else tuple(level["sds"]),
            ),
            genres=tuple(level["genres"]),
            part=None if level["places"] is None else ItemsPart("rest", frozenset(level["places"])),
        )
        for level in request["levels"]
    ]
    systems = [
        SystemData(system["kind"], system["team"], system["run"], _runs(system["answers"]))
        for system in request["systems"]
    ]
    whole = read_board(request["board"].encode(), "the leaderboard").board
    gone = {(system["kind"], system["team"], system["run"]) for system in request["left_out"]}
    return _restrict(whole, gone, {each.slug for each in levels}), levels, systems


def _runs(answers: Mapping[str, Any]) -> dict[str, Run]:
    return {
        slug: Run(tuple(answer["scores"]), tuple(answer["confidences"])) for slug, answer in answers.items()
    }


def _restrict(board: Board, gone: set[SystemKey], slugs: set[str]) -> Board:
    """Restrict a leaderboard to systems that are not left out, and to levels with gold labels."""

    def cut_rows(rows: tuple[Row, ...]) -> tuple[Row, ...]:
        return tuple(
            replace(row, cells={slug: cells for slug, cells in row.cells.items() if slug in slugs})
            for row in rows
            if row.key not in gone
        )

    return replace(
        board,
        levels=tuple(level for level in board.levels if level.slug in slugs),
        totals=tuple(
            replace(column, metrics={slug: name for slug, name in column.metrics.items() if slug in slugs})
            for column in board.totals
        ),
        official=cut_rows(board.official),
        late=cut_rows(board.late),
        baselines=cut_rows(board.baselines),
    )


def _exit_with_parent(parent: int) -> None:
    """End when the parent process has ended, because nothing would read the result."""
    while os.getppid() == parent:
        time.sleep(POLL_SECONDS)
    os._exit(1)


def main() -> None:
    """Compute one request: print the inference or a column as a line of JSON, and perhaps values by genre."""
    threading.Thread(target=_exit_with_parent, args=(os.getppid(),), daemon=True).start()
    os.nice(5)  # on a busy machine it gets a third of what a page gets, and still ends
    try:
        results = compute(json.load(sys.stdin))
    except ScorerError as error:
        sys.exit(str(error))
    sys.stdout.writelines(json.dumps(values, ensure_ascii=False) + "\n" for values in results)


if __name__ == "__main__":
    main()
