"""Teams as their members make and join them."""

from apiflask import Schema
from apiflask.fields import Integer, String
from apiflask.validators import Regexp


class NewTeamSchema(Schema):
    """A team to be made."""

    name = String(required=True, metadata={"maxLength": 80})


class JoinSchema(Schema):
    """By which link."""

    token = String(
        required=True,
        validate=Regexp(r"[\w-]{1,64}\Z", error="Send the last part of the link."),
        metadata={"description": "The last part of the link's address."},
    )


class OwnTeamSchema(Schema):
    """One's own team."""

    id = Integer(required=True)
    task = String(required=True, attribute="task.slug")
    name = String(required=True)
    state = String(required=True, metadata={"enum": ["approved", "waiting", "declined", "dissolved"]})
