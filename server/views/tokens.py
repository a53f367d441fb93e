"""Personal tokens on a page: make one, read it once, see all, revoke one."""

from flask import Blueprint, flash, make_response, redirect, render_template, url_for
from flask.typing import ResponseReturnValue
from flask_security import auth_required

from server.errors import Conflict
from server.forms.tokens import TokenForm
from server.language import _
from server.services import tokens
from server.views import context

blueprint = Blueprint("tokens", __name__, url_prefix="/account/tokens")


@blueprint.route("/", methods=["GET", "POST"])
@auth_required("session")
def show() -> ResponseReturnValue:
    """The tokens in use, and a form for one more; the answer to it is the only page that shows a token."""
    form = TokenForm()
    if not form.validate_on_submit():
        return _tokens_page(form, status=422 if form.errors else 200)
    try:
        with context.writing() as session:
            made, text = tokens.make_token(
                session,
                context.actor(),
                form.name.data or "",
                form.scopes.data or [],
                form.days.data or 0,
                context.arrived(),
                after=form.after.data,
            )
            name = made.name
    except Conflict as error:
        form.name.errors = [error.message]
        return _tokens_page(form, status=error.status)
    return _tokens_page(TokenForm(formdata=None), made=(name, text))


def _tokens_page(
    form: TokenForm, made: tuple[str, str] | None = None, status: int = 200
) -> ResponseReturnValue:
    session, actor = context.session(), context.actor()
    listed = tokens.list_tokens(session, actor, context.arrived())
    after = tokens.count_made(session, actor)
    page = render_template("tokens/show.html", form=form, after=after, tokens=listed, made=made)
    return make_response(page, status)


@blueprint.post("/<int:token_id>/revoke")
@auth_required("session")
def revoke(token_id: int) -> ResponseReturnValue:
    """Make a token worth nothing."""
    with context.writing() as session:
        name = tokens.revoke_token(session, context.actor(), token_id, context.arrived()).name
    flash(
        _("The token “%(name)s” is revoked: scripts that use it are refused from now on.", name=name),
        "success",
    )
    return redirect(url_for("tokens.show"))
