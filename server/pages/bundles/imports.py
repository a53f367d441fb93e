"""The form by which a task is hosted from a zip."""

from flask import Blueprint, flash, redirect, render_template, url_for
from flask.typing import ResponseReturnValue
from flask_security import auth_required

from server.access import service as access
from server.bundles import forms
from server.bundles.forms import ImportForm
from server.bundles.responses import host_task, is_import_open
from server.core.errors import Conflict, InvalidFile
from server.core.i18n import N_, _
from server.web import context
from server.web.formatting import format_size
from server.web.page_rules import takes_files

blueprint = Blueprint("imports", __name__)

LIMIT_STEPS = (
    N_("Check that you chose the right zip file: a folder with a task.toml, the items and the gold files."),
    N_("Leave out files that task.toml does not name, such as drafts, corpora, images or programs."),
)
"""What to do about a zip that is too large."""


def limit_upload() -> int | None:
    """The maximum size of this upload; None: that of other forms."""
    return forms.IMPORT_LIMIT + forms.FORM_OVERHEAD if may_import() else None


def describe_limit(limit: int) -> str:
    """Say how large a zip can be."""
    size = format_size(limit if limit <= forms.FORM_OVERHEAD else limit - forms.FORM_OVERHEAD)
    return _(
        "An upload can have at most %(size)s. The operator of the site can import a larger task.", size=size
    )


@blueprint.app_context_processor
def _rights() -> dict[str, object]:
    """Return the function with which templates check whether the reader may host a task."""
    return {"may_import": may_import}


@blueprint.route("/import", methods=["GET", "POST"])
@auth_required("session")
@takes_files(limit_upload, describe_limit=describe_limit, limit_steps=LIMIT_STEPS)
def create() -> ResponseReturnValue:
    """Host the task in a zip with the reader as organizer; an invalid zip is rejected, with its problems."""
    access.require_import(context.session(), context.actor(), everybody=is_import_open())
    form, refused = ImportForm(), None
    if form.validate_on_submit():
        try:
            slug = host_task(form.file.data.stream, context.actor())
        except InvalidFile as error:
            refused = error
        except Conflict as error:
            form.file.errors = [*form.file.errors, error.message]
        else:
            flash(
                _(
                    "The task was imported as a draft and you are its organizer. Check its dates, then "
                    "publish it."
                ),
                "success",
            )
            return redirect(url_for("dashboard.show", slug=slug))
    page = render_template("bundles/new.html", form=form, refused=refused, limit=forms.IMPORT_LIMIT)
    return page, 422 if form.errors or refused is not None else 200


def may_import() -> bool:
    """Whether the reader may host a task."""
    return access.may_import(context.session(), context.actor(), everybody=is_import_open())
