"""Whole tasks: how people stand in an export, and what an import answers."""

from apiflask.fields import String

from server.web.rest.fields import AnswerSchema, RequestSchema, TextField
from server.web.validators import ChoiceValidator


class ExportSchema(RequestSchema):
    """How people stand in a bundle."""

    people = TextField(load_default="ids", validate=ChoiceValidator(["ids", "names"]))


class HostedTask(AnswerSchema):
    """A task that is hosted now."""

    slug = String()
