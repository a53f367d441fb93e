"""The schemas of a task's texts and states: requests of organizers, and answers."""

from apiflask.fields import String

from server.tasks.forms import (
    CITATION,
    CONTACT,
    LICENCE,
    MAILING_LIST,
    ORGANIZERS,
    SHIFT_DAYS,
    TASK_SLUG,
    TASK_TEXT,
)
from server.teams.forms import REGISTRATION_LABELS, TEAM_SIZE
from server.web.rest.fields import AnswerSchema, RequestSchema, TextField, WholeNumberField, YesNoField
from server.web.validators import TITLE, ChoiceValidator

STATES = ("draft", "published", "archived")


class StateChange(RequestSchema):
    """The new state of a task."""

    state = TextField(required=True, validate=ChoiceValidator(STATES))
    sure = YesNoField(load_default=False)


class RenameSchema(RequestSchema):
    """The new slug of a draft."""

    slug = TextField(required=True, validate=TASK_SLUG)


class CopySchema(RequestSchema):
    """The slug of the copy, and by how much its dates are moved."""

    slug = TextField(required=True, validate=TASK_SLUG)
    days = WholeNumberField(load_default=364, validate=SHIFT_DAYS)


class TaskStateSchema(AnswerSchema):
    """The state of a task."""

    slug = String()
    state = String(metadata={"enum": list(STATES)})


class TaskChange(RequestSchema):
    """Changes to a task's texts and its rules for teams; omitted fields do not change."""

    title = TextField(validate=TITLE)
    description = TextField(validate=TASK_TEXT)
    licence = TextField(validate=LICENCE)
    organizers = TextField(validate=ORGANIZERS)
    contact = TextField(validate=CONTACT)
    mailing_list = TextField(validate=MAILING_LIST)
    citation = TextField(validate=CITATION)
    terms = TextField(validate=TASK_TEXT)
    team_size = WholeNumberField(allow_none=True, validate=TEAM_SIZE)
    registration = TextField(validate=ChoiceValidator(tuple(REGISTRATION_LABELS)))
