"""What organizers send, and what is answered."""

from typing import get_args

from apiflask import Schema
from apiflask.fields import AwareDateTime, Integer, List, Nested, String

from server.corrections.forms import ReasonForm
from server.organize.forms import TaskForm
from server.phases.feedback import Feedback
from server.phases.forms import MAX_REMINDER_HOURS, MAX_REMINDERS, NewPhaseForm, PhaseForm, PublicItemsForm
from server.phases.rules import BaselinesShown, BoardMode
from server.phases.schemas import SPLIT, OnePhase
from server.releases.forms import ReleaseForm
from server.submissions.schemas.runs import ROW_ID
from server.submissions.schemas.uploads import UploadSchema
from server.web.rest.fields import (
    ChoiceValidator,
    ListField,
    MomentField,
    NumberField,
    RequestSchema,
    TextField,
    WholeNumberField,
    YesNoField,
)
from server.web.rest.forms import field_bounds
from server.web.rest.responses import Paged

WARNINGS = {"description": "What its organizers should know: which phases tell about gold that others hide."}


HOURS = {"minimum": 1, "maximum": MAX_REMINDER_HOURS}
REMINDERS = {"maxItems": MAX_REMINDERS}


class ReasonSchema(RequestSchema):
    """Why."""

    reason = TextField(required=True, metadata=field_bounds(ReasonForm, "reason"))


class ExtensionSchema(ReasonSchema):
    """A later deadline, for one team (by its number) or for all."""

    closes = MomentField(required=True, metadata={"description": "The new deadline."})
    team = WholeNumberField(
        load_default=None,
        allow_none=True,
        validate=ROW_ID,
        metadata={"description": "For which team, by its number; null: for all."},
    )


class MadeExtension(Schema):
    """A later deadline that was given."""

    team = Integer(
        required=True,
        allow_none=True,
        attribute="team_id",
        metadata={"description": "For which team, by its number; null: for all."},
    )
    closes = AwareDateTime(required=True, metadata={"description": "The new deadline."})
    reason = String(required=True)
    made_at = AwareDateTime(required=True)


class NewExtension(MadeExtension):
    """A later deadline that was just given."""


class ExtensionsPage(Paged):
    """Some of the extensions."""

    items = List(Nested(MadeExtension), required=True)


class PhaseRules(RequestSchema):
    """Dates and rules of a phase."""

    title = TextField(metadata=field_bounds(PhaseForm, "title"))
    opens = MomentField(allow_none=True)
    closes = MomentField(allow_none=True)
    grace_hours = WholeNumberField(metadata=field_bounds(PhaseForm, "grace_hours"))
    runs_per_team = WholeNumberField(metadata=field_bounds(PhaseForm, "runs_per_team"))
    files_per_level = WholeNumberField(allow_none=True, metadata=field_bounds(PhaseForm, "files_per_level"))
    files_per_day = WholeNumberField(allow_none=True, metadata=field_bounds(PhaseForm, "files_per_day"))
    feedback = TextField(validate=ChoiceValidator(get_args(Feedback)))
    feedback_places = WholeNumberField(allow_none=True, metadata=field_bounds(PhaseForm, "feedback_places"))
    ladder_step = NumberField(allow_none=True, metadata=field_bounds(PhaseForm, "ladder_step"))
    board = TextField(validate=ChoiceValidator(get_args(BoardMode)))
    baselines = TextField(validate=ChoiceValidator(get_args(BaselinesShown)))
    reminders = ListField(WholeNumberField(metadata=HOURS), metadata=REMINDERS)
    runs_public = YesNoField()


class PhaseChange(PhaseRules):
    """What is to change of a phase; what is left out stays as it is."""

    sure = YesNoField(
        metadata={"description": "Whether teams may now see the scores of the files that they have sent."}
    )


class NewPhase(PhaseRules):
    """A phase that is to be; its short name and its split stay."""

    slug = TextField(required=True, metadata=field_bounds(NewPhaseForm, "slug"))
    split = TextField(required=True, metadata={"description": "Which items the runs answer."}, validate=SPLIT)
    title = TextField(required=True, metadata=field_bounds(NewPhaseForm, "title"))
    reminders = ListField(WholeNumberField(metadata=HOURS), load_default=list, metadata=REMINDERS)


class PublicItemsSchema(RequestSchema):
    """How many of the items are public, and by which seed they are drawn."""

    percent = WholeNumberField(required=True, metadata=field_bounds(PublicItemsForm, "percent"))
    seed = TextField(required=True, metadata=field_bounds(PublicItemsForm, "seed"))


class TaskChange(RequestSchema):
    """What is to change of a task's texts; what is left out stays as it is."""

    title = TextField(metadata=field_bounds(TaskForm, "title"))
    description = TextField(
        metadata=field_bounds(TaskForm, "description", "What the task is about, as Markdown.")
    )
    licence = TextField(metadata=field_bounds(TaskForm, "licence"))
    terms = TextField(metadata=field_bounds(TaskForm, "terms", "As Markdown; empty: none."))


class ChangedSchema(Schema):
    """Which of the fields are other than before."""

    changed = List(String, required=True)


class ChangedPhase(ChangedSchema):
    """The same of a phase."""

    warnings = List(String, required=True, metadata=WARNINGS)


class AddedPhase(OnePhase):
    """A phase that was added."""

    warnings = List(String, required=True, metadata=WARNINGS)


class NewGold(UploadSchema, ReasonSchema):
    """A gold file, and why it is brought."""


class BroughtGold(Schema):
    """A gold version: the first of a split is in force at once, a later one is a candidate."""

    id = Integer(required=True)
    number = Integer(required=True)
    sha256 = String(required=True)


class NewRelease(RequestSchema):
    """In what manner a board is released; with a time, it is planned for then."""

    at = MomentField(
        load_default=None, allow_none=True, metadata={"description": "When to release; null: now."}
    )
    anonymous = YesNoField(load_default=False)
    opens_gold = YesNoField(load_default=False)
    note = TextField(load_default="", metadata=field_bounds(ReleaseForm, "note"))
    sure = YesNoField(
        load_default=False,
        metadata={
            "description": "Whether all may now see what the phase hides, or read the files that it makes "
            "public, while teams can still send theirs."
        },
    )


class MadeRelease(Schema):
    """What came of it: the number of the release that is public now, or for when it is planned."""

    number = Integer(
        required=True,
        allow_none=True,
        metadata={"description": "The number of the release; null: it is planned."},
    )
    planned_for = AwareDateTime(required=True, allow_none=True)
