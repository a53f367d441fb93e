"""Tasks with their levels, phases and files."""

from typing import get_args

from apiflask import Schema
from apiflask.fields import AwareDateTime, Boolean, Float, Integer, List, Nested, Raw, String

from server.phases.feedback import Feedback
from server.phases.rules import BaselinesShown, BoardMode, PhaseState
from server.web.rest.fields import LengthValidator, TextField
from server.web.rest.responses import Paged, PageQuery

PHASE_STATE = {
    "enum": list(get_args(PhaseState)),
    "description": "`early`: not open yet; `grace`: late files are taken; `over`: no more are.",
}


class LevelSchema(Schema):
    """One comparison level; the first of its metrics is the official one."""

    slug = String(required=True)
    title = String(required=True)
    sides = List(String, required=True)
    metrics = List(String, required=True)
    counts = Boolean(required=True, metadata={"description": "Whether it counts in the total."})
    layout = Raw(
        required=True,
        metadata={"type": "object", "description": "The columns of its items, as in a task.toml."},
    )


class WindowSchema(Schema):
    """When files are taken, by the server's clock; null: without that bound."""

    opens = AwareDateTime(required=True, allow_none=True)
    closes = AwareDateTime(required=True, allow_none=True)
    grace_ends = AwareDateTime(required=True, allow_none=True)


class PhaseSchema(Schema):
    """One phase as it stands for whoever asks: their team may have more time than others."""

    slug = String(required=True, attribute="phase.slug")
    title = String(required=True, attribute="phase.title")
    split = String(required=True, attribute="phase.split")
    state = String(required=True, metadata=PHASE_STATE)
    window = Nested(WindowSchema, required=True)
    grace_hours = Integer(required=True, attribute="phase.grace_hours")
    feedback = String(required=True, attribute="phase.feedback", metadata={"enum": list(get_args(Feedback))})
    feedback_places = Integer(required=True, allow_none=True, attribute="phase.feedback_places")
    ladder_step = Float(required=True, allow_none=True, attribute="phase.ladder_step")
    board = String(required=True, attribute="phase.board", metadata={"enum": list(get_args(BoardMode))})
    baselines = String(
        required=True, attribute="phase.baselines", metadata={"enum": list(get_args(BaselinesShown))}
    )
    reminders = List(Integer(), required=True, attribute="phase.reminders")
    runs_public = Boolean(required=True, attribute="phase.runs_public")
    runs_per_team = Integer(required=True, attribute="phase.runs_per_team")
    files_per_level = Integer(required=True, allow_none=True, attribute="phase.files_per_level")
    files_per_day = Integer(required=True, allow_none=True, attribute="phase.files_per_day")


class OnePhase(PhaseSchema):
    """One phase alone."""


class FileSchema(Schema):
    """A file of the task that everybody, or whoever asks, may download."""

    level = String(required=True, attribute="level.slug")
    split = String(required=True)
    kind = String(required=True, metadata={"enum": ["items", "gold", "senses", "public"]})
    filename = String(required=True)
    sha256 = String(required=True)
    n_items = Integer(required=True)
    run_limit = Integer(
        required=True,
        allow_none=True,
        metadata={
            "description": "Of items: the most bytes that a run file for them may have; null of other files."
        },
    )


class TaskSchema(Schema):
    """What stands in a list of tasks."""

    slug = String(required=True)
    title = String(required=True)
    created_at = AwareDateTime(required=True)


class TaskWithRules(TaskSchema):
    """One task as its bundle described it, with all its rules."""

    description = String(required=True, metadata={"description": "What the task is about, as Markdown."})
    licence = String(required=True)
    terms = String(required=True, allow_none=True)
    scale_min = Float(required=True)
    scale_max = Float(required=True)
    scale_step = Float(required=True, allow_none=True)
    labels = Raw(required=True, metadata={"type": "array", "items": {}})
    keyed = Raw(required=True, allow_none=True, metadata={"type": ["object", "null"]})
    confidence_max = Float(required=True)
    board_rules = Raw(required=True, metadata={"type": "object"})
    team_size = Integer(required=True, allow_none=True)
    registration = String(required=True, metadata={"enum": ["open", "approved"]})
    levels = List(Nested(LevelSchema), required=True, metadata={"description": "The levels, in their order."})
    phases = List(Nested(PhaseSchema), required=True, metadata={"description": "The phases, in their order."})
    files = List(Nested(FileSchema), required=True, metadata={"description": "What you may download now."})


class TasksPage(Paged):
    """Some of the tasks, the newest first."""

    items = List(Nested(TaskSchema), required=True)


SPLIT = LengthValidator(min=1, max=16)


class ItemsQuery(PageQuery):
    """Which items: of a split."""

    split = TextField(load_default="test", validate=SPLIT, metadata={"description": "Of which split."})


class ItemSchema(Schema):
    """One item, its texts as they stand in the file."""

    id = String(required=True, metadata={"description": "The id that it has in the file."})
    genre = String(required=True)
    left = String(required=True, metadata={"description": "The first of the two texts."})
    right = String(required=True)
    sense_key = String(required=True, allow_none=True)
    context = String(required=True, allow_none=True)
    group = String(required=True, allow_none=True)


class ItemsPage(Paged):
    """Some of the items, in the order of their file: run files have a line for each."""

    items = List(Nested(ItemSchema), required=True)
