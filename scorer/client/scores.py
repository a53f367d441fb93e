"""What came of a file, as a site shows it."""

from collections.abc import Mapping
from typing import Any

from scorer.report import DASH, rounded


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
    >>> outcome({"scores": [{"metric": "pearson", "value": 0.81234, "places": None, "part": None}]})
    'pearson 0.8123'
    """
    return "; ".join(_score(score) for score in answer["scores"] or ()) or "stored"


def _score(score: Mapping[str, Any]) -> str:
    part = {"public": " on the public items", "rest": " on the other items"}.get(str(score.get("part")), "")
    value, places = score["value"], score.get("places")
    if value is None:
        reason = (score.get("undefined") or {}).get("reason", "undefined")
        return f"{score['metric']} {DASH} ({reason}){part}"
    shown = rounded(float(value)) if places is None else f"{float(value):.{int(places)}f}"
    return f"{score['metric']} {shown}{part}"
