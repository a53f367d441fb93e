"""Which answers a browser may show and change.

An annotator of a crowd came by an id, which proves nothing. So each of their browsers has a key of its own,
and an answer is shown and changed with the key with which it was given. All others may see all their answers.
"""

from sqlalchemy import ColumnElement, exists, select
from sqlalchemy.orm import Session

from server.annotation.models import Annotator, Assignment, Step, UnitAnswer
from server.core.errors import Conflict
from server.core.i18n import N_

ELSEWHERE = N_("You answered this in another browser or on another device. You can see and change it there.")


def is_given_elsewhere(annotator: Annotator, answer: UnitAnswer, key_sha256: str) -> bool:
    """Whether an answer of the annotator was given with another key."""
    return annotator.is_of_crowd and answer.key_sha256 != key_sha256


def list_steps_elsewhere(
    session: Session, annotator: Annotator, key_sha256: str, which: ColumnElement[bool]
) -> set[int]:
    """Return the ids of the annotator's steps of `which` that have an answer with another key."""
    if not annotator.is_of_crowd:
        return set()
    query = select(Step.id).where(Step.annotator_id == annotator.id, which)
    return set(session.scalars(query.where(_has_answer(UnitAnswer.key_sha256.is_distinct_from(key_sha256)))))


def require_given_here(session: Session, annotator: Annotator, key_sha256: str, step_id: int) -> None:
    """Raise if a step of the annotator has an answer with another key.

    Raises:
        Conflict: it has one.
    """
    if list_steps_elsewhere(session, annotator, key_sha256, Step.id == step_id):
        raise Conflict.of(ELSEWHERE)


def is_worked_on_elsewhere(session: Session, assignment: Assignment, key_sha256: str) -> bool:
    """Whether all answers of an assignment, of which there are some, were given with other keys."""
    own = Step.assignment_id == assignment.id
    if not list_steps_elsewhere(session, assignment.annotator, key_sha256, own):
        return False
    here = select(Step.id).where(own, _has_answer(UnitAnswer.key_sha256 == key_sha256))
    return session.scalar(here.limit(1)) is None


def _has_answer(which: ColumnElement[bool]) -> ColumnElement[bool]:
    return exists().where(UnitAnswer.step_id == Step.id, which)
