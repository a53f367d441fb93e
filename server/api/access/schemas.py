"""Schemas of roles, their invitation links, and terms in the API."""

from apiflask.fields import AwareDateTime, Integer, List, Nested, String

from server.core.i18n import N_
from server.tasks.rules import ROLE_NAMES
from server.web.rest.fields import AnswerSchema, RequestSchema, TextField
from server.web.rest.responses import Paged
from server.web.validators import ChoiceValidator, TextValidator

ROLE_METADATA = {"enum": list(ROLE_NAMES)}


class RoleSchema(RequestSchema):
    """A role to give."""

    role = TextField(required=True, validate=ChoiceValidator(ROLE_NAMES))


class PersonSchema(AnswerSchema):
    """A person with a role."""

    id = Integer(attribute="user.id")
    name = String(attribute="user.name")
    role = String(attribute="held.role", metadata=ROLE_METADATA)
    since = AwareDateTime(attribute="held.added_at")


class PeoplePage(Paged):
    """A page of people, organizers first."""

    items = List(Nested(PersonSchema))


class RoleLink(AnswerSchema):
    """An invitation link that gives one person a role."""

    id = Integer()
    role = String(metadata=ROLE_METADATA)
    made_at = AwareDateTime()
    expires_at = AwareDateTime()


class RoleLinksPage(Paged):
    """A page of invitation links that can be used, the oldest first."""

    items = List(Nested(RoleLink))


class NewRoleLink(RoleLink):
    """An invitation link that was just created."""

    token = String()
    address = String()


class TermsSchema(AnswerSchema):
    """The terms of a task in force."""

    number = Integer()
    text = String()
    sha256 = String()
    accepted_at = AwareDateTime(allow_none=True)


class AcceptSchema(RequestSchema):
    """The version of the terms that was read."""

    sha256 = TextField(
        required=True,
        validate=TextValidator(pattern=r"^[0-9a-f]{64}$", pattern_error=N_("Send 64 hexadecimal digits.")),
    )
