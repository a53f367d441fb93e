"""Checks of a history's campaigns: what cannot be, each with the place in the file."""

from collections.abc import Iterator

from scorer.campaigns.assignments import Plan
from scorer.campaigns.units_reader import REPORT
from scorer.errors import DataError
from scorer.typed_json import Fault
from server.bundles.task_history.history import TaskHistory


def check_units(history: TaskHistory) -> Iterator[Fault]:
    """Check that units have the columns that their rounds show, and sentences of reports theirs."""
    shown = {
        f"{config.slug}/{each.slug}": set(each.columns)
        for config in history.campaigns
        for each in config.rounds
    }
    for place, unit in history.places("units"):
        columns = {*REPORT} if unit.get("role") == "sentence" else shown[unit["round"]]
        if columns - unit["texts"].keys():
            yield f"{place}.texts", "lacks a column that the round shows"


def check_plans(history: TaskHistory) -> Iterator[Fault]:
    """Check that each round has a plan, and that the file of a plan is one, of the units of its round."""
    rounds = {f"{config.slug}/{each.slug}" for config in history.campaigns for each in config.rounds}
    for name in sorted(rounds - {plan["round"] for plan in history.rows["plans"]}):
        yield "plans", f'the round "{name}" has none'
    for place, row in history.places("plans"):
        file = history.path(row["sha256"])
        try:
            plan = Plan.from_json(history.data(row["sha256"]), file)
        except DataError as error:
            yield f"{place}.sha256", str(error)
            continue
        planned = {step.unit for assignment in plan.assignments for step in assignment.steps}
        known = {unit["key"] for unit in history.rows["units"] if unit["round"] == row["round"]}
        if (plan.number, len(plan.assignments)) != (row["number"], row["n_assignments"]) or planned - known:
            yield f"{place}.sha256", f'"{file}" is not the plan that the rows describe'


def check_consent_versions(history: TaskHistory) -> Iterator[Fault]:
    """Check that campaigns have texts for consent in their languages."""
    for number, config in enumerate(history.campaigns, start=1):
        versions = [row for row in history.rows["consent_versions"] if row["campaign"] == number]
        if not versions or any(set(config.languages) - row["texts"].keys() for row in versions):
            message = f"there must be one, with a text in each language of the campaign {config.slug}"
            yield "consent_versions", message


def check_annotators(history: TaskHistory) -> Iterator[Fault]:
    """Check that no annotator is an organizer who tried the campaign."""
    for place, row in history.places("annotators"):
        if row.get("trial"):
            yield f"{place}.trial", "a trial is in no export"


def check_assignments(history: TaskHistory) -> Iterator[Fault]:
    """Check that assignments are planned ones."""
    for place, row in history.places("assignments"):
        if "number" not in row:
            yield f"{place}.number", "a trial is in no export"


def check_steps(history: TaskHistory) -> Iterator[Fault]:
    """Check that steps are of the annotators and rounds of their assignments, and ask about a unit once."""
    asked = set()
    for place, step in history.places("steps"):
        assignment, unit = history.row("assignments", step["assignment"]), history.row("units", step["unit"])
        round_slug = history.row("plans", assignment["plan"])["round"]
        is_repeat = step.get("block") == "repeat"
        if step["annotator"] != assignment["annotator"] or (unit["round"] != round_slug and not is_repeat):
            yield place, "is not of the annotator and the round of its assignment"
        key = step["annotator"], step["unit"], step.get("pass_number", 1)
        if step.get("block", "main") == "main":
            if key in asked:
                yield place, "asks the annotator about the unit a second time in one pass"
            asked.add(key)


def check_unit_answers(history: TaskHistory) -> Iterator[Fault]:
    """Check that an answer supersedes one to the same step."""
    for place, answer in history.places("unit_answers"):
        earlier = answer.get("supersedes")
        if earlier is not None and history.row("unit_answers", earlier)["step"] != answer["step"]:
            yield f"{place}.supersedes", "is an answer to another step"
