"""The configuration of a campaign, as `scorer.campaigns.reader` reads it from `annotation.toml`."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from scorer.bundles.bundle import ScaleSpec

EntryKind = Literal["personal"]
RoundKind = Literal["rate"]
Grouping = Literal["apart", "free"]
"""apart: nobody gets two units of a group. free: groups have no meaning for the plan."""
StepOrder = Literal["shuffled", "given"]
"""shuffled: each assignment has an order of its own. given: the order of the units file."""
GoldRuleName = Literal["mean", "median"]


@dataclass(frozen=True, slots=True)
class Unit:
    """What annotators are asked about.

    Parameters
    ----------
    key : str
        Its name, which is unique within the round.
    group : str or None
        What it shares with other units, such as the source of its first text.
    genre : str or None
    texts : dict of str to str
        All other columns of its row. Annotators see those that the round shows.
    """

    key: str
    group: str | None
    genre: str | None
    texts: dict[str, str]


@dataclass(frozen=True, slots=True)
class EntryConfig:
    """A way into the campaign for one group of annotators.

    Parameters
    ----------
    slug : str
    kind : "personal"
        Each annotator gets a personal link.
    lease_hours : int
        An assignment without an answer for this long is planned again for others.
    assignments_each : int
        The maximum number of assignments of an annotator; 0: unlimited.
    """

    slug: str
    kind: EntryKind
    lease_hours: int
    assignments_each: int


@dataclass(frozen=True, slots=True)
class RoundConfig:
    """One question about one set of units, and how it is planned.

    Parameters
    ----------
    slug, kind : str
    units_file : str
        The name of the file of units, relative to `annotation.toml`.
    units : tuple of Unit
        The units, in the order of the file.
    show : tuple of str
        The columns that annotators see.
    question : dict of str to str
        The question by language; a language that is missing has the default question.
    comment, cannot_judge : bool
        Whether annotators can write a comment, and say that they cannot judge a unit.
    answers : int
        The number of answers that each unit needs, from different annotators (k).
    assignment : int
        The maximum number of units in an assignment.
    groups : "apart" or "free"
    order : "shuffled" or "given"
    seed : int
    """

    slug: str
    kind: RoundKind
    units_file: str
    units: tuple[Unit, ...]
    show: tuple[str, ...]
    question: dict[str, str]
    comment: bool
    cannot_judge: bool
    answers: int
    assignment: int
    groups: Grouping
    order: StepOrder
    seed: int


@dataclass(frozen=True, slots=True)
class GoldRule:
    """How the answers of a round become gold.

    Parameters
    ----------
    round : str
        The slug of the round.
    rule : "mean" or "median"
    at_least : int
        The minimum number of counted answers; a unit with fewer has no gold value.
    """

    round: str
    rule: GoldRuleName
    at_least: int


@dataclass(frozen=True, slots=True)
class CampaignConfig:
    """A campaign: what annotators are asked, how the work is planned, and where the gold goes.

    Parameters
    ----------
    slug, title : str
    contact : str
        The email address, or a link, for questions of annotators.
    languages : tuple of str
        The languages of the annotators' pages; the first is the default.
    text_language : str
        The language of the texts of units.
    consent, guide : dict of str to str
        The consent text and the instructions, in Markdown, by language.
    scale : ScaleSpec
        The rating scale. It always has a step, and `labels` of the campaign instead of its own.
    labels : dict of str to dict of float to str
        By language, what points of the scale mean.
    level, split : str or None
        Where the gold goes; both or neither.
    entries : tuple of EntryConfig
    rounds : tuple of RoundConfig
        Exactly one in this version.
    gold : GoldRule or None
    """

    slug: str
    title: str
    contact: str
    languages: tuple[str, ...]
    text_language: str
    consent: dict[str, str]
    guide: dict[str, str]
    scale: ScaleSpec
    labels: dict[str, dict[float, str]]
    level: str | None
    split: str | None
    entries: tuple[EntryConfig, ...]
    rounds: tuple[RoundConfig, ...]
    gold: GoldRule | None


def scale_points(scale: ScaleSpec) -> tuple[float, ...]:
    """Return the points of a scale with a step, from its minimum to its maximum.

    The points are computed in decimal arithmetic, so that 0.3 is a point of a scale with the step 0.1.

    >>> scale_points(ScaleSpec(0, 1, 0.25))
    (0.0, 0.25, 0.5, 0.75, 1.0)
    """
    if scale.step is None:
        raise ValueError("a scale without a step has no points")
    low, high, step = (Decimal(str(value)) for value in (scale.min, scale.max, scale.step))
    return tuple(float(low + step * place) for place in range(int((high - low) / step) + 1))
