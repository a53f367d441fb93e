"""Runs: what is sent to make or change one, and what is answered."""

from apiflask.fields import AwareDateTime, Boolean, Integer, String

from server.api.schemas.sent import Asked, Choice, Text, YesNo

LINES = {"description": "Empty where nothing is said of it."}


class RunTextsSchema(Asked):
    """What a team says of a run."""

    description = Text(metadata=LINES)
    method = Text(metadata=LINES)
    resources = Text(metadata=LINES)
    links = Text(metadata={"description": "Addresses, one a line."})
    authors = Text(metadata={"description": "As a paper should have them, one a line."})


class NewRunSchema(RunTextsSchema):
    """A run to be made."""

    name = Text(required=True, metadata={"maxLength": 80})


class RunChangeSchema(RunTextsSchema):
    """What is to change of a run; what is left out stays as it is. The name stays after the deadline."""

    name = Text(metadata={"maxLength": 80})
    is_primary = YesNo(metadata={"description": "Whether it stands for its team in the phase."})


class MoveSchema(Asked):
    """Where a run goes in the order of its team and phase."""

    direction = Text(required=True, validate=Choice(["up", "down"]))


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
