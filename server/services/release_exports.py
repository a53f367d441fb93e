"""A released board for other programs, by the scorer's own writers: the bytes that `scorer board` prints."""

from typing import Literal, get_args

from scorer.board_reader import board_of
from scorer.board_report import render_board
from server.services.releases import ReleaseState

Ending = Literal["json", "tsv", "csv", "md", "tex", "txt"]
ENDINGS: tuple[Ending, ...] = get_args(Ending)
_FORMATS: dict[Ending, str] = {
    "tsv": "tsv", "csv": "csv", "md": "markdown", "tex": "latex", "txt": "text",
}  # fmt: skip


def export_board(state: ReleaseState, ending: Ending) -> bytes:
    """The public board of a release in a format; as JSON, the very bytes whose hash is told."""
    if ending == "json":
        return state.text.encode()
    values = state.board
    names = {name: values[name] for name in ("task", "title", "split")}
    return render_board(board_of(values), _FORMATS[ending], **names).encode()
