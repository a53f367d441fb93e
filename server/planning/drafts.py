"""Drafts of tasks: beginning one, and what it has and lacks, step by step, until it can be published."""

import re
import secrets
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Literal

from sqlalchemy import select
from sqlalchemy.orm import Session

from scorer.boards.board import BoardLevel, BoardRules
from scorer.errors import RequestError
from scorer.metrics import METRICS
from server.access import roles, service as access
from server.access.tasks import PhaseView
from server.audit import service as audit
from server.audit.models import AuditEntry
from server.core.actors import Actor
from server.core.i18n import N_, _, ngettext
from server.core.placeholders import is_placeholder
from server.levels import baseline_files
from server.levels.models import WaitingFile
from server.runs.models import Run
from server.submissions import standings
from server.tasks.contacts import has_contact
from server.tasks.models import Level, Task
from server.tasks.rules import draft_slug
from server.tasks.split_names import SPLITS, split_words

StepName = Literal["texts", "scale", "levels", "phases", "teams", "baselines"]
StepState = Literal["done", "guessed", "missing", "optional"]
STEP_TITLES: dict[StepName, str] = {
    "texts": N_("Description and terms"),
    "scale": N_("Scale and metrics"),
    "levels": N_("Levels and files"),
    "phases": N_("Phases"),
    "teams": N_("Rules for teams"),
    "baselines": N_("Baselines"),
}
GUESSED_STEPS: dict[StepName, re.Pattern[str]] = {
    "scale": re.compile("task.scoring|scale"),
    "levels": re.compile("level|items"),
    "phases": re.compile("phase"),
}
"""The steps whose values are guessed from the files of a package, and the actions that end that."""


def begin_draft(session: Session, actor: Actor, title: str, short_name: str, now: datetime) -> Task:
    """Begin a task without scale, levels and phases, with the person as its organizer.

    Raises:
        Conflict: the person has too many drafts.
    """
    assert actor.user_id is not None  # noqa: S101  (only an account may host a task)
    access.require_room_for_draft(session, actor)
    task = Task(
        slug=secrets.token_hex(16),
        title=title,
        description="",
        licence="",
        labels=[],
        metrics=["pearson", "spearman"],
        board_rules=asdict(BoardRules()),
        registration="open",
        created_at=now,
        state="draft",
    )
    session.add(task)
    session.flush()
    task.slug = draft_slug(short_name, task.id)
    session.flush()
    audit.record(session, actor, now, "task.begin", task.id, slug=short_name)
    roles.give_role(session, actor, task, actor.user_id, "organizer", now)
    return task


@dataclass(frozen=True, slots=True)
class Step:
    """A step of setting up a task, and in words what it has."""

    name: StepName
    state: StepState
    words: str
    missing: tuple[str, ...] = ()
    """What has to be there before the task can be published."""
    is_computing: bool = False
    """Whether the site still computes something for it."""

    @property
    def title(self) -> str:
        """The title of the step."""
        return _(STEP_TITLES[self.name])


def list_steps(session: Session, task: Task, phases: Sequence[PhaseView]) -> list[Step]:
    """List the steps by which a draft is set up, in order, with what is missing."""
    steps = (
        _describe_texts(session, task),
        _describe_scale(task),
        _describe_levels(session, task),
        _describe_phases(task, phases),
        _describe_teams(task),
        _describe_baselines(session, task),
    )
    guessed = _list_guessed_steps(session, task)
    return [
        replace(step, state="guessed") if step.state == "done" and step.name in guessed else step
        for step in steps
    ]


def _list_guessed_steps(session: Session, task: Task) -> set[StepName]:
    """Return the steps that the site guessed from the files of a package, and that nobody changed since."""
    of_task = select(AuditEntry).where(AuditEntry.task_id == task.id)
    first = session.scalar(of_task.where(AuditEntry.action == "task.import").limit(1))
    if first is None or "guessed" not in first.details:
        return set()
    later = of_task.with_only_columns(AuditEntry.action).where(AuditEntry.at > first.at).distinct()
    actions = session.scalars(later).all()
    return {step for step, names in GUESSED_STEPS.items() if not any(map(names.match, actions))}


def confirm_step(session: Session, actor: Actor, task: Task, step: StepName, now: datetime) -> bool:
    """Record that an organizer saved the page of a step as the site guessed it, if so; return whether."""
    if step not in _list_guessed_steps(session, task):
        return False
    action = {"scale": "scale.confirm", "levels": "levels.confirm", "phases": "phases.confirm"}[step]
    audit.record(session, actor, now, action, task.id)
    return True


def list_missing(session: Session, task: Task, phases: Sequence[PhaseView]) -> list[str]:
    """List what a task lacks without which it cannot be published."""
    return [words for step in list_steps(session, task, phases) for words in step.missing]


def _describe_texts(session: Session, task: Task) -> Step:
    present = {
        _("description"): task.description,
        _("licence"): task.licence,
        _("terms"): task.terms or "",
    }
    written = [name for name, text in present.items() if text.strip() and not is_placeholder(text)]
    words = ", ".join(written) or _("no texts yet")
    missing = []
    if not has_contact(task):
        missing.append(
            _(
                "Teams need to know who organizes the task and how to reach you. Enter the organizers and a "
                "contact."
            )
        )
    if session.scalar(select(Task.id).where(Task.slug == task.short_name, Task.id != task.id)) is not None:
        words_of_name = _(
            'Another task has the short name "%(name)s". Rename this one.', name=task.short_name
        )
        missing.append(words_of_name)
    if missing:
        return Step("texts", "missing", words, tuple(missing))
    return Step("texts", "done" if _("description") in written else "optional", words)


def _describe_scale(task: Task) -> Step:
    if task.scale_min is None or task.scale_max is None:
        missing = _("Enter the lowest and the highest value of the scale.")
        return Step("scale", "missing", _("no scale yet"), (missing,))
    words = _(
        "%(low)s to %(high)s; official metric: %(metric)s",
        low=f"{task.scale_min:g}",
        high=f"{task.scale_max:g}",
        metric=METRICS[task.metrics[0]].title,
    )
    fault = find_total_fault(task)
    return Step("scale", "done" if fault is None else "missing", words, () if fault is None else (fault,))


def find_total_fault(task: Task) -> str | None:
    """Return why the rules of the total do not fit the levels of the task, or None."""
    levels = [
        BoardLevel(level.slug, level.title, tuple(level.metrics), level.counts) for level in task.levels
    ]
    try:
        BoardRules(**task.board_rules).check(levels)
    except RequestError as error:
        return _("The total does not fit the levels: %(reason)s.", reason=str(error))
    return None


def _describe_levels(session: Session, task: Task) -> Step:
    if not task.levels:
        return Step("levels", "missing", _("no level yet"), (_("Add a level."),))
    query = select(WaitingFile.level_id, WaitingFile.split).join(Level, Level.id == WaitingFile.level_id)
    if task.scale_min is None:  # gold waits for the scale, which is missing itself
        query = query.where(WaitingFile.kind == "items")
    waiting = {(row[0], row[1]) for row in session.execute(query.where(Level.task_id == task.id))}
    missing = [
        _("The %(split)s files of %(level)s have problems.", split=split_words(split), level=level.title)
        for level in task.levels
        for split in SPLITS
        if (level.id, split) in waiting
    ]
    missing += [
        _("%(level)s has no items yet.", level=level.title)
        for level in task.levels
        if not level.splits and not any(number == level.id for number, _split in waiting)
    ]
    words = ngettext("%(num)d level", "%(num)d levels", len(task.levels))
    return Step("levels", "missing" if missing else "done", words, tuple(missing))


def _describe_phases(task: Task, phases: Sequence[PhaseView]) -> Step:
    if not phases:
        return Step("phases", "missing", _("no phase yet"), (_("Add a phase."),))
    present = {split.name for level in task.levels for split in level.splits}
    missing = tuple(
        _(
            "%(phase)s is on the %(split)s items, but no level has any.",
            phase=view.phase.title,
            split=split_words(view.phase.split),
        )
        for view in phases
        if view.phase.split not in present
    )
    words = ngettext("%(num)d phase", "%(num)d phases", len(phases))
    return Step("phases", "missing" if missing else "done", words, missing)


def _describe_teams(task: Task) -> Step:
    size, approved = task.team_size, task.registration == "approved"
    limit = _("no size limit") if size is None else _("at most %(size)d people", size=size)
    opening = _("an organizer approves each team") if approved else _("anyone can create a team")
    return Step("teams", "done", f"{limit}; {opening}")


def _describe_baselines(session: Session, task: Task) -> Step:
    query = (
        select(Run.name)
        .join(Run.phase)
        .where(Run.baseline.is_not(None), standings.RUN_WITHDRAWN.is_not(True))
    )
    names = session.scalars(query.where(Run.phase.has(task_id=task.id)).distinct().order_by(Run.name)).all()
    words, error = ", ".join(names) or _("none"), baseline_files.find_error(session, task)
    if error is not None:
        return Step("baselines", "optional", f"{words}. {error}")
    if n_missing := len(baseline_files.list_missing(session, task)):
        left = ngettext(
            "The site still computes %(num)d file.", "The site still computes %(num)d files.", n_missing
        )
        return Step("baselines", "done", f"{words}. {left}", is_computing=True)
    return Step("baselines", "done" if names else "optional", words)
