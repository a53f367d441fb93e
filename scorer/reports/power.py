"""Renders detectable differences as text, TSV, JSON or LaTeX."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from scorer._version import __version__
from scorer.reports.records import undefined_dict, write_document, write_records
from scorer.reports.scores import DASH, undefined_notes
from scorer.reports.tables import NEEDS_BOOKTABS, WordTable, plain_table, write_latex, write_text
from scorer.statistics.power import detectable_difference
from scorer.values import Undefined, value_or_undefined

FORMATS = ("text", "tsv", "json", "latex")
SCHEMA = "assay.power/1"
TSV_COLUMNS = (
    "n", "r", "between", "power", "alpha", "pairs", "level", "difference", "undefined", "signature", "note",
)  # fmt: skip
DECIMALS = 6
"""Decimal places of a difference in TSV and JSON. More would not be the same on every machine."""
METHOD = (
    "Two-sided Steiger's z (1980) with the large-sample errors of Dunn & Clark (1969), for normal data.",
    "Several pairs: each is tested at alpha / pairs, the strictest step of Holm's method. This is "
    "conservative where p values are adjusted by step-down maxT, which can find smaller differences.",
)

LARGE_SAMPLE_ITEMS = 50
"""Below this number of items, large-sample standard errors are too large. In simulations with r from .3
to .9, the differences for a power of .80 are detected with probability .86 to .89 at 20 items, at least .96
at 10 items, and .81 to .83 at 50 items."""


@dataclass(frozen=True, slots=True)
class PowerOptions:
    """The parameters of `scorer power`, which are those of `detectable_difference`."""

    n: int
    r: float
    between: float
    power: float = 0.8
    alpha: float = 0.05
    pairs: int = 1

    @property
    def signature(self) -> str:
        """The parameters, the method and the version of the scorer."""
        numbers = f"r:{self.r!r}|between:{self.between!r}|power:{self.power!r}|alpha:{self.alpha!r}"
        return f"difference|n:{self.n}|{numbers}|pairs:{self.pairs}|test:steiger|v:{__version__}"

    @property
    def note(self) -> str | None:
        """A caveat for small samples; None if the approximation is good."""
        if self.n >= LARGE_SAMPLE_ITEMS:
            return None
        return (
            f"below {LARGE_SAMPLE_ITEMS} items the approximation is conservative: "
            "smaller differences can be detected with the same probability"
        )

    def answer(self) -> float | Undefined:
        """Return the smallest detectable difference, or why there is none."""
        difference = partial(detectable_difference, power=self.power, alpha=self.alpha, pairs=self.pairs)
        return value_or_undefined(difference, self.n, self.r, self.between)


def render_power(requests: Sequence[PowerOptions], format_: str) -> str:
    """Render the detectable differences in one of FORMATS, with a newline at the end.

    Parameters
    ----------
    requests : sequence of PowerOptions
        One per line.
    format_ : str
        One of FORMATS. "text" and "latex" have four decimal places, "tsv" and "json" six.

    Returns
    -------
    str

    Raises
    ------
    RequestError
        If a request is not valid, such as an impossible correlation between the systems.
    """
    answers = [(request, request.answer()) for request in requests]
    render = {"text": _text, "tsv": _tsv, "json": _json, "latex": _latex}[format_]
    return render(answers)


_PowerResults = list[tuple[PowerOptions, float | Undefined]]


def _json(answers: _PowerResults) -> str:
    return write_document(SCHEMA, method=" ".join(METHOD), results=_records(answers))


def _tsv(answers: _PowerResults) -> str:
    return write_records(TSV_COLUMNS, _records(answers))


def _records(answers: _PowerResults) -> list[dict[str, Any]]:
    """Return the values of each request for TSV and JSON."""
    return [
        {
            **{name: getattr(request, name) for name in TSV_COLUMNS[:6]},
            "level": request.alpha / request.pairs,
            "difference": None if isinstance(answer, Undefined) else round(answer, DECIMALS),
            "undefined": undefined_dict(answer),
            "signature": request.signature,
            "note": request.note,
        }
        for request, answer in answers
    ]


def _table(answers: _PowerResults) -> WordTable:
    rows = []
    for request, answer in answers:
        values = [f"{getattr(request, name):g}" for name in TSV_COLUMNS[1:5]]
        row = [str(request.n), *values, str(request.pairs), f"{request.alpha / request.pairs:.3g}"]
        if isinstance(answer, Undefined):
            rows.append([*row, DASH, DASH])
        else:
            rows.append([*row, f"{answer:.4f}", f"{request.r - answer:z.4f}"])
    return plain_table([*TSV_COLUMNS[:8], "worse r"], rows)


def _notes(answers: _PowerResults) -> list[str]:
    small = [f"n {request.n}: {request.note}." for request, _ in answers if request.note]
    return [*METHOD, *small, *(note for _, answer in answers for note in undefined_notes([answer]))]


def _text(answers: _PowerResults) -> str:
    return write_text([[_table(answers)], _notes(answers)])


def _latex(answers: _PowerResults) -> str:
    return write_latex([[NEEDS_BOOKTABS, _table(answers), *_notes(answers)]])
