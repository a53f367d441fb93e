"""What came of a file, as a site shows it."""

from collections.abc import Mapping
from typing import Any

from scorer.reports.scores import DASH, rounded


def outcome(answer: Mapping[str, Any]) -> str:
    """Scores in words, or "stored" where the phase hides them.

    Parameters
    ----------
    answer : mapping
        A submission as the API has it.

    Returns
    -------
    str
        Rounded values, the official metric first.

    Examples
    --------
    >>> outcome({"scores": None})
    'stored'
    >>> outcome({"scores": [{"metric": "pearson", "value": 0.81234, "exact": True, "part": None}]})
    'pearson 0.8123'
    """
    return "; ".join(_score(score) for score in answer["scores"] or ()) or "stored"


def _score(score: Mapping[str, Any]) -> str:
    part = {"public": " on the public items", "rest": " on the other items"}.get(str(score.get("part")), "")
    value = score["value"]
    if value is None:
        return f"{score['metric']} {DASH} ({score['undefined_reason']}){part}"
    shown = rounded(float(value)) if score["exact"] else repr(float(value))
    return f"{score['metric']} {shown}{part}"
