"""The plans of a round: files in storage, named by their hash."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from scorer.campaigns.assignments import Plan
from server.annotation.models import AnnotationRound, AssignmentPlan, Unit, UnitRole
from server.core.cache import CacheByHash
from server.core.storage import storage_of

_PLANS: CacheByHash[str, Plan] = CacheByHash(16)
"""Parsed plans by the hash of their files: everyone who takes an assignment needs one, under the lock."""


def list_plans(session: Session, round_: AnnotationRound) -> Sequence[AssignmentPlan]:
    """List the plans of a round, the first one first."""
    query = select(AssignmentPlan).where(AssignmentPlan.round_id == round_.id)
    return session.scalars(query.order_by(AssignmentPlan.number)).all()


def read_plan(session: Session, row: AssignmentPlan) -> Plan:
    """Read the file of a plan."""
    return _PLANS.get(row.sha256, lambda: Plan.from_json(storage_of(session).get(row.sha256)))


def store_plan(
    session: Session, round_: AnnotationRound, plan: Plan, made_by: int | None, now: datetime
) -> AssignmentPlan:
    """Store a plan and its row."""
    row = AssignmentPlan(
        round_id=round_.id,
        number=plan.number,
        reason=plan.reason,
        sha256=storage_of(session).put(plan.to_json()),
        n_assignments=len(plan.assignments),
        made_by=made_by,
        made_at=now,
    )
    session.add(row)
    session.flush()
    return row


@dataclass(frozen=True, slots=True)
class UnitPlace:
    """The row of a unit, and its group."""

    id: int
    group: str | None


def find_places(session: Session, round_: AnnotationRound) -> dict[str, UnitPlace]:
    """Return the rows of a round's planned units by their keys, without their texts, which are many."""
    query = select(Unit.key, Unit.id, Unit.group).where(Unit.round_id == round_.id, Unit.role == "main")
    return {row[0]: UnitPlace(row[1], row[2]) for row in session.execute(query.order_by(Unit.position))}


def list_units(session: Session, round_: AnnotationRound, role: UnitRole = "main") -> Sequence[Unit]:
    """List the units of a round that have a role, in their order."""
    query = select(Unit).where(Unit.round_id == round_.id, Unit.role == role)
    return session.scalars(query.order_by(Unit.position)).all()


def list_keys(session: Session, round_: AnnotationRound, role: UnitRole) -> Sequence[str]:
    """List the keys of the units of a round that have a role, in their order."""
    query = select(Unit.key).where(Unit.round_id == round_.id, Unit.role == role)
    return session.scalars(query.order_by(Unit.position)).all()


def item_role(round_: AnnotationRound) -> UnitRole:
    """Return the role of what gets gold labels: rated units, or the items of tuples."""
    return "item" if round_.kind == "bws" else "main"


def list_items(session: Session, round_: AnnotationRound) -> Sequence[Unit]:
    """List what gets gold labels."""
    return list_units(session, round_, item_role(round_))
