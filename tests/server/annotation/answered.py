"""A small campaign whose rows stand there, without plans and pages: units, annotators and their answers."""

import io
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from scorer.bundles.bundle import ScaleSpec
from scorer.campaigns.config import GoldRule, PassConfig, RoundRules
from server.annotation.models import (
    AnnotationRound,
    Annotator,
    AnnotatorIdentity,
    AnnotatorKey,
    AnswerText,
    Assignment,
    AssignmentPlan,
    Campaign,
    Consent,
    ConsentVersion,
    Entry,
    RoundEvent,
    Step,
    Unit,
    UnitAnswer,
)
from server.core import db
from tests.scorer.small_campaign import CAMPAIGN, CONSENT, UNITS as UNITS_FILE
from tests.server.world import OPENS, World

UNITS = ("News-1", "News-2", "Forum-1", "Forum-2")
RATINGS: Mapping[str, Sequence[float | None]] = {
    "A001": (0, 1, 2.5, 4),
    "A002": (1, 1, 3, 4),
    "A003": (0, None, 4, 4),
}
"""The answers of three annotators to the units in their order; None: could not judge."""
PAGE = "/tasks/small/organize/campaigns/pairs/results"


@dataclass(frozen=True)
class Answered:
    """The ids of a campaign and of its annotators by name."""

    campaign_id: int
    annotators: Mapping[str, int]


def add_answered_campaign(
    world: World,
    ratings: Mapping[str, Sequence[float | None]] = RATINGS,
    *,
    answers: int = 3,
    at_least: int = 2,
    level: str | None = "s2p",
    split: str | None = "training",
    state: str | None = "closed",
    trial: bool = False,
) -> Answered:
    """Add a campaign named "pairs" with one assignment for each annotator, all answered."""
    session = world.session
    with db.writing(session):
        campaign = Campaign(
            task_id=world.task.id,
            slug="pairs",
            title="Pairs of sentences",
            contact="ada@example.org",
            languages=["en"],
            text_language="en",
            guide={},
            level=level,
            split=split,
            gold_rule=GoldRule("rate", "", "mean", at_least),
            bundle_sha256=world.storage.put(_bundle()),
            made_at=OPENS,
        )
        entry = Entry(campaign=campaign, slug="readers", kind="personal", lease_hours=336, assignments_each=1)
        rules = RoundRules(
            entries=(), units_file="units.tsv", tuples_file=None, passes=(PassConfig("", ("left", "right")),),
            scale=ScaleSpec(0, 4, 0.5), labels={"en": {0: "unrelated", 4: "the same"}},
            question={"en": "How similar are they?"}, best={}, worst={}, comment=False, cannot_judge=True,
            answers=answers, assignment=4, groups="free", order="given", seed=1,
        )  # fmt: skip
        round_ = AnnotationRound(campaign=campaign, position=1, slug="rate", kind="rate", rules=rules)
        session.add_all([campaign, entry, round_])
        session.flush()
        if state is not None:
            session.add(RoundEvent(round_id=round_.id, event=state, made_at=OPENS))
        units = [
            Unit(
                round_id=round_.id,
                position=number,
                key=key,
                genre=key.split("-")[0],
                texts={"left": f"left text {number}", "right": f"right text {number}"},
            )
            for number, key in enumerate(UNITS, start=1)
        ]
        plan = AssignmentPlan(
            round_id=round_.id,
            number=1,
            reason="first",
            sha256=world.storage.put(b"{}"),
            n_assignments=len(ratings),
            made_at=OPENS,
        )
        consent = ConsentVersion(campaign_id=campaign.id, number=1, texts={"en": "Yes?"}, made_at=OPENS)
        session.add_all([*units, plan, consent])
        session.flush()
        ids = {}
        for number, (name, values) in enumerate(ratings.items(), start=1):
            annotator = Annotator(
                campaign_id=campaign.id,
                entry_id=entry.id,
                name=name,
                language="en",
                trial=trial,
                made_at=OPENS,
            )
            session.add(annotator)
            session.flush()
            ids[name] = annotator.id
            session.add_all(
                [
                    AnnotatorIdentity(
                        annotator_id=annotator.id, label=f"Reader {number}", email=f"{name}@example.org"
                    ),
                    AnnotatorKey(annotator_id=annotator.id, sha256=f"{number:064}", made_at=OPENS),
                    Consent(
                        annotator_id=annotator.id,
                        consent_version_id=consent.id,
                        language="en",
                        given=True,
                        made_at=OPENS,
                    ),
                ]
            )
            assignment = Assignment(plan_id=plan.id, number=number, annotator_id=annotator.id, taken_at=OPENS)
            session.add(assignment)
            session.flush()
            for position, (unit, value) in enumerate(zip(units, values, strict=True), start=1):
                shown = OPENS + timedelta(minutes=10 * number + position)
                add_answer(world, assignment, unit, position, number, value, shown)
    return Answered(campaign.id, ids)


def _bundle() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as zipped:
        for name, text in (
            ("annotation.toml", CAMPAIGN),
            ("pairs.tsv", UNITS_FILE),
            ("consent.en.md", CONSENT),
        ):
            zipped.writestr(f"pairs/{name}", text)
    return file.getvalue()


def add_answer(
    world: World,
    assignment: Assignment,
    unit: Unit,
    position: int,
    slot: int,
    value: float | None,
    shown: datetime,
) -> UnitAnswer:
    """Add a step and its answer, after five seconds."""
    session = world.session
    step = Step(
        assignment_id=assignment.id,
        annotator_id=assignment.annotator_id,
        unit_id=unit.id,
        position=position,
        slot=slot,
    )
    session.add(step)
    session.flush()
    answer = UnitAnswer(
        step_id=step.id,
        nonce=f"{step.id}",
        value=value,
        standing="counts",
        shown_at=shown,
        arrived_at=shown + timedelta(seconds=5),
        visible_ms=4500 if slot == 1 else None,
        input="key",
        texts_sha256=None if value is not None else "0" * 64,
    )
    session.add(answer)
    session.flush()
    if value is None:
        session.add(AnswerText(answer_id=answer.id, reason="too short to judge", salt="1" * 64))
    return answer
