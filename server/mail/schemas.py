"""Announcements: what organizers send, and what is answered."""

from apiflask import Schema
from apiflask.fields import AwareDateTime, Integer, List, Nested, String

from server.mail.forms import AnnouncementForm
from server.submissions.schemas.runs import SLUG
from server.web.rest.fields import RequestSchema, TextField
from server.web.rest.forms import field_bounds
from server.web.rest.responses import Paged

TEXT_METADATA = {"description": "What is announced, as Markdown."}


class AnnouncementSchema(Schema):
    """What the organizers announced."""

    id = Integer(required=True)
    title = String(required=True)
    text = String(required=True, metadata=TEXT_METADATA)
    made_at = AwareDateTime(required=True)
    phase = String(
        required=True,
        allow_none=True,
        metadata={"description": "For teams whose runs of it were incomplete; null: for all."},
    )


class MadeAnnouncement(AnnouncementSchema):
    """An announcement that was just made."""


class AnnouncementsPage(Paged):
    """Some of the announcements, the newest first."""

    items = List(Nested(AnnouncementSchema), required=True)


class NewAnnouncement(RequestSchema):
    """What is announced to the members of all teams, or of those whose runs of a phase are incomplete."""

    title = TextField(required=True, metadata=field_bounds(AnnouncementForm, "title"))
    text = TextField(
        required=True, metadata=field_bounds(AnnouncementForm, "text", TEXT_METADATA["description"])
    )
    phase = TextField(
        load_default=None,
        allow_none=True,
        validate=SLUG,
        metadata={"description": "To teams whose runs of this phase are incomplete; null: to all."},
    )
