"""Releases of boards: what is said of one beside its bytes."""

from apiflask import Schema
from apiflask.fields import AwareDateTime, Boolean, Integer, List, Nested, String

from server.web.rest.responses import Paged


class ReleaseSchema(Schema):
    """A release as lists have it; of one that was withdrawn the reason, no hash and no note."""

    phase = String(required=True, attribute="phase.slug")
    number = Integer(required=True)
    made_at = AwareDateTime(required=True)
    updated_at = AwareDateTime(
        required=True, metadata={"description": "When it was made, named or withdrawn, whatever was last."}
    )
    anonymous = Boolean(required=True)
    sha256 = String(
        required=True,
        allow_none=True,
        metadata={"description": "Of the board's JSON; null: it was withdrawn."},
    )
    withdrawn = String(
        required=True, allow_none=True, metadata={"description": "Why it was taken back; null: it stands."}
    )
    note = String(required=True, allow_none=True)


class PlannedRelease(Schema):
    """A release that is to come."""

    due_at = AwareDateTime(required=True)
    anonymous = Boolean(required=True)
    opens_gold = Boolean(required=True)
    note = String(required=True, allow_none=True)


class ReleasesPage(Paged):
    """Some of the releases of a phase, the newest first."""

    items = List(Nested(ReleaseSchema), required=True)
    planned = Nested(
        PlannedRelease,
        required=True,
        allow_none=True,
        metadata={"description": "The one to come, for those who see all of the task; null for others."},
    )


class ReleasedGold(Schema):
    """The gold of one level that a release was made with, once it is public."""

    level = String(required=True, attribute="level.slug")
    version = Integer(required=True)
    sha256 = String(required=True)
    ending = String(required=True, metadata={"enum": ["tsv", "csv"]})


class ReleaseWithPlace(Schema):
    """One release that stands, and where it stands among the others."""

    phase = String(required=True)
    number = Integer(required=True)
    made_at = AwareDateTime(required=True)
    live = Boolean(
        required=True, metadata={"description": "Whether it came by itself; the next one takes its place."}
    )
    anonymous = Boolean(required=True)
    sha256 = String(required=True, metadata={"description": "Of the board's JSON."})
    note = String(required=True, allow_none=True)
    superseded_by = Integer(required=True, allow_none=True)
    before = Integer(
        required=True,
        allow_none=True,
        metadata={"description": "The release that it is compared with; null: it is the first."},
    )
    own_name = String(
        required=True,
        allow_none=True,
        metadata={"description": "What your own team is called in it; null: it is in none, or has its name."},
    )
    gold = List(Nested(ReleasedGold), required=True)
    inference = String(
        required=True,
        allow_none=True,
        metadata={
            "enum": ["there", "computing", "failed", None],
            "description": "Whether it is computed which ranks are real; null: nobody asked for it.",
        },
    )
    has_evidence = Boolean(required=True)
