"""The tables of annotation. Rows are inserted and never changed, except the columns that say so.

An answer is gold in the making: people who may not see gold see no row of these tables, and annotators see
their own answers alone.
"""

from datetime import datetime
from typing import Any, Literal

from sqlalchemy import JSON, ForeignKey, Index, String, Text, UniqueConstraint, false, text
from sqlalchemy.orm import Mapped, mapped_column, relationship

from scorer.campaigns.config import EntryKind, GoldRule, RoundKind, RoundRules
from scorer.campaigns.counted import Block
from server.annotation.rule_columns import GOLD_RULE, ROUND_RULES
from server.core.db import AuthoredRow, Base, NumberedRow, UtcDateTime
from server.tasks.models import Task

RoundEventName = Literal["opened", "paused", "closed"]
PlanReason = Literal["first", "repair"]
AssignmentEventName = Literal["left", "resumed", "finished", "passed", "failed", "retry"]
"""passed, failed, retry: the gate was judged; after "failed", others get all of the assignment."""
UnitRole = Literal["main", "calibration", "item", "sentence"]
"""What a unit is for. main: it is planned and counted. calibration: everybody answers it, and it is not
counted. item: nobody is asked about it alone; it is a candidate of tuples, and gets gold. sentence: it is a
sentence of a report, from which annotators choose for the units of its group."""
Standing = Literal["counts", "late"]
"""How an answer arrived: late answers came after the round was closed, or after their pass was done, and are
never in force."""
InputKind = Literal["key", "pointer", "touch", "paste", "none"]
"""How the answer was given, as the page's script says; "none" without script. paste: a text was pasted."""


DecisionCause = Literal["overlooked", "misunderstood", "unclear text", "guideline", "other"]


class Campaign(AuthoredRow):
    """A piece of annotation of one task. Its configuration file is kept in storage, by its hash."""

    __tablename__ = "campaign"
    __table_args__ = (UniqueConstraint("task_id", "slug"),)

    task_id: Mapped[int] = mapped_column(ForeignKey("task.id"))
    slug: Mapped[str] = mapped_column(String(64))
    title: Mapped[str] = mapped_column(String(200))
    contact: Mapped[str] = mapped_column(String(255))
    languages: Mapped[list[str]] = mapped_column(JSON)
    """The languages of the annotators' pages; the first is the default."""
    text_language: Mapped[str] = mapped_column(String(16))
    guide: Mapped[dict[str, str]] = mapped_column(JSON)
    """The instructions in Markdown, by language."""
    level: Mapped[str | None] = mapped_column(String(64))
    """The level and split that get the gold; both may not exist yet, or both are None."""
    split: Mapped[str | None] = mapped_column(String(16))
    gold_rule: Mapped[GoldRule | None] = mapped_column(GOLD_RULE)
    bundle_sha256: Mapped[str] = mapped_column(String(64))
    """The zip file of `annotation.toml` and the files that it names."""
    task: Mapped[Task] = relationship()
    rounds: Mapped[list["AnnotationRound"]] = relationship(
        back_populates="campaign", order_by="AnnotationRound.position"
    )
    entries: Mapped[list["Entry"]] = relationship(back_populates="campaign", order_by="Entry.id")


class Entry(NumberedRow):
    """A way into a campaign, for one group of annotators."""

    __tablename__ = "annotation_entry"
    __table_args__ = (UniqueConstraint("campaign_id", "slug"),)

    campaign_id: Mapped[int] = mapped_column(ForeignKey("campaign.id"))
    slug: Mapped[str] = mapped_column(String(64))
    kind: Mapped[EntryKind] = mapped_column(String(16))
    lease_hours: Mapped[float]
    """An assignment without an answer for this long is planned again for others."""
    assignments_each: Mapped[int]
    """The maximum number of assignments of an annotator; 0: unlimited."""
    person: Mapped[str | None] = mapped_column(String(64))
    """The parameter of the link with the platform's id of the person; as what follows, of a crowd alone."""
    done: Mapped[str | None] = mapped_column(String(64))
    """The code for people who did an assignment."""
    failed: Mapped[str | None] = mapped_column(String(64))
    """The code for people who did not pass the gate."""
    back: Mapped[str | None] = mapped_column(String(500))
    """The address of the platform that takes a code, with {code} in its place."""
    campaign: Mapped[Campaign] = relationship(back_populates="entries")


class AnnotationRound(NumberedRow):
    """One question about one set of units."""

    __tablename__ = "annotation_round"
    __table_args__ = (UniqueConstraint("campaign_id", "slug"),)

    campaign_id: Mapped[int] = mapped_column(ForeignKey("campaign.id"))
    position: Mapped[int]
    slug: Mapped[str] = mapped_column(String(64))
    kind: Mapped[RoundKind] = mapped_column(String(16))
    rules: Mapped[RoundRules] = mapped_column(ROUND_RULES)
    """What the round asks and how it is planned."""
    campaign: Mapped[Campaign] = relationship(back_populates="rounds")

    @property
    def n_passes(self) -> int:
        """The number of passes: 1 or 2."""
        return len(self.rules.passes)

    @property
    def pass_slugs(self) -> list[str]:
        """The slugs of the passes; that of a single pass can be empty."""
        return [each.slug for each in self.rules.passes]


class RoundEvent(AuthoredRow):
    """An event of a round, whose newest one is its state; a round without an event is planned."""

    __tablename__ = "annotation_round_event"

    round_id: Mapped[int] = mapped_column(ForeignKey("annotation_round.id"), index=True)
    event: Mapped[RoundEventName] = mapped_column(String(16))


class Unit(NumberedRow):
    """What annotators are asked about: a pair of texts, a tuple, or a text; or a sentence to choose."""

    __tablename__ = "annotation_unit"
    __table_args__ = (
        UniqueConstraint("round_id", "role", "key"),
        Index("ix_annotation_unit_round_id_group_key", "round_id", "group_key"),
    )

    round_id: Mapped[int] = mapped_column(ForeignKey("annotation_round.id"))
    position: Mapped[int]
    key: Mapped[str] = mapped_column(String(255))
    group: Mapped[str | None] = mapped_column("group_key", String(255))
    genre: Mapped[str | None] = mapped_column(String(255))
    texts: Mapped[dict[str, str]] = mapped_column(JSON)
    """All columns of the unit's line; annotators are sent those that the pass shows."""
    role: Mapped[UnitRole] = mapped_column(String(16), server_default="main")
    candidates: Mapped[list[list[str]] | None] = mapped_column(JSON(none_as_null=True))
    """The [key, text] of each item of a tuple, or of each sense to choose; None: there are none."""


class AssignmentPlan(AuthoredRow):
    """The planned assignments of a round: a file in storage, by its hash."""

    __tablename__ = "assignment_plan"
    __table_args__ = (UniqueConstraint("round_id", "number"),)

    round_id: Mapped[int] = mapped_column(ForeignKey("annotation_round.id"))
    number: Mapped[int]
    reason: Mapped[PlanReason] = mapped_column(String(16))
    sha256: Mapped[str] = mapped_column(String(64))
    n_assignments: Mapped[int]
    round: Mapped[AnnotationRound] = relationship()


class Annotator(NumberedRow):
    """A pseudonym in a campaign, such as A001; `AnnotatorIdentity` says who it is."""

    __tablename__ = "annotator"
    __table_args__ = (UniqueConstraint("campaign_id", "name"),)

    campaign_id: Mapped[int] = mapped_column(ForeignKey("campaign.id"))
    entry_id: Mapped[int] = mapped_column(ForeignKey("annotation_entry.id"))
    name: Mapped[str] = mapped_column(String(16))
    language: Mapped[str] = mapped_column(String(16))
    """The language of their pages; can be changed."""
    trial: Mapped[bool] = mapped_column(server_default=false())
    """An organizer who tries the campaign: these answers count nowhere and are in no export."""
    made_at: Mapped[datetime] = mapped_column(UtcDateTime)
    campaign: Mapped[Campaign] = relationship()
    entry: Mapped[Entry] = relationship()

    @property
    def is_of_crowd(self) -> bool:
        """Whether an id that proves nothing let them in, so that each browser is shown its own answers."""
        return self.entry.kind == "crowd" and not self.trial


class AnnotatorIdentity(Base):
    """Who an annotator is: the one table that is emptied when personal data is erased."""

    __tablename__ = "annotator_identity"

    annotator_id: Mapped[int] = mapped_column(ForeignKey("annotator.id"), primary_key=True)
    label: Mapped[str | None] = mapped_column(String(255))
    """The name that the organizers gave; can be erased."""
    email: Mapped[str | None] = mapped_column(String(255), index=True)
    """Can be erased."""
    user_id: Mapped[int | None] = mapped_column(ForeignKey("account.id"), index=True)
    """The account that they were signed in to when they consented; can be erased."""
    person_hash: Mapped[str | None] = mapped_column(String(64), index=True, unique=True)
    """Of the campaign and the platform's id of the person, by `Identity.hash_person`; can be erased."""
    erased_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    annotator: Mapped[Annotator] = relationship()


class AnnotationBar(Base):
    """A person who agreed to annotate and whose identity was erased, as a keyed hash without the pseudonym.

    They still cannot compete where the gold is hidden.
    """

    __tablename__ = "annotation_bar"

    campaign_id: Mapped[int] = mapped_column(ForeignKey("campaign.id"), primary_key=True)
    person_hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    """Of the account, the address or the platform's id, by `Identity.hash_person`."""


class AnnotatorKey(NumberedRow):
    """The secret of a personal link, or of a browser of a crowd, of which the hash is stored."""

    __tablename__ = "annotator_key"

    annotator_id: Mapped[int] = mapped_column(ForeignKey("annotator.id"), index=True)
    sha256: Mapped[str] = mapped_column(String(64), unique=True)
    made_at: Mapped[datetime] = mapped_column(UtcDateTime)
    ended_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    """Set once, when the link is replaced, which ends all earlier ones."""
    annotator: Mapped[Annotator] = relationship()


class ConsentVersion(AuthoredRow):
    """One version of the consent text, with its text in each language."""

    __tablename__ = "consent_version"
    __table_args__ = (UniqueConstraint("campaign_id", "number"),)

    campaign_id: Mapped[int] = mapped_column(ForeignKey("campaign.id"))
    number: Mapped[int]
    texts: Mapped[dict[str, str]] = mapped_column(JSON)


class Consent(NumberedRow):
    """An annotator's consent to one version, or the withdrawal of all consent; the newest row holds."""

    __tablename__ = "consent"

    annotator_id: Mapped[int] = mapped_column(ForeignKey("annotator.id"), index=True)
    consent_version_id: Mapped[int] = mapped_column(ForeignKey("consent_version.id"))
    language: Mapped[str] = mapped_column(String(16))
    given: Mapped[bool]
    made_at: Mapped[datetime] = mapped_column(UtcDateTime)


class Assignment(NumberedRow):
    """A planned list of steps that one annotator took; nobody else can have it."""

    __tablename__ = "assignment"
    __table_args__ = (UniqueConstraint("plan_id", "number"),)

    plan_id: Mapped[int] = mapped_column(ForeignKey("assignment_plan.id"))
    number: Mapped[int | None]
    """The number in the plan; None: a trial, which leaves the planned assignment to others."""
    annotator_id: Mapped[int] = mapped_column(ForeignKey("annotator.id"), index=True)
    taken_at: Mapped[datetime] = mapped_column(UtcDateTime)
    plan: Mapped[AssignmentPlan] = relationship()
    annotator: Mapped[Annotator] = relationship()
    steps: Mapped[list["Step"]] = relationship(back_populates="assignment", order_by="Step.position")


class AssignmentEvent(NumberedRow):
    """An event of an assignment: its annotator left it, came back to it, or finished it, or met the gate."""

    __tablename__ = "assignment_event"

    assignment_id: Mapped[int] = mapped_column(ForeignKey("assignment.id"), index=True)
    event: Mapped[AssignmentEventName] = mapped_column(String(16))
    made_at: Mapped[datetime] = mapped_column(UtcDateTime)


class Step(NumberedRow):
    """One position of an assignment: the unit that its annotator is asked about, and the slot it fills.

    The positions of the second pass follow those of the first.
    """

    __tablename__ = "annotation_step"
    __table_args__ = (
        UniqueConstraint("assignment_id", "position"),
        Index(
            "uq_annotation_step_annotator_id_unit_id_pass_number",
            "annotator_id",
            "unit_id",
            "pass_number",
            unique=True,
            sqlite_where=text("block = 'main'"),
            postgresql_where=text("block = 'main'"),
        ),
        Index("ix_annotation_step_unit_id", "unit_id"),
    )

    assignment_id: Mapped[int] = mapped_column(ForeignKey("assignment.id"))
    annotator_id: Mapped[int] = mapped_column(ForeignKey("annotator.id"))
    """The annotator of the assignment: nobody gets a unit of the plan twice in a pass, but to repeat it."""
    unit_id: Mapped[int] = mapped_column(ForeignKey("annotation_unit.id"))
    position: Mapped[int]
    slot: Mapped[int]
    """The slot of the unit; 0: a calibration unit or a repeat fills none."""
    pass_number: Mapped[int] = mapped_column(server_default="1")
    block: Mapped[Block] = mapped_column(String(16), server_default="main")
    repeats_step_id: Mapped[int | None] = mapped_column(ForeignKey("annotation_step.id"))
    """The earlier step of the annotator that a repeat asks about again; perhaps of another round."""
    assignment: Mapped[Assignment] = relationship(back_populates="steps")
    unit: Mapped[Unit] = relationship()


class UnitAnswer(NumberedRow):
    """One answer to one step. A later one of the same step supersedes it."""

    __tablename__ = "unit_answer"
    __table_args__ = (UniqueConstraint("step_id", "nonce"),)

    step_id: Mapped[int] = mapped_column(ForeignKey("annotation_step.id"))
    nonce: Mapped[str] = mapped_column(String(32))
    """Of the form's ticket and of what the form said: the same form sent again adds no row."""
    value: Mapped[float | None]
    """The rating; None: the annotator cannot judge the unit, or chose or wrote something."""
    picks: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))
    """The keys of the candidates of a tuple that are "best" and "worst"; or, for "A", "B" and "C", the [key,
    rating] of a sentence; or the key of the "sense"."""
    standing: Mapped[Standing] = mapped_column(String(16))
    supersedes_id: Mapped[int | None] = mapped_column(ForeignKey("unit_answer.id"))
    shown_at: Mapped[datetime] = mapped_column(UtcDateTime)
    arrived_at: Mapped[datetime] = mapped_column(UtcDateTime)
    visible_ms: Mapped[int | None]
    """How long the page was in front, by its script; None: unknown, or longer than the server can confirm."""
    input: Mapped[InputKind] = mapped_column(String(16))
    texts_sha256: Mapped[str | None] = mapped_column(String(64))
    """The hash of the free texts and their salt, which stays when they are erased; None: no free text."""
    key_sha256: Mapped[str | None] = mapped_column(String(64))
    """The browser of a crowd that gave the answer, by its `AnnotatorKey`; in no export."""
    step: Mapped[Step] = relationship()
    texts: Mapped["AnswerText | None"] = relationship()


class AnswerText(Base):
    """The free texts of an answer, apart from it so that they can be erased."""

    __tablename__ = "unit_answer_text"

    answer_id: Mapped[int] = mapped_column(ForeignKey("unit_answer.id"), primary_key=True)
    comment: Mapped[str | None] = mapped_column(Text)
    """Can be erased, with the reason and the salt."""
    reason: Mapped[str | None] = mapped_column(Text)
    """Why the annotator cannot judge the unit."""
    written: Mapped[str | None] = mapped_column(Text)
    """The text that the annotator wrote, if the unit asks for one. If it is erased, the answer is empty."""
    salt: Mapped[str | None] = mapped_column(String(64))


class Exclusion(AuthoredRow):
    """An organizer's decision that an annotator's answers do not count, or count again; the newest holds."""

    __tablename__ = "annotator_exclusion"

    annotator_id: Mapped[int] = mapped_column(ForeignKey("annotator.id"), index=True)
    excluded: Mapped[bool]
    reason: Mapped[str] = mapped_column(Text)


class Decision(AuthoredRow):
    """What organizers decided on a unit on which its annotators disagree; the newest of a pass holds."""

    __tablename__ = "annotation_decision"

    unit_id: Mapped[int] = mapped_column(ForeignKey("annotation_unit.id"), index=True)
    pass_number: Mapped[int]
    value: Mapped[float | None]
    """The gold value; None: the decision before was taken back."""
    cause: Mapped[DecisionCause | None] = mapped_column(String(16))
    """Why the ratings differ."""
    note: Mapped[str] = mapped_column(Text, sort_order=2)


class RoundFigures(NumberedRow):
    """The figures of a round, from what the scorer prints of its answers; they can be computed again."""

    __tablename__ = "round_figures"

    round_id: Mapped[int] = mapped_column(ForeignKey("annotation_round.id"), index=True)
    answers_sha256: Mapped[str] = mapped_column(String(64))
    """The hash of the answers that they are about."""
    text: Mapped[str] = mapped_column(Text)
    """JSON: "figures" with their rows and commands, and "errors"."""
    made_at: Mapped[datetime] = mapped_column(UtcDateTime)


class RoundExport(NumberedRow):
    """The stored zip file of a large export; it can be made again. It goes when texts are erased."""

    __tablename__ = "round_export"

    round_id: Mapped[int] = mapped_column(ForeignKey("annotation_round.id"), unique=True)
    answers_sha256: Mapped[str] = mapped_column(String(64))
    """The hash of the answers that it has."""
    changes_sha256: Mapped[str] = mapped_column(String(64))
    """The hash of what had been excluded, withdrawn, erased or decided."""
    sha256: Mapped[str] = mapped_column(String(64))
    """The zip file."""
    made_at: Mapped[datetime] = mapped_column(UtcDateTime)


class RoundDataSet(NumberedRow):
    """A data set that an organizer asked for; a job makes it. Only the newest of a round is offered."""

    __tablename__ = "round_data_set"

    round_id: Mapped[int] = mapped_column(ForeignKey("annotation_round.id"), index=True)
    options: Mapped[dict[str, int | str]] = mapped_column(JSON)
    """The options of `scorer dataset`: "seed", "at_least", "context_sentences" and "expected"."""
    choices_sha256: Mapped[str | None] = mapped_column(String(64))
    """The file of the pairs of an earlier round; None: there was none, or a newer data set was asked for."""
    answers_sha256: Mapped[str | None] = mapped_column(String(64))
    """The hash of the answers that it has; None: the job has not run."""
    sha256: Mapped[str | None] = mapped_column(String(64))
    """The zip file; None: the job has not run or has failed, or a newer data set was asked for."""
    error: Mapped[str | None] = mapped_column(Text)
    """What the scorer said if it made no data set."""
    made_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    round: Mapped[AnnotationRound] = relationship()
