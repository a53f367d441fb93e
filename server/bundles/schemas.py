"""Whole tasks: how people stand in an export, and what an import answers."""

from apiflask import Schema
from apiflask.fields import String

from server.web.rest.fields import Asked, Choice, Text


class ExportSchema(Asked):
    """How people stand in a bundle."""

    people = Text(load_default="ids", validate=Choice(["ids", "names"]))


class HostedTask(Schema):
    """A task that is hosted now."""

    slug = String(required=True)
