"""Reads and checks the campaigns of a bundle, before the database is changed."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

from scorer.bundles.bundle import Bundle
from scorer.campaigns.assignments import Plan
from scorer.campaigns.config import CampaignConfig
from scorer.campaigns.reader import read_campaign
from scorer.errors import DataError
from server.bundles.export_files import plan_file
from server.bundles.task_history.campaign_rows import RowReader, Rows
from server.bundles.task_history.campaign_tables import STORED_FILES
from server.bundles.task_history.checks import RecordChecker
from server.bundles.task_history.records import CampaignRecord, TaskHistory
from server.core.errors import FileProblem, InvalidFile
from server.core.storage import is_sha256
from server.core.zips import WEB_LIMITS, unpacked


@dataclass(frozen=True, slots=True)
class CampaignPlan:
    """A checked campaign: its configuration, its rows, and the files for the store by their hash."""

    config: CampaignConfig
    rows: Rows
    files: Mapping[str, Path]


def plan_campaigns(
    bundle: Bundle, history: TaskHistory, problems: list[FileProblem]
) -> dict[str, CampaignPlan]:
    """Read and check the campaigns of a history; problems are added to `problems`."""
    checker = _CampaignChecker(bundle, history, problems, {})
    plans = {}
    for k, record in enumerate(history.campaigns):
        plan = checker.plan(f"campaigns[{k}]", record)
        if plan is not None:
            plans[record.slug] = plan
    return plans


class _CampaignChecker(RecordChecker):
    """Checks the files of campaigns."""

    def plan(self, where: str, record: CampaignRecord) -> CampaignPlan | None:
        """Read one campaign; None: it has problems."""
        config, data = self._read_config(where, record), self.read(where, record.file, record.sha256)
        if config is None or data is None:
            return None
        before = len(self.problems)
        reader = RowReader(config, {person.id for person in self.history.people})
        try:
            rows = reader.read(data)
            for message in _list_contradictions(rows, config):
                self.refuse(f"{where}.file", message)
        except ValueError as error:
            self.refuse(f"{where}.file", str(error))
            return None
        files = {record.bundle_sha256: self.bundle.folder / record.bundle}
        for row in rows[STORED_FILES]:
            file = plan_file(record.slug, row["sha256"])
            self._check_plan(where, file, row, rows)
            files[row["sha256"]] = self.bundle.folder / file
        return CampaignPlan(config, rows, files) if len(self.problems) == before else None

    def _read_config(self, where: str, record: CampaignRecord) -> CampaignConfig | None:
        data = self.read(f"{where}.bundle", record.bundle, record.bundle_sha256)
        if data is None:
            return None
        try:
            with unpacked(BytesIO(data), WEB_LIMITS) as folder:
                config = read_campaign(folder)
        except (DataError, InvalidFile) as error:
            self.refuse(f"{where}.bundle", f"is not a campaign: {error}")
            return None
        if config.slug != record.slug:
            self.refuse(f"{where}.slug", f'annotation.toml says "{config.slug}"')
            return None
        return config

    def _check_plan(self, where: str, file: str, row: Mapping[str, Any], rows: Rows) -> None:
        """Check that the file of a plan is one, of the units of its round."""
        data = self.read(f"{where}.file", file, row["sha256"])
        if data is None:
            return
        try:
            plan = Plan.from_json(data, file)
        except DataError as error:
            self.refuse(f"{where}.file", str(error))
            return
        planned = {step.unit for assignment in plan.assignments for step in assignment.steps}
        known = {unit["key"] for unit in rows["units"] if unit["round"] == row["round"]}
        if (plan.number, len(plan.assignments)) != (row["number"], row["n_assignments"]) or planned - known:
            self.refuse(f"{where}.file", f'"{file}" is not the plan that the rows describe')


def _list_contradictions(rows: Rows, config: CampaignConfig) -> Iterator[str]:
    """Yield what cannot be in a campaign although each row is well formed."""
    languages = set(config.languages)
    texts = [version["texts"] for version in rows["consent_versions"]]
    if not texts or any(languages - text.keys() for text in texts):
        yield "consent_versions: there must be one, with a text in each language of the campaign"
    for slug in {of_round.slug for of_round in config.rounds} - {plan["round"] for plan in rows["plans"]}:
        yield f'plans: the round "{slug}" has none'
    if not all(is_sha256(plan["sha256"]) for plan in rows["plans"]):
        yield "plans: sha256 must be 64 hexadecimal digits"
    if any(annotator.get("trial") for annotator in rows["annotators"]):
        yield "annotators: a trial is in no export"
    if any("number" not in assignment for assignment in rows["assignments"]):
        yield "assignments: a trial is in no export"
    shown = {of_round.slug: set(of_round.columns) for of_round in config.rounds}
    for k, unit in enumerate(rows["units"]):
        if shown.get(unit["round"], set()) - unit["texts"].keys():
            yield f"units[{k}].texts: lacks a column that the round shows"
    yield from _list_misplaced(rows)


def _list_misplaced(rows: Rows) -> Iterator[str]:
    """Yield the steps and answers that refer to rows that do not belong together."""
    asked = set()
    for k, step in enumerate(rows["steps"]):
        assignment, unit = rows["assignments"][step["assignment"] - 1], rows["units"][step["unit"] - 1]
        round_slug = rows["plans"][assignment["plan"] - 1]["round"]
        is_repeat = step.get("repeats_step") is not None
        if step["annotator"] != assignment["annotator"] or (unit["round"] != round_slug and not is_repeat):
            yield f"steps[{k}]: is not of the annotator and the round of its assignment"
        key = step["annotator"], step["unit"], step.get("pass_number", 1)
        if key in asked and not is_repeat:
            yield f"steps[{k}]: asks the annotator about the unit a second time in one pass"
        asked.add(key)
    for k, answer in enumerate(rows["answers"]):
        earlier = answer.get("supersedes")
        if earlier is not None and rows["answers"][earlier - 1]["step"] != answer["step"]:
            yield f"answers[{k}].supersedes: is an answer to another step"
