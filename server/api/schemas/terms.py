"""Terms, and a person's word for them."""

from apiflask import Schema
from apiflask.fields import AwareDateTime, Integer, String

from server.core.i18n import N_
from server.web.rest.fields import Asked, Shaped, Text


class TermsSchema(Schema):
    """The terms of a task that are in force."""

    number = Integer(required=True)
    text = String(required=True, metadata={"description": "The terms, as Markdown."})
    sha256 = String(required=True)
    accepted_at = AwareDateTime(required=True, allow_none=True)


class AcceptSchema(Asked):
    """Which version was read."""

    sha256 = Text(
        required=True,
        validate=Shaped(r"[0-9a-f]{64}\Z", error=N_("Send 64 hexadecimal digits.")),
        metadata={"description": "Of the terms that you read."},
    )
