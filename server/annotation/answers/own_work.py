"""What an annotator sees: their own assignments, and one step of them with their own answer."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import median

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import Session, contains_eager, joinedload

from server.annotation.answers import browsers
from server.annotation.answers.questions import in_language, say_answer
from server.annotation.answers.receive import is_of_ticket, list_known_answers
from server.annotation.answers.rules import KnownAnswer, find_in_force
from server.annotation.answers.tickets import Ticket
from server.annotation.assignments import gates, plans, progress, taking
from server.annotation.campaigns import personal_links
from server.annotation.campaigns.service import is_for
from server.annotation.models import (
    AnnotationRound,
    Annotator,
    Assignment,
    AssignmentEvent,
    AssignmentPlan,
    Entry,
    Step,
    UnitAnswer,
)
from server.core.errors import Conflict, NotFound, require_found
from server.core.i18n import _

_LONG_PASS = 10
"""A pass with so many steps has a note in the middle."""
_PACE = 20.0
"""The seconds for an answer until the annotator has a pace of their own; `scorer campaign check` has them."""
_MIN_ANSWERS, _MAX_ANSWERS = 5, 30
"""From so many answers up, the newest of them say how fast an annotator is."""
NOTICES = ("replaced", "late")
"""Outcomes that the next page mentions; its address has the id of the answer."""


@dataclass(frozen=True, slots=True)
class StepPlace:
    """Where a step is in its pass of an assignment."""

    number: int
    n_steps: int
    n_answered: int
    minutes_left: int
    previous_id: int | None
    """The step before it in its pass; None: it is the first one, or its answer is not shown here."""

    @property
    def is_halfway(self) -> bool:
        """Whether this is the first step of the second half of a long pass, and all before it is answered."""
        return self.n_steps >= _LONG_PASS and self.number - 1 == self.n_answered == self.n_steps // 2


@dataclass(frozen=True, slots=True)
class OwnRound:
    """A round as its annotator sees it; `obstacle`: why they cannot work in it now, empty if they can.

    `n_steps`, `minutes`: the answers of the next assignment that they can take, at most, and its time.
    """

    round: AnnotationRound
    works: Sequence[progress.AssignmentProgress]
    obstacle: str
    may_take: bool
    """Whether they can take an assignment, or another one."""
    title: str
    n_steps: int
    minutes: int


@dataclass(frozen=True, slots=True)
class CompletionCode:
    """What a person of a crowd enters on the platform that sent them; `address` takes them there with it."""

    code: str
    address: str


@dataclass(frozen=True, slots=True)
class Notice:
    """That an answer came late, or that it superseded the one of another window."""

    late: bool
    step_id: int
    value: str
    earlier_value: str


def find_annotator(session: Session, campaign_id: int, key_sha256: str) -> Annotator | None:
    """Return the annotator of a cookie; None: the link was replaced, or it is of another campaign."""
    own = Annotator.id == personal_links.annotator_of(key_sha256)
    query = select(Annotator).where(own, Annotator.campaign_id == campaign_id)
    return session.scalar(query.options(joinedload(Annotator.campaign), joinedload(Annotator.entry)))


def get_own_step(session: Session, annotator: Annotator, step_id: int) -> Step:
    """Return a step of an annotator, with its assignment, round and unit.

    Raises:
        NotFound: it is not a step of the annotator.
    """
    step = _find_step(session, annotator.campaign_id, step_id, Step.annotator_id == annotator.id)
    return require_found(step, _("There is no such page in your work."))


def find_ticket_step(session: Session, campaign_id: int, ticket: Ticket) -> Step | None:
    """Return the step of a form; None: the link was replaced, or the step is someone else's."""
    return _find_step(session, campaign_id, ticket.step_id, is_of_ticket(ticket))


def _find_step(session: Session, campaign_id: int, step_id: int, own: ColumnElement[bool]) -> Step | None:
    query = (
        select(Step)
        .join(Step.assignment)
        .join(Assignment.plan)
        .join(AssignmentPlan.round)
        .where(Step.id == step_id, own, AnnotationRound.campaign_id == campaign_id)
        .options(
            contains_eager(Step.assignment)
            .contains_eager(Assignment.plan)
            .contains_eager(AssignmentPlan.round)
            .joinedload(AnnotationRound.campaign),
            contains_eager(Step.assignment).joinedload(Assignment.annotator),
            joinedload(Step.unit),
        )
    )
    return session.scalar(query)


def get_assignment(session: Session, assignment_id: int) -> Assignment:
    """Return an assignment with its round."""
    plan = joinedload(Assignment.plan).joinedload(AssignmentPlan.round)
    return session.scalars(select(Assignment).where(Assignment.id == assignment_id).options(plan)).one()


def get_own_assignment(session: Session, annotator: Annotator, assignment_id: int) -> Assignment:
    """Return an assignment of an annotator.

    Raises:
        NotFound: it is not one of theirs.
    """
    assignment = session.get(Assignment, assignment_id)
    if assignment is None or assignment.annotator_id != annotator.id:
        raise NotFound.of("There is no such page in your work.")
    return assignment


def find_place(session: Session, step: Step, key_sha256: str) -> StepPlace:
    """Return where a step is in its pass for a browser, and how many steps of that have an answer."""
    visible = select(func.max(UnitAnswer.visible_ms)).where(UnitAnswer.step_id == Step.id).scalar_subquery()
    query = select(Step.id, progress.HAS_ANSWER, visible).where(
        Step.assignment_id == step.assignment_id, Step.pass_number == step.pass_number
    )
    rows = session.execute(query.order_by(Step.position)).all()
    step_ids = [row[0] for row in rows]
    index = step_ids.index(step.id)
    n_answered = sum(row[1] for row in rows)
    times = [row[2] for row in rows if row[2] is not None]
    minutes = _count_minutes(times[-_MAX_ANSWERS:], len(rows) - n_answered)
    previous_id = step_ids[index - 1] if index else None
    has_gate = step.assignment.plan.round.rules.gate is not None
    if has_gate and previous_id and gates.is_final(session, session.get_one(Step, previous_id)):
        previous_id = None
    if browsers.list_steps_elsewhere(session, step.assignment.annotator, key_sha256, Step.id == previous_id):
        previous_id = None
    return StepPlace(index + 1, len(rows), n_answered, minutes, previous_id)


def _list_times(session: Session, annotator: Annotator) -> Sequence[int]:
    """List the milliseconds of an annotator's newest answers."""
    query = (
        select(func.coalesce(UnitAnswer.visible_ms, 0))
        .join(Step, Step.id == UnitAnswer.step_id)
        .where(Step.annotator_id == annotator.id, UnitAnswer.visible_ms.is_not(None))
    )
    return session.scalars(query.order_by(UnitAnswer.id.desc()).limit(_MAX_ANSWERS)).all()


def _count_minutes(times: Sequence[int], n_steps: int) -> int:
    """Say how long so many answers take, by the median of the milliseconds of earlier ones."""
    pace = median(times) / 1000 if len(times) >= _MIN_ANSWERS else _PACE
    return math.ceil(n_steps * pace / 60)


def find_own_answer(session: Session, step: Step) -> KnownAnswer | None:
    """Return the answer in force to a step."""
    return find_in_force(list_known_answers(session, step.id))


def list_handed_in(session: Session, annotator: Annotator) -> set[int]:
    """Return the ids of the assignments that an annotator has handed in."""
    query = select(AssignmentEvent.assignment_id).join(
        Assignment, Assignment.id == AssignmentEvent.assignment_id
    )
    return set(
        session.scalars(
            query.where(Assignment.annotator_id == annotator.id, AssignmentEvent.event == "finished")
        )
    )


def require_answerable(session: Session, annotator: Annotator, step: Step, now: datetime) -> None:
    """Raise unless the annotator can answer a step, or change its answer, now.

    Raises:
        Conflict: they cannot work in the round now; or have handed in the assignment; or the pass of the step
            is done, or not open yet; or it waits for the gate, or the gate was judged.
    """
    assignment = step.assignment
    taking.require_may_work(session, annotator, assignment.plan.round)
    if progress.is_handed_in(session, assignment):
        raise Conflict.of("You have handed in these answers, so they can no longer be changed.")
    if gates.is_final(session, step):
        raise Conflict.of("These answers were compared with known ones, so they can no longer be changed.")
    if gates.is_before_gate(session, step):
        raise Conflict.of("Answer the first texts before the others.")
    if progress.is_pass_done(session, assignment, step.pass_number, now):
        raise Conflict.of("The second reading is open, so answers of the first one can no longer be changed.")
    following = None if step.pass_number == 1 else progress.next_step(session, assignment)
    if following is not None and following.pass_number < step.pass_number:
        raise Conflict.of("Finish the first reading before the second one.")
    opening = progress.find_opening(session, assignment, step.pass_number)
    if opening is not None and opening > now:
        raise Conflict.of("The second reading opens later; your page says when.")


def may_work(session: Session, assignment: Assignment) -> bool:
    """Whether the annotator of an assignment can work on it now."""
    try:
        taking.require_may_work(session, assignment.annotator, assignment.plan.round)
    except Conflict:
        return False
    return True


def is_between_passes(session: Session, assignment: Assignment, following: Step) -> bool:
    """Whether a pass is done, and the next one, of the step that follows, has no answer yet."""
    return progress.find_opening(session, assignment, following.pass_number) is not None


def list_own_rounds(session: Session, annotator: Annotator, now: datetime) -> list[OwnRound]:
    """List the rounds of the campaign in which the annotator works or can work."""
    works = progress.own_progress(session, annotator, now)
    found, times = [], _list_times(session, annotator)
    for round_ in annotator.campaign.rounds:
        in_round = [work for work in works if work.assignment.plan.round_id == round_.id]
        if not is_for(round_, annotator) and not in_round:
            continue
        obstacle = ""
        try:
            taking.require_may_work(session, annotator, round_)
        except Conflict as error:
            obstacle = error.message
        limit = annotator.entry.assignments_each
        has_left = annotator.trial or limit == 0 or len(in_round) < limit
        may_take = not obstacle and has_left and not any(work.n_open for work in in_round)
        if may_take and in_round and not annotator.trial:  # nobody comes back for nothing
            may_take = taking.is_left_for(session, annotator, round_, now)
        title = in_language(round_.campaign, round_.rules.title, annotator.language) or ""
        n_steps = _count_next_steps(session, round_, is_first=not in_round) if may_take else 0
        minutes = _count_minutes(times, n_steps)
        found.append(OwnRound(round_, in_round, obstacle, may_take, title, n_steps, minutes))
    return found


def _count_next_steps(session: Session, round_: AnnotationRound, *, is_first: bool) -> int:
    """Count the answers of an assignment of a round in all passes, at most."""
    plan = plans.read_plan(session, plans.list_plans(session, round_)[0])
    longest = max(len(planned.steps) for planned in plan.assignments)
    n_calibration = len(plans.list_keys(session, round_, "calibration"))
    return longest * round_.n_passes + (round_.rules.count_extra(n_calibration) if is_first else 0)


def find_code(
    session: Session, annotator: Annotator, key_sha256: str, rounds: Sequence[OwnRound]
) -> CompletionCode | None:
    """Return the code for a browser of a crowd in which an assignment was done, or the gate was not passed.

    It is done if each of its steps has an answer, also a late one, and it was handed in or no longer can be.
    """
    entry = annotator.entry
    if entry.kind != "crowd":
        return None
    handed_in = list_handed_in(session, annotator)
    for own in rounds:
        for work in own.works:
            is_over = own.obstacle or work.assignment.id in handed_in
            is_done = work.n_answered == work.n_steps and is_over
            has_failed = gates.find_verdict(session, work.assignment) == "failed"
            if (is_done or has_failed) and not browsers.is_worked_on_elsewhere(
                session, work.assignment, key_sha256
            ):
                return _make_code(entry, entry.done if is_done else entry.failed)
    return None


def _make_code(entry: Entry, code: str | None) -> CompletionCode | None:
    if code is None or entry.back is None:  # no crowd
        return None
    return CompletionCode(code, entry.back.replace("{code}", code))


def find_notice(
    session: Session, annotator: Annotator, key_sha256: str, names: Mapping[str, str]
) -> Notice | None:
    """Return what a page has to say about the answer that was just stored; `names`: its address's query."""
    kind = next((kind for kind in NOTICES if kind in names), None)
    if kind is None or re.fullmatch("[0-9]{1,9}", names[kind]) is None:
        return None
    answer = session.get(UnitAnswer, int(names[kind]))
    if answer is None or answer.step.annotator_id != annotator.id:
        return None
    if browsers.is_given_elsewhere(annotator, answer, key_sha256):
        return None
    earlier = session.get(UnitAnswer, answer.supersedes_id) if answer.supersedes_id else None
    said = "" if earlier is None else say_answer(earlier)
    return Notice(kind == "late", answer.step_id, say_answer(answer), said)
