"""The person of a token."""

from apiflask import Schema
from apiflask.fields import AwareDateTime, List, Nested, String

from server.domain.scopes import SCOPES


class OwnTokenSchema(Schema):
    """The token that asks; its text is shown nowhere."""

    name = String(required=True)
    scopes = List(String(metadata={"enum": list(SCOPES)}), required=True)
    ends_at = AwareDateTime(required=True)


class MeSchema(Schema):
    """Whose token it is."""

    name = String(required=True, metadata={"description": "The name of the person whose token it is."})
    token = Nested(OwnTokenSchema, required=True)
