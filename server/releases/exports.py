"""A released board for other programs, by the scorer's own writers: the bytes that `scorer board` prints."""

import json
from typing import Literal, get_args

from scorer.boards.reader import board_of
from scorer.reports.board import render_board
from scorer.reports.genres import render_genres
from server.releases.service import ReleaseState

Ending = Literal["json", "tsv", "csv", "md", "tex", "txt"]
ENDINGS: tuple[Ending, ...] = get_args(Ending)
_FORMATS: dict[Ending, str] = {
    "tsv": "tsv", "csv": "csv", "md": "markdown", "tex": "latex", "txt": "text",
}  # fmt: skip


def export_genres(text: str) -> bytes:
    """The values by genre of a release as a table: the bytes of `scorer board --by-genre --format tsv`."""
    return render_genres(json.loads(text), "tsv").encode()


def export_board(state: ReleaseState, ending: Ending) -> bytes:
    """The public board of a release in a format; as JSON, the very bytes whose hash is told."""
    if ending == "json":
        return state.text.encode()
    values = state.board
    names = {name: values[name] for name in ("task", "title", "split")}
    return render_board(board_of(values), _FORMATS[ending], **names).encode()
