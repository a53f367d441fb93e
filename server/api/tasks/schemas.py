"""The schemas of a task's texts and states: requests of organizers, and answers."""

from apiflask.fields import String

from server.tasks.forms import CONTACT, LICENCE, MAILING_LIST, ORGANIZERS, SHIFT_DAYS, TASK_SLUG, TASK_TEXT
from server.teams.forms import REGISTRATION_LABELS, TEAM_SIZE
from server.web.rest.fields import AnswerSchema, RequestSchema, TextField, WholeNumberField, YesNoField
from server.web.validators import TITLE, ChoiceValidator

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
