"""Imports: reads and checks a bundle, and hosts its task, whole or not at all."""

import secrets
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from scorer.bundles.bundle import Bundle, LevelSpec, PhaseSpec, RunSpec, SplitSpec
from scorer.bundles.checks import check_bundle
from scorer.bundles.reader import read_bundle
from scorer.bundles.recompute import Recomputation
from scorer.errors import DataError, Problem, RequestError
from server.access import roles, tasks, terms
from server.accounts.models import User
from server.audit import service as audit
from server.bundles.task_history import restoring
from server.bundles.task_history.plan import HistoryPlan, plan_history, require_past
from server.bundles.task_toml import PHASE_KEYS
from server.core.actors import Actor
from server.core.errors import FileProblem, InvalidFile, NameTaken
from server.core.i18n import _
from server.core.storage import Storage, storage_of
from server.corrections import service as gold
from server.gold import versions as gold_versions
from server.phases.models import Phase
from server.runs import service as runs
from server.runs.models import Run
from server.scoring import service as scoring
from server.submissions import follow_up_jobs, service as submissions
from server.tasks.models import Level, Split, Task
from server.tasks.rules import draft_slug
from server.teams import service as teams
from server.teams.models import Team


@dataclass(frozen=True, slots=True)
class PlannedSubmission:
    """A run file of the bundle, or a baseline's; `data` is None if a job computes it."""

    run: RunSpec
    phase: str
    level: str
    data: bytes | None
    filename: str
    late: bool = False


@dataclass(frozen=True, slots=True)
class ImportPlan:
    """A bundle that was read and checked completely."""

    bundle: Bundle
    answers: tuple[PlannedSubmission, ...]
    history: HistoryPlan | None = None
    """The history of the task, which contains its runs."""
    is_guessed: bool = False
    """Whether the site wrote the task.toml, from what the files of a package seem to be."""


def plan_import(
    folder: Path, config: Path | None = None, wordnet: str | None = None, *, computes_baselines: bool = True
) -> ImportPlan:
    """Read and check a bundle, and compute its baselines, or leave them to a job; reads no database.

    Raises:
        InvalidFile: with its problems, each naming the file, and the key or line; of `task.toml` first.
    """
    try:
        bundle = read_bundle(folder, config)
        _require_phases(bundle)
        check_bundle(bundle)
        if bundle.history is not None:
            return ImportPlan(bundle, (), plan_history(bundle, bundle.history))
        return ImportPlan(bundle, tuple(_plan_submissions(bundle, wordnet, computes_baselines)))
    except DataError as error:
        raise scoring.rejection_of(error, _("The bundle")) from error
    except RequestError as error:
        name = "task.toml" if config is None else config.name
        raise InvalidFile(
            _("The bundle has a problem."), [FileProblem(name, None, error.code, str(error))], 1
        ) from error


def import_task(
    session: Session,
    actor: Actor,
    plan: ImportPlan,
    organizers: list[User],
    now: datetime,
    *,
    published: bool = False,
) -> Task:
    """Host a planned task, as a draft unless `published`.

    Raises:
        NameTaken: it is published or has a history, and there is a task with this slug.
        InvalidFile: its history has times in the future.
    """
    bundle = plan.bundle
    if plan.history is not None:
        require_past(plan.history.history, now)
    reserved = published or plan.history is not None  # documents of a history are signed under its name
    if reserved and _is_taken(session, bundle.task.slug):
        raise NameTaken.of(
            'There is already a task "%(slug)s". Change the key slug in task.toml and import the bundle '
            "again.",
            slug=bundle.task.slug,
        )
    task = add_task(session, bundle, now, reserved=reserved)
    if published:
        task.state, task.published_at = "published", now
    _record_import(session, actor, task, plan, now)
    for user in organizers:
        roles.give_role(session, actor, task, user.id, "organizer", now)
    levels = [add_level(session, bundle, task, spec) for spec in bundle.levels]
    phases = add_phases(session, bundle, task)
    if plan.history is not None:
        restoring.restore_history(session, task, phases, plan.history)
        return task
    if bundle.task.terms is not None:
        terms.add_version(session, task, bundle.task.terms, now, actor.user_id)
    for level, spec in zip(levels, bundle.levels, strict=True):
        add_gold(session, actor, bundle, level, spec, now)
    _SubmissionWriter(session, actor, task, phases, now).add(plan.answers)
    if any(answer.data is None for answer in plan.answers):
        follow_up_jobs.add_baseline_job(session, task.id, now)
    for phase in phases.values():
        follow_up_jobs.add_follow_up_jobs(session, phase, now)
    return task


def require_free_slug(session: Session, slug: str) -> None:
    """Raise if there is a task with this slug.

    Raises:
        NameTaken: there is one.
    """
    if _is_taken(session, slug):
        raise NameTaken.of('There is already a task "%(slug)s". Choose another short name.', slug=slug)


def _is_taken(session: Session, slug: str) -> bool:
    return session.scalar(select(Task.id).where(Task.slug == slug)) is not None


def keep_files(storage: Storage, plan: ImportPlan) -> None:
    """Store the many files of a history before the write lock is taken; `import_task` stores the others."""
    if plan.history is not None:
        restoring.keep_files(storage, plan.history)


def _record_import(session: Session, actor: Actor, task: Task, plan: ImportPlan, now: datetime) -> None:
    """Record the whole import in one entry: a history is identified by its SHA-256."""
    came_with: dict[str, Any] = (
        {}
        if plan.history is None
        else {
            "history": plan.history.sha256,
            "submissions": len(plan.history.history.rows["submissions"]),
            "releases": len(plan.history.history.rows["releases"]),
        }
    )
    if task.state == "draft":
        came_with["draft"] = True
    if plan.is_guessed:
        came_with["guessed"] = True
    audit.record(session, actor, now, "task.import", task.id, slug=task.short_name, **came_with)


def _require_phases(bundle: Bundle) -> None:
    if not bundle.phases:
        message = "phase: is missing; a task on a site needs at least one [[phase]]"
        raise DataError([Problem(bundle.source, None, "missing_key", message)])


def _plan_submissions(
    bundle: Bundle, wordnet: str | None, computes_baselines: bool
) -> list[PlannedSubmission]:
    answers = []
    for phase in bundle.phases:
        work = Recomputation(bundle, phase.split, wordnet, phase)
        for run in bundle.runs:
            for level in work.levels if bundle.belongs(run, phase) else ():
                answers += _plan_run_files(work, run, phase, level, computes_baselines)
    return answers


def _plan_run_files(
    work: Recomputation, run: RunSpec, phase: PhaseSpec, level: LevelSpec, computes_baselines: bool
) -> list[PlannedSubmission]:
    """Return the files of a run by level, without those that have NA in every line."""
    if run.computed is not None and run.file(level.slug, late=False) is None:
        data = work.baseline(run.computed, level).encode() if computes_baselines else None
        return [PlannedSubmission(run, phase.slug, level.slug, data, f"{run.name}.{level.slug}.tsv")]
    answers = []
    for late in (False, True):
        path = run.file(level.slug, late=late)
        if path is not None and work.answer(run, level, late=late) is not None:
            data, filename = work.bundle.read(path), PurePosixPath(path).name
            answers.append(PlannedSubmission(run, phase.slug, level.slug, data, filename, late))
    return answers


def describe_run(run: Run, spec: RunSpec) -> None:
    """Set a run's texts from its bundle."""
    texts = {name: getattr(spec, name) for name in asdict(runs.RunTexts())}
    runs.set_texts(run, runs.RunTexts(**texts | {"links": "\n".join(spec.links)}))
    run.is_primary = spec.primary


@dataclass(frozen=True, slots=True)
class _SubmissionWriter:
    """Stores the bundle's run files as submissions, and creates their teams and runs."""

    session: Session
    actor: Actor
    task: Task
    phases: Mapping[str, Phase]
    now: datetime
    runs: dict[tuple[str, str, str], Run] = field(default_factory=dict)

    def add(self, answers: tuple[PlannedSubmission, ...]) -> None:
        for answer in answers:
            run = self._run(answer.run, self.phases[answer.phase])
            if answer.data is None:
                continue
            level, split = tasks.get_level_split(self.task, answer.level, run.phase.split)
            baseline = answer.run.baseline is not None
            parsed = scoring.parse_run(self.session, split, answer.data, answer.filename, baseline=baseline)
            upload = submissions.Upload(
                run, level, answer.data, answer.filename, parsed.warnings, answer.late
            )
            scored = self._score(answer, level, split, parsed)
            submissions.add_imported_submission(self.session, self.actor, upload, scored, self.now)

    def _score(
        self, answer: PlannedSubmission, level: Level, split: Split, parsed: scoring.ParsedRun
    ) -> submissions.ResultsWithGold | None:
        """Return the scores; None: a baseline whose gold file is added later, when it is scored."""
        version = gold_versions.find_gold(self.session, split)
        if version is not None:
            values = scoring.gold_of(self.session, split, version)
            parts = scoring.parts_of(self.session, split)
            return submissions.ResultsWithGold(
                version, scoring.evaluate_run(values, parsed, level.metrics, parts)
            )
        if answer.run.baseline is not None:
            return None
        where = f"level[{answer.level}].{split.name}.gold"
        message = f"{where}: is missing, and run[{answer.run.name}] has a file there that it should score"
        problem = FileProblem("task.toml", None, "missing_key", message)
        raise InvalidFile(_("The bundle has a problem."), [problem], 1)

    def _run(self, spec: RunSpec, phase: Phase) -> Run:
        key = (spec.team, spec.name, phase.slug)
        if key not in self.runs:
            team = self._team(spec.team)
            run = self.runs[key] = runs.add_run(
                self.session, team, phase, spec.name, spec.description, self.now, spec.baseline
            )
            describe_run(run, spec)
        return self.runs[key]

    def _team(self, name: str) -> Team:
        team = teams.find_team_by_name(self.session, self.task, name)
        return team if team is not None else teams.add_team(self.session, self.task, name, self.now)


IMPORT_REASON = "first version of the task"


def add_task(session: Session, bundle: Bundle, now: datetime, *, reserved: bool) -> Task:
    """Add the task itself, without its terms; its short name is that of a draft unless `reserved`."""
    spec = bundle.task
    task = Task(
        slug=spec.slug if reserved else secrets.token_hex(16),
        title=spec.title,
        description=spec.description,
        terms=None,
        licence=spec.licence,
        organizers=spec.organizers,
        contact=spec.contact,
        mailing_list=spec.mailing_list,
        citation=spec.citation,
        scale_min=spec.scale.min,
        scale_max=spec.scale.max,
        scale_step=spec.scale.step,
        labels=[list(label) for label in spec.scale.labels],
        keyed=None if spec.keyed is None else asdict(spec.keyed),
        confidence_max=spec.confidence_max,
        metrics=list(bundle.levels[0].metrics),
        board_rules=asdict(bundle.rules),
        oov=bundle.oov,
        team_size=bundle.teams.size,
        registration=bundle.teams.registration,
        created_at=now,
        state="draft",
    )
    session.add(task)
    session.flush()
    if not reserved:
        task.slug = draft_slug(spec.slug, task.id)
        session.flush()
    return task


def add_level(session: Session, bundle: Bundle, task: Task, spec: LevelSpec) -> Level:
    """Add a level with its splits after the task's other levels; without gold versions."""
    level = Level(
        task_id=task.id,
        position=len(task.levels),
        slug=spec.slug,
        title=spec.title,
        sides=list(spec.sides),
        layout=scoring.layout_values(spec.layout),
        metrics=list(spec.metrics),
        counts=spec.counts,
        senses_sha256=None if spec.senses is None else storage_of(session).put(bundle.read(spec.senses)),
    )
    level.task = task
    session.add(level)
    session.flush()
    for split_spec in spec.splits.values():
        split = _new_split(session, bundle, spec, split_spec)
        split.level = level
        session.add(split)
        session.flush()
    return level


def add_gold(
    session: Session, actor: Actor, bundle: Bundle, level: Level, spec: LevelSpec, now: datetime
) -> None:
    """Add the gold files of the bundle for a level, as the first version of each split."""
    for split in level.splits:
        path = spec.splits[split.name].gold
        if path is not None:
            data = bundle.gold_data(spec, split.name, path, split.n_items)
            version = gold.add_version(session, actor, split, data, IMPORT_REASON, now)
            gold.add_event(session, actor, version, "published", IMPORT_REASON, now)


def add_phases(session: Session, bundle: Bundle, task: Task) -> dict[str, Phase]:
    """Add the phases, and return them by slug."""
    phases = [_new_phase(task, spec, position) for position, spec in enumerate(bundle.phases)]
    session.add_all(phases)
    session.flush()
    return {phase.slug: phase for phase in phases}


def _new_split(session: Session, bundle: Bundle, level: LevelSpec, spec: SplitSpec) -> Split:
    items = bundle.items(level, spec.name)
    parts = bundle.parts(level, spec.name, items)
    public = None if spec.public_items is None else storage_of(session).put(bundle.read(spec.public_items))
    return Split(
        name=spec.name,
        items_sha256=storage_of(session).put(bundle.read(spec.items)),
        n_items=len(items),
        public_items_sha256=public,
        n_public=None if parts is None else len(parts[0].places),
        public_gold=spec.public_gold,
        held_out_genres=list(spec.held_out_genres),
    )


def _new_phase(task: Task, spec: PhaseSpec, position: int) -> Phase:
    values = {column: getattr(spec, column) for column in PHASE_KEYS} | {"reminders": list(spec.reminders)}
    phase = Phase(task_id=task.id, position=position, **values)
    phase.task = task
    return phase
