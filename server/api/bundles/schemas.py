"""Schemas of exports and imports in the API."""

from apiflask.fields import String

from server.web.rest.fields import AnswerSchema, RequestSchema, TextField
from server.web.validators import ChoiceValidator


class ExportSchema(RequestSchema):
    """How people appear in an export."""

    people = TextField(load_default="ids", validate=ChoiceValidator(["ids", "names"]))


class HostedTask(AnswerSchema):
    """A task that was just imported."""

    slug = String()
