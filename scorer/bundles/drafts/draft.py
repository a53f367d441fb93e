"""What `scorer bundle new` proposes for a folder of data; `task_file` writes it as a task.toml."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from scorer.bundles.drafts.data_files import UnusedFile
from scorer.files.reading import KeyedFormat
from scorer.files.tables import Delimiter

Total = Literal["sum", "mean", "weighted", "none"]


@dataclass(frozen=True, slots=True)
class DraftSplit:
    """The files of one split of a level.

    Parameters
    ----------
    items : str
    gold : str or None
    public_gold : bool
    n : int
        The number of items.
    n_gold : int
        The number of gold labels.
    scored : int or None
        The number of scored items if the gold file ends before the items do.
    """

    items: str
    gold: str | None
    public_gold: bool
    n: int
    n_gold: int = 0
    scored: int | None = None

    @property
    def shows_gold(self) -> bool:
        """Whether the gold is in the items file, which everyone can download."""
        return self.gold == self.items


@dataclass(frozen=True, slots=True)
class DraftLevel:
    """One level: its columns are a list by position, or a table of our names and those in the header."""

    slug: str
    title: str
    columns: tuple[str, ...] | Mapping[str, str]
    delimiter: Delimiter
    sides: tuple[str, str] | None
    genre: str | None
    splits: Mapping[str, DraftSplit]
    senses: str | None = None
    """The dictionary of the baselines at a word-to-sense level."""


@dataclass(frozen=True, slots=True)
class DraftRun:
    """A run that is in the folder; `phase` None means the main phase."""

    team: str
    name: str
    files: Mapping[str, str]
    phase: str | None


@dataclass(frozen=True, slots=True)
class Draft:
    """A task as its data suggests it. None stands for a placeholder."""

    slug: str
    levels: tuple[DraftLevel, ...]
    scale: tuple[float, float]
    step: float | None
    scale_is_known: bool
    """Whether there is gold from which the scale was taken."""
    keyed: KeyedFormat | None
    confidence: float
    metrics: tuple[str, ...]
    total: Total
    practice: str | None
    """The split of the practice phase."""
    evaluation: bool
    """Whether there are test items."""
    runs: tuple[DraftRun, ...]
    description: str | None
    terms: str | None
    licence: str | None
    notes: tuple[str, ...]
    unused: tuple[UnusedFile, ...]
    title: str | None = None
    opens: datetime | None = None
    closes: datetime | None = field(default=None)

    @property
    def needs_wordnet(self) -> bool:
        """Whether a level has sense keys, and no dictionary in the folder."""
        return any("sense_key" in level.columns and level.senses is None for level in self.levels)
