"""Recomputes the leaderboard of a bundle from its files, so that readers of a paper can reproduce it."""

from dataclasses import dataclass, field

from scorer.baselines import BaselineName, SenseInventory, baseline_run, open_senses
from scorer.boards.board import Board, Entry, Kind, build_board
from scorer.boards.board_data import LevelData, SystemData
from scorer.bundles.bundle import Bundle, LevelSpec, PhaseSpec, RunSpec
from scorer.bundles.checks import check_bundle
from scorer.files.public_items import ItemsPart
from scorer.files.reading import Gold, Items, Run, parse_run
from scorer.scoring.evaluate import Result, evaluate


@dataclass
class Recomputation:
    """The files of one split of a bundle, each read once.

    Parameters
    ----------
    bundle : Bundle
        A bundle whose files were checked.
    split : str
        "trial", "training" or "test".
    wordnet : str, optional
        The folder of WordNet 3.0's dictionary files, for baselines of a word2sense level.
    phase : PhaseSpec, optional
        The phase of the runs; by default the phase whose leaderboard the split shows.
    baselines : bool
        Whether to include baselines; if not, none is computed.
    """

    bundle: Bundle
    split: str
    wordnet: str | None = None
    phase: PhaseSpec | None = None
    baselines: bool = field(default=True, kw_only=True)
    _items: dict[str, Items] = field(default_factory=dict, init=False)
    _gold: dict[str, Gold] = field(default_factory=dict, init=False)
    _rest: dict[str, ItemsPart | None] = field(default_factory=dict, init=False)
    _senses: dict[str | None, SenseInventory] = field(default_factory=dict, init=False)
    _systems: tuple[SystemData, ...] | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self.phase = self.phase or self.bundle.phase_on(self.split)
        self.levels = tuple(level for level in self.bundle.levels if self.split in level.splits)

    def board(self) -> Board:
        """Score the systems and rank them by the bundle's rules."""
        entries = [
            Entry(system.team, system.run, system.kind, self._results(system)) for system in self.systems()
        ]
        return build_board([level.board_level for level in self.levels], self.bundle.rules, entries)

    def level_data(self) -> list[LevelData]:
        """Return the gold of each level, with genres and, if the split is divided, the scored part."""
        return [
            LevelData(level.slug, self.gold(level), self.items(level).genres, self.rest(level))
            for level in self.levels
        ]

    def systems(self) -> tuple[SystemData, ...]:
        """Return one system per run, and another for its late files, if it enters at least one level."""
        if self._systems is None:
            candidates = (
                self._system(run, kind)
                for run in self.bundle.runs
                if self.bundle.belongs(run, self.phase) and (self.baselines or not run.baseline)
                for kind in _kinds(run)
            )
            self._systems = tuple(system for system in candidates if system.runs)
        return self._systems

    def _system(self, run: RunSpec, kind: Kind) -> SystemData:
        answers = ((level.slug, self.answer(run, level, late=kind == "late")) for level in self.levels)
        return SystemData(kind, run.team, run.name, {slug: run for slug, run in answers if run is not None})

    def _results(self, system: SystemData) -> dict[str, dict[str, Result]]:
        results_by_level = {}
        for level in self.levels:
            if level.slug in system.runs:
                answer, part = system.runs[level.slug], self.rest(level)
                report = evaluate(self.gold(level), answer, level.metrics, part=part)
                results_by_level[level.slug] = {result.metric: result for result in report.results}
        return results_by_level

    def answer(self, run: RunSpec, level: LevelSpec, *, late: bool = False) -> Run | None:
        """Return the scores of a run for a level; computes a baseline that has no file; None if no scores."""
        items, path = self.items(level), run.file(level.slug, late=late)
        if path is not None:
            return self.bundle.run(path, items, baseline=run.baseline is not None)
        if late or run.computed is None:
            return None
        text = self.baseline(run.computed, level)
        source = f"{run.computed} on {level.slug}"
        return parse_run(text.encode(), source, n=len(items), first_is_score=True)

    def baseline(self, name: BaselineName, level: LevelSpec) -> str:
        """Compute the run file of a baseline for a level."""
        items, scale = self.items(level), self.bundle.task.scale
        senses = self.senses(level) if any(item.sense_key is not None for item in items.items) else None
        return baseline_run(name, items, scale=(scale.min, scale.max), senses=senses, oov=self.bundle.oov)

    def senses(self, level: LevelSpec) -> SenseInventory:
        """Open the sense inventory of a level, by default WordNet 3.0."""
        path = self.wordnet if level.senses is None else str(self.bundle.folder / level.senses)
        if path not in self._senses:
            self._senses[path] = open_senses(path)
        return self._senses[path]

    def items(self, level: LevelSpec) -> Items:
        """Read the items of a level in this split."""
        if level.slug not in self._items:
            self._items[level.slug] = self.bundle.items(level, self.split)
        return self._items[level.slug]

    def rest(self, level: LevelSpec) -> ItemsPart | None:
        """Return the items that decide the ranking if the others are public; None if all items do."""
        if self.phase is None or self.phase.feedback != "public-part":
            return None
        if level.slug not in self._rest:
            parts = self.bundle.parts(level, self.split, self.items(level))
            self._rest[level.slug] = None if parts is None else parts[1]
        return self._rest[level.slug]

    def gold(self, level: LevelSpec) -> Gold:
        """Read the gold of a level in this split."""
        if level.slug not in self._gold:
            self._gold[level.slug] = self.bundle.gold(level, self.split, self.items(level))
        return self._gold[level.slug]


def _kinds(run: RunSpec) -> tuple[Kind, ...]:
    """Return the kinds of rows that a run can have on the leaderboard."""
    return ("official", "late") if run.baseline is None else ("baseline",)


def open_recomputation(
    bundle: Bundle,
    split: str | None = None,
    wordnet: str | None = None,
    phase: PhaseSpec | None = None,
    *,
    baselines: bool = True,
) -> Recomputation:
    """Check the files of a bundle and open them; same parameters and errors as `recompute_board`."""
    check_bundle(bundle)
    split = split or (bundle.main_split if phase is None else phase.split)
    return Recomputation(bundle, split, wordnet, phase, baselines=baselines)


def recompute_board(
    bundle: Bundle,
    split: str | None = None,
    wordnet: str | None = None,
    phase: PhaseSpec | None = None,
    *,
    baselines: bool = True,
) -> Board:
    """Score every run of a bundle and rank them.

    Parameters
    ----------
    bundle : Bundle
        From `read_bundle`.
    split : str, optional
        "trial", "training" or "test"; by default the bundle's main split.
    wordnet : str, optional
        The folder of WordNet 3.0, if a baseline needs it and it is not in a usual place.
    phase : PhaseSpec, optional
        The phase, if several use the split; by default the main phase, else the first.
    baselines : bool
        Whether to include the baselines; a release before the end of the evaluation has none.

    Returns
    -------
    Board
        Has the same rows, digits and order as the leaderboard of the site for the same files.

    Raises
    ------
    BundleError
        Lists every problem of every file; also raised if a level has no gold.
    DataError
        If a baseline needs WordNet 3.0 and it is not found.
    """
    return open_recomputation(bundle, split, wordnet, phase, baselines=baselines).board()
