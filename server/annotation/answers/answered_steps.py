"""Steps with their answers in force, for the lists of an annotator and of an organizer who looks at them."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, select
from sqlalchemy.orm import Session, joinedload

from server.annotation.answers.questions import build_stage, say_answer
from server.annotation.models import AnswerText, Assignment, AssignmentPlan, Step, UnitAnswer


@dataclass(frozen=True, slots=True)
class AnsweredStep:
    """A step with what its annotator reads, and the answer in force; None: there is none."""

    step: Step
    texts: Sequence[str]
    answer: UnitAnswer | None
    comment: str | None = None
    reason: str | None = None
    written: str | None = None

    @property
    def said(self) -> str:
        """The answer in words."""
        return "" if self.answer is None else say_answer(self.answer, self.written)


def list_steps(session: Session, which: ColumnElement[bool]) -> list[AnsweredStep]:
    """List steps with their answers in force, by assignment and position."""
    plan = joinedload(Step.assignment).joinedload(Assignment.plan).joinedload(AssignmentPlan.round)
    steps = select(Step).where(which).options(plan, joinedload(Step.unit))
    answers = (
        select(UnitAnswer, AnswerText)
        .outerjoin(AnswerText, AnswerText.answer_id == UnitAnswer.id)
        .join(Step, Step.id == UnitAnswer.step_id)
        .where(which, UnitAnswer.standing == "counts")
        .order_by(UnitAnswer.id)
    )
    in_force = {row[0].step_id: (row[0], row[1]) for row in session.execute(answers)}
    return [
        _make_step(step, *in_force.get(step.id, (None, None)))
        for step in session.scalars(steps.order_by(Step.assignment_id, Step.position))
    ]


def _make_step(step: Step, answer: UnitAnswer | None, texts: AnswerText | None) -> AnsweredStep:
    return AnsweredStep(
        step,
        _list_texts(step),
        answer,
        None if texts is None else texts.comment,
        None if texts is None else texts.reason,
        None if texts is None else texts.written,
    )


def _list_texts(step: Step) -> list[str]:
    """List the texts that the step shows beside candidates, without marks."""
    stage = build_stage(step.assignment.plan.round.rules.passes[step.pass_number - 1].show, step.unit)
    return [*stage.turns, *(f"{text.before}{text.marked}{text.after}" for text in stage.texts)]
