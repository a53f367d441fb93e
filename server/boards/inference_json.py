"""The JSON of an inference: reading, validating, and reducing it to what a leaderboard's page shows."""

import json
from collections.abc import Mapping
from typing import Any

from scorer.shapes import Scalars, shape_faults

SCHEMA = "assay.inference/1"
_LARGEST = 1e12

_UNDEFINED = {"code": "text", "reason": "text"}
_SHAPE = {
    "schema": "text",
    "scorer": "text",
    "options": {"b": "count", "seed": "count", "interval": "text", "level": "number"},
    "systems": [{"kind": "text", "team": "text", "run": "text"}],
    "columns": [
        {
            "level": "text?",
            "metric": "text",
            "n": "count?",
            "groups": "count?",
            "official": "truth",
            "intervals": [
                {
                    "system": "system",
                    "low": "number?",
                    "high": "number?",
                    "degenerate": "count",
                    "undefined": (_UNDEFINED,),
                }
            ],
            "tests?": (
                {
                    "systems": "count",
                    "pairs": "count",
                    "permutations": "count?",
                    "alpha": "number",
                    "refused": "text?",
                    "signature?": "text",
                },
            ),
            "ranks?": [
                {"system": "system", "rank": "count", "low": "count", "high": "count", "cluster": "count"}
            ],
            "baseline?": {
                "system": "system",
                "permutations": "count",
                "tests": [
                    {
                        "system": "system",
                        "difference": "number",
                        "p": "number",
                        "adjusted": "number",
                        "better": "truth",
                    }
                ],
                "signature": "text",
            },
            "pairs?": [
                {
                    "a": "system",
                    "b": "system",
                    "difference": "number?",
                    "low": "number?",
                    "high": "number?",
                    "p": "number?",
                    "adjusted": "number?",
                    "better": "system?",
                }
            ],
        }
    ],
    "stability": [
        {
            "rule": "text",
            "name": "text?",
            "tau": "number?",
            "systems": "count",
            "undefined": (_UNDEFINED,),
            "ranks?": [{"system": "system", "rank": "count"}],
        }
    ],
    "left_out?": [{"kind": "text", "team": "text", "run": "text", "level": "text", "reason": "text"}],
}
"""The required structure of the JSON, on which pages rely."""


def read_inference(text: str) -> dict[str, Any]:
    """Parse an inference that this or another site computed.

    Raises:
        ValueError: it is not valid; the message names the first wrong place.
    """
    try:
        values = json.loads(text)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    systems = values.get("systems") if isinstance(values, dict) else None
    count = len(systems) if isinstance(systems, list) else 0
    is_system = "one of the systems", lambda value: type(value) is int and 0 <= value < count
    for place, fault in shape_faults(values, _SHAPE, {**_SCALARS, "system": is_system}):
        raise ValueError(f"{place or 'the file'} {fault}")
    if values["schema"] != SCHEMA:
        raise ValueError(f'schema is not "{SCHEMA}"')
    inference: dict[str, Any] = values
    return inference


def _is_valid_text(value: str) -> bool:
    """Whether pages and databases accept a text: it has no lone surrogates and no NUL."""
    return not any("\ud800" <= char <= "\udfff" or char == "\0" for char in value)


_SCALARS: Scalars = {
    "text": ("a text", lambda value: type(value) is str and _is_valid_text(value)),
    "truth": ("true or false", lambda value: type(value) is bool),
    "count": ("a whole number", lambda value: type(value) is int and 0 <= value < _LARGEST),
    "number": ("a number", lambda value: type(value) in (int, float) and abs(value) < _LARGEST),
}


def summarize_inference(values: Mapping[str, Any]) -> dict[str, Any]:
    """Reduce an inference to what a leaderboard's page shows: without pairs, most orders, and signatures."""
    columns = [
        {
            **{name: part for name, part in column.items() if name != "pairs"},
            "intervals": [
                {name: part for name, part in entry.items() if name != "signature"}
                for entry in column["intervals"]
            ],
        }
        for column in values["columns"]
    ]
    stability = [
        {name: part for name, part in entry.items() if name != "ranks"} for entry in values["stability"]
    ]
    return {**values, "columns": columns, "stability": stability}
