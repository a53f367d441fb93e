"""The levels of a task that is being set up: their names, files and columns."""

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
from server.setups.levels import LevelEdit, UploadedFile
from server.setups.models import TaskSetup
from server.setups.rules import KINDS, SPLITS, FileKind
from server.submissions.forms import clean_filename
from server.web import context
from server.web.fields import SiteForm
from server.web.refusals import show_refusal_at

blueprint = Blueprint("setup_levels", __name__, url_prefix="/setups/<int:setup_id>/levels")
SPLIT_PATH = "/<level>/<any(trial, training, test):split>"


def _get_setup(setup_id: int) -> TaskSetup:
    return service.get_setup(context.session(), context.actor(), setup_id)


@blueprint.route("/new", methods=["GET", "POST"])
@auth_required("session")
def add(setup_id: int) -> ResponseReturnValue:
    """Add a level."""
    setup, form = _get_setup(setup_id), LevelForm()
    if form.validate_on_submit():
        edit = _read_edit(form)
        with show_refusal_at({Conflict: form.slug}):
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
        with show_refusal_at({Conflict: form.slug}):
            with context.writing():
                levels.edit_level(_get_setup(setup_id), level, edit, context.arrival_time())
            flash(_("Saved."), "success")
            return redirect(url_for("setup_levels.show", setup_id=setup_id, level=edit.slug))
    return _level_page(setup_id, level, names=form)


@blueprint.post(SPLIT_PATH)
@auth_required("session")
def upload(setup_id: int, level: str, split: str) -> ResponseReturnValue:
    """Upload the items or the gold of a split, or change who can download the gold."""
    setup = _get_setup(setup_id)
    levels.get_level(setup, level)
    form = SplitForm(prefix=f"{split}-")
    if form.validate_on_submit():
        uploads = {kind: _store(form[kind].data) for kind in KINDS if form[kind].data}
        if not uploads and not any(levels.find_file(setup, level, split, kind) for kind in KINDS):
            form.items.errors = [_("Choose a file first.")]
            return _level_page(setup_id, level, files=(split, form))
        with show_refusal_at({Conflict: form.items}):
            with context.writing():
                levels.put_files(
                    _get_setup(setup_id), level, split, uploads, context.arrival_time(),
                    public_gold=form.public_gold.data,
                )  # fmt: skip
            return redirect(url_for("setup_levels.show", setup_id=setup_id, level=level) + f"#{split}")
    return _level_page(setup_id, level, files=(split, form))


@blueprint.post(f"{SPLIT_PATH}/remove")
@auth_required("session")
def remove_split(setup_id: int, level: str, split: str) -> ResponseReturnValue:
    """Remove the files of a split."""
    levels.get_level(_get_setup(setup_id), level)
    with context.writing():
        levels.remove_split(_get_setup(setup_id), level, split, context.arrival_time())
    return redirect(url_for("setup_levels.show", setup_id=setup_id, level=level) + f"#{split}")


@blueprint.post("/<level>/columns")
@auth_required("session")
def save_columns(setup_id: int, level: str) -> ResponseReturnValue:
    """Save what the columns of the items are."""
    levels.get_level(_get_setup(setup_id), level)
    form = ColumnsForm(prefix="columns-")
    if form.validate_on_submit():
        roles, delimiter, header = form.roles.data, form.delimiter.data, form.header.data
        with context.writing():
            setup, now = _get_setup(setup_id), context.arrival_time()
            levels.save_columns(setup, context.storage(), level, roles, delimiter, now, header=header)
        flash(_("The columns were saved."), "success")
        return redirect(url_for("setup_levels.show", setup_id=setup_id, level=level) + "#columns")
    return _level_page(setup_id, level, columns=form)


@blueprint.post("/<level>/remove")
@auth_required("session")
def remove(setup_id: int, level: str) -> ResponseReturnValue:
    """Remove a level with its files."""
    title = levels.get_level(_get_setup(setup_id), level)["title"]
    with context.writing():
        levels.remove_level(_get_setup(setup_id), level, context.arrival_time())
    flash(_("%(title)s was removed.", title=title), "success")
    return redirect(url_for("setups.show", setup_id=setup_id))


def limit_upload() -> int | None:
    """The maximum size of an upload; None: that of other forms."""
    may = access.may_import(context.session(), context.actor(), everybody=is_import_open())
    return levels.SIZE_LIMIT + FORM_OVERHEAD if may else None


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
    files: tuple[str, SplitForm] | None = None,
    columns: ColumnsForm | None = None,
) -> ResponseReturnValue:
    """Render the page of a level; the form that was sent keeps its values and errors."""
    setup, storage = _get_setup(setup_id), context.storage()
    table = levels.get_level(setup, level)
    forms = {split: SplitForm(None, prefix=f"{split}-", data=table.get(split, {})) for split in SPLITS}
    forms |= {} if files is None else {files[0]: files[1]}
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
        first_rows=preview,
        columns=columns,
        names=names,
    )
    return page, 422 if faulty else 200
