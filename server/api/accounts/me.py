"""API: the person and the scopes of a token."""

from typing import Any

from server.access.api_auth import ApiBlueprint, own_token
from server.accounts import tokens
from server.accounts.scopes import SCOPES
from server.api.accounts.schemas import MeSchema
from server.web import context

blueprint = ApiBlueprint("api_me", url_prefix="/me", tag="Tokens", scopes=SCOPES)


@blueprint.get("")
@blueprint.output(MeSchema)
def show() -> dict[str, Any]:
    """Read whose token this is, its scopes and when it expires. Any scope is sufficient."""
    token = own_token()
    return {"name": tokens.person_of(context.session(), token).name, "token": token}
