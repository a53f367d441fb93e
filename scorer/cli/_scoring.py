"""What `scorer score` computes for each run, and which options go together."""

from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING

from scorer.cli._progress import progress
from scorer.errors import RequestError
from scorer.files.reading import Gold, Items, Run
from scorer.metrics import METRICS
from scorer.scoring.evaluate import Report, evaluate
from scorer.scoring.held_out import HELD_OUT, REST, evaluate_held_out

if TYPE_CHECKING:
    from scorer.inference.intervals import Resampling

DEFAULT_METRICS = ("pearson", "spearman")
_LONG = 20_000_000
"""From how many drawn items on the work is worth a progress bar."""


@dataclass(frozen=True, slots=True)
class Request:
    """What is to be computed for each run."""

    metrics: tuple[str, ...]
    min_confidence: float | None
    by_genre: bool
    held_out: tuple[str, ...]
    resampling: "Resampling | None"

    def check(self, items: str | None, format_: str, *, is_spread: bool) -> None:
        """Refuse what does not go together."""
        for option, is_asked in (("--by-genre", self.by_genre), ("--held-out", bool(self.held_out))):
            if is_asked and items is None:
                raise RequestError(f"{option} needs --items FILE, which says what the genre of each item is")
        if self.min_confidence is not None and not isfinite(self.min_confidence):
            number = f"--min-confidence {self.min_confidence}"
            raise RequestError(f"{number} is not a number that a confidence can reach")
        is_plain = self == Request(DEFAULT_METRICS, self.min_confidence, False, (), None)
        if format_ == "semeval2014" and not (is_plain and not is_spread):
            raise RequestError(
                "--format semeval2014 shows pearson and spearman of all items, and nothing else"
            )

    def check_items(self, level: Items | None) -> None:
        """Refuse what these items cannot give."""
        names = [] if level is None or not (self.by_genre and self.held_out) else level.genre_names
        for name in (HELD_OUT, REST):
            if name in names:
                raise RequestError(
                    f'a genre is called "{name}", as one side of --held-out is; leave --by-genre out'
                )
        for name in self.metrics:
            if METRICS[name].needs == "groups" and (level is None or level.groups is None):
                raise RequestError(
                    f"{name} needs --items FILE with a column that says which items are compared: name it in "
                    "--columns, as in left,right,id,group, or as in group=dialogue where there is a header"
                )

    def reports(self, gold: Gold, runs: list[Run], level: Items | None) -> list[Report]:
        """The report of each run."""
        b = 0 if self.resampling is None else self.resampling.b
        sections = (len(level.genre_names) if level and self.by_genre else 1) + 2 * bool(self.held_out)
        total = b * sections * len(self.metrics) * len(runs)
        with progress("Resampling", total, long=total * len(gold.values) > _LONG) as tell:
            return [self._report(gold, run, level, tell) for run in runs]

    def _report(self, gold: Gold, run: Run, level: Items | None, tell: Callable[[int], None]) -> Report:
        genres = level.genres if level is not None and self.by_genre else None
        groups = None if level is None else level.groups
        report = evaluate(
            gold,
            run,
            self.metrics,
            min_confidence=self.min_confidence,
            genres=genres,
            groups=groups,
            resampling=self.resampling,
            progress=tell,
        )
        if level is None or not self.held_out:
            return report
        beside = evaluate_held_out(
            gold,
            run,
            self.metrics,
            level.genres,
            self.held_out,
            min_confidence=self.min_confidence,
            groups=groups,
            resampling=self.resampling,
            progress=tell,
        )
        return Report((*report.results, *beside.results), beside.differences)
