"""Whole tasks: how people stand in an export, and what an import answers."""

from apiflask import Schema
from apiflask.fields import String

from server.web.rest.fields import ChoiceValidator, RequestSchema, TextField


class ExportSchema(RequestSchema):
    """How people stand in a bundle."""

    people = TextField(load_default="ids", validate=ChoiceValidator(["ids", "names"]))


class HostedTask(Schema):
    """A task that is hosted now."""

    slug = String(required=True)
