"""Versions of a gold standard, as the API lists them."""

from apiflask import Schema
from apiflask.fields import AwareDateTime, Integer, List, Nested, String

from server.web.rest.responses import Paged


class GoldSchema(Schema):
    """One version of the gold of a level and split."""

    id = Integer(required=True, attribute="version.id")
    level = String(required=True, attribute="version.split.level.slug")
    split = String(required=True, attribute="version.split.name")
    number = Integer(required=True, attribute="version.number")
    state = String(
        required=True,
        metadata={
            "enum": ["in force", "candidate", "earlier", "dropped"],
            "description": "Whether files are scored against it, or will be, or were.",
        },
    )
    sha256 = String(required=True, attribute="version.sha256")
    scorer = String(required=True, attribute="version.scorer")
    reason = String(required=True, metadata={"description": "The newest word on it."})
    made_at = AwareDateTime(required=True, attribute="version.made_at")
    scored = Integer(
        required=True,
        attribute="progress.scored",
        metadata={"description": "Files scored against it, while it is a candidate."},
    )
    of = Integer(required=True, attribute="progress.of")


class GoldPage(Paged):
    """Some of the versions, by level, split and number."""

    items = List(Nested(GoldSchema), required=True)
