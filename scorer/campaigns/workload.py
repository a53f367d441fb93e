"""The arithmetic of a campaign: how many units, answers, assignments and hours it has."""

from collections import Counter
from dataclasses import dataclass

from scorer.campaigns.assignments import count_equal_stacks, plan_round, summarize_meetings
from scorer.campaigns.config import CampaignConfig, RoundConfig
from scorer.files.text import count_noun

FIELDS = (
    *(
        "units",
        "groups",
        "answers",
        "assignments",
        "fewest_steps",
        "most_steps",
        "panels",
        "seconds",
        "hours",
    ),
    *("fewest_meetings", "most_meetings", "equal_stacks", "same_texts"),
)
"""The columns of the table for programs."""


@dataclass(frozen=True, slots=True)
class Workload:
    """How much work a campaign is.

    Parameters
    ----------
    units, groups : int
        `groups` counts the different values of the column group; 0: there are none.
    answers : int
        The number of answers that all units need together.
    assignments : int
    fewest_steps, most_steps : int
        The smallest and the largest number of units in an assignment.
    panels : int
    seconds : float
        The assumed time for a unit.
    hours : float
        The time of all annotators together.
    fewest_meetings, most_meetings : int or None
        How many units two people of a panel have in common; None if no panel has two people.
    equal_stacks : int
        The number of units that have exactly the same annotators as an earlier unit.
    same_texts : int
        The number of units that look the same as an earlier unit.
    """

    units: int
    groups: int
    answers: int
    assignments: int
    fewest_steps: int
    most_steps: int
    panels: int
    seconds: float
    hours: float
    fewest_meetings: int | None
    most_meetings: int | None
    equal_stacks: int
    same_texts: int


def estimate_workload(campaign: CampaignConfig, seconds: float) -> Workload:
    """Plan the round of a campaign and count its work.

    Parameters
    ----------
    campaign : CampaignConfig
    seconds : float
        The time for a unit.

    Returns
    -------
    Workload
    """
    round_ = campaign.rounds[0]
    plan = plan_round(round_)
    steps = [len(assignment.steps) for assignment in plan.assignments]
    meetings = summarize_meetings(plan)
    return Workload(
        units=len(round_.units),
        groups=len({unit.group for unit in round_.units if unit.group is not None}),
        answers=sum(steps),
        assignments=len(steps),
        fewest_steps=min(steps),
        most_steps=max(steps),
        panels=len({assignment.panel for assignment in plan.assignments}),
        seconds=seconds,
        hours=sum(steps) * seconds / 3600,
        fewest_meetings=None if meetings is None else meetings.minimum,
        most_meetings=None if meetings is None else meetings.maximum,
        equal_stacks=count_equal_stacks(plan),
        same_texts=_count_same_texts(round_),
    )


def _count_same_texts(round_: RoundConfig) -> int:
    texts = Counter(tuple(unit.texts[name] for name in round_.show) for unit in round_.units)
    return sum(times - 1 for times in texts.values())


def workload_text(campaign: CampaignConfig, workload: Workload) -> str:
    """Describe the work of a campaign in a few lines."""
    round_ = campaign.rounds[0]
    in_groups = f", in {count_noun(workload.groups, 'group')}" if workload.groups else ""
    each = count_noun(round_.answers, "annotator")
    sizes = _range(workload.fewest_steps, workload.most_steps, "unit")
    minutes = workload.most_steps * workload.seconds / 60
    lines = [
        f"annotation.toml and {round_.units_file} are valid.",
        "",
        f"units        {workload.units}{in_groups}",
        f"answers      {workload.answers}: {each} for each unit",
        f"assignments  {workload.assignments} of {sizes}",
        f"time         {workload.hours:.1f} hours in all, {minutes:.0f} minutes for an assignment, at "
        f"{workload.seconds:g} seconds for a unit",
    ]
    if workload.fewest_meetings is not None and workload.most_meetings is not None:
        common = _range(workload.fewest_meetings, workload.most_meetings, "unit")
        panels = count_noun(workload.panels, "panel")
        lines.append(f"meetings     two annotators of a panel have {common} in common; {panels}")
    lines.append(f"gold         {_gold_words(campaign)}")
    notes = _list_notes(round_, workload)
    return "\n".join([*lines, *(f"note: {note}" for note in notes)]) + "\n"


def _range(low: int, high: int, noun: str) -> str:
    return count_noun(low, noun) if low == high else f"{low} to {count_noun(high, noun)}"


def _gold_words(campaign: CampaignConfig) -> str:
    gold = campaign.gold
    if gold is None:
        return "none"
    place = "" if campaign.level is None else f", for {campaign.level}, {campaign.split}"
    return f"the {gold.rule} of at least {count_noun(gold.at_least, 'answer')}{place}"


def _list_notes(round_: RoundConfig, workload: Workload) -> list[str]:
    """List what is valid and may be a mistake."""
    notes = []
    if workload.same_texts:
        units = "1 unit looks" if workload.same_texts == 1 else f"{workload.same_texts} units look"
        notes.append(f"{units} the same as an earlier unit; is that intended?")
    if workload.groups and round_.groups == "free":
        notes.append('groups = "free": an annotator can get several units of a group')
    if workload.most_steps < round_.assignment:
        fact = f"assignments have fewer than {count_noun(round_.assignment, 'unit')}"
        notes.append(f"{fact}, because the units need so many different annotators")
    return notes
