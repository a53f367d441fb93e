"""Schemas of tasks with their levels, phases and files in the API."""

from typing import get_args

from apiflask.fields import AwareDateTime, Boolean, Float, Integer, List, Nested, Raw, String

from server.phases.feedback import Feedback
from server.phases.rules import BaselinesShown, BoardMode, PhaseState
from server.web.rest.fields import AnswerSchema, TextField
from server.web.rest.responses import Paged, PageQuery
from server.web.validators import LengthValidator

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
    counts = Boolean(metadata={"description": "Whether the level counts towards the total."})
    layout = Raw(metadata={"type": "object", "description": "The columns of its items, as in a task.toml."})


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


class TaskSchema(AnswerSchema):
    """A task in a list."""

    slug = String()
    title = String()
    state = String(
        metadata={
            "enum": ["draft", "published", "archived"],
            "description": "Only organizers and observers see a draft. "
            "An archived task takes no submissions.",
        }
    )
    created_at = AwareDateTime()


class TaskWithRules(TaskSchema):
    """A task as its bundle described it, with all its rules."""

    description = String(metadata={"description": "What the task is about, as Markdown."})
    licence = String()
    organizers = String()
    contact = String()
    mailing_list = String()
    terms = String(allow_none=True)
    scale_min = Float()
    scale_max = Float()
    scale_step = Float(allow_none=True)
    labels = Raw(metadata={"type": "array", "items": {}})
    keyed = Raw(allow_none=True, metadata={"type": "object"})
    confidence_max = Float()
    board_rules = Raw(metadata={"type": "object"})
    team_size = Integer(allow_none=True)
    registration = String(metadata={"enum": ["open", "approved"]})
    levels = List(Nested(LevelSchema), metadata={"description": "The levels, in their order."})
    phases = List(Nested(PhaseSchema), metadata={"description": "The phases, in their order."})
    files = List(Nested(FileSchema), metadata={"description": "The files that you can download now."})


class TasksPage(Paged):
    """A page of tasks, the newest first."""

    items = List(Nested(TaskSchema))


SPLIT = LengthValidator(min=1, max=16)


class ItemsQuery(PageQuery):
    """Selects the split of the items."""

    split = TextField(
        load_default="test", validate=SPLIT, metadata={"description": "The split of the items."}
    )


class ItemSchema(AnswerSchema):
    """An item, with its texts as they are in the file."""

    id = String(metadata={"description": "The id of the item in its file."})
    genre = String()
    left = String(metadata={"description": "The first of the two texts."})
    right = String()
    sense_key = String(allow_none=True)
    context = String(allow_none=True)
    group = String(allow_none=True)


class ItemsPage(Paged):
    """A page of items, in the order of their file: run files have one line for each."""

    items = List(Nested(ItemSchema))
