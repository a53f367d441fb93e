"""From counted answers to gold: a preview, and a gold candidate as any other.

A split that does not exist yet is made from the units. Its first gold version is in force at once, as that of
every split.
"""

import csv
import hashlib
import io
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from scorer.annotation.human_ceiling import compute_human_ceiling
from scorer.campaigns.config import GoldRule
from scorer.campaigns.counted import GoldValue, Picks, compute_best_worst_gold, compute_gold
from scorer.files.reading import ItemsLayout
from scorer.metrics import METRICS
from scorer.values import Undefined
from server.access import service as access
from server.annotation import campaign_log
from server.annotation.assignments import plans
from server.annotation.campaigns import exclusions, service as campaigns
from server.annotation.models import AnnotationRound, Campaign, Unit
from server.annotation.results import answer_rows, decisions, tables
from server.audit import service as audit
from server.core.actors import Actor
from server.core.errors import Conflict
from server.core.i18n import _
from server.core.storage import storage_of
from server.corrections import service as corrections
from server.gold.models import GoldVersion
from server.scoring import service as scoring
from server.tasks.models import Level, Split


@dataclass(frozen=True, slots=True)
class CampaignGold:
    """What the gold of a round would be: the value of each item, and what it would be made of."""

    round: AnnotationRound
    rule: GoldRule
    values: Mapping[str, GoldValue]
    counted: Sequence[answer_rows.CountedAnswer]
    decided: Mapping[str, float]
    """The values that the organizers decided, which win over the rule."""
    n_surplus: int
    excluded: tuple[str, ...]

    @property
    def place(self) -> str:
        """The round and the pass, in words."""
        if not self.rule.pass_slug:
            return _("round %(round)s", round=self.round.slug)
        return _("round %(round)s, pass %(pass_)s", round=self.round.slug, pass_=self.rule.pass_slug)

    @property
    def scored(self) -> int:
        """The number of items with a value."""
        return sum(unit.value is not None for unit in self.values.values())


def preview_gold(session: Session, campaign: Campaign) -> CampaignGold:
    """Compute the gold of a campaign from the answers that count now.

    Raises:
        Conflict: the campaign has no rule for gold.
    """
    rule = campaign.gold_rule
    if rule is None:
        raise Conflict.of("This campaign was made without a gold standard.")
    round_ = campaigns.get_round(campaign, rule.round)
    pass_number = round_.pass_slugs.index(rule.pass_slug) + 1
    counted, n_surplus = answer_rows.list_counted(session, round_, pass_number)
    if rule.rule == "bws":
        values = _score_tuples(session, round_, counted, rule.at_least)
    else:
        ratings = _list_ratings(session, round_, counted)
        values = compute_gold(ratings, rule=rule.rule, at_least=rule.at_least)
    in_force = decisions.list_decisions(session, round_, pass_number)
    decided = {key: decision.value for key, decision in in_force.items() if decision.value is not None}
    values |= {key: replace(values[key], value=value) for key, value in decided.items()}
    return CampaignGold(
        round=round_,
        rule=rule,
        values=values,
        counted=counted,
        decided=decided,
        n_surplus=n_surplus,
        excluded=tuple(exclusions.list_exclusions(session, campaign)),
    )


def find_spreads(preview: CampaignGold) -> dict[str, float]:
    """Return the highest rating minus the lowest one by unit."""
    ratings: dict[str, list[float]] = defaultdict(list)
    for answer in preview.counted:
        if answer.value is not None:
            ratings[answer.unit].append(answer.value)
    return {key: max(values) - min(values) for key, values in ratings.items()}


def hash_counted(session: Session, preview: CampaignGold) -> str:
    """Hash what gold is made of: number, unit, annotator and value of each answer; decisions by unit."""
    numbers, sha256 = answer_rows.load_answers(session, preview.round).numbers, hashlib.sha256()
    for answer in preview.counted:
        line = [numbers[answer.id], answer.unit, answer.annotator, answer.picks or answer.value]
        sha256.update(json.dumps(line, ensure_ascii=False).encode() + b"\n")
    for decision in preview.decided.items():
        sha256.update(json.dumps(decision, ensure_ascii=False).encode() + b"\n")
    return sha256.hexdigest()


def _list_ratings(
    session: Session, round_: AnnotationRound, counted: Sequence[answer_rows.CountedAnswer]
) -> dict[str, list[float]]:
    ratings: dict[str, list[float]] = {key: [] for key in plans.list_keys(session, round_, "main")}
    for answer in counted:
        if answer.value is not None:
            ratings[answer.unit].append(answer.value)
    return ratings


def _score_tuples(
    session: Session, round_: AnnotationRound, counted: Sequence[answer_rows.CountedAnswer], at_least: int
) -> dict[str, GoldValue]:
    picks: dict[str, list[Picks]] = defaultdict(list)
    for answer in counted:
        if answer.picks is not None:
            picks[answer.unit].append(Picks(**answer.picks))
    items, tuples = plans.list_keys(session, round_, "item"), tables.list_candidates(session, round_)
    return compute_best_worst_gold(items, tuples, picks, at_least=at_least)


def explain_obstacle(session: Session, campaign: Campaign, preview: CampaignGold | None = None) -> str | None:
    """Say why the gold of a campaign cannot be made; without a preview, why it never can; None: it can."""
    units = plans.list_items(session, campaigns.get_gold_round(campaign))
    try:
        if preview is not None:
            _require_ready(session, preview)
        if _find_split(session, campaign, units) is None:
            level = _find_level(session, campaign)
            _write_items(units, level, _choose_layout(level, units))
    except Conflict as error:
        return error.message
    return None


def select_versions(campaign: Campaign) -> Select[GoldVersion]:
    """Select the gold versions of the split that gets the gold of a campaign, the newest first."""
    return (
        select(GoldVersion)
        .join(Split, Split.id == GoldVersion.split_id)
        .join(Level, Level.id == Split.level_id)
        .where(Level.task_id == campaign.task_id, Level.slug == campaign.level, Split.name == campaign.split)
        .order_by(GoldVersion.number.desc())
    )


def find_version(session: Session, campaign: Campaign, preview: CampaignGold) -> GoldVersion | None:
    """Return the newest gold version with the values that the gold of the campaign has now."""
    sha256 = hashlib.sha256(write_gold(preview)).hexdigest()
    return session.scalar(select_versions(campaign).where(GoldVersion.sha256 == sha256).limit(1))


def _require_ready(session: Session, preview: CampaignGold) -> None:
    if campaigns.round_state(session, preview.round) != "closed":
        raise Conflict.of("Close the round first, on the page of the campaign: answers still arrive.")
    if preview.scored == 0:
        raise Conflict.of(
            "There is no gold standard to make, because no item has enough answers. Collect more in "
            "another campaign, or upload items and gold under Levels and files."
        )


def add_gold(session: Session, actor: Actor, campaign: Campaign, now: datetime) -> GoldVersion:
    """Make the gold of a campaign a candidate of its split; a split that does not exist is made.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task.
        Conflict: there is no level, or its items are not the units; the round is not closed; there is a
            candidate; or nothing would change.
        InvalidFile: the items or the gold do not fit the level.
    """
    access.require_organizer(session, actor, campaign.task)
    preview = preview_gold(session, campaign)
    _require_ready(session, preview)
    units = plans.list_items(session, preview.round)
    split = _find_split(session, campaign, units) or _add_split(session, actor, campaign, units, now)
    reason = _(
        "Made from the campaign %(campaign)s, %(round)s: %(rule)s of at least %(count)d answers per item; "
        "plan %(plan)s; answers %(answers)s.",
        campaign=campaign.slug,
        round=preview.place,
        rule=preview.rule.rule,
        count=preview.rule.at_least,
        plan=plans.list_plans(session, preview.round)[0].sha256,
        answers=hash_counted(session, preview),
    )
    data = write_gold(preview)
    prepared = corrections.prepare_gold(session, actor, split, data, f"{campaign.slug}.gold.tsv", reason)
    prepared = replace(prepared, human_ceiling=compute_ceiling(preview, units) or None)
    version = corrections.add_gold(session, actor, prepared, now)
    details = {"level": split.level.slug, "split": split.name, "version": version.number}
    campaign_log.record(session, actor, now, "campaign.gold", campaign, **details)
    return version


def write_gold(preview: CampaignGold) -> bytes:
    """Write one value on each line, in the order of the units; it is empty if there are too few answers.

    Means have a header, and the number and the standard deviation of the answers beside them. A decided value
    has those of the answers that it replaces the mean of.
    """
    has_sds = preview.rule.rule == "mean"
    rows: list[tuple[str, ...]] = [("gold", "n", "sd")] if has_sds else []
    for unit in preview.values.values():
        cells = (_write_number(unit.value), str(unit.n), _write_number(unit.sd))
        rows.append(cells if has_sds else cells[:1])
    return "".join("\t".join(row) + "\n" for row in rows).encode()


def compute_ceiling(preview: CampaignGold, units: Sequence[Unit]) -> list[dict[str, Any]]:
    """Compute the human ceiling on the units with a value, by each metric that is defined; empty: by none."""
    ratings: dict[str, dict[str, float]] = defaultdict(dict)
    for answer in preview.counted:
        if answer.value is not None and preview.values[answer.unit].value is not None:
            ratings[answer.annotator].setdefault(answer.unit, answer.value)
    groups = {unit.key: unit.group for unit in units}
    found = {name: compute_human_ceiling(ratings, name, groups) for name in METRICS}
    return [
        {"metric": name, **asdict(ceiling)}
        for name, ceiling in found.items()
        if not isinstance(ceiling.value, Undefined)
    ]


def _write_number(value: float | None) -> str:
    return "" if value is None else repr(value)


def _find_level(session: Session, campaign: Campaign) -> Level:
    if campaign.level is None or campaign.split is None:
        raise Conflict.of(
            "The campaign was made for none of the task’s levels, so the site cannot use its gold "
            "standard. The download has all values in gold.tsv."
        )
    level = session.scalar(
        select(Level).where(Level.task_id == campaign.task_id, Level.slug == campaign.level)
    )
    if level is None:
        raise Conflict.of(
            "This task has no level “%(level)s”. Add it under Levels and files first.", level=campaign.level
        )
    return level


def _find_split(session: Session, campaign: Campaign, units: Sequence[Unit]) -> Split | None:
    """Return the split that gets the gold, whose items have to be the units; None: there is none."""
    level = _find_level(session, campaign)
    split = next((split for split in level.splits if split.name == campaign.split), None)
    if split is None:
        return None
    items = scoring.items_of(session, split).items
    pairs = [(unit.texts.get("left"), unit.texts.get("right")) for unit in units]
    if [(item.left, item.right) for item in items] != pairs:
        raise Conflict.of(
            "The items of %(level)s, %(split)s, are not the texts of this campaign in the same order, so "
            "its gold standard does not fit them. Export the answers, and upload a gold file.",
            level=level.title,
            split=split.name,
        )
    return split


def _add_split(
    session: Session, actor: Actor, campaign: Campaign, units: Sequence[Unit], now: datetime
) -> Split:
    """Make the split of a level from the units, in the form of the level's other items."""
    level = _find_level(session, campaign)
    layout = _choose_layout(level, units)
    data = _write_items(units, level, layout)
    if not level.splits:
        level.layout = scoring.layout_values(layout)
    items = scoring.parse_items(data, level.slug, level.layout)
    split = Split(
        level=level,
        name=campaign.split or "",
        items_sha256=storage_of(session).put(data),
        n_items=len(items),
        public_gold=False,
        held_out_genres=[],
    )
    session.add(split)
    details = {"level": level.slug, "split": split.name, "items": len(items)}
    audit.record(session, actor, now, "split.add", campaign.task_id, **details)
    return split


def _choose_layout(level: Level, units: Sequence[Unit]) -> ItemsLayout:
    """Return the layout of the items of a level; if it has no columns yet, they are those of the units."""
    layout = scoring.layout_of(level.layout)
    if layout.columns is not None:
        return layout
    columns = ["left", "right", "id"]
    if not level.splits:
        columns += [name for name in ("genre", "group") if any(getattr(unit, name) for unit in units)]
    genre = "genre" if "genre" in columns else layout.genre
    return replace(layout, columns=tuple(columns), genre=genre)


def _write_items(units: Sequence[Unit], level: Level, layout: ItemsLayout) -> bytes:
    """Write the units as items of a level: its columns in its order."""
    pairs = [(column, column) if isinstance(column, str) else column for column in layout.columns or ()]
    columns = [pair for pair in pairs if pair[0] != "..."]
    rows = [[name for _ours, name in columns]] if layout.has_header else []
    for unit in units:
        fields = {**unit.texts, "id": unit.key, "group": unit.group or "", layout.genre: unit.genre or ""}
        for name, _theirs in columns:
            if name not in fields:
                raise Conflict.of(
                    "The items of %(level)s have the column “%(column)s”, which the texts lack.",
                    level=level.title,
                    column=name,
                )
        rows.append([fields[name] for name, _theirs in columns])
    if layout.delimiter == "tab":  # fields between tabs are read unchanged, and no text of a unit has a tab
        return "".join("\t".join(row) + "\n" for row in rows).encode()
    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerows(rows)
    return file.getvalue().encode()
