"""Creating a campaign from `annotation.toml` and the files that it names.

Reading and planning happen before the transaction, because planning many units takes seconds.
"""

import tomllib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from scorer.campaigns.assignments import Plan, plan_round
from scorer.campaigns.config import CampaignConfig, RoundConfig
from scorer.campaigns.config import Unit as PlannedUnit
from scorer.campaigns.reader import read_campaign
from scorer.errors import DataError
from server.access import service as access
from server.annotation import campaign_log
from server.annotation.assignments import plans
from server.annotation.models import AnnotationRound, Campaign, ConsentVersion, Entry, Unit, UnitRole
from server.core.actors import Actor
from server.core.errors import Conflict, FileProblem, InvalidFile, NameTaken
from server.core.i18n import _, ngettext
from server.core.storage import Storage
from server.core.zips import write_zip
from server.tasks.models import Task

CONFIG_FILE = "annotation.toml"


@dataclass(frozen=True, slots=True)
class PreparedCampaign:
    """A campaign that was read, with a plan for each round; `bundle`: the zip file of its files."""

    config: CampaignConfig
    plans: tuple[Plan, ...]
    bundle: bytes


@contextmanager
def folder_of(files: Iterable[tuple[str, bytes]]) -> Iterator[Path]:
    """Yield a folder with files of these names, while it is needed; only the last part of a name is used."""
    with TemporaryDirectory(prefix="assay-campaign-") as name:
        for path, data in files:
            last = Path(path).name
            (Path(name) / (last if last.strip(".") else "unnamed")).write_bytes(data)
        yield Path(name)


def prepare_campaign(folder: Path) -> PreparedCampaign:
    """Read the campaign of a folder and plan its rounds; does not access the database.

    Raises:
        InvalidFile: with every problem of the files.
    """
    try:
        config = read_campaign(folder)
    except DataError as error:
        raise _refuse(error) from error
    return PreparedCampaign(config, tuple(map(plan_round, config.rounds)), _pack(folder, config))


def add_campaign(
    session: Session, storage: Storage, actor: Actor, task: Task, prepared: PreparedCampaign, now: datetime
) -> Campaign:
    """Create a campaign whose rounds are planned and not open.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task.
        Conflict: the task is archived, or its gold cannot have values of the campaign's scale.
        NameTaken: the task has a campaign with this short name.
    """
    access.require_organizer(session, actor, task)
    access.require_not_archived(task)
    config = prepared.config
    _require_free_slug(session, task, config.slug)
    _require_scale_of(task, config)
    campaign = Campaign(
        task=task,
        bundle_sha256=storage.put(prepared.bundle),
        made_by=actor.user_id,
        made_at=now,
        **campaign_values(config),
    )
    session.add(campaign)
    session.flush()
    session.add(
        ConsentVersion(
            campaign_id=campaign.id, number=1, texts=config.consent, made_by=actor.user_id, made_at=now
        )
    )
    for round_, round_config, planned in zip(campaign.rounds, config.rounds, prepared.plans, strict=True):
        session.add_all(_make_units(round_, round_config))
        plan = plans.store_plan(session, storage, round_, planned, actor.user_id, now)
        campaign_log.record(
            session,
            actor,
            now,
            "campaign.add",
            campaign,
            bundle=campaign.bundle_sha256,
            round=round_.slug,
            units=len(round_config.units),
            assignments=plan.n_assignments,
            sha256=plan.sha256,
        )
    return campaign


def _require_free_slug(session: Session, task: Task, slug: str) -> None:
    query = select(Campaign.id).where(Campaign.task_id == task.id, Campaign.slug == slug)
    if session.scalar(query) is not None:
        raise NameTaken(
            _(
                'This task already has a campaign with the short name "%(slug)s". Choose another one.',
                slug=slug,
            )
        )


def _require_scale_of(task: Task, config: CampaignConfig) -> None:
    """Raise if the gold of the campaign would be outside the task's scale."""
    if config.level is None or task.scale_min is None:
        return  # the scale of a draft may be chosen later, by the gold of the campaign
    round_, (task_low, task_high) = config.gold_round, task.scale
    low, high = (0.0, 1.0) if round_.kind == "bws" else (round_.scale.min, round_.scale.max)
    if not task_low <= low < high <= task_high:
        raise Conflict(
            _(
                "The gold labels of the campaign, from %(low)g to %(high)g, are not within the task's scale, "
                "%(task_low)g to %(task_high)g, so the task could not use the gold standard.",
                low=low,
                high=high,
                task_low=task_low,
                task_high=task_high,
            )
        )


def campaign_values(config: CampaignConfig) -> dict[str, Any]:
    """Return the columns of a campaign that its configuration decides, with its entries and rounds."""
    return {
        "slug": config.slug,
        "title": config.title,
        "contact": config.contact,
        "languages": list(config.languages),
        "text_language": config.text_language,
        "guide": config.guide,
        "level": config.level,
        "split": config.split,
        "gold_rule": config.gold,
        "entries": [Entry(**asdict(entry)) for entry in config.entries],
        "rounds": [
            AnnotationRound(position=position, slug=round_.slug, kind=round_.kind, rules=round_)
            for position, round_ in enumerate(config.rounds, 1)
        ],
    }


def _make_units(round_: AnnotationRound, config: RoundConfig) -> Iterator[Unit]:
    """Make the units of a round; the items of tuples are units too, which get gold."""
    of_role: dict[UnitRole, Sequence[PlannedUnit]] = {
        "main": config.units,
        "calibration": config.calibration_units,
        "item": config.items if config.kind == "bws" else (),
    }
    for role, units in of_role.items():
        for position, unit in enumerate(units, 1):
            yield Unit(
                round_id=round_.id,
                role=role,
                position=position,
                key=unit.key,
                group=unit.group,
                genre=unit.genre,
                texts=unit.texts,
                candidates=[[one.key, one.text] for one in unit.candidates] or None,
            )


def _pack(folder: Path, config: CampaignConfig) -> bytes:
    """Zip the configuration and the files that it names, and nothing else of the folder."""
    table = tomllib.loads((folder / CONFIG_FILE).read_text(encoding="utf-8"))["campaign"]
    named = [*table["consent"].values(), *table.get("guide", {}).values()]
    names = {CONFIG_FILE}
    for round_ in config.rounds:
        files = round_.units_file, round_.tuples_file, round_.calibration_file
        names |= {name for name in files if name}
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
