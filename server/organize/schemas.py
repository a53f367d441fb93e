"""Schemas of the organizers' requests in the API, and of their responses."""

from collections.abc import Mapping
from typing import Any, get_args

from apiflask.fields import AwareDateTime, Boolean, Integer, List, Nested, String
from marshmallow import ValidationError, validates_schema

from server.organize.forms import LICENCE, SHIFT_DAYS, TASK_SLUG, TASK_TEXT
from server.organize.inputs import PHASE_DEFAULTS
from server.phases import forms as phase_forms
from server.phases.feedback import Feedback
from server.phases.rules import BaselinesShown, BoardMode
from server.phases.schemas import SPLIT, OnePhase
from server.releases.forms import NOTE
from server.submissions.schemas.runs import ROW_ID
from server.submissions.schemas.uploads import UploadSchema
from server.tasks.forms import CONTACT, MAILING_LIST, ORGANIZERS
from server.teams.forms import REGISTRATION_LABELS, TEAM_SIZE
from server.web.rest.fields import (
    AnswerSchema,
    ListField,
    MomentField,
    NumberField,
    RequestSchema,
    TextField,
    WholeNumberField,
    YesNoField,
)
from server.web.rest.responses import Paged
from server.web.validators import REASON, TITLE, ChoiceValidator

WARNINGS = {"description": "Warnings for organizers about phases that reveal gold labels which others hide."}


STATES = ("draft", "published", "archived")


class StateChange(RequestSchema):
    """The new state of a task."""

    state = TextField(
        required=True,
        validate=ChoiceValidator(STATES),
        metadata={
            "description": "`published`: everyone sees the task; `draft`: it is hidden again, which is "
            "possible until the first submission of a team is scored; `archived`: it stays readable, but "
            "takes no submissions and no teams."
        },
    )
    sure = YesNoField(
        load_default=False, metadata={"description": "Confirm that you want to change the state."}
    )


class SureSchema(RequestSchema):
    """A confirmation."""

    sure = YesNoField(load_default=False, metadata={"description": "Confirm that you want this."})


class RenameSchema(RequestSchema):
    """The new slug of a draft."""

    slug = TextField(required=True, validate=TASK_SLUG)


class CopySchema(RequestSchema):
    """The slug of the copy, and by how much its dates are moved."""

    slug = TextField(required=True, validate=TASK_SLUG)
    days = WholeNumberField(
        load_default=364,
        validate=SHIFT_DAYS,
        metadata={"description": "Move all dates by this many days; 364 days are 52 weeks."},
    )


class TaskStateSchema(AnswerSchema):
    """The state of a task."""

    slug = String()
    state = String(metadata={"enum": list(STATES)})


class ReasonSchema(RequestSchema):
    """A reason."""

    reason = TextField(required=True, validate=REASON)


class ExtensionSchema(ReasonSchema):
    """An extension of the deadline, for one team or for all."""

    closes = MomentField(required=True, metadata={"description": "The new deadline."})
    team = WholeNumberField(
        load_default=None,
        allow_none=True,
        validate=ROW_ID,
        metadata={"description": "The number of the team; null for all teams."},
    )


class MadeExtension(AnswerSchema):
    """An extension of the deadline."""

    team = Integer(
        allow_none=True,
        attribute="team_id",
        metadata={"description": "The number of the team; null for all teams."},
    )
    closes = AwareDateTime(metadata={"description": "The new deadline."})
    reason = String()
    made_at = AwareDateTime()


class NewExtension(MadeExtension):
    """An extension that was just made."""


class ExtensionsPage(Paged):
    """A page of extensions."""

    items = List(Nested(MadeExtension))


EACH_REMINDER = {"minimum": phase_forms.REMINDER_HOURS.min, "maximum": phase_forms.REMINDER_HOURS.max}
"""For openapi.json only: error messages are about the whole list."""


class PhaseRules(RequestSchema):
    """The dates and rules of a phase."""

    def __init__(self, before: Mapping[str, Any] = PHASE_DEFAULTS, **options: Any) -> None:
        super().__init__(**options)
        self.before = before

    @validates_schema(skip_on_field_errors=False)
    def require_consistency(self, given: dict[str, Any], **_options: Any) -> None:
        """Reject values that contradict each other, or the current values of omitted fields."""
        if found := phase_forms.find_contradictions({**self.before, **given}):
            raise ValidationError({name: [words] for name, words in found.items()})

    title = TextField(validate=TITLE)
    opens = MomentField(allow_none=True)
    closes = MomentField(allow_none=True)
    grace_hours = WholeNumberField(validate=phase_forms.GRACE_HOURS)
    runs_per_team = WholeNumberField(validate=phase_forms.RUNS_PER_TEAM)
    files_per_level = WholeNumberField(allow_none=True, validate=phase_forms.FILE_LIMIT)
    files_per_day = WholeNumberField(allow_none=True, validate=phase_forms.FILE_LIMIT)
    feedback = TextField(validate=ChoiceValidator(get_args(Feedback)))
    feedback_places = WholeNumberField(allow_none=True, validate=phase_forms.FEEDBACK_PLACES)
    ladder_step = NumberField(
        allow_none=True,
        validate=phase_forms.LADDER_STEP,
        metadata={"maximum": phase_forms.LADDER_STEP.max},  # apispec would write 1.0
    )
    board = TextField(validate=ChoiceValidator(get_args(BoardMode)))
    baselines = TextField(validate=ChoiceValidator(get_args(BaselinesShown)))
    reminders = ListField(WholeNumberField(metadata=EACH_REMINDER), validate=phase_forms.REMINDERS)
    runs_public = YesNoField()


class PhaseChange(PhaseRules):
    """Changes to a phase; omitted fields do not change."""

    sure = YesNoField(
        metadata={
            "description": "Confirm that teams may see the scores of files that they have already uploaded, "
            "that the items may be public at once, or that the phase may stop accepting submissions at once."
        }
    )


class NewPhase(PhaseRules):
    """A new phase; its short name and its split are permanent."""

    slug = TextField(required=True, validate=phase_forms.PHASE_SLUG)
    split = TextField(
        required=True, metadata={"description": "The split of the items that runs answer."}, validate=SPLIT
    )
    title = TextField(required=True, validate=TITLE)
    sure = YesNoField(
        load_default=False, metadata={"description": "Confirm that the items may be public at once."}
    )


class PublicItemsSchema(RequestSchema):
    """The percentage of public items, and the seed by which they are drawn."""

    percent = WholeNumberField(required=True, validate=phase_forms.PUBLIC_PERCENT)
    seed = TextField(required=True, validate=phase_forms.SEED)


class ListedItemsSchema(RequestSchema):
    """The public items of one level."""

    ids = TextField(
        required=True,
        validate=phase_forms.ITEM_IDS,
        metadata={"description": "The ids of the public items of the level, one per line."},
    )


class TaskChange(RequestSchema):
    """Changes to a task's texts and its rules for teams; omitted fields do not change."""

    title = TextField(validate=TITLE)
    description = TextField(
        validate=TASK_TEXT, metadata={"description": "What the task is about, as Markdown."}
    )
    licence = TextField(validate=LICENCE)
    organizers = TextField(validate=ORGANIZERS)
    contact = TextField(validate=CONTACT)
    mailing_list = TextField(validate=MAILING_LIST)
    terms = TextField(validate=TASK_TEXT, metadata={"description": "The terms, as Markdown; empty for none."})
    team_size = WholeNumberField(allow_none=True, validate=TEAM_SIZE)
    registration = TextField(validate=ChoiceValidator(tuple(REGISTRATION_LABELS)))


class ChangedSchema(AnswerSchema):
    """The names of the fields that changed."""

    changed = List(String)


class ChangedPhase(ChangedSchema):
    """The phase, and the names of the fields that changed."""

    warnings = List(String, metadata=WARNINGS)


class AddedPhase(OnePhase):
    """A phase that was added."""

    warnings = List(String, metadata=WARNINGS)


class BaselinesSchema(AnswerSchema):
    """The baselines of a phase."""

    present = List(String, attribute="names", metadata={"description": "The baselines that the phase has."})
    released = Boolean(
        metadata={"description": "Whether results were released, so that the baselines can no longer change."}
    )


class NewGold(UploadSchema, ReasonSchema):
    """A gold file, and the reason for it."""


class BroughtGold(AnswerSchema):
    """A gold version: the first of a split is in force at once, a later one is a candidate."""

    id = Integer()
    number = Integer()
    sha256 = String()


class NewRelease(RequestSchema):
    """How to release a leaderboard; with a time, the release is scheduled."""

    at = MomentField(
        load_default=None, allow_none=True, metadata={"description": "When to release; null for now."}
    )
    anonymous = YesNoField(load_default=False)
    opens_gold = YesNoField(load_default=False)
    note = TextField(load_default="", validate=NOTE)
    sure = YesNoField(
        load_default=False,
        metadata={
            "description": "Confirm that the public may see scores that the phase hides, published files, "
            "team names that can be inferred, or the gold standard; or any results while teams can still "
            "upload files."
        },
    )


class MadeRelease(AnswerSchema):
    """The number of the new release, or the time of a scheduled one."""

    number = Integer(
        allow_none=True, metadata={"description": "The number of the release; null if it is scheduled."}
    )
    planned_for = AwareDateTime(allow_none=True)
