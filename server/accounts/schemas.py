"""The person of a token."""

from apiflask import Schema
from apiflask.fields import AwareDateTime, Integer, List, Nested, String

from server.accounts.scopes import SCOPES
from server.web.rest.responses import Paged


class OwnTokenSchema(Schema):
    """The token that asks; its text is shown nowhere."""

    name = String(required=True)
    scopes = List(String(metadata={"enum": list(SCOPES)}), required=True)
    ends_at = AwareDateTime(required=True)


class MeSchema(Schema):
    """Whose token it is."""

    name = String(required=True, metadata={"description": "The name of the person whose token it is."})
    token = Nested(OwnTokenSchema, required=True)


class TokenRow(Schema):
    """A token in use, without its text."""

    id = Integer(required=True)
    name = String(required=True)
    scopes = List(String, required=True)
    made_at = AwareDateTime(required=True)
    ends_at = AwareDateTime(required=True)


class TokensPage(Paged):
    """Some of the tokens, the newest first."""

    items = List(Nested(TokenRow), required=True)
