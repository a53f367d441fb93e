"""A run of nothing but good lines, which is nearly every one, read as a whole: four times as fast.

Where anything is odd it reads nothing, and the file is read line by line, with every problem and warning.
"""

import re
from collections.abc import Sequence
from math import isfinite

from scorer.files.text import UTF8_BOM

_NUMBER = rb"[+-]?+(?:[0-9]++(?:\.[0-9]*+)?+|\.[0-9]++)(?:[eE][+-]?+[0-9]++)?+"
_LINE = rb"%b(?:\t%b)?+" % (_NUMBER, _NUMBER)
_FILE = re.compile(rb"%b(?:\r?+\n%b)*+(?:\r?+\n)?+" % (_LINE, _LINE))

Columns = tuple[tuple[float, ...], tuple[float | None, ...]]
"""The scores and the confidences."""


def read_plain(
    data: bytes, n: int | None, scale: tuple[float, float] | None, confidence_max: float
) -> Columns | None:
    """The columns of an aligned run that gives no cause for a word.

    Parameters
    ----------
    data : bytes
        The file.
    n : int, optional
        How many lines it has to have.
    scale : (float, float), optional
        Lowest and highest score.
    confidence_max : float
        Confidences are from 0 to this.

    Returns
    -------
    scores, confidences : tuple of float, tuple of float or None
        One a line. None in place of both: the file has to be read line by line.

    Examples
    --------
    >>> read_plain(b"0.5\\t1\\n3\\n", 2, (0, 4), 1.0)
    ((0.5, 3.0), (1.0, None))
    >>> read_plain(b"0.5\\n5\\n", 2, (0, 4), 1.0) is None
    True
    """
    text = data.removeprefix(UTF8_BOM)
    if _FILE.fullmatch(text) is None:
        return None
    scores, confidences = _columns(text)
    found = [confidence for confidence in confidences if confidence is not None]
    low, high = min(scores), max(scores)
    lowest, highest = scale or (low, high)
    finite = all(map(isfinite, (low, high, *found)))
    constant = low == high and len(scores) > 1
    inside = lowest <= low <= high <= highest and (
        not found or 0 <= min(found) <= max(found) <= confidence_max
    )
    return (scores, confidences) if finite and inside and not constant and n in (None, len(scores)) else None


def _columns(text: bytes) -> Columns:
    if b"\t" not in text:
        scores = tuple(map(float, text.split()))
        return scores, (None,) * len(scores)
    rows: Sequence[tuple[bytes, bytes, bytes]] = [line.partition(b"\t") for line in text.splitlines()]
    scores = tuple(float(score) for score, _, _ in rows)
    return scores, tuple(float(confidence) if tab else None for _, tab, confidence in rows)
