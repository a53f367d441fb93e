"""Detectable differences -> text, TSV, JSON, LaTeX."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from scorer._version import __version__
from scorer.errors import UndefinedError
from scorer.reports.records import undefined_dict, write_json, write_records
from scorer.reports.scores import DASH, undefined_notes
from scorer.reports.tables import NEEDS_BOOKTABS, WordTable, plain_table, write_latex, write_text
from scorer.statistics.power import detectable_difference
from scorer.values import Undefined

FORMATS = ("text", "tsv", "json", "latex")
SCHEMA = "assay.power/1"
TSV_COLUMNS = (
    "n", "r", "between", "power", "alpha", "pairs", "level", "difference", "undefined", "signature", "note",
)  # fmt: skip
DECIMALS = 6
"""Of a difference in TSV and JSON: the same on every machine, whose logarithms differ in the last digit."""
METHOD = (
    "Two-sided Steiger's z (1980) with the large-sample errors of Dunn & Clark (1969); normal data.",
    "Several pairs: each at alpha / pairs, the strictest step of Holm's method.",
)

LARGE_SAMPLE_ITEMS = 50
"""Below so many items large-sample errors are too large: simulated tests find these differences with a chance
of .86 to .89 at 20 items and .96 or more at 10, in place of .80, for r from .3 to .9; .81 to .83 at 50."""


@dataclass(frozen=True, slots=True)
class PowerOptions:
    """What `scorer power` is asked; the fields are those of `detectable_difference`."""

    n: int
    r: float
    between: float
    power: float = 0.8
    alpha: float = 0.05
    pairs: int = 1

    @property
    def signature(self) -> str:
        """What was asked, with the method and the scorer's version."""
        numbers = f"r:{self.r!r}|between:{self.between!r}|power:{self.power!r}|alpha:{self.alpha!r}"
        return f"difference|n:{self.n}|{numbers}|pairs:{self.pairs}|test:steiger|v:{__version__}"

    @property
    def note(self) -> str | None:
        """What is to be known of the answer; None where the approximation is good."""
        if self.n >= LARGE_SAMPLE_ITEMS:
            return None
        return (
            f"below {LARGE_SAMPLE_ITEMS} items the approximation is careful: "
            "smaller differences are found as often"
        )

    def answer(self) -> float | Undefined:
        """The smallest difference that is found so often, or why there is none."""
        rates = {"power": self.power, "alpha": self.alpha}
        try:
            return detectable_difference(self.n, self.r, self.between, **rates, pairs=self.pairs)
        except UndefinedError as error:
            return Undefined(error.code, error.reason)


def render_power(questions: Sequence[PowerOptions], format_: str) -> str:
    """Answer questions in one of FORMATS, with a newline at the end.

    Parameters
    ----------
    questions : sequence of PowerQuestion
        A line each.
    format_ : str
        One of FORMATS; "text" and "latex" have four decimals, "tsv" and "json" six.

    Returns
    -------
    str

    Raises
    ------
    RequestError
        If a question makes no sense, such as a correlation between systems that is impossible.
    """
    answers = [(question, question.answer()) for question in questions]
    render = {"text": _text, "tsv": _tsv, "json": _json, "latex": _latex}[format_]
    return render(answers)


_PowerResults = list[tuple[PowerOptions, float | Undefined]]


def _json(answers: _PowerResults) -> str:
    method = " ".join(METHOD)
    return write_json(
        {"schema": SCHEMA, "scorer": __version__, "method": method, "results": _records(answers)}
    )


def _tsv(answers: _PowerResults) -> str:
    return write_records(TSV_COLUMNS, _records(answers))


def _records(answers: _PowerResults) -> list[dict[str, Any]]:
    """What TSV and JSON have of each question."""
    return [
        {
            **{name: getattr(question, name) for name in TSV_COLUMNS[:6]},
            "level": question.alpha / question.pairs,
            "difference": None if isinstance(answer, Undefined) else round(answer, DECIMALS),
            "undefined": undefined_dict(answer),
            "signature": question.signature,
            "note": question.note,
        }
        for question, answer in answers
    ]


def _table(answers: _PowerResults) -> WordTable:
    rows = []
    for question, answer in answers:
        values = [f"{getattr(question, name):g}" for name in TSV_COLUMNS[1:5]]
        row = [str(question.n), *values, str(question.pairs), f"{question.alpha / question.pairs:.3g}"]
        if isinstance(answer, Undefined):
            rows.append([*row, DASH, DASH])
        else:
            rows.append([*row, f"{answer:.4f}", f"{question.r - answer:z.4f}"])
    return plain_table([*TSV_COLUMNS[:8], "worse r"], rows)


def _notes(answers: _PowerResults) -> list[str]:
    small = [f"n {question.n}: {question.note}." for question, _ in answers if question.note]
    return [*METHOD, *small, *(note for _, answer in answers for note in undefined_notes([answer]))]


def _text(answers: _PowerResults) -> str:
    return write_text([[_table(answers)], _notes(answers)])


def _latex(answers: _PowerResults) -> str:
    return write_latex([[NEEDS_BOOKTABS, _table(answers), *_notes(answers)]])
