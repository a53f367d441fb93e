"""The options that ask for confidence intervals."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any, Literal

import click

from scorer.errors import RequestError

if TYPE_CHECKING:
    from scorer.inference.intervals import Resampling

Command = Callable[..., None]
Method = Literal["percentile", "bca", "fisher"]


@dataclass(frozen=True, slots=True)
class IntervalOptions:
    """What was asked for; all None where no interval was."""

    b: int | None
    seed: int | None
    method: Method | None
    level: float | None

    def resampling(self, metrics: Sequence[str]) -> "Resampling | None":
        """How the intervals of these metrics are made; None where none was asked for."""
        if (self.b, self.seed, self.method, self.level) == (None, None, None, None):
            return None
        self._check(metrics)
        from scorer.inference.intervals import USUAL_LEVEL, Resampling

        level = USUAL_LEVEL if self.level is None else self.level
        found = Resampling(self.b or 0, self.seed or 0, self.method or "bca", level)
        found.check(metrics)
        return found

    def _check(self, metrics: Sequence[str]) -> None:
        if self.method != "fisher":
            if self.b is None:
                raise RequestError("an interval needs --bootstrap B, such as 10000, or --interval fisher")
            return
        others = [metric for metric in metrics if metric != "pearson"]
        if others:
            raise RequestError(
                f"Fisher's interval is Pearson's alone and {others[0]} is asked for too; "
                "add --metric pearson, or use --bootstrap B --interval bca"
            )
        if self.b is not None or self.seed is not None:
            raise RequestError("Fisher's interval resamples nothing; leave --bootstrap and --seed out")


def interval_options(function: Command) -> Command:
    """Add the options that ask for intervals; the command gets them as `intervals`."""

    @click.option(
        "--bootstrap",
        type=int,
        metavar="B",
        help="Give each value a bootstrap interval from B resamples; 10000 is usual.",
    )
    @click.option("--seed", type=int, metavar="S", help="Of the resamples.  [default: 0]")
    @click.option(
        "--interval",
        type=click.Choice(("percentile", "bca", "fisher")),
        help="fisher is Pearson's alone, and needs no --bootstrap.  [default: bca]",
    )
    @click.option("--level", type=float, metavar="P", help="Coverage of the intervals.  [default: 0.95]")
    @wraps(function)
    def with_intervals(
        bootstrap: int | None,
        seed: int | None,
        interval: Method | None,
        level: float | None,
        **rest: Any,
    ) -> None:
        function(intervals=IntervalOptions(bootstrap, seed, interval, level), **rest)

    return with_intervals
