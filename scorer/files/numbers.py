"""Reads numbers, and explains why a text is not a number."""

import re
from math import isfinite

from scorer.files.text import BLANKS, first_invisible, shorten

_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
# Compiled at first use, so that a valid file does not need the time.
_MISSING_VALUE = r"(?i:[+-]?(?:nan|inf|infinity)|null|none|n/?a|-|\?)"
_PLAIN = r"[+-]?[0-9]+(?:\.[0-9]*)?|[+-]?\.[0-9]+"
_SEPARATED = rf"(?:{_PLAIN})(?:[ \v\f]+|[ ]*;[ ]*|,[ ]+)(?:{_PLAIN})"
_COMMA_COLUMNS = r"[+-]?[0-9]*\.[0-9]+,[+-]?[0-9]*\.?[0-9]+|[+-]?[0-9]+,[0-9]*\.[0-9]+"
_DECIMAL_COMMA = r"[+-]?[0-9]*,[0-9]+(?:[eE][+-]?[0-9]+)?"
_UNDERSCORE = r"[+-]?[0-9][0-9_.]*_[0-9_.]*"
_SUFFIX = r"([+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)[fFdDlLjJ]"
_HEXADECIMAL = r"[+-]?0[xX][0-9a-fA-F.]+(?:[pP][+-]?[0-9]+)?"
_QUOTES = "\"'`´‘’‚“”„«»"
_MINUSES = "−–—‐‑‒"
_LONGEST_SAMPLE = 30
_LONGEST_NOTATION = 200
"""Longer texts are not matched against notations: some of the patterns take quadratic time."""


def read_number(text: str) -> float | None:
    """Read a number written in ASCII digits; None if the text is not a finite number.

    >>> [read_number(text) for text in ("+0.5", "1e3", "1.", ".5", "1_0", "nan", "1e400")]
    [0.5, 1000.0, 1.0, 0.5, None, None, None]
    """
    if _NUMBER.fullmatch(text) is None:
        return None
    value = float(text)
    return value if isfinite(value) else None


def explain_non_number(text: str, what: str, wanted: str) -> tuple[str, str]:
    """Explain why a text is not a number, and how to fix it.

    Parameters
    ----------
    text : str
        A text for which `read_number` returned None, without surrounding whitespace.
    what : str
        What the text should be, such as "score".
    wanted : str
        The general fix, such as "write one number from 0 to 4".

    Returns
    -------
    code, sentence : str
        The stable code, and the message with the fix.

    Examples
    --------
    >>> explain_non_number("0,5", "score", "write one number from 0 to 4")
    ('decimal_comma', 'score "0,5" has a decimal comma; write 0.5')
    """
    if not text:
        return "missing", f"there is no {what}; {wanted}"
    rules = (_explain_missing_value, _explain_notation, _explain_characters, _explain_columns)
    for rule in rules if len(text) <= _LONGEST_NOTATION else (_explain_missing_value, _explain_characters):
        explanation = rule(text, what, wanted)
        if explanation is not None:
            return explanation[0], f"{what} {shorten(text)} {explanation[1]}"
    return "not_a_number", f"{what} {shorten(text)} is not a number; {wanted}"


def _explain_missing_value(text: str, what: str, advice: str) -> tuple[str, str] | None:
    if _NUMBER.fullmatch(text):
        return "not_finite", f"is too large, not finite; {advice}"
    if re.fullmatch(_MISSING_VALUE, text) and what == "gold value":
        return "no_number", f"is not a number; leave it empty where the item is not scored, or {advice}"
    if re.fullmatch(_MISSING_VALUE, text):
        return "no_number", f"is not a number, and every item needs a {what}; {advice}"
    if text.startswith(("#", "//", "%")):
        return "comment", "is a comment; remove the line"
    return None


def _explain_notation(text: str, what: str, advice: str) -> tuple[str, str] | None:
    if text.endswith("%"):
        return "percent_sign", f"has a percent sign; {advice}"
    if re.fullmatch(_DECIMAL_COMMA, text):
        return (
            "decimal_comma",
            f"has a decimal comma; write {_corrected_number(text.replace(',', '.'), what)}",
        )
    if re.fullmatch(_UNDERSCORE, text):
        return "underscore", f"has an underscore; write {_corrected_number(text.replace('_', ''), what)}"
    if suffixed := re.fullmatch(_SUFFIX, text):
        return "literal", f"has a letter at its end; write {_corrected_number(suffixed[1], what)}"
    if re.fullmatch(_HEXADECIMAL, text):
        return "literal", f"is hexadecimal; {advice}"
    return None


def _explain_characters(text: str, what: str, advice: str) -> tuple[str, str] | None:
    if text[0] in _QUOTES or text[-1] in _QUOTES:
        return "quotes", f"is in quotes; write {_corrected_number(text.strip(_QUOTES + BLANKS), what)}"
    if hidden := first_invisible(text):
        return "invisible_character", f"has an invisible character, {hidden}; remove it"
    if text[0] in _MINUSES:
        return "other_minus", f"starts with U+{ord(text[0]):04X}; write the minus as a hyphen, -"
    if any(character.isnumeric() and not character.isascii() for character in text):
        return "other_digits", f"has digits other than 0 to 9; {advice} in ASCII digits"
    return None


def _explain_columns(text: str, what: str, advice: str) -> tuple[str, str] | None:
    if what != "confidence" and (re.fullmatch(_SEPARATED, text) or re.fullmatch(_COMMA_COLUMNS, text)):
        if what == "gold value":
            return "too_many_columns", "looks like two columns; gold has one value per line"
        return "no_tab", "looks like two columns; put one tab between score and confidence"
    if "," in text and _NUMBER.fullmatch(text.replace(",", "")):
        return "comma", f"has a comma; {advice} without it"
    return None


def _corrected_number(text: str, what: str) -> str:
    """Return the corrected number if it is a short valid number, else a description of what to write."""
    good = len(text) <= _LONGEST_SAMPLE and read_number(text) is not None
    return text if good else f"the {what} as a plain number"
