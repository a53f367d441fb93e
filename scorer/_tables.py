"""Lines -> rows of fields between tabs, commas or another sign, each with the line that it starts on."""

from collections.abc import Iterator, Sequence
from typing import Literal

from scorer._text import BLANKS, Problems, drop_blank_end, note_blank, shorten

Delimiter = Literal["tab", "comma"]
Row = tuple[int, list[str]]
"""The line that the row starts on, and its fields."""


def read_rows(
    lines: Sequence[str | None], delimiter: Delimiter | str, problems: Problems, need: str, *, quotes: bool
) -> Iterator[Row]:
    """Read the rows of a table, noting blank lines and broken quotes.

    Parameters
    ----------
    lines : sequence of str or None
        None stands for a line that has been noted already.
    delimiter : "tab", "comma" or a single character
        All but a tab-separated file is read with the csv module: quoted fields may hold commas and line ends.
    problems : Problems
        Where blank lines and broken quotes go.
    need : str
        What a blank line in the middle lacks, for its message.
    quotes : bool
        Whether a tab-separated field that is wholly in quotes loses them. Others always do.

    Yields
    ------
    Row
        In the order of the file.
    """
    if delimiter not in ("tab", "\t"):
        yield from _quoted_rows(lines, problems, need, "," if delimiter == "comma" else delimiter)
        return
    end = drop_blank_end(lines)
    for number, line in enumerate(lines, start=1):
        if line is None:
            continue
        if not line.strip(BLANKS):
            note_blank(problems, number, end, need, line)
            continue
        fields = line.split("\t")
        yield number, [_unquote(field) for field in fields] if quotes else fields


def delimiter_of(lines: Sequence[str | None], delimiter: Delimiter | None) -> Delimiter:
    """The delimiter that was asked for; else tab if the header has one, else comma."""
    if delimiter is not None:
        return delimiter
    return "tab" if lines and lines[0] is not None and "\t" in lines[0] else "comma"


def likely_delimiter(lines: Sequence[str | None]) -> str:
    """The sign of tab, semicolon, comma and "|" that the first line has most of."""
    first = (lines[0] or "") if lines else ""
    return max("\t;,|", key=first.count)


def find_columns(header: Row, names: Sequence[str], problems: Problems) -> dict[str, int]:
    """Where the named columns are; a name that is missing or there twice is noted and left out."""
    number, fields = header
    present = [field.strip(BLANKS) for field in fields]
    places = {}
    for name in names:
        count = present.count(name)
        if count == 1:
            places[name] = present.index(name)
        elif count:
            message = f"the header has {count} columns {shorten(name)}; keep one of them"
            problems.add(number, "duplicate_column", message, "\t".join(fields))
        else:
            message = f"the header has no column {shorten(name)}{_meant(name, present)}"
            problems.add(number, "missing_column", message, "\t".join(fields))
    return places


def _meant(name: str, present: Sequence[str]) -> str:
    if len(present) == 1 and ";" in present[0]:
        return "; its columns are separated by semicolons: write tabs or commas instead"
    folded = name.casefold().replace("_", "").replace(" ", "")
    for other in present:
        if other.casefold().replace("_", "").replace(" ", "") == folded:
            return f"; it has {shorten(other)}, and names are compared letter by letter"
    names = ", ".join(shorten(other) for other in present[:8])
    return f"; it has {names}{', …' if len(present) > 8 else ''}"


def _unquote(field: str) -> str:
    inner = field.strip(BLANKS)
    if len(inner) < 2 or inner[0] != '"' or inner[-1] != '"':
        return field
    return inner[1:-1].replace('""', '"')


def _quoted_rows(lines: Sequence[str | None], problems: Problems, need: str, sign: str) -> Iterator[Row]:
    import csv  # noqa: PLC0415  an aligned run does not pay for it

    end = drop_blank_end(lines)
    reader = csv.reader(((line or "") + "\n" for line in lines), delimiter=sign, strict=True)
    while True:
        number = reader.line_num + 1
        try:
            fields = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            _note_broken_quote(problems, number, str(error), lines[number - 1])
            continue
        line = lines[number - 1]
        if len(fields) > 1 or (fields and fields[0].strip(BLANKS)):
            yield number, fields
        elif line is not None:
            note_blank(problems, number, end, need, line)


def _note_broken_quote(problems: Problems, number: int, reason: str, text: str | None) -> None:
    if "end of data" in reason:
        message = "a quote opens here and is never closed; close it, or write a quote in a field twice"
    elif "field larger" in reason:
        message = "a field is longer than 131072 characters; is a quote not closed?"
    else:
        message = 'there is text after a closing quote; write a quote inside a quoted field twice ("")'
    problems.add(number, "broken_quote", message, text)
