"""API tokens: the list, creating one, which is shown once, and revoking one."""

from flask import current_app, flash, redirect, render_template, url_for
from flask.typing import ResponseReturnValue
from flask_security import auth_required

from server.accounts import tokens
from server.accounts.forms import TokenForm
from server.core.errors import Conflict
from server.core.i18n import _
from server.web import context
from server.web.page_rules import SignedInBlueprint

blueprint = SignedInBlueprint("tokens", __name__, url_prefix="/account/tokens")


@blueprint.get("/")
def show() -> ResponseReturnValue:
    """Show the tokens in use."""
    return _tokens_page()


@blueprint.route("/new", methods=["GET", "POST"])
@auth_required("session", within=lambda: current_app.config["SECURITY_FRESHNESS"])
def make() -> ResponseReturnValue:
    """Create a token, after the password was entered again; only this response shows its text."""
    form = TokenForm()
    if not form.validate_on_submit():
        return _form_page(form), 422 if form.errors else 200
    try:
        with context.writing() as session:
            token, text = tokens.make_token(
                session,
                context.actor(),
                form.name.data or "",
                form.scopes.data or [],
                form.days.data or 0,
                context.arrival_time(),
                after=form.after.data,
            )
            name = token.name
    except Conflict as error:
        form.name.errors = [error.message]
        return _form_page(form), error.status
    return _tokens_page(made=(name, text))


def _tokens_page(made: tuple[str, str] | None = None) -> str:
    listed = tokens.list_tokens(context.session(), context.actor(), context.arrival_time())
    return render_template("accounts/tokens.html", tokens=listed, made=made)


def _form_page(form: TokenForm) -> str:
    after = tokens.count_made(context.session(), context.actor())
    return render_template("accounts/make_token.html", form=form, after=after)


@blueprint.post("/<int:token_id>/revoke")
def revoke(token_id: int) -> ResponseReturnValue:
    """Revoke a token."""
    with context.writing() as session:
        name = tokens.revoke_token(session, context.actor(), token_id, context.arrival_time()).name
    flash(_("The token “%(name)s” was revoked. Scripts that use it no longer work.", name=name), "success")
    return redirect(url_for("tokens.show"))
