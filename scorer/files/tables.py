"""Splits lines into rows of fields separated by tabs, commas or another character."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from scorer.errors import RequestError
from scorer.files.text import BLANKS, Problems, count_content_lines, count_noun, note_blank, shorten

Delimiter = Literal["tab", "comma"]
_MAX_LISTED = 5
Quotes = Literal["plain", "csv"]
"""plain: quotation marks are ordinary characters, except around a field. csv: they may enclose delimiters."""
TableRow = tuple[int, list[str]]
"""The number of the first line of a row, and its fields."""


def read_rows(
    lines: Sequence[str | None],
    delimiter: Delimiter | str,
    problems: Problems,
    need: str,
    *,
    quotes: bool,
    warnings: Problems | None = None,
) -> Iterator[TableRow]:
    """Read the rows of a table, noting blank lines and broken quotes.

    Parameters
    ----------
    lines : sequence of str or None
        None is a line whose problem has already been noted.
    delimiter : "tab", "comma" or a single character
        If it is not tab, the csv module reads the file, and quoted fields may contain commas and line breaks.
    problems : Problems
        Receives blank lines and broken quotes.
    need : str
        The second part of the message for a blank line in the middle, such as "every item needs a row".
    quotes : bool
        Whether to remove quotes around a whole tab-separated field. Other files always lose them.
    warnings : Problems, optional
        Receives blank lines instead, if they should be skipped.

    Yields
    ------
    TableRow
        A row; the rows are in the order of the file.
    """
    if delimiter not in ("tab", "\t"):
        sign = "," if delimiter == "comma" else delimiter
        yield from _quoted_rows(lines, problems, need, sign, warnings)
        return
    for number, fields in _plain_rows(lines, problems, need, "\t", warnings):
        yield number, [_unquote(field) for field in fields] if quotes else fields


def read_annotations(
    lines: Sequence[str | None],
    problems: Problems,
    need: str,
    delimiter: str | None = None,
    quotes: Quotes | None = None,
) -> Iterator[TableRow]:
    """Read the rows of a table of annotations, which may be separated by any character.

    Parameters
    ----------
    lines : sequence of str or None
        None is a line whose problem has already been noted.
    problems : Problems
        Receives blank lines and broken quotes.
    need : str
        The second part of the message for a blank line in the middle, such as "every item needs a row".
    delimiter : str, optional
        One character; by default a tab if the first line has one, else whichever of semicolon, comma and "|"
        is most frequent in it.
    quotes : "plain" or "csv", optional
        "plain": a quotation mark is an ordinary character, except that a pair around a whole field is
        removed. "csv": a quoted field may contain delimiters, line breaks, and quotes that are written twice.
        By default "plain" for tab-separated files, "csv" for others.

    Returns
    -------
    iterator of TableRow
        The rows in the order of the file.

    Raises
    ------
    RequestError
        If the delimiter is not one character.

    Examples
    --------
    >>> list(read_annotations(['"a"\\t"b" c\\t"'], Problems("x.tsv"), "write it"))
    [(1, ['a', '"b" c', '"'])]
    >>> list(read_annotations(['"a;b";c'], Problems("x.csv"), "write it"))
    [(1, ['a;b', 'c'])]
    """
    if delimiter is not None and len(delimiter) != 1:
        raise RequestError(f"the delimiter is one character, not {shorten(delimiter)}")
    sign = delimiter or _likely_delimiter(lines)
    if quotes == "csv" or (quotes is None and sign != "\t"):
        return _quoted_rows(
            lines, problems, need, sign, hint="; or read quotes as plain text (--quotes plain)"
        )
    plain = _plain_rows(lines, problems, need, sign)
    return ((number, [_unquote(field) for field in fields]) for number, fields in plain)


def strip_rows(rows: Iterable[TableRow], width: int, problems: Problems) -> Iterator[TableRow]:
    """Yield the rows with a field for each column, without whitespace around fields; note the other rows."""
    for number, fields in rows:
        if len(fields) == width:
            yield number, [field.strip(BLANKS) for field in fields]
        else:
            fact = f"{count_noun(len(fields), 'field')}, where there are {width} columns"
            problems.add_line(number, "wrong_columns", f"{fact}; write one field for each column")


def note_header_mismatch(header: TableRow, rows: Sequence[TableRow], problems: Problems) -> bool:
    """Note it if most rows do not have as many fields as the header has names; return whether that is so."""
    names = [name.strip(BLANKS) for name in header[1]]
    widths = [_row_width(fields, len(names)) for _, fields in rows]
    width, times = Counter(widths).most_common(1)[0] if widths else (len(names), 0)
    if width == len(names) or 2 * times <= len(rows):
        return False
    counts = f"{width} {'field' if width == 1 else 'fields'} and the header has {len(names)} names"
    if width == 1:
        hint = "separate the fields of each row as the header separates its names"
    elif width < len(names):
        extra = ", ".join(shorten(name) for name in names[width:][:_MAX_LISTED])
        surplus = "name that has" if len(names) - width == 1 else f"{len(names) - width} names that have"
        hint = f"remove from the header the {surplus} no field in the rows, such as {extra}"
    else:
        hint = "write a name for each column into the header, and decimals with a point"
    for (number, _), row_width in zip(rows, widths, strict=True):
        if row_width == width:
            problems.add_line(number, "wrong_columns", f"{counts}; {hint}")
    return True


def _row_width(fields: Sequence[str], names: int) -> int:
    """Return the number of fields of a row, without blank fields beyond the header."""
    beyond = (place for place in range(len(fields), names, -1) if fields[place - 1].strip(BLANKS))
    return next(beyond, min(len(fields), names))


def choose_delimiter(lines: Sequence[str | None], delimiter: Delimiter | None) -> Delimiter:
    """Return the given delimiter; by default tab if the header has one, else comma."""
    if delimiter is not None:
        return delimiter
    return "tab" if lines and lines[0] is not None and "\t" in lines[0] else "comma"


def _likely_delimiter(lines: Sequence[str | None]) -> str:
    """Return a tab if the first line has one, as text seldom does; else the most frequent of ; , and |."""
    first = (lines[0] or "") if lines else ""
    return "\t" if "\t" in first else max(";,|", key=first.count)


def column_numbers(first: TableRow) -> TableRow:
    """Return a header of column numbers, from 1, for a table without a header.

    >>> column_numbers((1, ["CQA-1", "2.5"]))
    (1, ['1', '2'])
    """
    number, fields = first
    return number, [str(place) for place in range(1, len(fields) + 1)]


def find_columns(
    header: TableRow, names: Sequence[str], problems: Problems, *, numbered: bool = False
) -> dict[str, int]:
    """Find the positions of columns by name; note missing and duplicate names and leave them out.

    `numbered` means that the file has no header, and its columns have numbers.
    """
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
        elif numbered:
            many = count_noun(len(present), "column, called 1", f"columns, called 1 to {len(present)}")
            message = f"there is no column {shorten(name)}; without a header there are {many}"
            problems.add(number, "missing_column", message)
        else:
            message = f"the header has no column {shorten(name)}{_column_hint(name, present)}"
            problems.add(number, "missing_column", message, "\t".join(fields))
    return places


def _column_hint(name: str, present: Sequence[str]) -> str:
    if len(present) == 1 and ";" in present[0]:
        return "; its columns are separated by semicolons: write tabs or commas instead"
    folded = name.casefold().replace("_", "").replace(" ", "")
    for other in present:
        if other.casefold().replace("_", "").replace(" ", "") == folded:
            return f"; it has {shorten(other)}, and names are compared letter by letter"
    names = ", ".join(shorten(other) for other in present[:8])
    return f"; it has {names}{', …' if len(present) > 8 else ''}"


def _unquote(field: str) -> str:
    """Remove quotes around a whole field; `"a" and "b"` has no such quotes."""
    outer = field.strip(BLANKS)
    inner = outer[1:-1].replace('""', "")
    if len(outer) < 2 or outer[0] != '"' or outer[-1] != '"' or '"' in inner:
        return field
    return outer[1:-1].replace('""', '"')


def _plain_rows(
    lines: Sequence[str | None], problems: Problems, need: str, sign: str, warnings: Problems | None = None
) -> Iterator[TableRow]:
    end = count_content_lines(lines)
    for number, line in enumerate(lines, start=1):
        if line is None:
            continue
        if line.strip(BLANKS):
            yield number, line.split(sign)
        else:
            _note_blank(problems, number, end, need, line, warnings)


def _quoted_rows(
    lines: Sequence[str | None],
    problems: Problems,
    need: str,
    sign: str,
    warnings: Problems | None = None,
    hint: str = "",
) -> Iterator[TableRow]:
    import csv  # noqa: PLC0415  not needed for aligned runs

    end = count_content_lines(lines)
    reader = csv.reader(((line or "") + "\n" for line in lines), delimiter=sign, strict=True)
    while True:
        number = reader.line_num + 1
        try:
            fields = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            _note_broken_quote(problems, number, str(error), lines[number - 1], hint)
            continue
        line = lines[number - 1]
        if len(fields) > 1 or (fields and fields[0].strip(BLANKS)):
            yield number, fields
        elif line is not None:
            _note_blank(problems, number, end, need, line, warnings)


def _note_blank(
    problems: Problems, number: int, end: int, need: str, text: str, warnings: Problems | None
) -> None:
    if warnings is None:
        note_blank(problems, number, end, need, text)
    else:
        warnings.add(number, "empty_line", "empty line; it is not an item and was skipped", text)


def _note_broken_quote(problems: Problems, number: int, reason: str, text: str | None, hint: str) -> None:
    if "end of data" in reason:
        message = "a quote opens here and is never closed; close it, or write a quote in a field twice"
    elif "field larger" in reason:
        message = "a field is longer than 131072 characters; is a quote not closed?"
    else:
        message = 'there is text after a closing quote; write a quote inside a quoted field twice ("")'
    problems.add(number, "broken_quote", message + hint, text)
