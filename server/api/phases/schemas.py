"""Schemas of tasks with their levels, phases and files in the API."""

from collections.abc import Mapping
from typing import Any, get_args

from apiflask.fields import AwareDateTime, Boolean, Float, Integer, List, Nested, Raw, String
from marshmallow import ValidationError, validates_schema

from server.phases import forms as phase_forms
from server.phases.feedback import Feedback
from server.phases.rules import BaselinesShown, BoardMode, PhaseState
from server.planning.inputs import PHASE_DEFAULTS
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
from server.web.rest.requests import ROW_ID, ChangedSchema, ReasonSchema
from server.web.rest.responses import Paged, PageQuery
from server.web.validators import TITLE, ChoiceValidator, LengthValidator

PHASE_STATE = {
    "enum": list(get_args(PhaseState)),
    "description": "`early`: not open yet; `open`: before the deadline; `grace`: late "
    "submissions are accepted; `over`: closed.",
}


class LevelSchema(AnswerSchema):
    """One comparison level; the first of its metrics is the official one."""

    slug = String()
    title = String()
    sides = List(String)
    metrics = List(String)
    counts = Boolean()
    layout = Raw(metadata={"type": "object"})


class WindowSchema(AnswerSchema):
    """When files are accepted, by the server's clock; null: unlimited."""

    opens = AwareDateTime(allow_none=True)
    closes = AwareDateTime(allow_none=True)
    grace_ends = AwareDateTime(allow_none=True)


class PhaseSchema(AnswerSchema):
    """A phase with its times for you: your team may have more time than others."""

    slug = String(attribute="phase.slug")
    title = String(attribute="phase.title")
    split = String(attribute="phase.split")
    state = String(metadata=PHASE_STATE)
    window = Nested(WindowSchema)
    grace_hours = Integer(attribute="phase.grace_hours")
    feedback = String(attribute="phase.feedback", metadata={"enum": list(get_args(Feedback))})
    feedback_places = Integer(allow_none=True, attribute="phase.feedback_places")
    ladder_step = Float(allow_none=True, attribute="phase.ladder_step")
    board = String(attribute="phase.board", metadata={"enum": list(get_args(BoardMode))})
    baselines = String(attribute="phase.baselines", metadata={"enum": list(get_args(BaselinesShown))})
    reminders = List(Integer(), attribute="phase.reminders")
    runs_public = Boolean(attribute="phase.runs_public")
    runs_per_team = Integer(attribute="phase.runs_per_team")
    files_per_level = Integer(allow_none=True, attribute="phase.files_per_level")
    files_per_day = Integer(allow_none=True, attribute="phase.files_per_day")


class OnePhase(PhaseSchema):
    """A single phase."""


class FileSchema(AnswerSchema):
    """A file of the task that you may download."""

    level = String(attribute="level.slug")
    split = String()
    kind = String(metadata={"enum": ["items", "gold", "senses", "public"]})
    filename = String()
    sha256 = String()
    n_items = Integer()
    run_limit = Integer(allow_none=True)


class KitFileSchema(AnswerSchema):
    """A file of the starter kit."""

    name = String()
    sha256 = String()


class TaskSchema(AnswerSchema):
    """A task in a list."""

    slug = String()
    title = String()
    state = String(metadata={"enum": ["draft", "published", "archived"]})
    created_at = AwareDateTime()


class TaskWithRules(TaskSchema):
    """A task as its bundle described it, with all its rules."""

    description = String()
    licence = String()
    organizers = String()
    contact = String()
    mailing_list = String()
    citation = String()
    terms = String(allow_none=True)
    scale_min = Float(allow_none=True)
    scale_max = Float(allow_none=True)
    scale_step = Float(allow_none=True)
    labels = Raw(metadata={"type": "array", "items": {}})
    keyed = Raw(allow_none=True, metadata={"type": "object"})
    confidence_max = Float()
    board_rules = Raw(metadata={"type": "object"})
    team_size = Integer(allow_none=True)
    registration = String(metadata={"enum": ["open", "approved"]})
    levels = List(Nested(LevelSchema))
    phases = List(Nested(PhaseSchema))
    files = List(Nested(FileSchema))
    starter_kit = List(Nested(KitFileSchema))


class TasksPage(Paged):
    """A page of tasks, the newest first."""

    items = List(Nested(TaskSchema))


SPLIT = LengthValidator(min=1, max=16)


class ItemsQuery(PageQuery):
    """Selects the split of the items."""

    split = TextField(load_default="test", validate=SPLIT)


class ItemSchema(AnswerSchema):
    """An item, with its texts as they are in the file."""

    id = String()
    genre = String()
    left = String()
    right = String()
    sense_key = String(allow_none=True)
    context = String(allow_none=True)
    group = String(allow_none=True)


class ItemsPage(Paged):
    """A page of items, in the order of their file: run files have one line for each."""

    items = List(Nested(ItemSchema))


class ExtensionSchema(ReasonSchema):
    """An extension of the deadline, for one team or for all."""

    closes = MomentField(required=True)
    team = WholeNumberField(load_default=None, allow_none=True, validate=ROW_ID)


class MadeExtension(AnswerSchema):
    """An extension of the deadline."""

    team = Integer(allow_none=True, attribute="team_id")
    closes = AwareDateTime()
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

    sure = YesNoField()


class NewPhase(PhaseRules):
    """A new phase; its short name and its split are permanent."""

    slug = TextField(required=True, validate=phase_forms.PHASE_SLUG)
    split = TextField(required=True, validate=SPLIT)
    title = TextField(required=True, validate=TITLE)
    sure = YesNoField(load_default=False)


class PublicItemsSchema(RequestSchema):
    """The percentage of public items, and the seed by which they are drawn."""

    percent = WholeNumberField(required=True, validate=phase_forms.PUBLIC_PERCENT)
    seed = TextField(required=True, validate=phase_forms.SEED)


class ListedItemsSchema(RequestSchema):
    """The public items of one level."""

    ids = TextField(required=True, validate=phase_forms.ITEM_IDS)


class ChangedPhase(ChangedSchema):
    """The phase, and the names of the fields that changed."""

    warnings = List(String)


class AddedPhase(OnePhase):
    """A phase that was added."""

    warnings = List(String)
