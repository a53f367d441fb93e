"""How far a round is: answers by unit, and the work of each annotator."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from statistics import median

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from server.annotation.assignments import gates
from server.annotation.assignments.progress import round_progress
from server.annotation.campaigns import consents, exclusions, overview, people, service as campaigns
from server.annotation.models import AnnotationRound, Annotator, Assignment, AssignmentPlan, Exclusion, Step
from server.annotation.results import answer_rows


@dataclass(frozen=True, slots=True)
class UnitProgress:
    """How many units have 0, 1, ... k answers that count, in one pass."""

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
class PassWork:
    """The work of one annotator in a pass. `median_seconds` is by the page's clock, else by the server's."""

    slug: str
    steps: int
    answered: int
    counted: int
    no_value: int
    first_answer: datetime | None
    last_answer: datetime | None
    median_seconds: float | None


@dataclass(frozen=True, slots=True)
class AnnotatorProgress:
    """The work of one annotator in a round, by pass.

    `opens_at`: when the second pass opens for them; None: it is open, or they have not done the first one.
    `failed`: they did not pass the gate.
    """

    annotator: Annotator
    consented: bool
    passes: Sequence[PassWork]
    opens_at: datetime | None
    exclusion: Exclusion | None
    failed: bool

    @property
    def counted(self) -> int:
        """The number of answers that count, in all passes."""
        return sum(work.counted for work in self.passes)

    @property
    def no_value(self) -> int:
        """The number of units that they could not judge, in all passes."""
        return sum(work.no_value for work in self.passes)

    @property
    def last_answer(self) -> datetime | None:
        """When the last answer in any pass arrived."""
        return max((work.last_answer for work in self.passes if work.last_answer is not None), default=None)

    @property
    def pause(self) -> timedelta | None:
        """The time from the last answer of the first pass to the first one of the second."""
        if len(self.passes) == 1:
            return None
        end, start = self.passes[0].last_answer, self.passes[1].first_answer
        return None if end is None or start is None else start - end


@dataclass(frozen=True, slots=True)
class RoundProgress:
    """How far a round is: the units by number of answers in each pass, and the work of the annotators."""

    passes: Sequence[UnitProgress]
    complete: int
    annotators: Sequence[AnnotatorProgress] = ()

    @property
    def units(self) -> int:
        """The number of units."""
        return self.passes[0].units

    @property
    def answers(self) -> int:
        """The number of answers that count, in all passes."""
        return sum(each.answers for each in self.passes)

    @property
    def needed(self) -> int:
        """The number of answers that the round needs, in all passes."""
        return sum(each.needed for each in self.passes)


def measure_progress(session: Session, round_: AnnotationRound, now: datetime) -> RoundProgress:
    """Measure how far a round is; trials and people of other entries are left out."""
    excluded = exclusions.list_exclusions(session, round_.campaign)
    answers_of = _count_by_pass(session, round_)
    work: dict[tuple[str, int], _Tally] = defaultdict(_Tally)
    for answer in answer_rows.iterate_in_force(session, round_):
        tally = work[answer.annotator, answer.pass_number]
        tally.seconds.append(answer.seconds)
        if answer.annotator in excluded:
            continue
        if answer.is_empty:
            tally.no_value += 1
        elif answer.block == "main":
            tally.counted += 1
    most = {unit: max(of_pass[unit] for of_pass in answers_of) for unit in set().union(*answers_of)}
    for record in answer_rows.find_surplus(session, round_, most).values():
        work[record.annotator, int(record.pass_slug)].counted -= 1
    annotators = _list_annotators(session, round_, work, excluded, now)
    return replace(_summarize(session, round_, answers_of), annotators=annotators)


def count_answers(session: Session, round_: AnnotationRound) -> RoundProgress:
    """Count the units by answers, without the annotators' work."""
    return _summarize(session, round_, _count_by_pass(session, round_))


def _count_by_pass(session: Session, round_: AnnotationRound) -> list[Counter[int]]:
    answers_of: list[Counter[int]] = [Counter() for _ in round_.pass_slugs]
    for number, unit_id, count in answer_rows.count_by_unit(session, round_):
        answers_of[number - 1][unit_id] = count
    return answers_of


def _summarize(
    session: Session, round_: AnnotationRound, answers_of: Sequence[Counter[int]]
) -> RoundProgress:
    units, needed = overview.count_units(session, round_), round_.rules.answers
    complete = Counter(unit for of_pass in answers_of for unit, number in of_pass.items() if number >= needed)
    return RoundProgress(
        [_count_units(of_pass, units, needed) for of_pass in answers_of],
        sum(number == len(answers_of) for number in complete.values()),
    )


def _count_units(answers_of: Mapping[int, int], units: int, needed: int) -> UnitProgress:
    """Count the units by the number of answers that count: at most as many as a unit needs."""
    by_number = Counter(min(number, needed) for number in answers_of.values())
    by_number[0] = units - len(answers_of)
    return UnitProgress(needed, [by_number[number] for number in range(needed + 1)])


@dataclass(slots=True)
class _Tally:
    """What an annotator did in a pass, while the answers are counted."""

    counted: int = 0
    no_value: int = 0
    seconds: list[float] = field(default_factory=list)

    def summarize(self, slug: str, steps: int, first: datetime | None, last: datetime | None) -> PassWork:
        return PassWork(
            slug=slug,
            steps=steps,
            answered=len(self.seconds),
            counted=self.counted,
            no_value=self.no_value,
            first_answer=first,
            last_answer=last,
            median_seconds=median(self.seconds) if self.seconds else None,
        )


def _list_annotators(
    session: Session,
    round_: AnnotationRound,
    work: Mapping[tuple[str, int], _Tally],
    excluded: Mapping[str, Exclusion],
    now: datetime,
) -> list[AnnotatorProgress]:
    """List the annotators of a round with their work, by name."""
    times = answer_rows.find_times(session, round_)
    steps, consented = _count_steps(session, round_), consents.list_consented(session, round_.campaign)
    openings = {
        each.assignment.annotator_id: each.opens_at
        for each in round_progress(session, round_, now)
        if each.opens_at is not None and each.opens_at > now
    }
    verdicts = gates.list_verdicts(session, round_)
    nothing = _Tally()
    return [
        AnnotatorProgress(
            annotator,
            consented.get(annotator.id, False),
            [
                work.get((annotator.name, number), nothing).summarize(
                    slug,
                    steps.get((annotator.id, number), 0),
                    *times.get((annotator.name, number), (None, None)),
                )
                for number, slug in enumerate(round_.pass_slugs, 1)
            ],
            openings.get(annotator.id),
            excluded.get(annotator.name),
            verdicts.get(annotator.id) is False,
        )
        for annotator in people.list_annotators(session, round_.campaign)
        if campaigns.is_for(round_, annotator)
    ]


def _count_steps(session: Session, round_: AnnotationRound) -> dict[tuple[int, int], int]:
    """Count the steps of a round by annotator and pass."""
    query = (
        select(Step.annotator_id, Step.pass_number, func.count(Step.id))
        .join(Step.assignment)
        .join(Assignment.plan)
        .where(AssignmentPlan.round_id == round_.id)
        .group_by(Step.annotator_id, Step.pass_number)
    )
    return {(annotator, number): count for annotator, number, count in session.execute(query)}
