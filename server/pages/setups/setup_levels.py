"""The levels of a task that is being set up: their names, files and columns."""

from collections.abc import Mapping

from flask import Blueprint, flash, redirect, render_template, url_for
from flask.typing import ResponseReturnValue
from flask_security import auth_required
from werkzeug.datastructures import FileStorage

from server.access import service as access
from server.bundles.forms import FORM_OVERHEAD
from server.bundles.responses import is_import_open
from server.core import db
from server.core.errors import Conflict
from server.core.i18n import _
from server.setups import checking, levels, service
from server.setups.forms import ColumnsForm, LevelForm, SplitForm
from server.setups.levels import LevelEdit, SplitFiles, UploadedFile
from server.setups.models import TaskSetup
from server.setups.rules import KINDS, SPLITS, FileKind
from server.submissions.forms import clean_filename
from server.tasks.split_names import split_words
from server.web import context
from server.web.fields import SiteForm
from server.web.form_errors import show_error_at
from server.web.page_rules import takes_files

blueprint = Blueprint("setup_levels", __name__, url_prefix="/setups/<int:setup_id>/levels")


def limit_upload() -> int | None:
    """The maximum size of an upload; None: that of other forms."""
    may = access.may_import(context.session(), context.actor(), everybody=is_import_open())
    return levels.SIZE_LIMIT + FORM_OVERHEAD if may else None


def _get_setup(setup_id: int) -> TaskSetup:
    return service.get_setup(context.session(), context.actor(), setup_id)


@blueprint.route("/new", methods=["GET", "POST"])
@auth_required("session")
def add(setup_id: int) -> ResponseReturnValue:
    """Add a level."""
    setup, form = _get_setup(setup_id), LevelForm()
    if form.validate_on_submit():
        edit = _read_edit(form)
        with show_error_at({Conflict: form.slug}):
            with context.writing():
                levels.add_level(_get_setup(setup_id), edit, context.arrival_time())
            return redirect(url_for("setup_levels.show", setup_id=setup_id, level=edit.slug))
    page = render_template("setups/new_level.html", setup=setup, form=form)
    return page, 422 if form.errors else 200


@blueprint.get("/<level>/")
@auth_required("session")
def show(setup_id: int, level: str) -> ResponseReturnValue:
    """Show the files of a level with their problems, its first rows, and the forms that change them."""
    return _level_page(setup_id, level)


@blueprint.post("/<level>/edit")
@auth_required("session")
def edit(setup_id: int, level: str) -> ResponseReturnValue:
    """Change the names of a level."""
    levels.get_level(_get_setup(setup_id), level)
    form = LevelForm(prefix="names-")
    if form.validate_on_submit():
        edit = _read_edit(form)
        with show_error_at({Conflict: form.slug}):
            with context.writing():
                levels.edit_level(_get_setup(setup_id), level, edit, context.arrival_time())
            flash(_("Saved."), "success")
            return redirect(url_for("setup_levels.show", setup_id=setup_id, level=edit.slug))
    return _level_page(setup_id, level, names=form)


@blueprint.post("/<level>/")
@auth_required("session")
@takes_files(limit_upload)
def save(setup_id: int, level: str) -> ResponseReturnValue:
    """Save the files of all splits, and what the columns of the items are."""
    setup = _get_setup(setup_id)
    levels.get_level(setup, level)
    files = {split: SplitForm(prefix=f"{split}-") for split in SPLITS}
    columns = _read_changed_columns(setup, level)
    for split, form in files.items():
        form.validate()
        _require_files(setup, level, split, form)
    if not any(form.errors for form in files.values()):
        # Faulty columns do not keep the files from being saved, because a browser forgets which were chosen.
        good_columns = columns if columns is not None and columns.validate() else None
        changes = {split: _read_change(form) for split, form in files.items()}
        words = _describe_changes(setup, level, changes, good_columns)
        with show_error_at({Conflict: files["test"].items}):
            with context.writing():
                _save(_get_setup(setup_id), level, changes, good_columns)
            if words or columns is good_columns:
                flash(words or _("Nothing has changed."), "success")
            if columns is good_columns:
                return redirect(url_for("setup_levels.show", setup_id=setup_id, level=level))
            return _level_page(setup_id, level, columns=columns)
    return _level_page(setup_id, level, files=files, columns=columns)


def _require_files(setup: TaskSetup, level: str, split: str, form: SplitForm) -> None:
    """Add an error to the form of a split whose gold is to be public although it has no file."""
    chosen = any(form[kind].data for kind in KINDS)
    if form.public_gold.data and not chosen and split not in levels.get_level(setup, level):
        form.items.errors = [_("Choose a file for the %(split)s split first.", split=split_words(split))]


def _read_changed_columns(setup: TaskSetup, level: str) -> ColumnsForm | None:
    """Return the columns that were sent, if they differ from those that the page had shown.

    A page has none before the first items are saved. What was not changed is not validated, or a guess
    without both texts would refuse the files that correct it.
    """
    preview = levels.read_preview(setup, context.storage(), level)
    form = ColumnsForm(prefix="columns-")
    if preview is None or not form.roles.entries:
        return None
    sent = (form.delimiter.data, form.header.data, tuple(form.roles.data))
    shown = (preview.delimiter, preview.header is not None, preview.roles)
    return None if sent == shown else form


def _read_change(form: SplitForm) -> SplitFiles:
    uploads = {kind: _store(form[kind].data) for kind in KINDS if form[kind].data}
    return SplitFiles(uploads, public_gold=form.public_gold.data, removed=form.remove.data)


def _save(
    setup: TaskSetup, level: str, changes: Mapping[str, SplitFiles], columns: ColumnsForm | None
) -> None:
    """Save the columns, which are those of the present files, and then the files."""
    now = context.arrival_time()
    if columns is not None:
        roles, delimiter, header = columns.roles.data, columns.delimiter.data, columns.header.data
        levels.save_columns(setup, context.storage(), level, roles, delimiter, now, header=header)
    levels.save_files(setup, level, changes, now)


def _describe_changes(
    setup: TaskSetup, level: str, changes: Mapping[str, SplitFiles], columns: ColumnsForm | None
) -> str:
    """Say what is saved and removed; empty: nothing."""
    table = levels.get_level(setup, level)
    saved, removed = list[str](), list[str]()
    for split, change in changes.items():
        name, present = split_words(split), table.get(split)
        if change.removed and present:
            removed.append(_("the %(split)s files", split=name))
        if "items" in change.uploads:
            saved.append(_("%(split)s items", split=name))
        if "gold" in change.uploads:
            saved.append(_("%(split)s gold", split=name))
        if present and not change.removed and change.public_gold != present["public_gold"]:
            saved.append(_("who can download the %(split)s gold", split=name))
    if columns is not None:
        saved.append(_("the columns"))
    sentences = [
        *([_("Removed: %(what)s.", what=", ".join(removed))] if removed else ()),
        *([_("Saved: %(what)s.", what=", ".join(saved))] if saved else ()),
    ]
    return " ".join(sentences)


@blueprint.post("/<level>/remove")
@auth_required("session")
def remove(setup_id: int, level: str) -> ResponseReturnValue:
    """Remove a level with its files."""
    title = levels.get_level(_get_setup(setup_id), level)["title"]
    with context.writing():
        levels.remove_level(_get_setup(setup_id), level, context.arrival_time())
    flash(_("%(title)s was removed.", title=title), "success")
    return redirect(url_for("setups.show", setup_id=setup_id))


def _read_edit(form: LevelForm) -> LevelEdit:
    sides = (form.left.data or "", form.right.data or "")
    return LevelEdit(form.slug.data or "", form.title.data or "", sides, form.counts.data, form.metrics)


def _store(file: FileStorage) -> UploadedFile:
    """Put an uploaded file into the store before the write lock is taken."""
    data = file.stream.read()
    return UploadedFile(clean_filename(file.filename), context.storage().put(data), data)


def _level_page(
    setup_id: int,
    level: str,
    *,
    names: LevelForm | None = None,
    files: Mapping[str, SplitForm] | None = None,
    columns: ColumnsForm | None = None,
) -> ResponseReturnValue:
    """Render the page of a level; the form that was sent keeps its values and errors."""
    setup, storage = _get_setup(setup_id), context.storage()
    table = levels.get_level(setup, level)
    forms = {split: SplitForm(None, prefix=f"{split}-", data=table.get(split, {})) for split in SPLITS}
    forms |= files or {}
    uploaded: dict[tuple[str, FileKind], str] = {
        (split, kind): file.name
        for split in SPLITS
        for kind in KINDS
        if (file := levels.find_file(setup, level, split, kind)) is not None
    }
    preview = levels.read_preview(setup, storage, level)
    contents = {split: checking.split_content(setup, level, split) for split in SPLITS if split in table}
    if columns is None and preview is not None:
        columns = ColumnsForm(
            None,
            prefix="columns-",
            data={
                "delimiter": preview.delimiter,
                "header": preview.header is not None,
                "roles": preview.roles,
            },
        )
    if names is None:
        sides = dict(zip(("left", "right"), table["sides"], strict=True))
        official, *others = table.get("metrics", [""])
        metrics = {"official": official, "others": others}
        names = LevelForm(None, prefix="names-", data={**table, **sides, **metrics})
    sent: list[SiteForm] = [form for form in (names, columns, *forms.values()) if form is not None]
    faulty = [form for form in sent if form.errors]
    db.end_reading(context.session())  # checking large files takes a while, so no transaction stays open
    page = render_template(
        "setups/level.html",
        setup=setup,
        level=table,
        forms=forms,
        faulty=faulty,
        uploaded=uploaded,
        checks={split: checking.check_split(content, storage) for split, content in contents.items()},
        off_step=checking.describe_off_step,
        first_rows=preview,
        columns=columns,
        names=names,
    )
    return page, 422 if faulty else 200
