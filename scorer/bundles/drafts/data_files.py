"""Reads the files of a folder, and recognizes pairs of texts, keyed tables and lists of values."""

import csv
import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from scorer.bundles.drafts.columns import FileColumns, describe_columns
from scorer.bundles.run_file_names import is_document
from scorer.errors import DataError
from scorer.files.aligned import has_gold_header
from scorer.files.numbers import read_number
from scorer.files.reading import read_bytes
from scorer.files.tables import Delimiter, read_rows
from scorer.files.text import BLANKS, Problems, decode_lines

_MOSTLY = 0.8
"""The share of lines that decides what a file is, so that a few bad lines do not hide it from `check`."""
_SENSE = re.compile(r"[^\s#]+#[a-z]#\d+")
_DOCUMENT_WORDS = ("readme", "license", "licenses", "licence", "licences", "copying", "citation", "changelog")


@dataclass(frozen=True, slots=True)
class FolderFile:
    """A file that may be part of a task.

    Parameters
    ----------
    path : str
        Relative to the folder, with slashes.
    columns : FileColumns or None
        The columns of a table; None for a list of values.
    rows : tuple of tuple of str
        The rows without the header; for a list of values, its lines, also blank ones.
    delimiter : "tab" or "comma"
    """

    path: str
    columns: FileColumns | None
    rows: tuple[tuple[str, ...], ...]
    delimiter: Delimiter

    @property
    def is_values(self) -> bool:
        """Whether the file has one value a line, and perhaps a confidence."""
        return self.columns is None

    @property
    def has_texts(self) -> bool:
        """Whether the file has pairs of texts."""
        return self.columns is not None and self.columns.has_texts

    @property
    def is_keyed(self) -> bool:
        """Whether the file is a table with ids and a column of scores."""
        return self.columns is not None and None not in (self.columns.id, self.columns.score)

    @property
    def is_senses(self) -> bool:
        """Whether the file is a dictionary: on each line a sense such as ship#n#1 and its definition."""
        if self.columns is None or self.columns.has_header:
            return False
        senses = [row for row in self.rows if len(row) == 2 and _SENSE.fullmatch(row[0].strip(BLANKS))]
        return len(senses) >= _MOSTLY * len(self.rows)

    def column(self, name: str) -> list[str]:
        """Return the values of a column by its name in the header."""
        assert self.columns is not None  # noqa: S101  (the name comes from the columns)
        place = self.columns.names.index(name)
        return [row[place].strip(BLANKS) for row in self.rows if len(row) > place]

    def values(self) -> list[float]:
        """Return the numbers of the value column, or of the column of scores; other fields are left out."""
        if self.columns is None:
            fields = [row[0].strip(BLANKS) for row in self.rows]
        else:
            fields = self.column(self.columns.score) if self.columns.score else []
        return [number for number in map(read_number, fields) if number is not None]


@dataclass(frozen=True, slots=True)
class UnusedFile:
    """A file that is not part of the draft, and why."""

    path: str
    reason: str


def group_by_reason(unused: Sequence[UnusedFile]) -> dict[str, list[str]]:
    """Return the paths of unused files by reason, because one cause often holds for many files."""
    groups: dict[str, list[str]] = {}
    for file in unused:
        groups.setdefault(file.reason, []).append(file.path)
    return groups


def read_data_files(folder: Path) -> tuple[list[FolderFile], list[UnusedFile]]:
    """Read all files of a folder, sorted by path; documents and hidden files are passed over."""
    files, unused = list[FolderFile](), list[UnusedFile]()
    for path in sorted(_paths(folder)):
        read = _read(folder, path)
        if isinstance(read, FolderFile):
            files.append(read)
        else:
            unused.append(UnusedFile(path, read))
    return files, unused


def _paths(folder: Path) -> Iterator[str]:
    for parent, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith((".", "__"))]
        for name in names:
            path = (Path(parent) / name).relative_to(folder).as_posix()
            if not name.startswith(".") and not _is_document(path):
                yield path


def _is_document(path: str) -> bool:
    if path.lower().endswith(".json"):
        return False  # data in a wrong format is named, with the fix
    return is_document(path) or any(word in _DOCUMENT_WORDS for word in re.findall(r"[a-z]+", path.lower()))


def _read(folder: Path, path: str) -> FolderFile | str:
    """Read a file; return why it is not used if it is no data."""
    target = folder / path
    if any(0xD800 <= ord(char) <= 0xDFFF for char in path):
        return "has a name that is not UTF-8; rename it"
    if not target.resolve().is_relative_to(folder.resolve()):
        return "is a link to a file outside the folder; put the file itself there"
    problems = Problems(path)
    try:
        lines = decode_lines(read_bytes(str(target)), problems)
    except DataError as error:
        return error.problems[0].message
    if problems.count:
        return problems.kept[0].message
    has_header = has_gold_header(lines)
    if has_header or _is_list_of_values(lines):
        values = lines[int(has_header) :]
        return FolderFile(path, None, tuple(tuple((line or "").split("\t")) for line in values), "tab")
    return _read_table(path, lines)


def _is_list_of_values(lines: Sequence[str | None]) -> bool:
    """Whether most lines are a number, or a number, a tab and a confidence; gold may have blank lines."""
    content = [line.split("\t") for line in lines if line is not None and line.strip(BLANKS)]
    numeric = sum(len(fields) <= 2 and read_number(fields[0].strip(BLANKS)) is not None for fields in content)
    all_but_header = len(content) > 2 and numeric == len(content) - 1
    return bool(content) and (all_but_header or numeric >= _MOSTLY * len(content))


def _read_table(path: str, lines: Sequence[str | None]) -> FolderFile | str:
    if next((line for line in lines if line), "").lstrip().startswith(("{", "[{", "[[")):
        return "is JSON; write tab-separated text or CSV"
    delimiter = find_delimiter(path, lines)
    if delimiter is None:
        return "has columns with semicolons between them; write tabs or commas"
    problems = Problems(path)
    rows = [tuple(fields) for _, fields in read_rows(lines, delimiter, problems, "", quotes=False)]
    width = Counter(map(len, rows)).most_common(1)[0][0] if rows else 0
    if width < 2:
        return "has one column of text, and is neither items nor scores"
    columns = describe_columns(rows)
    if columns is None:
        numeric = [row for row in rows if read_number(row[-1].strip(BLANKS)) is not None]
        if width == 2 and len(numeric) >= _MOSTLY * len(rows):
            return "has two columns and no header; write a first line with their names, such as id and score"
        return "has no two columns of texts, and no header that names the columns of ids and scores"
    return FolderFile(path, columns, tuple(rows[1:] if columns.has_header else rows), delimiter)


def _has_semicolons(lines: Sequence[str]) -> bool:
    """Whether each line, the header too, has as many semicolons; decimal commas would look like columns."""
    counts = {line.count(";") for line in lines}
    return len(lines) > 1 and len(counts) == 1 and 0 not in counts


def find_delimiter(path: str, lines: Sequence[str | None]) -> Delimiter | None:
    """Return a tab if most lines have one, else a comma if it cuts most lines alike; None for semicolons."""
    sample = [line for line in lines if line and line.strip(BLANKS)]
    if sum("\t" in line for line in sample) >= _MOSTLY * len(sample):
        return "tab"
    if _has_semicolons(sample):
        return None
    try:
        widths = Counter(map(len, csv.reader(line + "\n" for line in sample)))
    except csv.Error:
        return "tab"
    width, count = widths.most_common(1)[0]
    if width > 1 and (path.lower().endswith(".csv") or count >= _MOSTLY * widths.total()):
        return "comma"
    return None if sample[0].count(";") and width == 1 else "tab"
