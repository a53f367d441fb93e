"""Schemas of gold versions in the API."""

from apiflask.fields import AwareDateTime, Integer, List, Nested, String

from server.api.submissions.schemas import UploadSchema
from server.web.rest.fields import AnswerSchema
from server.web.rest.requests import ReasonSchema
from server.web.rest.responses import Paged


class GoldSchema(AnswerSchema):
    """One gold version of a level and split."""

    id = Integer(attribute="version.id")
    level = String(attribute="version.split.level.slug")
    split = String(attribute="version.split.name")
    number = Integer(attribute="version.number")
    state = String(metadata={"enum": ["in force", "candidate", "earlier", "dropped"]})
    sha256 = String(attribute="version.sha256")
    scorer = String(attribute="version.scorer")
    reason = String()
    made_at = AwareDateTime(attribute="version.made_at")
    scored = Integer(attribute="progress.scored")
    of = Integer(attribute="progress.of")


class GoldPage(Paged):
    """A page of gold versions, by level, split and number."""

    items = List(Nested(GoldSchema))


class NewGold(UploadSchema, ReasonSchema):
    """A gold file, and the reason for it."""


class BroughtGold(AnswerSchema):
    """A gold version: the first of a split is in force at once, a later one is a candidate."""

    id = Integer()
    number = Integer()
    sha256 = String()
