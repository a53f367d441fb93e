"""The configuration of a campaign, as `scorer.campaigns.reader` reads it from `annotation.toml`."""

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal

from scorer.bundles.bundle import ScaleSpec

LANGUAGES = ("en", "cs", "de")
"""The languages that the annotators' pages speak."""
EntryKind = Literal["personal", "crowd"]
"""personal: each annotator gets a link. crowd: one link for all, to which a platform adds who comes."""
RoundKind = Literal["rate", "bws", "choose", "write"]
"""rate: pairs of texts on a scale. bws: the best and the worst of a tuple of texts (best-worst scaling).
choose: for each sentence of a summary, three sentences of the reports of its group, each rated. write: a text
that is as similar to a given one as wanted."""
Grouping = Literal["apart", "free", "together"]
"""apart: nobody gets two units of a group. free: groups have no meaning for the plan. together: one person
gets all units of a group."""
CHOICES = ("A", "B", "C")
"""What is chosen for a summary sentence: the most similar sentence, one in the middle, the least similar."""
KNOWN_GOLD_NAME = "known-gold.tsv"
"""The file of an export with the gold of units that was known before the campaign."""
People = Literal["any", "same"]
"""same: parts of the units, each planned once for each of k people, so that these can answer every unit."""
StepOrder = Literal["shuffled", "given"]
"""shuffled: each assignment has an order of its own. given: the order of the units file."""
GoldRuleName = Literal["mean", "median", "bws"]


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
    candidates : tuple of Candidate
        The texts to choose from, if the unit is a tuple.
    """

    key: str
    group: str | None
    genre: str | None
    texts: dict[str, str]
    candidates: tuple["Candidate", ...] = ()


@dataclass(frozen=True, slots=True)
class Candidate:
    """A text of a tuple: its key is that of an item of the round."""

    key: str
    text: str


@dataclass(frozen=True, slots=True)
class PassConfig:
    """One reading of the units of a round.

    Parameters
    ----------
    slug : str
        Empty if the round has one pass without a name.
    show : tuple of str
        The columns that annotators see in this pass.
    after_hours : int
        The minimum time since the annotator's last answer of the pass before; 0 for the first pass.
    remind_hours : tuple of int
        The times since that answer at which annotators get an email, if they did not begin the pass.
    question : dict of str to str
        The question of this pass by language; empty: that of the round.
    """

    slug: str
    show: tuple[str, ...]
    after_hours: int = 0
    remind_hours: tuple[int, ...] = ()
    question: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Gate:
    """Lets annotators go on whose ratings of the calibration units are near known ones.

    Parameters
    ----------
    need : int
        The minimum number of ratings that are near enough.
    within : float
        The maximum distance from the known rating.
    tries : int
        How many times an annotator can rate the calibration units.
    feedback : bool
        Whether annotators see the known ratings after each try.
    """

    need: int
    within: float
    tries: int
    feedback: bool


@dataclass(frozen=True, slots=True)
class Calibration:
    """Units that every annotator answers first, and that are not counted.

    Parameters
    ----------
    each_pass : bool
        Whether they are asked before each pass, and not only before the first one.
    gate : Gate or None
    """

    each_pass: bool
    gate: Gate | None = None


@dataclass(frozen=True, slots=True)
class Repeats:
    """Units that each annotator rates again, for intra-annotator agreement.

    Parameters
    ----------
    n : int
        The number of repeated units.
    from_round : str or None
        The round in which the annotator rated them before; None: this round.
    or_main : bool
        Whether units of this round are repeated if the annotator has too few answers in `from_round`.
    """

    n: int
    from_round: str | None
    or_main: bool


@dataclass(frozen=True, slots=True)
class EntryConfig:
    """A way into the campaign for one group of annotators.

    Parameters
    ----------
    slug : str
    kind : "personal" or "crowd"
    lease_hours : int
        An assignment without an answer for this long is planned again for others.
    assignments_each : int
        The maximum number of assignments of an annotator; 0: unlimited.
    person : str or None
        The parameter of the link's address that has the platform's id of the person; as what follows, of a
        crowd alone.
    done, failed : str or None
        The codes for people who did an assignment, and for people who did not pass the gate.
    back : str or None
        The address of the platform that takes a code, with {code} in its place.
    """

    slug: str
    kind: EntryKind
    lease_hours: int
    assignments_each: int
    person: str | None = None
    done: str | None = None
    failed: str | None = None
    back: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanRules:
    """How the units of a round are divided into assignments.

    Parameters
    ----------
    answers : int
        The number of answers that each unit needs, from different annotators (k).
    assignment : int
        The maximum number of units in an assignment; of groups, if these are together.
    groups : "apart", "free" or "together"
        apart: no assignment has two units of a group. free: groups are ignored. together: an assignment has
        all units of a group, in their order, and nobody else has them; `answers` must be 1.
    order : "shuffled" or "given"
        The order of the steps of an assignment: one of its own, or that of the units.
    people : "any" or "same"
        same: the units are divided into as few parts as the size of assignments allows, and each part is a
        panel of k equal assignments, so that the same k people can answer every unit.
    seed : int
    """

    answers: int
    assignment: int
    groups: Grouping = "apart"
    order: StepOrder = "shuffled"
    people: People = "any"
    seed: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundRules(PlanRules):
    """What a round asks about each unit, and how it is planned.

    Parameters
    ----------
    entries : tuple of str
        The slugs of the entries whose annotators work in the round.
    units_file : str
        The name of the file of units, relative to `annotation.toml`.
    tuples_file : str or None
        The name of the file of tuples, if the round is one of best-worst scaling.
    reports_file : str or None
        The name of the file of the reports' sentences, if annotators choose from them.
    senses_file : str or None
        The name of the file of senses, if annotators choose one where they would write a text.
    passes : tuple of PassConfig
        One, or two over the same units in the same order.
    scale : ScaleSpec
        The rating scale, with a step.
    labels : dict of str to dict of float to str
        By language, what points of the scale mean.
    question : dict of str to str
        The question by language.
    best, worst : dict of str to str
        The questions for the best and the worst text of a tuple, by language.
    best_label, worst_label : dict of str to str
        The words beside the two choices, by language; empty: best and worst.
    title : dict of str to str
        What annotators read as the name of the round, by language; may be empty.
    comment, cannot_judge : bool
        Whether annotators can write a comment, and say that they cannot judge a unit.
    calibration : Calibration or None
    repeats : Repeats or None
    highlight : bool
        Whether words of a summary sentence are highlighted in the reports, as `scorer.campaigns.highlights`
        finds them.
    noun : dict of str to str
        What annotators write, such as a word, by language.
    words : tuple of int, or None
        The smallest and the largest number of words of a written text.
    examples : dict of str to dict of float to str
        By language, an example of what to write for points of the scale.
    """

    entries: tuple[str, ...]
    units_file: str
    tuples_file: str | None
    passes: tuple[PassConfig, ...]
    scale: ScaleSpec
    labels: dict[str, dict[float, str]]
    question: dict[str, str]
    best: dict[str, str]
    worst: dict[str, str]
    comment: bool
    cannot_judge: bool
    calibration: Calibration | None = None
    repeats: Repeats | None = None
    title: dict[str, str] = field(default_factory=dict)
    best_label: dict[str, str] = field(default_factory=dict)
    worst_label: dict[str, str] = field(default_factory=dict)
    reports_file: str | None = None
    senses_file: str | None = None
    highlight: bool = True
    noun: dict[str, str] = field(default_factory=dict)
    words: tuple[int, int] | None = None
    examples: dict[str, dict[float, str]] = field(default_factory=dict)

    @property
    def gate(self) -> Gate | None:
        """What decides which annotators go on; None: all of them do."""
        return None if self.calibration is None else self.calibration.gate

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that annotators see in any pass."""
        return tuple(dict.fromkeys(name for each in self.passes for name in each.show))

    def count_extra(self, n_calibration: int) -> int:
        """Count the answers of an annotator to calibration units and repeats, at most, in all passes."""
        times = len(self.passes) if self.calibration and self.calibration.each_pass else 1
        repeats = 0 if self.repeats is None else self.repeats.n
        return n_calibration * times + repeats * len(self.passes)


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundConfig(RoundRules):
    """One question about one set of units, and how it is planned.

    Parameters
    ----------
    slug, kind : str
    units : tuple of Unit
        The units, in the order of their file: pairs of texts, or tuples.
    items : tuple of Unit
        What gets gold labels, in the order of the file of units: the units, or the items of the tuples.
    calibration_file : str or None
        The name of the file of calibration units.
    calibration_units : tuple of Unit
    sentences : tuple of Unit
        The sentences of the reports from which annotators choose, in the order of their file.
    """

    slug: str
    kind: RoundKind
    units: tuple[Unit, ...]
    items: tuple[Unit, ...]
    calibration_file: str | None = None
    calibration_units: tuple[Unit, ...] = ()
    sentences: tuple[Unit, ...] = ()

    @property
    def files(self) -> list[str]:
        """The names of the tables of the round."""
        named = self.units_file, self.tuples_file, self.calibration_file, self.reports_file, self.senses_file
        return [name for name in named if name]


@dataclass(frozen=True, slots=True)
class GoldRule:
    """How the answers of a round become gold.

    Parameters
    ----------
    round : str
        The slug of the round.
    pass_slug : str
        The pass of the round.
    rule : "mean", "median" or "bws"
    at_least : int
        The minimum number of counted answers; an item with fewer has no gold value. For best-worst scaling,
        each tuple of an item needs so many.
    """

    round: str
    pass_slug: str
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
    level, split : str or None
        Where the gold goes; both or neither.
    entries : tuple of EntryConfig
    rounds : tuple of RoundConfig
        At least one.
    gold : GoldRule or None
    """

    slug: str
    title: str
    contact: str
    languages: tuple[str, ...]
    text_language: str
    consent: dict[str, str]
    guide: dict[str, str]
    level: str | None
    split: str | None
    entries: tuple[EntryConfig, ...]
    rounds: tuple[RoundConfig, ...]
    gold: GoldRule | None

    @property
    def gold_round(self) -> RoundConfig:
        """The round that gives the gold; without a rule for gold, the first one."""
        return next(
            (each for each in self.rounds if self.gold and each.slug == self.gold.round), self.rounds[0]
        )


def name_table(kind: str, pass_slug: str) -> str:
    """Return the name of a table of a pass in an export, such as ratings-free.csv."""
    return f"{kind}-{pass_slug}.csv" if pass_slug else f"{kind}.csv"


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
