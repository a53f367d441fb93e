"""Schemas of announcements in the API."""

from apiflask.fields import AwareDateTime, Boolean, Integer, List, Nested, String

from server.api.runs.schemas import SLUG
from server.mail.forms import ANNOUNCEMENT_TEXT
from server.web.rest.fields import AnswerSchema, RequestSchema, TextField, YesNoField
from server.web.rest.responses import Paged
from server.web.validators import TITLE


class AnnouncementSchema(AnswerSchema):
    """An announcement of the organizers."""

    id = Integer()
    title = String()
    text = String()
    made_at = AwareDateTime()
    edited_at = AwareDateTime(allow_none=True)
    pinned = Boolean()
    phase = String(allow_none=True, attribute="phase.slug", dump_default=None)


class MadeAnnouncement(AnnouncementSchema):
    """An announcement that was just made."""


class AnnouncementsPage(Paged):
    """A page of announcements: those that are pinned, and then the newest first."""

    items = List(Nested(AnnouncementSchema))


class AnnouncementChange(RequestSchema):
    """Changes to an announcement, which send no email; omitted fields do not change."""

    title = TextField(validate=TITLE)
    text = TextField(validate=ANNOUNCEMENT_TEXT)
    pinned = YesNoField()


class NewAnnouncement(RequestSchema):
    """An announcement to the members of all teams, or of those whose runs in a phase are incomplete."""

    title = TextField(required=True, validate=TITLE)
    text = TextField(required=True, validate=ANNOUNCEMENT_TEXT)
    phase = TextField(load_default=None, allow_none=True, validate=SLUG)
