"""Runs: what is sent to make or change one, and what is answered."""

from apiflask import Schema
from apiflask.fields import AwareDateTime, Boolean, Integer, String
from apiflask.validators import OneOf

from server.api.schemas.exact import YesNo

LINES = {"description": "Empty where nothing is said of it."}


class RunTextsSchema(Schema):
    """What a team says of a run."""

    description = String(metadata=LINES)
    method = String(metadata=LINES)
    resources = String(metadata=LINES)
    links = String(metadata={"description": "Addresses, one a line."})
    authors = String(metadata={"description": "As a paper should have them, one a line."})


class NewRunSchema(RunTextsSchema):
    """A run to be made."""

    name = String(required=True, metadata={"maxLength": 80})


class RunChangeSchema(RunTextsSchema):
    """What is to change of a run; what is left out stays as it is. The name stays after the deadline."""

    name = String(metadata={"maxLength": 80})
    is_primary = YesNo(metadata={"description": "Whether it stands for its team in the phase."})


class MoveSchema(Schema):
    """Where a run goes in the order of its team and phase."""

    direction = String(required=True, validate=OneOf(["up", "down"]))


class RunSchema(RunTextsSchema):
    """One system of a team in a phase."""

    id = Integer(required=True)
    task = String(required=True, attribute="team.task.slug")
    phase = String(required=True, attribute="phase.slug")
    team = String(required=True, attribute="team.name")
    name = String(required=True)
    is_primary = Boolean(required=True)
    baseline = String(required=True, allow_none=True)
    created_at = AwareDateTime(required=True)
