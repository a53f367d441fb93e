"""Personal tokens in lists."""

from apiflask import Schema
from apiflask.fields import AwareDateTime, Integer, List, Nested, String

from server.web.rest.answers import Paged


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
