"""The figures of a campaign for its pages: the plan's arithmetic, and the texts as annotators see them."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from scorer.campaigns.assignments import Meetings, Plan, summarize_meetings
from scorer.campaigns.units_reader import WANTED
from server.access import tasks
from server.annotation.assignments import plans
from server.annotation.campaigns import service
from server.annotation.models import AnnotationRound, Campaign, Unit
from server.core.cache import CacheByHash
from server.core.i18n import ngettext
from server.scoring import service as scoring

SECONDS_PER_UNIT = 20
"""How long an answer takes, for the estimate of hours before there are answers."""


@dataclass(frozen=True, slots=True)
class PlanFigures:
    """The arithmetic of a round's first plan.

    `smallest`, `largest`: the numbers of steps of assignments; `meetings`: how many units two people of a
    panel have in common.
    """

    units: int
    answers: int
    steps: int
    assignments: int
    smallest: int
    largest: int
    panels: int
    meetings: Meetings | None
    passes: int = 1
    calibration: int = 0
    repeats: int = 0
    extra: int = 0
    """The number of answers of an annotator to calibration units and repeats, in all passes."""

    @property
    def hours(self) -> float:
        """How long all answers take together, in hours, if each annotator has one assignment."""
        answers = self.steps * self.passes + self.extra * self.assignments
        return answers * SECONDS_PER_UNIT / 3600

    @property
    def answers_each(self) -> int:
        """The number of answers of the largest assignment, in all passes."""
        return self.largest * self.passes + self.extra

    @property
    def minutes_each(self) -> float:
        """How long the largest assignment takes, in minutes."""
        return self.answers_each * SECONDS_PER_UNIT / 60


_FIGURES: CacheByHash[str, PlanFigures] = CacheByHash(64)
_REPEATED: CacheByHash[tuple[str, tuple[str, ...]], int] = CacheByHash(64)
"""How many units of a round look as an earlier one, by its first plan, which hashes them, and its columns."""


def read_figures(session: Session, round_: AnnotationRound) -> PlanFigures:
    """Return the arithmetic of a round's first plan."""
    row = plans.list_plans(session, round_)[0]
    figures = _FIGURES.get(row.sha256, lambda: compute_figures(plans.read_plan(session, row)))
    repeats, n_calibration = round_.rules.repeats, len(plans.list_keys(session, round_, "calibration"))
    return replace(
        figures,
        passes=round_.n_passes,
        calibration=n_calibration,
        repeats=0 if repeats is None else repeats.n,
        extra=round_.rules.count_extra(n_calibration),
    )


def compute_figures(plan: Plan) -> PlanFigures:
    """Compute the arithmetic of a plan."""
    sizes = [len(assignment.steps) for assignment in plan.assignments]
    return PlanFigures(
        units=sum(sizes) // plan.answers,
        answers=plan.answers,
        steps=sum(sizes),
        assignments=len(sizes),
        smallest=min(sizes),
        largest=max(sizes),
        panels=len({assignment.panel for assignment in plan.assignments}),
        meetings=summarize_meetings(plan),
    )


def count_units(session: Session, round_: AnnotationRound) -> int:
    """Count the units of a round that are planned."""
    query = select(func.count(Unit.id)).where(Unit.round_id == round_.id, Unit.role == "main")
    return session.scalar(query) or 0


def list_page(session: Session, round_: AnnotationRound, page: int, size: int) -> Sequence[Unit]:
    """List one page of the units of a round that are planned."""
    query = select(Unit).where(Unit.round_id == round_.id, Unit.role == "main").order_by(Unit.position)
    return session.scalars(query.limit(size).offset((page - 1) * size)).all()


def list_notes(session: Session, campaign: Campaign) -> list[str]:
    """Say what an organizer may want to fix before the campaign opens."""
    notes = []
    for round_ in campaign.rounds:
        key = plans.list_plans(session, round_)[0].sha256, list_shown(round_)
        if repeated := _REPEATED.get(key, partial(_count_repeated, session, round_)):
            notes.append(
                ngettext(
                    "%(round)s: %(num)d row has the same texts as an earlier one.",
                    "%(round)s: %(num)d rows have the same texts as an earlier one.",
                    repeated,
                    round=round_.slug,
                )
            )
    if campaign.level is not None and campaign.split is not None:
        golden = service.get_gold_round(campaign)
        keys = set(plans.list_keys(session, golden, plans.item_role(golden)))
        notes += _note_split(session, campaign, campaign.level, campaign.split, keys)
    return notes


def _count_repeated(session: Session, round_: AnnotationRound) -> int:
    query = select(Unit.texts, Unit.candidates).where(Unit.round_id == round_.id, Unit.role == "main")
    shown = Counter(
        (*(texts[column] for column in list_shown(round_)), *(text for _key, text in candidates or ()))
        for texts, candidates in session.execute(query)
    )
    return sum(count - 1 for count in shown.values())


def _note_split(session: Session, campaign: Campaign, level: str, split: str, keys: set[str]) -> list[str]:
    """Say how the units differ from the items of the split that gets the gold."""
    found = next((row for row in campaign.task.levels if row.slug == level), None)
    row = None if found is None else tasks.find_split(found, split)
    if row is None:
        return []
    ids = set(scoring.items_of(session, row).ids)
    notes = []
    if keys - ids:
        notes.append(
            ngettext(
                "%(num)d text of the campaign has an id that no item of the split has.",
                "%(num)d texts of the campaign have ids that no item of the split has.",
                len(keys - ids),
            )
        )
    if ids - keys:
        notes.append(
            ngettext(
                "%(num)d item of the split is not in the campaign and gets no gold label.",
                "%(num)d items of the split are not in the campaign and get no gold label.",
                len(ids - keys),
            )
        )
    return notes


def list_shown(round_: AnnotationRound) -> tuple[str, ...]:
    """List the columns of the units that annotators see, and the wanted rating."""
    return (*round_.rules.columns, *((WANTED,) if round_.kind == "write" else ()))


def list_columns(session: Session, round_: AnnotationRound) -> list[str]:
    """List the columns of the units that annotators do not see."""
    first = session.scalar(select(Unit).where(Unit.round_id == round_.id, Unit.role == "main").limit(1))
    return [] if first is None else [name for name in first.texts if name not in list_shown(round_)]
