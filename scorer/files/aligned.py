"""Reads aligned files, which have one score or one gold value per line: line X is for item X.

Also recognizes runs with a column of ids or with swapped columns. Most files have no problems; `read_plain`
and `read_plain_gold` read them as a whole, which is four times as fast. If they find anything unusual, they
read nothing, and the file is read line by line to report every problem and warning."""

import re
from collections.abc import Sequence
from functools import lru_cache
from io import BytesIO
from itertools import islice, pairwise
from math import isfinite, nan
from typing import Literal

from scorer.files.numbers import read_number
from scorer.files.text import (
    BLANKS,
    SEPARATOR_CODE,
    Problems,
    consists_of,
    count_content_lines,
    count_noun,
    note_blank,
    shorten,
    whole_lines,
)

Kind = Literal["run", "gold"]
Cells = tuple[int, str, str | None]
"""Line number, text of the score or gold value, and text of the confidence if there is one."""

_GOLD_COLUMNS = ("n", "sd")
"""The columns that gold may have beside its values: the number of ratings and their standard deviation."""
_WORD = r"[A-Za-z_][A-Za-z0-9_ .()/]*"
_SCORE_NEEDED = "every item needs a score"
_VALUE_WORDS = frozenset(("nan", "inf", "infinity", "null", "none", "na", "n/a"))
_SCORE_WORDS = frozenset(
    ("score", "scores", "similarity", "sim", "pred", "prediction", "predictions", "gold", "rating", "value")
)


def read_aligned(
    lines: Sequence[str | None],
    problems: Problems,
    n: int | None,
    kind: Kind,
    warnings: Problems | None = None,
) -> list[Cells | None]:
    """Split the lines of an aligned file into cells.

    Parameters
    ----------
    lines : sequence of str or None
        None is a line whose problem has already been noted.
    problems : Problems
        Receives blank lines, a header, too many columns and a wrong number of lines.
    n : int, optional
        The number of items.
    kind : "run" or "gold"
        A run may have a confidence in a second column; gold may have empty lines.
    warnings : Problems, optional
        Receives blank lines at the end instead, if they should be skipped.

    Returns
    -------
    list of Cells or None
        One entry per line; None if the problem of the line has been noted.
    """
    header = _note_header(lines, problems, n)
    end = _content_end(lines, None if n is None else n + header, kind)
    if warnings is not None:
        for number, line in enumerate(lines[end:], start=end + 1):
            warnings.add(number, "blank_last_line", "blank line at the end; it was skipped", line)
        lines = lines[:end]
    blank = _SCORE_NEEDED
    if n is not None and lines:
        if kind == "run" and _surplus_is_blank(lines[:end], n + header):
            blank = f"remove it: without the empty lines the run has its {count_noun(n, 'line')}"
        else:
            _note_length(lines[:end], problems, n, header, kind)
    body = enumerate(lines[header:], start=1 + header)
    return [_cells(line, number, end, problems, kind, blank) for number, line in body]


def has_gold_header(lines: Sequence[str | None]) -> bool:
    """Whether the first line names a column of gold values, and then n, sd or both.

    >>> has_gold_header(["gold\\tn\\tsd"]), has_gold_header(["gold"]), has_gold_header(["id\\tgold"])
    (True, False, False)
    """
    first, *others = _split_fields((lines[0] if lines else None) or "")
    return is_word(first) and 0 < len(others) == len({*others}) and {*others} <= {*_GOLD_COLUMNS}


def read_headed_gold(lines: Sequence[str | None], problems: Problems, n: int | None) -> list[Cells | None]:
    """Split the lines below a header of gold values, n and sd into cells, with the sd as the last one."""
    names, body = _split_fields(lines[0] or ""), lines[1:]
    if n is not None:
        _note_length(lines, problems, n, 1, "gold")
    return [_headed_cells(line, number, names, problems) for number, line in enumerate(body, start=2)]


def _headed_cells(line: str | None, number: int, names: Sequence[str], problems: Problems) -> Cells | None:
    if line is None:
        return None
    if not line.strip(BLANKS):
        return number, "", None
    fields = _split_fields(line)
    if len(fields) != len(names):
        counts = f"{count_noun(len(fields), 'column')} and the header has {len(names)}"
        problems.add(number, "wrong_columns", f"{counts}; put one tab between two columns", line)
        return None
    if "n" in names:
        note_bad_count(number, fields[names.index("n")], problems)
    sd = fields[names.index("sd")] if "sd" in names else ""
    return number, fields[0], sd or None


def note_bad_count(line: int, text: str, problems: Problems) -> None:
    """Note a number of ratings that is not a whole number; it is 0 or empty if nobody rated the item."""
    if text and not (text.isascii() and text.isdecimal()):
        message = (
            f"n {shorten(text)} is not a number of ratings; write how many people rated the item, or nothing"
        )
        problems.add_line(line, "not_a_number", message)


def _split_fields(line: str) -> list[str]:
    return [field.strip(BLANKS) for field in line.split("\t")]


def _surplus_is_blank(lines: Sequence[str | None], line_count: int) -> bool:
    """Whether a file is too long by exactly the number of empty lines in its middle."""
    if len(lines) <= line_count:
        return False
    return sum(line is not None and not line.strip(BLANKS) for line in lines) == len(lines) - line_count


def _cells(
    line: str | None, number: int, end: int, problems: Problems, kind: Kind, blank: str
) -> Cells | None:
    if line is None:
        return None
    text = line.rstrip(BLANKS)
    if not text:
        if kind == "run" or number > end:
            note_blank(problems, number, end, blank, line)
            return None
        return number, "", None
    first, tab, rest = text.partition("\t")
    if not tab:
        return number, first.strip(BLANKS), None
    if kind == "gold":
        message = f"{text.count(chr(9)) + 1} columns; gold has one value per line"
    elif "\t" in rest:
        message = f"{text.count(chr(9)) + 1} columns; write a score, or a score, one tab and a confidence"
    else:
        return number, first.strip(BLANKS), rest.strip(BLANKS)
    problems.add(number, "too_many_columns", message, line)
    return None


def _content_end(lines: Sequence[str | None], line_count: int | None, kind: Kind) -> int:
    """Return the last line that needs a value; blank lines after it should be removed."""
    if line_count is None:
        return len(lines) if kind == "gold" else count_content_lines(lines)
    return max(count_content_lines(lines), min(line_count, len(lines)))


def _note_length(lines: Sequence[str | None], problems: Problems, n: int, header: int, kind: Kind) -> None:
    line_count = len(lines) - header
    if line_count == n:
        return
    lines_text = count_noun(line_count, "line")
    without = "without its first line, which has no value, " if header else ""
    noun = "gold" if kind == "gold" else "file"
    counts = (
        f"{without}the {noun} has {lines_text}, but there {'is' if n == 1 else 'are'} {count_noun(n, 'item')}"
    )
    fix = "write one line for each item, in order"
    if line_count < n:
        missing = f"{count_noun(n - line_count, 'line')} {'is' if n - line_count == 1 else 'are'} missing"
        where = "the scorer cannot tell which, so compare the file with the items"
        problems.add(None, "too_few_lines", f"{counts}: {missing}; {where} and {fix}")
    else:
        first = header + n + 1
        extra = _line_span(first, len(lines))
        problems.add_line(first, "too_many_lines", f"{counts}: {extra} too many; {fix}")


def _note_header(lines: Sequence[str | None], problems: Problems, n: int | None) -> int:
    """Note a header, which an aligned file must not have; return its number of lines, 0 or 1."""
    if any(problem.code == SEPARATOR_CODE for problem in problems.kept):
        return 1
    words = _header_words(lines)
    if not words:
        return 0
    if len(words) == 1 and words[0].lower() not in _SCORE_WORDS and count_content_lines(lines) - 1 != n:
        return 0
    if len(words) > 2 or (len(words) == 2 and words[0].lower() not in _SCORE_WORDS):
        message = "looks like the header of a table; write one value per line, in the order of the items"
        problems.add(1, "keyed_file", message, lines[0])
    else:
        message = "looks like a header; a file with one line for each item has none: remove the line"
        problems.add(1, "header_line", message, lines[0])
    return 1


def _header_words(lines: Sequence[str | None]) -> list[str]:
    """Return the fields of the first line if all of them are words, else an empty list.

    The first field may be empty: that is how a column of line numbers is often called.
    """
    if not lines or not lines[0]:
        return []
    line = lines[0].strip(BLANKS)[:1000]
    fields = [field.strip(BLANKS + '"') for field in re.split("\t" if "\t" in line else "[,;|]", line)]
    words = fields[1:] if not fields[0] else fields
    return words if all(is_word(word) for word in words) else []


def is_word(text: str) -> bool:
    """Whether a text could be the name of a column: a word that does not stand for a missing value."""
    return re.fullmatch(_WORD, text) is not None and text.lower() not in _VALUE_WORDS


def _line_span(first: int, last: int) -> str:
    return f"line {first} is" if first == last else f"lines {first} to {last} are"


_ID_SHARE = 0.9
_SAMPLE = 20
"""The number of lines of which one has a second column, if a column of the file has ids."""
_MIN_LINES = 3
"""Two lines do not show what a column is: 0 and 1 can be scores."""
_MANY_LINES = 6
"""In so many lines, whole scores are not ids by chance, even if other lines lack the second column."""
_FOREIGN_SEPARATOR = re.compile(r"[ \v\f]*[,;|][ \v\f]*|[ \v\f]+")


def drop_id_column(
    cells: Sequence[Cells | None],
    ids: Sequence[str] | None,
    problems: Problems,
    *,
    first_is_score: bool,
    kind: Kind = "run",
) -> Sequence[Cells | None]:
    """Remove a column of ids or line numbers from the cells and note it, so the rest can still be checked.

    Commas, semicolons, bars and spaces separate columns too, so that their messages do not lead to a file
    whose ids are read as scores. If `first_is_score`, numbers in the first column are not ids.
    """
    is_table = any(row is not None and row[2] for row in map(_split_cell, cells[:_SAMPLE]))
    if not is_table or any(problem.code == "keyed_file" for problem in problems.kept):
        return cells
    rows = [_split_cell(cell) for cell in cells]
    text_ids = {item_id for item_id in ids or () if read_number(item_id) is None}
    for name in ("first", "second") if text_ids else ():
        columns = [_put_column_second(row, name) for row in rows]
        found = sum(row is not None and row[2] in text_ids for row in columns)
        if found >= max(1, _ID_SHARE * len(cells)):
            message = f"the {name} column holds the ids of the items, which an aligned {kind} does not have"
            problems.add(None, "ids_column", f"{message}: remove it{_order_hint(columns, ids or ())}")
            return [_keep_first(row) for row in columns]
    likeness = None if first_is_score else _describe_first(rows, ids or ())
    if likeness is None:
        return cells
    columns = [_put_column_second(row, "first") for row in rows]
    order = _order_hint(columns, ids or ()) if likeness == _HOLDS_IDS else ""
    fix = f"the first column {likeness}: remove it{order}"
    if kind == "gold":
        problems.add(None, "ids_column", fix)
    else:
        problems.add(None, "numeric_ids", f"{fix}; if it has the scores, confirm that (first_is_score)")
    return [_keep_first(row) for row in columns]


def _describe_first(rows: Sequence[Cells | None], ids: Sequence[str]) -> str | None:
    """Say why the first column looks like ids, as `describe_numeric_ids` does; blank fields are left out."""
    numeric_ids, firsts, seconds = set(map(read_number, ids)), list[float](), list[float | None]()
    for row in rows:
        if row is None or not (text := row[1].strip('"')):
            continue
        first = read_number(text)
        if first is None or not (first.is_integer() or first in numeric_ids):
            return None
        firsts.append(first)
        seconds.append(_number_or_nan(row[2]) if row[2] else None)
    return describe_numeric_ids(firsts, seconds, ids)


_HOLDS_IDS = "holds the ids of the items"


def describe_numeric_ids(
    firsts: Sequence[float], seconds: Sequence[float | None], ids: Sequence[str] | None
) -> str | None:
    """Say why the first of two columns looks like ids or line numbers; None if it does not.

    In the second, None means that a line has no second column, and NaN that it is not a number.

    >>> describe_numeric_ids((1, 2, 3), (0.5, 0.2, 0.9), None)
    'counts the lines from 1, as ids do'
    >>> describe_numeric_ids((1, 4, 2), (0.5, 0.2, 0.9), None) is None
    True
    """
    n, present = len(firsts), [second for second in seconds if second is not None]
    if n < _MIN_LINES or not present or len(present) < n < _MANY_LINES:
        return None
    for start in (0, 1):
        if all(first == number for number, first in enumerate(firsts, start)):
            return f"counts the lines from {start}, as ids do"
    numeric_ids = [read_number(item_id) for item_id in ids or ()]
    different = len({*numeric_ids}.intersection(firsts)) if numeric_ids else 0
    if [*firsts] == numeric_ids or different >= max(_MANY_LINES, _ID_SHARE * n):
        return _HOLDS_IDS
    is_whole = all(first == int(first) for first in firsts)
    if is_whole and n >= _MANY_LINES and {*firsts} in ({*range(n)}, {*range(1, n + 1)}):
        return f"has each number from {min(firsts):.0f} to {max(firsts):.0f} once, as line numbers do"
    are_ids = is_whole and len({*present}) > 1
    rises = are_ids and _rises(firsts) and not _rises(present)
    falls = are_ids and n >= _MANY_LINES and _rises(firsts[::-1]) and not _rises(present[::-1])
    if not rises and not falls:
        return None
    return f"has whole numbers that {'rise' if rises else 'fall'} from line to line, as ids do"


def _rises(values: Sequence[float]) -> bool:
    return len(values) > 1 and all(value < other for value, other in pairwise(values))


def _number_or_nan(text: str) -> float:
    number = read_number(text)
    return nan if number is None else number


def _split_cell(cell: Cells | None) -> Cells | None:
    """Split a line that has no tab at the first other separator, unless that can be a decimal comma."""
    if cell is None or cell[2] is not None or re.fullmatch(r"[+-]?\d+,\d{2,}", cell[1]):
        return cell
    first, *rest = _FOREIGN_SEPARATOR.split(cell[1], maxsplit=1)
    return cell[0], first, rest[0] if rest else None


def _keep_first(cell: Cells | None) -> Cells | None:
    return None if cell is None or cell[2] is None else (cell[0], cell[1], None)


def _put_column_second(cell: Cells | None, name: str) -> Cells | None:
    """Return a cell whose second column is the column of this name, without quotes."""
    if cell is None:
        return None
    number, first, second = cell
    left, right = (second or "", first) if name == "first" else (first, second)
    return number, left, right and right.strip('"')


def note_swapped_columns(
    scores: Sequence[float | None],
    confidences: Sequence[float | None],
    scale: tuple[float, float] | None,
    confidence_max: float,
    problems: Problems,
) -> None:
    """Note that score and confidence look swapped: both are valid as the other, but not as themselves."""
    if not any(problem.code == "confidence_range" for problem in problems.kept):
        return
    low, high = scale or (float("-inf"), float("inf"))
    swapped = all(
        score is not None and confidence is not None and 0 <= score <= confidence_max
        for score, confidence in zip(scores, confidences, strict=True)
    ) and all(confidence is not None and low <= confidence <= high for confidence in confidences)
    if swapped:
        message = "every second column could be a score, and every first one a confidence: are they"
        problems.add(None, "swapped_columns", f"{message} swapped? the score comes first")


def _order_hint(cells: Sequence[Cells | None], ids: Sequence[str]) -> str:
    """Name the first line that is not in the order of the items."""
    for cell, item_id in zip(cells, ids, strict=False):
        if cell is not None and not _is_same_id(cell[2] or "", item_id):
            mismatch = f"line {cell[0]} has {shorten(cell[2] or '')} where {shorten(item_id)} is expected"
            return f"; {mismatch}, so fix the order too"
    return ""


def _is_same_id(text: str, item_id: str) -> bool:
    return text == item_id or read_number(text) == (read_number(item_id) or item_id)


_PLAIN_NUMBER = rb"[+-]?+(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:[eE][+-]?+[0-9]++)?"
_PLAIN_RUN = re.compile(rb"(?:%b(?:\t%b)?\r?+\n){1,1000}" % (_PLAIN_NUMBER, _PLAIN_NUMBER))
_PLAIN_GOLD = re.compile(rb"(?:(?:%b)?\r?+\n){1,1000}" % _PLAIN_NUMBER)
_CACHED_NUMBERS = 1000

RunColumns = tuple[tuple[float, ...], tuple[float | None, ...]]
"""The scores and the confidences."""


def read_plain(
    data: bytes, n: int | None, scale: tuple[float, float] | None, confidence_max: float
) -> RunColumns | None:
    """Read the columns of an aligned run that has no problems and no warnings.

    Parameters
    ----------
    data : bytes
        The file.
    n : int, optional
        The number of lines that it must have.
    scale : (float, float), optional
        The lowest and the highest score.
    confidence_max : float
        The highest confidence; the lowest is 0.

    Returns
    -------
    scores, confidences : tuple of float, tuple of float or None
        One entry per line. None instead of both means that the file must be read line by line.

    Examples
    --------
    >>> read_plain(b"0.5\\t1\\n3\\n", 2, (0, 4), 1.0)
    ((0.5, 3.0), (1.0, None))
    >>> read_plain(b"0.5\\n5\\n", 2, (0, 4), 1.0) is None
    True
    """
    text = whole_lines(data)
    if not consists_of(_PLAIN_RUN, text):
        return None
    scores, confidences = _split_columns(text)
    stated = [confidence for confidence in confidences if confidence is not None] or [0.0]
    low, high, lowest, highest = min(scores), max(scores), min(stated), max(stated)
    scale_low, scale_high = scale or (low, high)
    inside = scale_low <= low <= high <= scale_high and 0 <= lowest <= highest <= confidence_max
    finite = isfinite(low) and isfinite(high) and isfinite(highest)
    constant = low == high and len(scores) > 1
    return (scores, confidences) if finite and inside and not constant and n in (None, len(scores)) else None


def _split_columns(text: bytes) -> RunColumns:
    tabs, lines = text.count(b"\t"), text.count(b"\n")
    if tabs == 0:
        return _read_numbers(text), (None,) * lines
    if tabs == lines:
        numbers = text.replace(b"\t", b"\n")
        return _read_numbers(numbers, 0, 2), _read_numbers(numbers, 1, 2)
    scores = tuple([float(line.partition(b"\t")[0]) for line in BytesIO(text)])
    confidences = (line.partition(b"\t")[2] for line in BytesIO(text))
    return scores, tuple([float(confidence) if confidence else None for confidence in confidences])


def _read_numbers(text: bytes, start: int = 0, step: int = 1) -> tuple[float, ...]:
    """Read the number of every line, or of every second one, with a cache if few numbers differ."""
    first = list(islice(BytesIO(text), start, start + step * _CACHED_NUMBERS, step))
    read = lru_cache(_CACHED_NUMBERS)(float) if len({*first}) * 4 < len(first) else float
    return tuple(map(read, islice(BytesIO(text), start, None, step)))


def read_plain_gold(data: bytes, n: int | None) -> tuple[float | None, ...] | None:
    """Read the values of aligned gold that has no problems.

    `data` and `n` are as in `read_plain`. None instead of the values means that the file must be read line by
    line.

    >>> read_plain_gold(b"0.5\\n\\n3\\n", 3)
    (0.5, None, 3.0)
    """
    text = whole_lines(data)
    if not consists_of(_PLAIN_GOLD, text) or text.isspace():
        return None
    try:
        values: tuple[float | None, ...] = _read_numbers(text)
    except ValueError:  # a line is empty
        values = tuple([None if line.isspace() else float(line) for line in BytesIO(text)])
    stated = [value for value in values if value is not None]
    finite = isfinite(min(stated)) and isfinite(max(stated))
    return values if finite and n in (None, len(values)) else None
