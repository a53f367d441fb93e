"""Terms, and a person's word for them."""

from apiflask import Schema
from apiflask.fields import AwareDateTime, Integer, String
from apiflask.validators import Regexp


class TermsSchema(Schema):
    """The terms of a task that are in force."""

    number = Integer(required=True)
    text = String(required=True, metadata={"description": "Markdown."})
    sha256 = String(required=True)
    accepted_at = AwareDateTime(required=True, allow_none=True)


class AcceptSchema(Schema):
    """Which version was read."""

    sha256 = String(required=True, validate=Regexp(r"[0-9a-f]{64}\Z", error="Send 64 hexadecimal digits."))
