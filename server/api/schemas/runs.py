"""Runs: what is sent to make or change one, and what is answered."""

from apiflask import Schema
from apiflask.fields import AwareDateTime, Boolean, Integer, String

from server.runs.forms import RunForm
from server.web.rest.bounds import bounds
from server.web.rest.fields import Asked, Choice, Text, YesNo

TEXTS = {
    "description": "What the system is, in a sentence or two; empty: nothing is said.",
    "method": "How it works: model, features, training; empty: nothing is said.",
    "resources": "Data, lexicons and models beside what the task gives; empty: nothing is said.",
    "links": "Addresses of code, model or paper, one a line; empty: none.",
    "authors": "The authors as a paper should have them, one a line; empty: nothing is said.",
}


def _text(name: str) -> Text:
    return Text(metadata=bounds(RunForm, name, TEXTS[name]))


def _said(name: str) -> String:
    return String(required=True, metadata={"description": TEXTS[name]})


class RunTextsSchema(Asked):
    """What a team says of a run."""

    description = _text("description")
    method = _text("method")
    resources = _text("resources")
    links = _text("links")
    authors = _text("authors")


class NewRunSchema(RunTextsSchema):
    """A run to be made."""

    name = Text(required=True, metadata=bounds(RunForm, "name"))


class RunChangeSchema(RunTextsSchema):
    """What is to change of a run; what is left out stays as it is. The name stays after the deadline."""

    name = Text(metadata=bounds(RunForm, "name"))
    is_primary = YesNo()


class MoveSchema(Asked):
    """Where a run goes in the order of its team and phase."""

    direction = Text(required=True, validate=Choice(["up", "down"]))


class RunSchema(Schema):
    """One system of a team in a phase."""

    id = Integer(required=True)
    task = String(required=True, attribute="team.task.slug")
    phase = String(required=True, attribute="phase.slug")
    team = String(required=True, attribute="team.name", metadata={"description": "The name of the team."})
    name = String(required=True)
    is_primary = Boolean(required=True)
    description = _said("description")
    method = _said("method")
    resources = _said("resources")
    links = _said("links")
    authors = _said("authors")
    baseline = String(required=True, allow_none=True)
    created_at = AwareDateTime(required=True)
