"""Reading the audit log: who may read which entries, the newest first, and the names in them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import (
    ColumnElement,
    CompoundSelect,
    Select,
    Text,
    and_,
    case,
    cast,
    false,
    func,
    or_,
    select,
    union_all,
)
from sqlalchemy.orm import Session

from server.access import service as access
from server.accounts.models import User
from server.activity.actions import PUBLIC_ACTIONS, ActionKind, find_kind, list_actions
from server.activity.entry_sentences import (
    TRANSLATED,
    UNTRANSLATED,
    EntryFacts,
    KnownNames,
    SentencePart,
    SubmittedFile,
    Translator,
    person_id,
    read_row_id,
    write_sentence_parts,
)
from server.audit import service as audit
from server.audit.models import AuditEntry
from server.core.actors import Actor
from server.core.errors import Forbidden
from server.core.i18n import _
from server.phases.models import Phase
from server.runs.models import Run
from server.submissions.models import Submission
from server.tasks.models import Level, Task, TaskRole
from server.tasks.rules import HIDDEN_STATES
from server.teams import service as teams
from server.teams.models import Team

PER_PAGE = 100
ACTIONS_FOR_ALL_TASKS = ("key.add",)
BATCH = 1000
"""The number of entries in a batch, so that a long log needs no more memory than a short one."""


@dataclass(frozen=True, slots=True)
class LogFilter:
    """Which entries to read: those before a number, of a kind, of a team."""

    before: int | None = None
    kind: ActionKind | None = None
    team_id: int | None = None


SLUG_KEYS = ("slug", "old")
"""The keys of details that may contain the slug of a task."""


@dataclass(frozen=True, slots=True)
class LogLine:
    """An entry as people read it."""

    entry: AuditEntry
    parts: Sequence[SentencePart]
    """Who did what, without the full stop."""
    task: str | None
    """The slug of its task, in the log of the whole site."""

    @property
    def kind(self) -> ActionKind | None:
        """The kind of its action."""
        return find_kind(self.entry.action)

    @property
    def words(self) -> str:
        """The whole sentence."""
        return f"{''.join(part.words for part in self.parts)}."


@dataclass(frozen=True, slots=True)
class LogPage:
    """A page of the log."""

    lines: Sequence[LogLine]
    older: int | None
    """The number before which the next page starts; None: this is the last page."""
    head: tuple[int, str] | None
    """The number and the hash of the site's newest entry."""


def see_task_log(session: Session, actor: Actor, task: Task, log_filter: LogFilter) -> LogPage:
    """Read the entries of a task, for people who may see all of it.

    Raises:
        Forbidden, NotFound: `actor` may not see all of the task.
        NotFound: there is no such team in it.
    """
    access.require_observer(session, actor, task)
    if log_filter.team_id is not None:
        teams.get_team(session, task, log_filter.team_id, own=True)
    newest = select(AuditEntry).where(AuditEntry.number.in_(_newest_task_numbers(session, task, log_filter)))
    return _read_page(session, newest, log_filter, task)


def see_team_log(session: Session, actor: Actor, task: Task, log_filter: LogFilter) -> tuple[Team, LogPage]:
    """Read the entries about the actor's team, and those about the task that all teams may see.

    Raises:
        Forbidden: `actor` may see all of the task, and so has no team.
        NotFound: `actor` is not in a team.
    """
    team = access.find_team(session, actor, task)
    if team is None:
        access.require_observer(session, actor, task)
        raise Forbidden.of(
            "You are not in a team of this task. Organizers find the complete log under Organize."
        )
    return team, _read_page(session, _team_entries(task, team), replace(log_filter, team_id=None), task, team)


def see_site_log(session: Session, actor: Actor, log_filter: LogFilter) -> LogPage:
    """Read all entries of the site, for site administrators: teams, runs and files appear as numbers.

    Raises:
        NotFound: `actor` is not an administrator.
    """
    access.require_admin(session, actor)
    return _read_page(session, select(AuditEntry), log_filter, None)


def stream_task_log(session: Session, task: Task) -> Iterator[list[LogLine]]:
    """Yield all entries of a task, the oldest first, in batches; the caller checks the permission."""
    last = 0
    while True:
        query = _task_entries(task).where(AuditEntry.number > last).order_by(AuditEntry.number).limit(BATCH)
        entries = list(session.scalars(query))
        yield _log_lines(entries, _task_names(session, entries, task, None, UNTRANSLATED), {})
        if len(entries) < BATCH:
            return
        last = entries[-1].number
        for entry in entries:
            session.expunge(entry)


def _task_entries(task: Task) -> Select[AuditEntry]:
    """Select the entries with the task's number, and those about the keys that sign its receipts."""
    return select(AuditEntry).where(or_(*_task_conditions(task)))


def _task_conditions(task: Task) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    of_site = and_(AuditEntry.task_id.is_(None), AuditEntry.action.in_(ACTIONS_FOR_ALL_TASKS))
    return AuditEntry.task_id == task.id, of_site


def _newest_task_numbers(session: Session, task: Task, log_filter: LogFilter) -> CompoundSelect[int]:
    """Select the numbers for a page: so many of each part, because sorting all of a long log is slow."""
    subqueries = [
        select(AuditEntry.number)
        .where(part, *_filter_conditions(session, log_filter))
        .order_by(AuditEntry.number.desc())
        .limit(PER_PAGE + 1)
        .subquery()
        for part in _task_conditions(task)
    ]
    return union_all(*(select(part.c.number) for part in subqueries))


def _team_entries(task: Task, team: Team) -> Select[AuditEntry]:
    """Select the entries with the team's number, and those without one that every team may read."""
    for_all = and_(AuditEntry.team_id.is_(None), AuditEntry.action.in_(PUBLIC_ACTIONS))
    return _task_entries(task).where(or_(AuditEntry.team_id == team.id, for_all))


def _read_page(
    session: Session,
    query: Select[AuditEntry],
    log_filter: LogFilter,
    task: Task | None,
    team: Team | None = None,
) -> LogPage:
    query = (
        query.where(*_filter_conditions(session, log_filter))
        .order_by(AuditEntry.number.desc())
        .limit(PER_PAGE + 1)
    )
    entries = list(session.scalars(query))
    shown = entries[:PER_PAGE]
    older = shown[-1].number if len(entries) > PER_PAGE else None
    if task is None:
        names = KnownNames(people=_person_names(session, shown))
        drafts = _draft_slugs(session, shown)
        lines = _log_lines(shown, names, _task_slugs(session, shown), drafts)
    else:
        lines = _log_lines(shown, _task_names(session, shown, task, team), {})
    return LogPage(lines, older, audit.find_head(session))


def _filter_conditions(session: Session, log_filter: LogFilter) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    if log_filter.before is not None:
        conditions.append(AuditEntry.number < log_filter.before)
    if log_filter.kind is not None:
        conditions.append(AuditEntry.action.in_(list_actions(log_filter.kind)))
    if log_filter.team_id is not None:
        conditions.append(_concerns_team(session, log_filter.team_id))
    return conditions


def _concerns_team(session: Session, team_id: int) -> ColumnElement[bool]:
    """Whether an entry has the team's number, or names it in its details, as those about questions do."""
    named = cast(AuditEntry.details["team"], Text) == str(team_id)
    if session.get_bind().dialect.name == "sqlite":  # it has no type JSON, and fails on a damaged cell
        named = case((func.json_valid(AuditEntry.details), named), else_=false())
    return or_(AuditEntry.team_id == team_id, and_(AuditEntry.team_id.is_(None), named))


def _log_lines(
    entries: Sequence[AuditEntry],
    names: KnownNames,
    slugs: Mapping[int, str],
    drafts: frozenset[str] = frozenset(),
) -> list[LogLine]:
    lines = []
    for entry in entries:
        details = dict(_details(entry))
        hidden = {key: _("(hidden)") for key in SLUG_KEYS if str(details.get(key)) in drafts}
        facts = EntryFacts(entry.actor, entry.action, details | hidden, entry.team_id, names)
        slug = None if entry.task_id is None else slugs.get(entry.task_id)
        lines.append(LogLine(entry, write_sentence_parts(facts), slug))
    return lines


def _details(entry: AuditEntry) -> Mapping[str, Any]:
    return entry.details if isinstance(entry.details, Mapping) else {}


def _task_slugs(session: Session, entries: Sequence[AuditEntry]) -> dict[int, str]:
    """Return the slugs of the tasks that everyone may see: those of drafts are for people with a role."""
    ids = {entry.task_id for entry in entries}
    query = select(Task.id, Task.slug).where(Task.id.in_(ids), Task.state.not_in(HIDDEN_STATES))
    return {row.id: row.slug for row in session.execute(query)}


def _draft_slugs(session: Session, entries: Sequence[AuditEntry]) -> frozenset[str]:
    """Return the slugs in the entries' details that no task has that everyone may see."""
    slugs = {str(_details(entry)[key]) for entry in entries for key in SLUG_KEYS if key in _details(entry)}
    query = select(Task.slug).where(Task.slug.in_(slugs), Task.state.not_in(HIDDEN_STATES))
    return frozenset(slugs.difference(session.scalars(query)))


def _task_names(
    session: Session,
    entries: Sequence[AuditEntry],
    task: Task,
    team: Team | None,
    speech: Translator = TRANSLATED,
) -> KnownNames:
    """Return the names that a task's people may see; to a team, present and past roles are "an organizer"."""
    people, organizer = _person_names(session, entries), None
    if team is not None:
        organizer = _("an organizer")
        role_holders = select(TaskRole.user_id).where(
            TaskRole.task_id == task.id, TaskRole.user_id.in_(people)
        )
        people |= dict.fromkeys(session.scalars(role_holders), organizer)
    files = _submitted_files(session, _row_ids(entries, "submission"), task)
    runs = _row_ids(entries, "run") | {
        number for entry in entries for number in _list_row_ids(_details(entry).get("order"))
    }
    return KnownNames(
        people,
        _team_names(session, entries, task),
        _run_names(session, runs, task),
        files,
        _phase_titles(session, task),
        {level.slug: level.title for level in task.levels},
        of_many=team is None,
        organizer=organizer,
        speech=speech,
    )


def _person_names(session: Session, entries: Sequence[AuditEntry]) -> dict[int, str]:
    labels = {entry.actor for entry in entries} | {_details(entry).get("user") for entry in entries}
    ids = {number for label in labels if (number := person_id(label)) is not None}
    return {row.id: row.name for row in session.execute(select(User.id, User.name).where(User.id.in_(ids)))}


def _team_names(session: Session, entries: Sequence[AuditEntry], task: Task) -> dict[int, str]:
    ids = _row_ids(entries, "team") | {entry.team_id for entry in entries if entry.team_id is not None}
    query = select(Team.id, Team.name).where(Team.task_id == task.id, Team.id.in_(ids))
    return {row.id: row.name for row in session.execute(query)}


def _run_names(session: Session, ids: set[int], task: Task) -> dict[int, str]:
    query = select(Run.id, Run.name).join(Team).where(Team.task_id == task.id, Run.id.in_(ids))
    return {row.id: row.name for row in session.execute(query)}


def _submitted_files(session: Session, ids: set[int], task: Task) -> dict[int, SubmittedFile]:
    query = (
        select(Submission.id, Run.name, Run.team_id, Level.title)
        .join(Run, Run.id == Submission.run_id)
        .join(Level, Level.id == Submission.level_id)
        .where(Level.task_id == task.id, Submission.id.in_(ids))
    )
    return {row.id: SubmittedFile(row.name, row.title, row.team_id) for row in session.execute(query)}


def _phase_titles(session: Session, task: Task) -> dict[str, str]:
    query = select(Phase.slug, Phase.title).where(Phase.task_id == task.id)
    return {row.slug: row.title for row in session.execute(query)}


def _row_ids(entries: Iterable[AuditEntry], key: str) -> set[int]:
    return {number for entry in entries if (number := read_row_id(_details(entry).get(key))) is not None}


def _list_row_ids(values: object) -> set[int]:
    elements = values if isinstance(values, list) else []
    return {number for value in elements if (number := read_row_id(value)) is not None}
