"""Schemas of a token's person in the API."""

from apiflask.fields import AwareDateTime, Integer, List, Nested, String

from server.accounts.scopes import SCOPES
from server.web.rest.fields import AnswerSchema
from server.web.rest.responses import Paged


class OwnTokenSchema(AnswerSchema):
    """The token of the request, without its text."""

    name = String()
    scopes = List(String(metadata={"enum": list(SCOPES)}))
    ends_at = AwareDateTime()


class MeSchema(AnswerSchema):
    """The person of the token."""

    name = String()
    token = Nested(OwnTokenSchema)


class TokenRow(AnswerSchema):
    """A token in use, without its text."""

    id = Integer()
    name = String()
    scopes = List(String)
    made_at = AwareDateTime()
    ends_at = AwareDateTime()


class TokensPage(Paged):
    """A page of tokens, the newest first."""

    items = List(Nested(TokenRow))
