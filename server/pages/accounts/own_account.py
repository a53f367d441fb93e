"""Downloading a person's own data, and deleting their account."""

import json

from flask import Response, flash, redirect, session, url_for
from flask.typing import ResponseReturnValue
from flask_security import current_user

from server.accounts.models import User
from server.accounts.security_forms import PasswordAgainForm
from server.core.errors import Conflict
from server.core.i18n import _
from server.personal_data import collection as personal_data, erasure
from server.web import context
from server.web.downloads import send_json
from server.web.form_errors import render_form, show_error_at
from server.web.page_rules import SignedInBlueprint

blueprint = SignedInBlueprint("own_account", __name__, url_prefix="/account")


@blueprint.get("/data.json")
def data() -> Response:
    """Send all that the site stores about the person."""
    stored = personal_data.collect_personal_data(context.session(), context.actor(), context.arrival_time())
    return send_json(json.dumps(stored, indent=2, ensure_ascii=False) + "\n", "assay-my-data.json")


@blueprint.route("/delete", methods=["GET", "POST"])
def delete() -> ResponseReturnValue:
    """Say what is erased and what stays, and delete the account once the person enters their password."""
    form = PasswordAgainForm(user=current_user)
    if form.validate_on_submit():
        with show_error_at({Conflict: form.password}), context.writing() as current:
            user = current.get_one(User, context.actor().user_id)
            erasure.erase_person(current, context.actor(), user, context.arrival_time())
        if not form.password.errors:
            session.clear()
            flash(_("Your account was deleted."), "success")
            return redirect(url_for("tasks.index"))
    own = context.session().get_one(User, context.actor().user_id)
    return render_form(
        "accounts/delete.html",
        form,
        obstacle=erasure.find_obstacle(context.session(), own),
        traces=erasure.find_participation(context.session(), own),
    )
