"""API: the caller's tokens in use, and revoking one. Tokens are created on the site's page only."""

from typing import Any

from server.access.api_auth import READ_SCOPES, ApiBlueprint, own_token
from server.accounts import tokens
from server.accounts.scopes import SCOPES
from server.api.accounts.schemas import TokensPage
from server.core.actors import Actor
from server.web import context
from server.web.rest.responses import PageQuery, cut_page

blueprint = ApiBlueprint("api_tokens", url_prefix="/tokens", tag="Tokens")


@blueprint.get("", scopes=READ_SCOPES)
@blueprint.input(PageQuery, location="query", arg_name="query")
@blueprint.output(TokensPage)
def index(query: dict[str, int]) -> dict[str, Any]:
    """List your tokens in use, the newest first, without their texts, which are not stored."""
    actor = Actor(user_id=own_token().user_id)
    return cut_page(tokens.list_tokens(context.session(), actor, context.arrival_time()), query)


@blueprint.delete("/<int:token_id>", scopes=SCOPES)
def revoke(token_id: int) -> None:
    """Revoke one of your tokens. Any scope is sufficient."""
    actor = Actor(user_id=own_token().user_id)
    with context.writing() as session:
        tokens.revoke_token(session, actor, token_id, context.arrival_time())
