"""The form by which a task is hosted from a zip file or a folder."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile

from flask import flash, redirect, url_for
from flask.typing import ResponseReturnValue

from server.access import service as access
from server.bundles import forms
from server.bundles.responses import host_folder, is_import_open
from server.core.errors import Conflict, InvalidFile
from server.core.i18n import N_, _, ngettext
from server.core.zips import WEB_LIMITS, pack_files, unpacked
from server.planning import packages
from server.submissions.forms import clean_filename
from server.tasks.rules import suggest_slug
from server.web import context
from server.web.form_errors import render_form
from server.web.formatting import format_size
from server.web.page_rules import SignedInBlueprint, takes_files

blueprint = SignedInBlueprint("imports", __name__)

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
    who_hosts = None if is_import_open() else _(access.WHO_HOSTS)
    return {"may_import": may_import, "who_hosts": who_hosts}


@blueprint.route("/import", methods=["GET", "POST"])
@takes_files(limit_upload, describe_limit=describe_limit, limit_steps=LIMIT_STEPS)
def create() -> ResponseReturnValue:
    """Host the task in a zip or folder with the reader as organizer; an invalid bundle is rejected."""
    access.require_import(context.session(), context.actor(), everybody=is_import_open())
    form, refused = forms.ImportForm(), None
    if form.validate_on_submit():
        try:
            slug = _host(form)
        except InvalidFile as error:
            refused = error
        except Conflict as error:
            form.file.errors = [*form.file.errors, error.message]
        else:
            return redirect(url_for("dashboard.show", slug=slug))
    return render_form("bundles/new.html", form, refused=refused, limit=forms.IMPORT_LIMIT)


def _host(form: forms.ImportForm) -> str:
    """Host what was sent, and return the slug of the task.

    A package without a task.toml becomes a draft also if its files do not fit, to be corrected on its pages.
    """
    actor, now, n_runs = context.actor(), context.arrival_time(), 0
    with _folder_of(form) as (folder, name):
        if (folder / "task.toml").exists():
            slug = host_folder(folder, actor)
            words = _("The task was imported as a draft and you are its organizer.")
        else:
            session = context.session()
            slug, n_runs = packages.draft_package(session, actor, folder, name, now)
            words = _("The site guessed the levels, columns, scale and phases.")
    flash(f"{words} {_('Check each page below, then publish the task.')}", "success")
    if n_runs:
        words = ngettext(
            "%(num)d run of a team was left out, because a scored run fixes the items and the scale.",
            "%(num)d runs of teams were left out, because scored runs fix the items and the scale.",
            n_runs,
        )
        flash(words, "info")
    return slug


@contextmanager
def _folder_of(form: forms.ImportForm) -> Iterator[tuple[Path, str]]:
    """Yield the folder that was sent, and a short name for its task."""
    if form.file.data:
        stem = Path(clean_filename(form.file.data.filename)).stem
        with unpacked(form.file.data.stream, WEB_LIMITS) as folder:
            yield folder, suggest_slug(stem) or "task"
        return
    # Packed first, so that the names and sizes of a folder's files are checked as those of a zip are.
    files = [(file.filename or "", file.stream.read) for file in form.folder.data]
    top, _slash, rest = files[0][0].replace("\\", "/").partition("/")
    with TemporaryFile() as packed:
        pack_files(packed, files)
        with unpacked(packed, WEB_LIMITS) as folder:
            yield folder, (rest and suggest_slug(top)) or "task"


def may_import() -> bool:
    """Whether the reader may host a task."""
    return access.may_import(context.session(), context.actor(), everybody=is_import_open())
