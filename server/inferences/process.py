"""The subprocess that computes inferences: reads a request as JSON and prints the scorer’s results.

It knows no database and no storage, runs at low priority, and ends with its parent.
"""

import json
import os
import sys
import threading
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from scorer.boards.board import Board, Row
from scorer.boards.board_data import LevelData, SystemData
from scorer.boards.genres import board_by_genre
from scorer.boards.serialization import board_of
from scorer.errors import ScorerError
from scorer.files.public_items import ItemsPart
from scorer.files.reading import Gold, Run
from scorer.inference.board_inference import InferenceOptions, infer_board

POLL_SECONDS = 0.5
"""Seconds between two looks whether the parent is still there."""


def compute(request: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Which ranks of a board are real, and its values by genre if they are asked for."""
    found = _read_request(request)
    if not request.get("inference", True):
        return [{}, board_by_genre(*found)]
    values = infer_board(*found, InferenceOptions(**request["options"]))
    if not request.get("orders", True):
        values["stability"] = [
            {name: part for name, part in one.items() if name != "ranks"} for one in values["stability"]
        ]
    values |= {"left_out": request["left_out"]} if request["left_out"] else {}
    return [values, board_by_genre(*found)] if request.get("genres") else [values]


def _read_request(request: Mapping[str, Any]) -> tuple[Board, list[LevelData], list[SystemData]]:
    """The board and the files of a request; systems that are left out are not on it."""
    levels = [
        LevelData(
            slug=one["slug"],
            gold=Gold(tuple(one["gold"]), groups=None if one["groups"] is None else tuple(one["groups"])),
            genres=tuple(one["genres"]),
            part=None if one["places"] is None else ItemsPart("rest", frozenset(one["places"])),
        )
        for one in request["levels"]
    ]
    systems = [
        SystemData(one["kind"], one["team"], one["run"], _runs(one["answers"])) for one in request["systems"]
    ]
    board = _with_levels(
        _without_systems(board_of(request["board"]), request["left_out"]), {each.slug for each in levels}
    )
    return board, levels, systems


def _runs(answers: Mapping[str, Any]) -> dict[str, Run]:
    return {slug: Run(tuple(one["scores"]), tuple(one["confidences"])) for slug, one in answers.items()}


def _without_systems(board: Board, left_out: list[dict[str, Any]]) -> Board:
    gone = {(one["kind"], one["team"], one["run"]) for one in left_out}

    def kept(rows: tuple[Row, ...]) -> tuple[Row, ...]:
        return tuple(row for row in rows if (row.kind, row.team, row.run) not in gone)

    return replace(
        board, official=kept(board.official), late=kept(board.late), baselines=kept(board.baselines)
    )


def _with_levels(board: Board, slugs: set[str]) -> Board:
    """The board with the levels that have gold: at the others nothing has a value."""

    def kept(rows: tuple[Row, ...]) -> tuple[Row, ...]:
        return tuple(
            replace(row, cells={slug: cells for slug, cells in row.cells.items() if slug in slugs})
            for row in rows
        )

    return replace(
        board,
        levels=tuple(level for level in board.levels if level.slug in slugs),
        totals=tuple(
            replace(column, metrics={slug: name for slug, name in column.metrics.items() if slug in slugs})
            for column in board.totals
        ),
        official=kept(board.official),
        late=kept(board.late),
        baselines=kept(board.baselines),
    )


def _exit_with_parent(parent: int) -> None:
    """End when the process that asked has: nobody would take the answer."""
    while os.getppid() == parent:
        time.sleep(POLL_SECONDS)
    os._exit(1)


def main() -> None:
    """Compute one request: a line of JSON for what is inferred, and one more for values by genre."""
    threading.Thread(target=_exit_with_parent, args=(os.getppid(),), daemon=True).start()
    os.nice(19)
    try:
        found = compute(json.load(sys.stdin))
    except ScorerError as error:
        sys.exit(str(error))
    sys.stdout.writelines(json.dumps(values, ensure_ascii=False) + "\n" for values in found)


if __name__ == "__main__":
    main()
