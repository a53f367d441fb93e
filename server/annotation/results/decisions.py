"""Where annotators disagree on a closed round of ratings, and what the organizers decide.

A decision is the gold value of its unit in its pass, however many answers there are.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from string import ascii_uppercase
from typing import get_args

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from scorer.campaigns.config import scale_points
from server.access import service as access
from server.annotation import campaign_log
from server.annotation.answers.questions import format_value
from server.annotation.assignments import plans
from server.annotation.campaigns import service as campaigns
from server.annotation.models import (
    AnnotationRound,
    AnswerText,
    Decision,
    DecisionCause,
    Step,
    Unit,
    UnitAnswer,
)
from server.annotation.results import answer_rows
from server.core.actors import Actor
from server.core.errors import Conflict, require_found
from server.core.i18n import _

CAUSES: tuple[DecisionCause, ...] = get_args(DecisionCause)


@dataclass(frozen=True, slots=True)
class LetteredRating:
    """A rating that counts; the letter stands for the annotator, and is drawn by lot for each unit."""

    letter: str
    annotator: str
    value: float
    comment: str | None


@dataclass(frozen=True, slots=True)
class RatedUnit:
    """A unit with its ratings in a pass, by letter, and the decision in force."""

    unit: Unit
    ratings: Sequence[LetteredRating]
    decision: Decision | None

    @property
    def spread(self) -> float:
        """The highest rating minus the lowest one."""
        values = [rating.value for rating in self.ratings]
        return max(values) - min(values) if values else 0.0


@dataclass(frozen=True, slots=True)
class NewDecision:
    """What a form says: a point of the scale, or None to take a decision back; why ratings differ."""

    value: str | None
    cause: str = ""
    note: str = ""


def list_decisions(session: Session, round_: AnnotationRound, pass_number: int) -> dict[str, Decision]:
    """Return the decisions in force by the keys of their units."""
    newest = (
        select(func.max(Decision.id))
        .join(Unit, Unit.id == Decision.unit_id)
        .where(Unit.round_id == round_.id, Decision.pass_number == pass_number)
        .group_by(Decision.unit_id)
    )
    query = select(Unit.key, Decision).join(Unit, Unit.id == Decision.unit_id).order_by(Unit.position)
    return dict(session.execute(query.where(Decision.id.in_(newest), Decision.value.is_not(None))).all())


def list_rated_units(session: Session, round_: AnnotationRound, pass_number: int) -> list[RatedUnit]:
    """List the units of a closed round: undecided ones first, those with the largest spread first.

    Raises:
        Conflict: the round is not closed, or has no ratings.
    """
    _require_decidable(session, round_)
    counted, _surplus = answer_rows.list_counted(session, round_, pass_number)
    comments = _find_comments(session, round_)
    ratings: dict[str, list[answer_rows.CountedAnswer]] = defaultdict(list)
    for answer in counted:
        ratings[answer.unit].append(answer)
    decided = list_decisions(session, round_, pass_number)
    units = [
        RatedUnit(unit, _give_letters(unit, ratings[unit.key], comments), decided.get(unit.key))
        for unit in plans.list_units(session, round_)
    ]
    return sorted(units, key=lambda rated: (rated.decision is not None, -rated.spread))


def get_rated_unit(units: Sequence[RatedUnit], unit_id: int) -> RatedUnit:
    """Return one of the units of a round.

    Raises:
        NotFound: it is none of them.
    """
    found = next((rated for rated in units if rated.unit.id == unit_id), None)
    return require_found(found, _("The round has no such pair."))


def count_causes(units: Sequence[RatedUnit]) -> Mapping[str, Counter[str]]:
    """Count the causes of decisions by genre; a unit without a genre is under the empty one."""
    counts: dict[str, Counter[str]] = {}
    for rated in sorted(units, key=lambda rated: rated.unit.genre or ""):
        if rated.decision is not None:
            counts.setdefault(rated.unit.genre or "", Counter())[rated.decision.cause or ""] += 1
    return counts


def decide_unit(
    session: Session,
    actor: Actor,
    round_: AnnotationRound,
    rated: RatedUnit,
    pass_number: int,
    new: NewDecision,
    now: datetime,
) -> None:
    """Decide on the value of a unit, or take the decision back.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task.
        Conflict: the round is not closed, the value is no point of the scale, or there is no decision to
            take back.
    """
    access.require_organizer(session, actor, round_.campaign.task)
    _require_decidable(session, round_)
    points = {format_value(point): point for point in scale_points(round_.rules.scale)}
    value = new.value
    if value is None and rated.decision is None:
        raise Conflict.of("There is no decision to take back.")
    if value is not None and value not in points:
        raise Conflict.of("Choose a rating.")
    session.add(
        Decision(
            unit_id=rated.unit.id,
            pass_number=pass_number,
            value=None if value is None else points[value],
            cause=next((known for known in CAUSES if known == new.cause and value is not None), None),
            note=new.note,
            **actor.made(now),
        )
    )
    action = "decision.take-back" if value is None else "decision.add"
    _record(session, actor, round_, rated, action, now)


def record_reveal(
    session: Session, actor: Actor, round_: AnnotationRound, rated: RatedUnit, now: datetime
) -> None:
    """Record that an organizer asks who rated a unit how.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task.
        Conflict: the unit is not decided yet.
    """
    access.require_organizer(session, actor, round_.campaign.task)
    if rated.decision is None:
        raise Conflict.of("Decide first: who gave which rating is shown only after the decision.")
    _record(session, actor, round_, rated, "decision.reveal", now)


def _require_decidable(session: Session, round_: AnnotationRound) -> None:
    if round_.kind != "rate":
        raise Conflict.of("Only rounds of ratings have disagreements to decide.")
    if campaigns.round_state(session, round_) != "closed":
        raise Conflict.of("Close the round first, on the page of the campaign: ratings are blind until then.")


def _find_comments(session: Session, round_: AnnotationRound) -> dict[int, str]:
    """Return the comments on the pairs of a round by the ids of their answers."""
    query = (
        select(AnswerText.answer_id, AnswerText.comment)
        .join(UnitAnswer, UnitAnswer.id == AnswerText.answer_id)
        .join(Step, Step.id == UnitAnswer.step_id)
        .join(Unit, Unit.id == Step.unit_id)
        .where(Unit.round_id == round_.id, AnswerText.comment.is_not(None))
    )
    return {answer_id: comment or "" for answer_id, comment in session.execute(query)}


def _give_letters(
    unit: Unit, answers: Sequence[answer_rows.CountedAnswer], comments: Mapping[int, str]
) -> list[LetteredRating]:
    """Name the annotators by letters: the same ones at each visit, and other ones for other units."""
    drawn = sorted(answers, key=lambda answer: sha256(f"{unit.id} {answer.annotator}".encode()).digest())
    return [
        LetteredRating(
            ascii_uppercase[place % 26] * (place // 26 + 1),
            answer.annotator,
            answer.value or 0.0,
            comments.get(answer.id),
        )
        for place, answer in enumerate(drawn)
    ]


def _record(
    session: Session, actor: Actor, round_: AnnotationRound, rated: RatedUnit, action: str, now: datetime
) -> None:
    campaign_log.record(session, actor, now, action, round_.campaign, round=round_.slug, unit=rated.unit.key)
