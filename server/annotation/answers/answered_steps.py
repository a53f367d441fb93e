"""Steps with their answers in force, for the lists of an annotator and of an organizer who looks at them."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, select
from sqlalchemy.orm import Session, joinedload

from server.annotation.answers.questions import build_stage, say_answer
from server.annotation.models import Assignment, AssignmentPlan, Step, UnitAnswer


@dataclass(frozen=True, slots=True)
class AnsweredStep:
    """A step with what its annotator reads, and the answer in force; None: there is none."""

    step: Step
    texts: Sequence[str]
    answer: UnitAnswer | None

    @property
    def said(self) -> str:
        """The answer in words."""
        return "" if self.answer is None else say_answer(self.answer)


def list_steps(session: Session, which: ColumnElement[bool]) -> list[AnsweredStep]:
    """List steps with their answers in force, by assignment and position."""
    plan = joinedload(Step.assignment).joinedload(Assignment.plan).joinedload(AssignmentPlan.round)
    steps = select(Step).where(which).options(plan, joinedload(Step.unit))
    answers = (
        select(UnitAnswer)
        .join(UnitAnswer.step)
        .where(which, UnitAnswer.standing == "counts")
        .order_by(UnitAnswer.id)
        .options(joinedload(UnitAnswer.texts))
    )
    in_force = {answer.step_id: answer for answer in session.scalars(answers)}
    return [
        AnsweredStep(step, _list_texts(step), in_force.get(step.id))
        for step in session.scalars(steps.order_by(Step.assignment_id, Step.position))
    ]


def _list_texts(step: Step) -> list[str]:
    """List the texts that the step shows beside candidates, without marks."""
    stage = build_stage(step.assignment.plan.round.rules.passes[step.pass_number - 1].show, step.unit)
    return [*stage.turns, *(f"{text.before}{text.marked}{text.after}" for text in stage.texts)]
