"""Bundles: hosting a task from a folder that describes it, whole or not at all."""

from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import Path, PurePosixPath

from sqlalchemy import select
from sqlalchemy.orm import Session

from scorer.baselines import open_senses
from scorer.bundle import Bundle, LevelSpec, PhaseSpec, RunSpec, SplitSpec, check_bundle
from scorer.bundle_reader import read_bundle
from scorer.errors import DataError, Problem, RequestError
from scorer.recompute import Recomputation
from server.domain.actors import Actor
from server.errors import BadLine, NameTaken, Refused
from server.models import Level, Organizer, Phase, Run, Split, Task, Team, User
from server.services import audit, gold, runs, scoring, submissions, tasks, teams
from server.storage import Storage


@dataclass(frozen=True, slots=True)
class Answer:
    """A run file of the bundle, or a baseline's computed one."""

    run: RunSpec
    phase: str
    level: str
    data: bytes
    filename: str


@dataclass(frozen=True, slots=True)
class Plan:
    """A bundle that was read and checked whole, with its baselines computed."""

    bundle: Bundle
    answers: tuple[Answer, ...]


def plan_import(folder: Path, config: Path | None = None, wordnet: str | None = None) -> Plan:
    """Read and check a bundle, and compute its baselines; touches no database.

    Raises:
        Refused: with every problem, each naming the file, and the key or line.
    """
    try:
        bundle = read_bundle(folder, config)
        _require_phases(bundle)
        check_bundle(bundle)
        _check_senses(bundle)
        return Plan(bundle, tuple(_answers(bundle, wordnet)))
    except DataError as error:
        raise scoring.refused(error, "The bundle") from error
    except RequestError as error:
        name = "task.toml" if config is None else config.name
        raise Refused(
            "The bundle has 1 problem.", [BadLine(name, None, error.code, str(error))], 1
        ) from error


def import_task(
    session: Session,
    storage: Storage,
    actor: Actor,
    plan: Plan,
    organizers: list[User],
    now: datetime,
) -> Task:
    """Host a planned task.

    Raises:
        NameTaken: there is a task with its slug already.
    """
    bundle = plan.bundle
    if session.scalar(select(Task.id).where(Task.slug == bundle.task.slug)) is not None:
        raise NameTaken(f'There is a task "{bundle.task.slug}" already; choose another slug.')
    task = _task(bundle, now)
    session.add(task)
    session.flush()
    audit.record(session, actor, now, "task.import", task.id, slug=task.slug)
    for user in organizers:
        session.add(Organizer(task_id=task.id, user_id=user.id, added_at=now))
        audit.record(session, actor, now, "organizer.add", task.id, user=f"user:{user.id}")
    for position, level in enumerate(bundle.levels):
        _add_level(session, storage, actor, bundle, task, level, position, now)
    phases = [_phase(task, spec, position) for position, spec in enumerate(bundle.phases)]
    session.add_all(phases)
    session.flush()
    _Answers(session, storage, actor, task, {phase.slug: phase for phase in phases}, now).add(plan.answers)
    return task


def _require_phases(bundle: Bundle) -> None:
    if not bundle.phases:
        message = "phase: is missing; a task that is hosted has at least one [[phase]]"
        raise DataError([Problem(bundle.source, None, "missing_key", message)])


def _check_senses(bundle: Bundle) -> None:
    """Levels bring their senses for baselines, which a bundle need not name: read them here."""
    for name in dict.fromkeys(level.senses for level in bundle.levels if level.senses is not None):
        try:
            open_senses(str(bundle.folder / name))
        except DataError as error:
            problems = [replace(problem, source=name) for problem in error.problems]
            raise DataError(problems, error.count) from error


def _answers(bundle: Bundle, wordnet: str | None) -> list[Answer]:
    answers = []
    for phase in bundle.phases:
        work = Recomputation(bundle, phase.split, wordnet)
        for run in bundle.runs:
            for level in work.levels if _belongs(bundle, run, phase) else ():
                answers += _answer(work, run, phase, level)
    return answers


def _belongs(bundle: Bundle, run: RunSpec, phase: PhaseSpec) -> bool:
    """Baselines belong to every phase, a run to the one it names, or else to the main one."""
    if run.phase is not None:
        return run.phase == phase.slug
    return run.baseline is not None or phase is bundle.main_phase


def _answer(work: Recomputation, run: RunSpec, phase: PhaseSpec, level: LevelSpec) -> list[Answer]:
    if run.baseline is not None:
        text = work.baseline(run.baseline, level)
        return [Answer(run, phase.slug, level.slug, text.encode(), f"{run.name}.{level.slug}.tsv")]
    path = run.files.get(level.slug)
    if path is None:
        return []
    return [Answer(run, phase.slug, level.slug, work.bundle.read(path), PurePosixPath(path).name)]


def _task(bundle: Bundle, now: datetime) -> Task:
    spec = bundle.task
    return Task(
        slug=spec.slug,
        title=spec.title,
        description=spec.description,
        terms=spec.terms,
        licence=spec.licence,
        scale_min=spec.scale.min,
        scale_max=spec.scale.max,
        scale_step=spec.scale.step,
        labels=[list(label) for label in spec.scale.labels],
        keyed=None if spec.keyed is None else asdict(spec.keyed),
        board_rules=asdict(bundle.rules),
        created_at=now,
    )


def _add_level(
    session: Session,
    storage: Storage,
    actor: Actor,
    bundle: Bundle,
    task: Task,
    spec: LevelSpec,
    position: int,
    now: datetime,
) -> None:
    senses = None
    if spec.senses is not None:
        senses = storage.put(bundle.read(spec.senses))
    level = Level(
        task_id=task.id,
        position=position,
        slug=spec.slug,
        title=spec.title,
        sides=list(spec.sides),
        layout=asdict(spec.layout),
        metrics=list(spec.metrics),
        counts=spec.counts,
        senses_sha256=senses,
    )
    level.task = task
    session.add(level)
    session.flush()
    for split_spec in spec.splits.values():
        split = _split(storage, bundle, spec, split_spec)
        split.level = level
        session.add(split)
        session.flush()
        if split_spec.gold is not None:
            data = bundle.read(split_spec.gold)
            gold.add_version(session, storage, actor, split, data, "imported with the task", now)


def _split(storage: Storage, bundle: Bundle, level: LevelSpec, spec: SplitSpec) -> Split:
    return Split(
        name=spec.name,
        items_sha256=storage.put(bundle.read(spec.items)),
        n_items=len(bundle.items(level, spec.name)),
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
        feedback=spec.feedback,
        runs_public=spec.runs_public,
        runs_per_team=spec.runs_per_team,
        files_per_level=spec.files_per_level,
    )
    phase.task = task
    return phase


class _Answers:
    """Puts the bundle's run files in place as submissions, teams and runs being made as they come."""

    def __init__(
        self,
        session: Session,
        storage: Storage,
        actor: Actor,
        task: Task,
        phases: dict[str, Phase],
        now: datetime,
    ) -> None:
        self.session = session
        self.storage = storage
        self.actor = actor
        self.task = task
        self.phases = phases
        self.now = now
        self.runs: dict[tuple[str, str, str], Run] = {}

    def add(self, answers: tuple[Answer, ...]) -> None:
        for answer in answers:
            run = self._run(answer.run, self.phases[answer.phase])
            level, split = tasks.get_level_split(self.task, answer.level, run.phase.split)
            baseline = answer.run.baseline is not None
            parsed = scoring.parse_run(self.storage, split, answer.data, answer.filename, baseline=baseline)
            late = answer.level in answer.run.late
            upload = submissions.Upload(run, level, answer.data, answer.filename, parsed.warnings, late)
            scored = self._score(answer, level, split, parsed)
            submissions.place(self.session, self.storage, self.actor, upload, scored, self.now)

    def _score(
        self, answer: Answer, level: Level, split: Split, parsed: scoring.ParsedRun
    ) -> submissions.Scored | None:
        """The scores; None for a baseline whose gold is still to come, and scores it then."""
        version = tasks.find_gold(self.session, split)
        if version is not None:
            values = scoring.gold_of(self.storage, split, version)
            return submissions.Scored(version, scoring.evaluate_run(values, parsed, level.metrics))
        if answer.run.baseline is not None:
            return None
        where = f"level[{answer.level}].{split.name}.gold"
        message = f"{where}: is missing, and run[{answer.run.name}] has a file there that it should score"
        problem = BadLine("task.toml", None, "missing_key", message)
        raise Refused("The bundle has 1 problem.", [problem], 1)

    def _run(self, spec: RunSpec, phase: Phase) -> Run:
        key = (spec.team, spec.name, phase.slug)
        if key not in self.runs:
            team = self._team(spec.team)
            self.runs[key] = runs.add_run(
                self.session, team, phase, spec.name, spec.description, self.now, spec.baseline
            )
        return self.runs[key]

    def _team(self, name: str) -> Team:
        team = teams.find_team_by_name(self.session, self.task, name)
        return team if team is not None else teams.add_team(self.session, self.task, name, self.now)
