"""How far a round is: answers by unit, and the work of each annotator."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import median

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from server.annotation.campaigns import consents, people
from server.annotation.models import (
    AnnotationRound,
    Annotator,
    Assignment,
    Campaign,
    Exclusion,
    Step,
    Unit,
)
from server.annotation.results.answer_rows import AnswerRow, RoundAnswers


@dataclass(frozen=True, slots=True)
class UnitProgress:
    """How many units have 0, 1, ... k answers that count, in each pass."""

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


def count_units(session: Session, of_round: AnnotationRound, answers: RoundAnswers) -> UnitProgress:
    """Count the units of a round by the number of their answers that count."""
    needed: int = of_round.rules["answers"]
    of_passes = [Counter(row.unit for row in answers.list_counted(slug)) for slug in answers.passes]
    query = select(func.count(Unit.id)).where(Unit.round_id == of_round.id, Unit.role == "main")
    by_number = Counter(min(of_pass[unit] for of_pass in of_passes) for unit in of_passes[0])
    by_number[0] += (session.scalar(query) or 0) - len(of_passes[0])
    return UnitProgress(needed, [by_number[number] for number in range(needed + 1)])


def list_annotators(session: Session, campaign: Campaign, answers: RoundAnswers) -> list[AnnotatorProgress]:
    """List the annotators of a campaign with their work, by name; trials are left out."""
    by_name: dict[str, list[AnswerRow]] = {}
    for row in answers.rows:
        by_name.setdefault(row.annotator, []).append(row)
    steps, consented = _count_steps(session, campaign), consents.list_consented(session, campaign)
    return [
        _make_progress(
            annotator,
            by_name.get(annotator.name, []),
            answers.outcomes,
            steps.get(annotator.id, 0),
            consented.get(annotator.id, False),
            answers.exclusions.get(annotator.name),
        )
        for annotator in people.list_annotators(session, campaign)
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
