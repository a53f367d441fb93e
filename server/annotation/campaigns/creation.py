"""Creating a campaign from `annotation.toml` and the files that it names.

Reading and planning happen before the transaction, because planning many units takes seconds.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import Any

from sqlalchemy import insert, select
from sqlalchemy.orm import Session

from scorer.bundles.toml import parse_toml
from scorer.campaigns.assignments import Plan, plan_round
from scorer.campaigns.config import CampaignConfig, RoundConfig, Unit as PlannedUnit
from scorer.campaigns.drafts.next_stage import NextOptions, draft_next
from scorer.campaigns.reader import CONFIG_NAME, read_campaign
from scorer.errors import DataError, RequestError
from scorer.files.reading import read_bytes
from server.access import service as access
from server.annotation import campaign_log
from server.annotation.assignments import plans
from server.annotation.models import AnnotationRound, Campaign, ConsentVersion, Entry, Unit, UnitRole
from server.core.actors import Actor
from server.core.errors import Conflict, FileProblem, InvalidFile, NameTaken
from server.core.i18n import ngettext
from server.core.storage import storage_of
from server.core.zips import write_zip
from server.scoring import service as scoring
from server.tasks.models import Task

BATCH = 5000
"""The number of units that are stored in one go."""


@dataclass(frozen=True, slots=True)
class PreparedCampaign:
    """A campaign that was read, with a plan for each round; `bundle`: the zip file of its files.

    `notes`: what the export of the round before lacked.
    """

    config: CampaignConfig
    plans: tuple[Plan, ...]
    bundle: bytes
    notes: tuple[str, ...] = ()


def prepare_campaign(folder: Path) -> PreparedCampaign:
    """Read the campaign of a folder and plan its rounds; does not access the database.

    Raises:
        InvalidFile: with every problem of the files.
    """
    config = read_config(folder)
    return PreparedCampaign(config, tuple(map(plan_round, config.rounds)), pack_files(folder, config))


def read_config(folder: Path) -> CampaignConfig:
    """Read the campaign of a folder.

    Raises:
        InvalidFile: with every problem of the files.
    """
    try:
        return read_campaign(folder)
    except DataError as error:
        raise _refuse(error) from error


def check_next(export: Path, options: NextOptions) -> None:
    """Raise if no next campaign can be made from the export of a round.

    Raises:
        InvalidFile: with every problem of the export, or the reason.
    """
    try:
        draft_next(export, options)
    except DataError as error:
        raise _refuse(error) from error
    except RequestError as error:
        raise InvalidFile(str(error), (), 0) from error


def add_campaign(
    session: Session, actor: Actor, task: Task, prepared: PreparedCampaign, now: datetime
) -> Campaign:
    """Create a campaign whose rounds are planned and not open.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task.
        Conflict: the task is archived, or its gold cannot have values of the campaign's scale, or a gate has
            items whose gold is hidden.
        NameTaken: the task has a campaign with this short name.
    """
    access.require_organizer(session, actor, task)
    access.require_not_archived(task)
    config, golden = prepared.config, prepared.config.gold_round
    scale = (0.0, 1.0) if golden.kind == "bws" else (golden.scale.min, golden.scale.max)
    require_fitting(session, task, config.slug, None if config.level is None else scale)
    _require_no_hidden_gate(session, task, config)
    campaign = Campaign(
        task=task,
        bundle_sha256=storage_of(session).put(prepared.bundle),
        **actor.made(now),
        **campaign_values(config),
    )
    session.add(campaign)
    session.flush()
    session.add(ConsentVersion(campaign_id=campaign.id, number=1, texts=config.consent, **actor.made(now)))
    for round_, round_config, planned in zip(campaign.rounds, config.rounds, prepared.plans, strict=True):
        rows = _make_units(round_, round_config)
        # All rows together can need 300 MB; without the ORM, they take two fifths less time.
        while batch := list(islice(rows, BATCH)):
            session.connection().execute(insert(Unit), batch)
        plan = plans.store_plan(session, round_, planned, actor.user_id, now)
        details = {"bundle": campaign.bundle_sha256, "round": round_.slug, "units": len(round_config.units)}
        details |= {"assignments": plan.n_assignments, "sha256": plan.sha256}
        campaign_log.record(session, actor, now, "campaign.add", campaign, **details)
    return campaign


def require_fitting(session: Session, task: Task, slug: str, gold: tuple[float, float] | None) -> None:
    """Raise unless the task can have a campaign with this short name and gold of these values.

    Raises:
        Conflict: the gold would be outside the task's scale.
        NameTaken: the task has a campaign with this short name.
    """
    query = select(Campaign.id).where(Campaign.task_id == task.id, Campaign.slug == slug)
    if session.scalar(query) is not None:
        raise NameTaken.of(
            'This task already has a campaign with the short name "%(slug)s". Choose another one.', slug=slug
        )
    if gold is None or task.scale_min is None:
        return  # the scale of a draft may be chosen later, by the gold of the campaign
    (low, high), (task_low, task_high) = gold, task.scale
    if not task_low <= low < high <= task_high:
        raise Conflict.of(
            "The gold labels of the campaign, from %(low)g to %(high)g, are not within the task's scale, "
            "%(task_low)g to %(task_high)g, so the task could not use the gold standard.",
            low=low,
            high=high,
            task_low=task_low,
            task_high=task_high,
        )


def _require_no_hidden_gate(session: Session, task: Task, config: CampaignConfig) -> None:
    """Raise if a unit of a gate has the id or the texts of an item whose gold is hidden.

    Who passes and who does not would tell something about the gold.
    """
    units = [unit for round_ in config.rounds if round_.gate for unit in round_.calibration_units]
    hidden = [split for level in task.levels for split in level.splits if not split.public_gold]
    for split in hidden if units else ():
        items = scoring.items_of(session, split).items
        ids, texts = {item.id for item in items}, {(item.left, item.right) for item in items}
        for unit in units:
            if unit.key in ids or (unit.texts["left"], unit.texts["right"]) in texts:
                raise Conflict.of(
                    "The unit %(unit)s of a gate is an item of the split %(split)s of the level %(level)s, "
                    "whose gold is hidden. Use other texts.",
                    unit=unit.key,
                    split=split.name,
                    level=split.level.slug,
                )


def campaign_values(config: CampaignConfig) -> dict[str, Any]:
    """Return the columns of a campaign that its configuration decides, with its entries and rounds."""
    same = ("slug", "title", "contact", "text_language", "guide", "level", "split")
    return {
        **{name: getattr(config, name) for name in same},
        "languages": list(config.languages),
        "gold_rule": config.gold,
        "entries": [Entry(**asdict(entry)) for entry in config.entries],
        "rounds": [
            AnnotationRound(position=position, slug=round_.slug, kind=round_.kind, rules=round_)
            for position, round_ in enumerate(config.rounds, 1)
        ],
    }


def _make_units(round_: AnnotationRound, config: RoundConfig) -> Iterator[dict[str, Any]]:
    """Make the rows of the units of a round; the items of tuples are units too, which get gold."""
    of_role: dict[UnitRole, Sequence[PlannedUnit]] = {
        "main": config.units,
        "calibration": config.calibration_units,
        "item": config.items if config.kind == "bws" else (),
        "sentence": config.sentences,
    }
    for role, units in of_role.items():
        for position, unit in enumerate(units, 1):
            yield {
                "round_id": round_.id,
                "role": role,
                "position": position,
                "key": unit.key,
                "group_key": unit.group,
                "genre": unit.genre,
                "texts": unit.texts,
                "candidates": [[one.key, one.text] for one in unit.candidates] or None,
            }


def pack_files(folder: Path, config: CampaignConfig) -> bytes:
    """Zip the configuration and the files that it names, and nothing else of the folder."""
    table = parse_toml(read_bytes(str(folder / CONFIG_NAME)), CONFIG_NAME)["campaign"]
    named = [*table["consent"].values(), *table.get("guide", {}).values()]
    names = {CONFIG_NAME}
    for round_ in config.rounds:
        names |= {*round_.files}
    names |= {name for name in named if _is_file(folder, name)}
    target = BytesIO()
    write_zip(target, config.slug, [(name, (folder / name).read_bytes) for name in sorted(names)])
    return target.getvalue()


def _is_file(folder: Path, text: str) -> bool:
    """Whether a text of the configuration is the name of a file in the folder."""
    if "\n" in text or len(text) > 255:
        return False
    path = (folder / text).resolve()
    return path.is_relative_to(folder.resolve()) and path.is_file()


def _refuse(error: DataError) -> InvalidFile:
    words = ngettext("The campaign has %(num)d problem.", "The campaign has %(num)d problems.", error.count)
    problems = [
        FileProblem(
            problem.source, problem.line, problem.code, problem.message, problem.text, problem.count,
            problem.others,
        )
        for problem in error.problems
    ]  # fmt: skip
    return InvalidFile(words, problems, error.count)
