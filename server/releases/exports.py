"""A release in formats for other programs: leaderboard, changes, run files as a zip, citation.

The board and the changes are the bytes that `scorer board` and `scorer changes` print.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal, get_args

from scorer.boards.changes import BoardChanges, board_changes
from scorer.errors import RequestError
from scorer.reports.board import render_board
from scorer.reports.board_tables import board_tables
from scorer.reports.changes import render_changes
from scorer.reports.escaping import latex_cell
from scorer.reports.genres import render_genres
from scorer.reports.inference import InferenceIndex
from server.boards.inference_marks import MarkedBoard
from server.core.errors import NotFound
from server.core.i18n import _
from server.core.storage import Storage
from server.core.table_formats import write_table
from server.releases.rules import RULES_ON_BOARDS, RuleChange, list_rule_changes
from server.releases.run_files import ReleasedFile
from server.releases.service import ReleaseState
from server.runs.archives import RunArchive

BoardFormat = Literal["json", "tsv", "csv", "md", "tex", "txt"]
BOARD_FORMATS: tuple[BoardFormat, ...] = get_args(BoardFormat)
_SCORER_FORMATS: dict[BoardFormat, str] = {
    "tsv": "tsv", "csv": "csv", "md": "markdown", "tex": "latex", "txt": "text",
}  # fmt: skip


def export_genres(text: str) -> bytes:
    """Export the values by genre as the bytes of `scorer board --by-genre --format tsv`."""
    return render_genres(json.loads(text), "tsv").encode()


def export_board(state: ReleaseState, ending: BoardFormat) -> bytes:
    """Export a release's public leaderboard in a format; JSON has the bytes whose hash is published."""
    if ending == "json":
        return state.text.encode()
    scorer_format, names = _SCORER_FORMATS[ending], state.file.names
    return render_board(state.file.board, scorer_format, **names, people=state.people).encode()


def export_latex(state: ReleaseState, inference: str | None, columns: Sequence[str]) -> bytes:
    """Export a release's public leaderboard as the tables of a paper, with the intervals in an inference.

    Raises:
        NotFound: there is no such column.
    """
    values = None if inference is None else json.loads(inference)
    if values is not None and values.get("left_out"):  # its systems are not those of the leaderboard
        values = None
    try:
        text = render_board(
            state.file.board,
            "latex",
            **state.file.names,
            inference=values,
            people=state.people,
            columns=columns,
        )
    except RequestError as error:
        raise NotFound.of("The table has no such columns: %(why)s.", why=error) from error
    return text.encode()


def list_latex_columns(board: MarkedBoard) -> dict[str, str]:
    """Return the columns of the tables of `export_latex`, with their headings."""
    headings = dict[str, str]()
    for paper_table in board_tables(board, InferenceIndex(None), ""):
        for name in paper_table.table.head:
            headings.setdefault(name, paper_table.table.headings[name])
    facts = board.inference
    if facts is not None and not facts.left_out:
        headings |= {"interval": _("Interval")} | ({} if facts.tests is None else {"range": _("Range")})
    return headings


ChangesFormat = Literal["txt", "tsv", "json"]
CHANGES_FORMATS: tuple[ChangesFormat, ...] = get_args(ChangesFormat)


def compare_boards(before: ReleaseState, after: ReleaseState) -> BoardChanges | None:
    """Compare two leaderboards; None if one of them shows team names and the other does not."""
    if before.anonymous != after.anonymous:
        return None
    return board_changes(before.file, after.file)


def compare_rules(before: ReleaseState, after: ReleaseState) -> list[RuleChange]:
    """List the rules that differ, except those that comparing the leaderboards shows."""
    rules_on_boards = RULES_ON_BOARDS if before.anonymous == after.anonymous else ()
    changes = list_rule_changes(before.release.rules, after.release.rules)
    return [change for change in changes if change.rule not in rules_on_boards]


def export_changes(changes: BoardChanges, ending: ChangesFormat) -> bytes:
    """Export changes in a format: the bytes that `scorer changes` prints for the two leaderboards."""
    return render_changes(changes, "text" if ending == "txt" else ending).encode()


RUN_FILES_HEADER = ("file", "team", "run", "level", "late", "baseline", "sha256", "bytes")


def list_run_files(state: ReleaseState) -> list[ReleasedFile]:
    """List the run files of a release that was not withdrawn.

    Raises:
        NotFound: it has none, because the task does not publish them or it is a live one.
    """
    files = state.files
    if not files:
        raise NotFound.of("No submissions were published with this release.")
    return files


def read_run_file(storage: Storage, state: ReleaseState, path: str) -> bytes:
    """Return the contents of one of the files, by its path in the release.

    Raises:
        NotFound: there is none with this path.
    """
    for file in list_run_files(state):
        if file.path == path:
            return storage.get(file.sha256)
    raise NotFound.of("This release has no such file.")


def archive_run_files(state: ReleaseState, name: str) -> RunArchive:
    """Collect all run files, with a table of them and their leaderboard.

    Raises:
        NotFound: there are none.
    """
    files = list_run_files(state)
    rows = [
        (
            f"runs/{file.path}",
            file.team,
            file.run,
            file.level,
            "yes" if file.late else "no",
            "yes" if file.baseline else "no",
            file.sha256,
            str(file.size),
        )
        for file in files
    ]
    tables = {
        "files.tsv": write_table("tsv", RUN_FILES_HEADER, rows).encode(),
        "board.json": state.text.encode(),
    }
    return RunArchive(name, tables, {f"runs/{file.path}": file.sha256 for file in files})


def archive_etag(archive: RunArchive) -> str:
    """Return an ETag of the zip that needs no compression."""
    parts = [archive.name, *map(str, archive.stored.items())]
    parts += [hashlib.sha256(content).hexdigest() for content in archive.tables.values()]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_BRACE_COMMANDS = {r"\{": r"\textbraceleft{}", r"\}": r"\textbraceright{}"}
"""BibTeX counts braces even if LaTeX escapes them."""


@dataclass(frozen=True, slots=True)
class Citation:
    """The facts that identify a release for its readers."""

    key: str
    task: str
    organizers: str
    """Their names; empty if the task does not have them."""
    board: str
    number: int
    made_at: datetime
    url: str
    sha256: str
    scorer: str

    @property
    def author(self) -> str:
        """The organizers, as one author."""
        return self.organizers or f"Organizers of {self.task}"

    @property
    def title(self) -> str:
        """The task, the board and the number."""
        return f"{self.task}: {self.board} leaderboard, release {self.number}"

    @property
    def note(self) -> str:
        """What readers need to verify their copy."""
        return f"SHA-256 {self.sha256}; computed by the scorer of Assay, version {self.scorer}"

    def words(self, accessed: date) -> str:
        """Format a line for a list of references."""
        return (
            f"{self.author} ({self.made_at.year}). {self.title}. {self.url} "
            f"({self.note}; accessed {accessed.isoformat()})."
        )

    def bibtex(self, accessed: date) -> str:
        """Format an entry with a permanent key, for BibTeX and biblatex alike."""
        fields = {
            "author": f"{{{_escape_bibtex(self.author)}}}",
            "title": f"{{{_escape_bibtex(self.title)}}}",
            "year": str(self.made_at.year),
            "month": _MONTHS[self.made_at.month - 1],
            "url": self.url,
            "urldate": accessed.isoformat(),
            "note": f"{_escape_bibtex(self.note)}; accessed {accessed.isoformat()}",
        }
        lines = [
            f"  {name} = {value}" if name == "month" else f"  {name} = {{{value}}}"
            for name, value in fields.items()
        ]
        return f"@misc{{{self.key},\n" + ",\n".join(lines) + "\n}\n"


def _escape_bibtex(text: str) -> str:
    escaped = latex_cell(text)
    for sign, word in _BRACE_COMMANDS.items():
        escaped = escaped.replace(sign, word)
    return escaped
