"""Reads the rating scale of a campaign or a round, and the labels of its points."""

from collections.abc import Mapping, Sequence
from decimal import Decimal

from scorer.bundles.bundle import ScaleSpec
from scorer.bundles.prose import read_labels
from scorer.bundles.toml_table import Key, TomlTable
from scorer.campaigns.config import scale_points
from scorer.campaigns.keys import MAX_LABEL, MAX_SCALE_POINTS
from scorer.campaigns.language_keys import require_languages


def read_scale(table: TomlTable | None) -> ScaleSpec | None:
    """Return the scale; None if it has a problem."""
    if table is None:
        return None
    before = table.problems.count
    values = table.read()
    low, high, step = values["min"], values["max"], values["step"]
    if table.problems.count > before:
        return None
    fault = find_scale_fault(low, high, step)
    if fault is None:
        return ScaleSpec(low, high, step)
    table.refuse(fault[0], "out_of_range", fault[1])
    return None


def find_scale_fault(low: float, high: float, step: float) -> tuple[str, str] | None:
    """Return the key of the first problem of a scale, and how to fix it; None: there is none."""
    if not low < high:
        return "max", f"must be above min, {low:g}"
    if not 0 < step <= high - low:
        return "step", "must be above 0 and at most max - min"
    if (high - low) / step + 1 > MAX_SCALE_POINTS:
        return "step", f"gives more than {MAX_SCALE_POINTS} points; use a larger one"
    if (Decimal(str(high)) - Decimal(str(low))) % Decimal(str(step)):
        return "step", f"must divide max - min, {high - low:g}, without a remainder"
    return None


def expect_ratings(low: float, high: float) -> dict[str, float]:
    """Return the expected rating of each choice on a scale.

    The choices are the most similar of several pairs (A), one in between (B), and the least similar (C).

    Examples
    --------
    >>> expect_ratings(0, 4)
    {'A': 4, 'B': 2.0, 'C': 0}
    """
    return {"A": high, "B": (low + high) / 2, "C": low}


def format_expected_ratings(expected: Mapping[str, float]) -> str:
    """Write the expected ratings of choices as the value of an option of the scorer.

    Examples
    --------
    >>> format_expected_ratings({"A": 4.0, "B": 2.0, "C": 0.0})
    'A=4,B=2,C=0'
    """
    return ",".join(f"{choice}={rating:g}" for choice, rating in expected.items())


def read_labels_by_language(
    table: TomlTable | None, languages: Sequence[str], scale: ScaleSpec | None
) -> dict[str, dict[float, str]]:
    """Return the labels by language; a label of a point that the scale does not have is noted."""
    if table is None:
        return {}
    require_languages(table, languages)
    labels = {}
    for language in languages:
        of_language = table.value(Key(language, "table"))
        if of_language is None:
            continue
        labels[language] = dict(read_labels(of_language))
        for point, label in labels[language].items():
            if len(label) > MAX_LABEL:
                message = f"has {len(label)} characters; use at most {MAX_LABEL}"
                of_language.refuse(f"{point:g}", "too_long", message)
            if scale is not None and point not in scale_points(scale):
                message = f"is not a point of the scale from {scale.min:g} to {scale.max:g}"
                of_language.refuse(f"{point:g}", "out_of_range", message)
    return labels
