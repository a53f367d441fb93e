"""Files whose line X answers item X: one score, or one gold value, a line."""

import re
from collections.abc import Sequence
from typing import Literal

from scorer.files.text import BLANKS, SEPARATOR_CODE, Problems, drop_blank_end, note_blank

Kind = Literal["run", "gold"]
Cells = tuple[int, str, str | None]
"""Line number, the text of the score or gold value, and the text of the confidence where there is one."""

_WORD = r"[A-Za-z_][A-Za-z0-9_ .()/]*"
_NEEDED = "every item needs a score, also where the gold has none"
_NO_HEADER = frozenset(("nan", "inf", "infinity", "null", "none", "na", "n/a"))
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
        None stands for a line that has been noted already.
    problems : Problems
        Where blank lines, a header, too many columns and a wrong number of lines go.
    n : int, optional
        How many items there are.
    kind : "run" or "gold"
        A run may have a confidence in a second column; gold may have empty lines.
    warnings : Problems, optional
        Where blank lines at the end go instead, if they are to be skipped.

    Returns
    -------
    list of Cells or None
        One a line; None where the line has been noted.
    """
    header = _note_header(lines, problems, n)
    end = _content_end(lines, None if n is None else n + header, kind)
    if warnings is not None:
        for number, line in enumerate(lines[end:], start=end + 1):
            warnings.add(number, "blank_last_line", "blank line at the end; it was skipped", line)
        lines = lines[:end]
    blank = _NEEDED
    if n is not None and lines:
        if kind == "run" and _surplus_is_blank(lines[:end], n + header):
            blank = f"remove it: without the empty lines the run has its {_count(n, 'line')}"
        else:
            _note_length(lines[:end], problems, n, header, kind)
    body = enumerate(lines[header:], start=1 + header)
    return [_cells(line, number, end, problems, kind, blank) for number, line in body]


def _surplus_is_blank(lines: Sequence[str | None], wanted: int) -> bool:
    """Whether a file is too long by as many lines as it has empty ones in the middle."""
    if len(lines) <= wanted:
        return False
    return sum(line is not None and not line.strip(BLANKS) for line in lines) == len(lines) - wanted


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
        message = f"{text.count(chr(9)) + 1} columns; gold has one value a line"
    elif "\t" in rest:
        message = f"{text.count(chr(9)) + 1} columns; write a score, or a score, one tab and a confidence"
    else:
        return number, first.strip(BLANKS), rest.strip(BLANKS)
    problems.add(number, "too_many_columns", message, line)
    return None


def _content_end(lines: Sequence[str | None], wanted: int | None, kind: Kind) -> int:
    """The last line that has to say something: blank ones beyond it are to be removed."""
    if wanted is None:
        return len(lines) if kind == "gold" else drop_blank_end(lines)
    return max(drop_blank_end(lines), min(wanted, len(lines)))


def _note_length(lines: Sequence[str | None], problems: Problems, n: int, header: int, kind: Kind) -> None:
    found = len(lines) - header
    if found == n:
        return
    lines_found = f"{_count(found, 'line')}{' below its first' if header else ''}"
    counts = f"the {kind} has {lines_found} and there {'is' if n == 1 else 'are'} {_count(n, 'item')}"
    mend = "write one line for each item, in order"
    if found < n:
        missing = f"{_count(n - found, 'line')} {'is' if n - found == 1 else 'are'} missing"
        where = "the file cannot show where, so compare it with the items"
        problems.add(None, "too_few_lines", f"{counts}: {missing}; {where} and {mend}")
    else:
        first = header + n + 1
        extra = _span(first, len(lines))
        problems.add(first, "too_many_lines", f"{counts}: {extra} too many; {mend}", lines[first - 1])


def _note_header(lines: Sequence[str | None], problems: Problems, n: int | None) -> int:
    """Note a header, where an aligned file has none; how many lines it takes."""
    if any(problem.code == SEPARATOR_CODE for problem in problems.kept):
        return 1
    words = _header_words(lines)
    if not words:
        return 0
    if len(words) == 1 and words[0].lower() not in _SCORE_WORDS and drop_blank_end(lines) - 1 != n:
        return 0
    if len(words) > 2 or (len(words) == 2 and words[0].lower() not in _SCORE_WORDS):
        message = "looks like the header of a keyed file; write one value a line, in the order of the items"
        problems.add(1, "keyed_file", message, lines[0])
    else:
        message = "looks like a header; an aligned file has none: remove the line"
        problems.add(1, "header_line", message, lines[0])
    return 1


def _header_words(lines: Sequence[str | None]) -> list[str]:
    """The fields of the first line if every one of them is a word; else nothing."""
    if not lines or not lines[0]:
        return []
    line = lines[0].strip(BLANKS)[:1000]
    words = [field.strip(BLANKS + '"') for field in line.split("\t" if "\t" in line else ",")]
    return words if all(_is_word(word) for word in words) else []


def _is_word(text: str) -> bool:
    return re.fullmatch(_WORD, text) is not None and text.lower() not in _NO_HEADER


def _count(n: int, noun: str) -> str:
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def _span(first: int, last: int) -> str:
    return f"line {first} is" if first == last else f"lines {first} to {last} are"
