"""People with a role in a task, and the links that give one."""

from apiflask import Schema
from apiflask.fields import AwareDateTime, Integer, List, Nested, String

from server.core.i18n import N_
from server.tasks.rules import ROLE_NAMES
from server.web.rest.fields import ChoiceValidator, PatternValidator, RequestSchema, TextField
from server.web.rest.responses import Paged

ROLE_METADATA = {"enum": list(ROLE_NAMES)}


class RoleSchema(RequestSchema):
    """A role to give."""

    role = TextField(required=True, validate=ChoiceValidator(ROLE_NAMES))


class PersonSchema(Schema):
    """Somebody with a role."""

    id = Integer(required=True, attribute="user.id")
    name = String(required=True, attribute="user.name")
    role = String(required=True, attribute="held.role", metadata=ROLE_METADATA)
    since = AwareDateTime(required=True, attribute="held.added_at")


class PeoplePage(Paged):
    """Some of the people, organizers first."""

    items = List(Nested(PersonSchema), required=True)


class RoleLink(Schema):
    """A link that gives one person a role."""

    id = Integer(required=True)
    role = String(required=True, metadata=ROLE_METADATA)
    made_at = AwareDateTime(required=True)
    expires_at = AwareDateTime(required=True)


class RoleLinksPage(Paged):
    """Some of the links that can be used, the oldest first."""

    items = List(Nested(RoleLink), required=True)


class NewRoleLink(RoleLink):
    """A link that was just made."""

    token = String(required=True, metadata={"description": "The last part of the address."})
    address = String(required=True, metadata={"description": "The page on which somebody takes the role."})


class TermsSchema(Schema):
    """The terms of a task that are in force."""

    number = Integer(required=True)
    text = String(required=True, metadata={"description": "The terms, as Markdown."})
    sha256 = String(required=True)
    accepted_at = AwareDateTime(required=True, allow_none=True)


class AcceptSchema(RequestSchema):
    """Which version was read."""

    sha256 = TextField(
        required=True,
        validate=PatternValidator(r"[0-9a-f]{64}\Z", error=N_("Send 64 hexadecimal digits.")),
        metadata={"description": "Of the terms that you read."},
    )
