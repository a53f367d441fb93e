"""The arithmetic of a campaign: how many units, answers, assignments and hours it has."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, fields

from scorer.bundles.placeholders import PLACEHOLDER_WORD
from scorer.campaigns.assignments import Plan, count_equal_stacks, plan_round, summarize_meetings
from scorer.campaigns.config import CampaignConfig, GoldRule, RoundConfig
from scorer.files.text import count_noun


@dataclass(frozen=True, slots=True)
class Workload:
    """How much work a round is.

    Parameters
    ----------
    round, kind : str
    units, groups : int
        `groups` counts the different values of the column group; 0: there are none.
    answers : int
        The number of answers that all units need together, in one pass.
    assignments : int
    fewest_units, most_units : int
        The smallest and the largest number of units in an assignment.
    passes : int
    calibration_units, repeats : int
        The numbers of units that an annotator answers in addition, before and at the end of a pass.
    each_person : int
        The number of assignments that a person gets who comes first and goes on as long as any is left.
    steps : int
        The number of answers that the largest assignment asks for, in all passes.
    panels : int
    seconds : float
        The assumed time for an answer.
    hours : float
        The time of all annotators together, if each has one assignment.
    fewest_meetings, most_meetings : int or None
        How many units two people of a panel have in common; None if no panel has two people.
    equal_stacks : int
        The number of units that have exactly the same annotators as an earlier unit.
    same_texts : int
        The number of units that look the same as an earlier unit.
    """

    round: str
    kind: str
    units: int
    groups: int
    answers: int
    assignments: int
    fewest_units: int
    most_units: int
    passes: int
    calibration_units: int
    repeats: int
    each_person: int
    steps: int
    panels: int
    seconds: float
    hours: float
    fewest_meetings: int | None
    most_meetings: int | None
    equal_stacks: int
    same_texts: int


FIELDS = tuple(field.name for field in fields(Workload))


def estimate_workload(round_: RoundConfig, seconds: float) -> Workload:
    """Plan a round and count its work.

    Parameters
    ----------
    round_ : RoundConfig
    seconds : float
        The time for an answer.

    Returns
    -------
    Workload
    """
    plan = plan_round(round_)
    sizes = [len(assignment.steps) for assignment in plan.assignments]
    extra = round_.count_extra(len(round_.calibration_units))
    steps = sum(sizes) * len(round_.passes) + extra * len(sizes)
    meetings = summarize_meetings(plan)
    return Workload(
        round=round_.slug,
        kind=round_.kind,
        units=len(round_.units),
        groups=len({unit.group for unit in round_.units if unit.group is not None}),
        answers=sum(sizes),
        assignments=len(sizes),
        fewest_units=min(sizes),
        most_units=max(sizes),
        passes=len(round_.passes),
        calibration_units=len(round_.calibration_units),
        repeats=0 if round_.repeats is None else round_.repeats.n,
        each_person=_count_for_one_person(round_, plan),
        steps=max(sizes) * len(round_.passes) + extra,
        panels=len({assignment.panel for assignment in plan.assignments}),
        seconds=seconds,
        hours=steps * seconds / 3600,
        fewest_meetings=None if meetings is None else meetings.minimum,
        most_meetings=None if meetings is None else meetings.maximum,
        equal_stacks=count_equal_stacks(plan),
        same_texts=_count_same_texts(round_),
    )


def _count_for_one_person(round_: RoundConfig, plan: Plan) -> int:
    """Count the assignments that one person can do: none with a unit (or a group) that they had before."""
    group_of = {unit.key: unit.group for unit in round_.units if round_.groups == "apart"}
    had: set[str] = set()
    count = 0
    for assignment in plan.assignments:
        names = {group_of.get(step.unit) or f"unit {step.unit}" for step in assignment.steps}
        if not names & had:
            had |= names
            count += 1
    return count


def _count_same_texts(round_: RoundConfig) -> int:
    texts = Counter(
        (*(unit.texts[name] for name in round_.columns), *(one.text for one in unit.candidates))
        for unit in round_.units
    )
    return sum(times - 1 for times in texts.values())


def workload_text(campaign: CampaignConfig, workloads: Sequence[Workload]) -> str:
    """Describe the work of a campaign in a few lines for each round."""
    lines = ["annotation.toml and the files that it names are valid."]
    for round_, workload in zip(campaign.rounds, workloads, strict=True):
        limit = _find_limit(campaign, round_)
        lines += ["", f"round        {round_.slug}", *_describe(round_, workload, limit)]
        if campaign.gold is not None and campaign.gold.round == round_.slug:
            lines.append(f"gold         {_gold_words(campaign, campaign.gold)}")
        lines += [f"note: {note}" for note in _list_notes(round_, workload, limit)]
    if campaign.gold is None:
        lines += ["", "gold         none"]
    if placeholders := list_placeholders(campaign):
        lines += ["", f"still to do  {', '.join(placeholders)}"]
    return "\n".join(lines) + "\n"


def list_placeholders(campaign: CampaignConfig) -> list[str]:
    """List the texts that `scorer campaign new` left open, and where they are."""
    texts = {"the contact in annotation.toml": [campaign.contact]}
    for round_ in campaign.rounds:
        texts[f"the column left in {round_.units_file}"] = [unit.texts["left"] for unit in round_.items]
    return [
        place for place, found in texts.items() if any(text.startswith(PLACEHOLDER_WORD) for text in found)
    ]


def _find_limit(campaign: CampaignConfig, round_: RoundConfig) -> int | None:
    """Return how many assignments of a round a person may do; None: as many as there are."""
    limits = [entry.assignments_each for entry in campaign.entries if entry.slug in round_.entries]
    return max(limits) if all(limits) else None


def _describe(round_: RoundConfig, workload: Workload, limit: int | None) -> list[str]:
    noun = _noun(round_)
    in_groups = f", in {count_noun(workload.groups, 'group')}" if workload.groups else ""
    each = count_noun(round_.answers, "annotator")
    of_one = count_noun(min(workload.each_person, limit or workload.each_person), "assignment")
    sizes = _range(workload.fewest_units, workload.most_units, noun)
    in_each_pass = " in each pass" if workload.passes > 1 else ""
    lines = [
        f"{noun + 's':<12} {workload.units}{in_groups}",
        f"answers      {workload.answers}{in_each_pass}: {each} for each {noun}",
        f"assignments  {workload.assignments} of {sizes} each",
        f"each person  can do at most {of_one}",
    ]
    if workload.steps > workload.most_units:
        parts = [count_noun(workload.most_units, noun) + in_each_pass]
        if workload.calibration_units:
            parts.append(count_noun(workload.calibration_units, "calibration unit"))
        if workload.repeats:
            parts.append(f"up to {count_noun(workload.repeats, 'repeat')}{in_each_pass}")
        answers = count_noun(workload.steps, "answer")
        lines.append(f"workload     up to {answers} in an assignment: {', '.join(parts)}")
    if gate := round_.gate:
        tries = "1 try" if gate.tries == 1 else f"{gate.tries} tries"
        near = f"{gate.need} of {workload.calibration_units} ratings within {gate.within:g} of the known ones"
        lines.append(f"gate         {near}, in {tries}; the work of those who fail goes to others")
    minutes = workload.steps * workload.seconds / 60
    lines.append(
        f"time         {workload.hours:.1f} hours in total, {minutes:.0f} minutes for an assignment, if each "
        f"answer takes {workload.seconds:g} seconds"
    )
    if workload.fewest_meetings is not None and workload.most_meetings:
        common = _range(workload.fewest_meetings, workload.most_meetings, noun)
        of_panel = " of a panel" if workload.panels > 1 else ""
        lines.append(f"in common    any two annotators{of_panel} share {common}")
        if workload.panels > 1:
            lines.append(f"panels       {workload.panels} groups of annotators that share no {noun}s")
    return lines


def _noun(round_: RoundConfig) -> str:
    return "tuple" if round_.kind == "bws" else "unit"


def _range(low: int, high: int, noun: str) -> str:
    return count_noun(low, noun) if low == high else f"{low} to {high} {noun}s"


def _gold_words(campaign: CampaignConfig, gold: GoldRule) -> str:
    place = "" if campaign.level is None else f", for the level {campaign.level}, split {campaign.split}"
    of_pass = f" in the pass {gold.pass_slug}" if gold.pass_slug else ""
    at_least = count_noun(gold.at_least, "answer")
    if gold.rule == "bws":
        return f"the best-worst scores of items whose tuples have at least {at_least} each{place}"
    return f"the {gold.rule} of the ratings of units with at least {at_least}{of_pass}{place}"


def _explain_short_assignments(round_: RoundConfig) -> str | None:
    """Say what keeps all assignments of a round from being full; None: the answers just do not fill them."""
    n_units, noun = len(round_.units), _noun(round_)
    groups = Counter(unit.group for unit in round_.units if unit.group is not None)
    largest = max(groups.values(), default=1) if round_.groups == "apart" else 1
    people = largest * round_.answers
    if largest > 1 and people > -(-n_units * round_.answers // round_.assignment):
        size = f"{largest} {noun}s with {count_noun(round_.answers, 'answer')} each"
        return f"nobody gets two {noun}s of a group, so the largest group ({size}) needs {people} annotators"
    return f"the round has only {count_noun(n_units, noun)}" if n_units < round_.assignment else None


def _list_notes(round_: RoundConfig, workload: Workload, limit: int | None) -> list[str]:
    """List what is valid and may be a mistake."""
    noun = _noun(round_)
    notes = []
    if workload.same_texts:
        units = f"1 {noun} looks" if workload.same_texts == 1 else f"{workload.same_texts} {noun}s look"
        notes.append(f"{units} the same as an earlier {noun}; is that intended?")
    if workload.groups and round_.groups == "free":
        notes.append(f'an annotator can get several {noun}s of a group, because groups = "free"')
    if round_.people == "same" and limit is not None and limit < workload.each_person:
        notes.append(
            f"nobody can answer all {noun}s, because assignments_each is {limit}; write assignments_each = 0"
        )
    is_short = round_.groups != "together" and workload.most_units < round_.assignment
    if is_short and (reason := _explain_short_assignments(round_)):
        notes.append(f"assignments have fewer than {count_noun(round_.assignment, noun)}, because {reason}")
    in_tuples = {one.key for unit in round_.units for one in unit.candidates}
    alone = [item.key for item in round_.items if item.key not in in_tuples]
    if round_.kind == "bws" and alone:
        items = "1 item is" if len(alone) == 1 else f"{len(alone)} items are"
        notes.append(f"{items} in no tuple and cannot get a score, such as {alone[0]}")
    return notes
