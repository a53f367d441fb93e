"""Hosting a task from a zip, by a form."""

from typing import IO

from flask import Blueprint, current_app, flash, redirect, render_template, url_for
from flask.typing import ResponseReturnValue
from flask_security import auth_required

from server import bundles
from server.access import service as access
from server.accounts.models import User
from server.bundles.forms import ImportForm
from server.core.actors import Actor
from server.core.errors import Conflict, Refused
from server.core.i18n import _
from server.core.zips import MEGABYTE, WEB_LIMITS, unpacked
from server.web import context

blueprint = Blueprint("imports", __name__)

IMPORT_LIMIT = 64 * MEGABYTE
"""The most bytes of a zip that comes by the form; larger ones come by the console."""
FORM_OVERHEAD = MEGABYTE
"""What a form's other fields and its part headers may have beside the zip."""


@blueprint.app_context_processor
def _rights() -> dict[str, object]:
    """What the list of tasks asks: may the reader bring another?"""
    return {"may_import": may_import}


@blueprint.route("/import", methods=["GET", "POST"])
@auth_required("session")
def create() -> ResponseReturnValue:
    """Host the task of a zip, and organize it; a broken one is refused whole, with every problem."""
    access.require_import(context.session(), context.actor(), everybody=everybody())
    form, refused = ImportForm(), None
    if form.validate_on_submit():
        try:
            slug = host(form.file.data.stream, context.actor())
        except Refused as error:
            refused = error
        except Conflict as error:
            form.file.errors = [*form.file.errors, error.message]
        else:
            flash(_("The task is hosted, and you organize it. Look at its dates first."), "success")
            return redirect(url_for("organize.show", slug=slug))
    page = render_template("bundles/new.html", form=form, refused=refused, limit=IMPORT_LIMIT)
    return page, 422 if form.errors or refused is not None else 200


def host(stream: IO[bytes], actor: Actor) -> str:
    """Host the task of a zip, which its bringer organizes, and return its short name."""
    storage = context.storage()
    context.session().rollback()  # reading a bundle takes a while, and holds nothing open
    with unpacked(stream, WEB_LIMITS) as folder:
        plan = bundles.plan_upload(folder)
        bundles.keep_files(storage, plan)
        with context.writing() as session:
            access.require_import(session, actor, everybody=everybody())
            organizer = session.get_one(User, actor.user_id)
            return bundles.import_task(session, storage, actor, plan, [organizer], context.arrived()).slug


def may_import() -> bool:
    """Whether the reader may host a task."""
    return access.may_import(context.session(), context.actor(), everybody=everybody())


def limit_upload() -> int | None:
    """The most bytes that the body of this upload may have; None: no more than other forms."""
    return IMPORT_LIMIT + FORM_OVERHEAD if may_import() else None


def everybody() -> bool:
    """Whether the site lets everybody host a task."""
    return context.site_of(current_app).config.open_import
