"""How far a round is: answers by unit, and the work of each annotator."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import median

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from server.annotation.models import (
    AnnotationRound,
    Annotator,
    Assignment,
    Campaign,
    Consent,
    Exclusion,
    Step,
    Unit,
)
from server.annotation.results import answer_rows
from server.annotation.results.answer_rows import AnswerRow


@dataclass(frozen=True, slots=True)
class UnitProgress:
    """How many units have 0, 1, ... k answers that count."""

    answers_per_unit: int
    units_by_answers: Sequence[int]

    @property
    def complete(self) -> int:
        """The number of units with all their answers."""
        return self.units_by_answers[-1]

    @property
    def units(self) -> int:
        """The number of units."""
        return sum(self.units_by_answers)

    @property
    def answers(self) -> int:
        """The number of answers that count."""
        return sum(count * number for number, count in enumerate(self.units_by_answers))

    @property
    def needed(self) -> int:
        """The number of answers that the round needs in all."""
        return self.units * self.answers_per_unit


@dataclass(frozen=True, slots=True)
class AnnotatorProgress:
    """The work of one annotator. `median_seconds` is by the page's clock, else by the server's."""

    annotator: Annotator
    consented: bool
    steps: int
    answered: int
    counted: int
    no_value: int
    last_answer: datetime | None
    median_seconds: float | None
    exclusion: Exclusion | None


def count_units(session: Session, of_round: AnnotationRound) -> UnitProgress:
    """Count the units of a round by the number of their answers that count."""
    rows = answer_rows.list_answer_rows(session, of_round)
    excluded = answer_rows.list_exclusions(session, of_round.campaign)
    needed: int = of_round.rules["answers"]
    outcomes = answer_rows.classify_rows(rows, needed, excluded)
    by_unit = Counter(row.unit for row in rows if outcomes[row.id] == "counted")
    n_units = session.scalar(select(func.count(Unit.id)).where(Unit.round_id == of_round.id)) or 0
    by_number = Counter(by_unit.values())
    by_number[0] = n_units - len(by_unit)
    return UnitProgress(needed, [by_number[number] for number in range(needed + 1)])


def list_annotators(session: Session, campaign: Campaign) -> list[AnnotatorProgress]:
    """List the annotators of a campaign with their work, by name; trials are left out."""
    of_round = campaign.rounds[0]
    rows = answer_rows.list_answer_rows(session, of_round)
    exclusions = answer_rows.list_exclusions(session, campaign)
    outcomes = answer_rows.classify_rows(rows, of_round.rules["answers"], exclusions)
    by_name: dict[str, list[AnswerRow]] = {}
    for row in rows:
        by_name.setdefault(row.annotator, []).append(row)
    steps = _count_steps(session, campaign)
    consented = _list_consented(session, campaign)
    query = (
        select(Annotator)
        .where(Annotator.campaign_id == campaign.id, Annotator.trial.is_(False))
        .order_by(Annotator.name)
    )
    return [
        _make_progress(
            annotator,
            by_name.get(annotator.name, []),
            outcomes,
            steps.get(annotator.id, 0),
            annotator.id in consented,
            exclusions.get(annotator.name),
        )
        for annotator in session.scalars(query)
    ]


def _make_progress(
    annotator: Annotator,
    rows: Sequence[AnswerRow],
    outcomes: Mapping[int, str],
    steps: int,
    consented: bool,
    exclusion: Exclusion | None,
) -> AnnotatorProgress:
    in_force = {row.step_id: row for row in rows if outcomes[row.id] not in ("superseded", "late")}
    seconds = [row.elapsed if row.visible is None else row.visible for row in in_force.values()]
    return AnnotatorProgress(
        annotator=annotator,
        consented=consented,
        steps=steps,
        answered=len(in_force),
        counted=sum(outcomes[row.id] == "counted" for row in rows),
        no_value=sum(outcomes[row.id] == "no value" for row in rows),
        last_answer=max((row.arrived_at for row in rows), default=None),
        median_seconds=median(seconds) if seconds else None,
        exclusion=exclusion,
    )


def _count_steps(session: Session, campaign: Campaign) -> dict[int, int]:
    query = (
        select(Assignment.annotator_id, func.count(Step.id))
        .join(Step, Step.assignment_id == Assignment.id)
        .join(Annotator, Annotator.id == Assignment.annotator_id)
        .where(Annotator.campaign_id == campaign.id)
        .group_by(Assignment.annotator_id)
    )
    return dict(session.execute(query).all())


def _list_consented(session: Session, campaign: Campaign) -> set[int]:
    """Return the ids of the annotators whose newest consent was given."""
    query = (
        select(Consent.annotator_id)
        .join(Annotator, Annotator.id == Consent.annotator_id)
        .where(
            Annotator.campaign_id == campaign.id,
            Annotator.id.not_in(answer_rows.select_withdrawn(campaign.id)),
        )
    )
    return set(session.scalars(query))
