"""Hosting: the rows of a task as its bundle describes it."""

from dataclasses import asdict
from datetime import datetime
from typing import cast

from sqlalchemy.orm import Session

from scorer.bundles.bundle import Bundle, LevelSpec, PhaseSpec, SplitSpec
from server.core.actors import Actor
from server.core.storage import Storage
from server.corrections import service as gold
from server.phases.feedback import Feedback
from server.phases.models import Phase
from server.phases.rules import BoardMode
from server.scoring import service as scoring
from server.tasks.models import Level, Split, Task

IMPORTED = "imported with the task"


def add_task(session: Session, bundle: Bundle, now: datetime) -> Task:
    """The task itself, without its terms."""
    spec = bundle.task
    task = Task(
        slug=spec.slug,
        title=spec.title,
        description=spec.description,
        terms=None,
        licence=spec.licence,
        scale_min=spec.scale.min,
        scale_max=spec.scale.max,
        scale_step=spec.scale.step,
        labels=[list(label) for label in spec.scale.labels],
        keyed=None if spec.keyed is None else asdict(spec.keyed),
        confidence_max=spec.confidence_max,
        board_rules=asdict(bundle.rules),
        oov=bundle.oov,
        team_size=bundle.teams.size,
        registration=bundle.teams.registration,
        created_at=now,
    )
    session.add(task)
    session.flush()
    return task


def add_level(session: Session, storage: Storage, bundle: Bundle, task: Task, spec: LevelSpec) -> Level:
    """A level with its splits, after those that the task has; without gold."""
    level = Level(
        task_id=task.id,
        position=len(task.levels),
        slug=spec.slug,
        title=spec.title,
        sides=list(spec.sides),
        layout=scoring.layout_values(spec.layout),
        metrics=list(spec.metrics),
        counts=spec.counts,
        senses_sha256=None if spec.senses is None else storage.put(bundle.read(spec.senses)),
    )
    level.task = task
    session.add(level)
    session.flush()
    for split_spec in spec.splits.values():
        split = _split(storage, bundle, spec, split_spec)
        split.level = level
        session.add(split)
        session.flush()
    return level


def add_gold(
    session: Session,
    storage: Storage,
    actor: Actor,
    bundle: Bundle,
    level: Level,
    spec: LevelSpec,
    now: datetime,
) -> None:
    """The gold that the bundle has for a level, as the first version of each split."""
    for split in level.splits:
        path = spec.splits[split.name].gold
        if path is not None:
            data = bundle.gold_data(spec, split.name, path, split.n_items)
            version = gold.add_version(session, storage, actor, split, data, IMPORTED, now)
            gold.add_event(session, actor, version, "published", IMPORTED, now)


def add_phases(session: Session, bundle: Bundle, task: Task) -> dict[str, Phase]:
    """The phases by their slugs."""
    phases = [_phase(task, spec, position) for position, spec in enumerate(bundle.phases)]
    session.add_all(phases)
    session.flush()
    return {phase.slug: phase for phase in phases}


def _split(storage: Storage, bundle: Bundle, level: LevelSpec, spec: SplitSpec) -> Split:
    items = bundle.items(level, spec.name)
    parts = bundle.parts(level, spec.name, items)
    public = None if spec.public_items is None else storage.put(bundle.read(spec.public_items))
    return Split(
        name=spec.name,
        items_sha256=storage.put(bundle.read(spec.items)),
        n_items=len(items),
        public_items_sha256=public,
        n_public=None if parts is None else len(parts[0].places),
        public_gold=spec.public_gold,
        held_out_genres=list(spec.held_out_genres),
    )


def _phase(task: Task, spec: PhaseSpec, position: int) -> Phase:
    phase = Phase(
        task_id=task.id,
        position=position,
        slug=spec.slug,
        title=spec.title,
        split=spec.split,
        opens=spec.opens,
        closes=spec.closes,
        grace_hours=spec.grace_hours,
        feedback=cast(Feedback, spec.feedback),  # the bundle was checked
        feedback_places=spec.feedback_places,
        ladder_step=spec.ladder_step,
        board=cast(BoardMode, spec.board),
        runs_public=spec.runs_public,
        runs_per_team=spec.runs_per_team,
        files_per_level=spec.files_per_level,
        files_per_day=spec.files_per_day,
        reminders=list(spec.reminders),
        baselines=spec.baselines,
    )
    phase.task = task
    return phase
