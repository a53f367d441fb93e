"""The levels of a task: their names, and the items, gold and columns of their splits."""

from collections.abc import Mapping

from flask import flash, redirect, render_template, url_for
from flask.typing import ResponseReturnValue
from werkzeug.datastructures import FileStorage

from server.access import request_tasks
from server.annotation.campaigns import service as campaigns
from server.bundles.forms import FORM_OVERHEAD
from server.core import db
from server.core.errors import ChangedMeanwhile, Conflict
from server.core.i18n import _
from server.levels import changes, contents, files, preview, service
from server.levels.contents import CheckResult, LevelFiles, SplitFile, SplitState
from server.levels.forms import ColumnsForm, FilesForm, LevelForm, SplitForm
from server.levels.models import FileKind
from server.levels.service import LevelEdit
from server.planning import drafts
from server.submissions.forms import clean_filename
from server.tasks.models import Level
from server.tasks.split_names import SPLITS, split_words
from server.web import context
from server.web.fields import flash_saved
from server.web.form_errors import flash_error, render_form, show_error_at
from server.web.page_rules import SignedInBlueprint, takes_files

blueprint = SignedInBlueprint("levels", __name__, url_prefix="/tasks/<slug>/organize/levels")
KINDS: tuple[FileKind, ...] = ("items", "gold")


def _get_level(slug: str, level: str) -> Level:
    row = service.get_level(request_tasks.get_organized_task(slug), level)
    context.require_made_for(row.id)
    return row


@blueprint.get("/")
def index(slug: str) -> str:
    """List the levels with their files."""
    task, session = request_tasks.get_organized_task(slug), context.session()
    return render_template(
        "levels/index.html",
        task=task,
        states=contents.read_levels(session, task.levels),
        campaigns=campaigns.list_by_level(session, task),
        obstacle=changes.find_task_obstacle(session, task),
    )


@blueprint.route("/new", methods=["GET", "POST"])
def add(slug: str) -> ResponseReturnValue:
    """Add a level."""
    task, form = request_tasks.get_organized_task(slug), LevelForm()
    if form.validate_on_submit():
        edit = _read_edit(form)
        with show_error_at({Conflict: form.slug}):
            with context.writing() as session:
                task = request_tasks.get_task(slug)
                service.add_level(session, context.actor(), task, edit, context.arrival_time())
            return redirect(url_for("levels.show", slug=slug, level=edit.slug))
    return render_form("levels/new.html", form, task=request_tasks.get_task(slug))


@blueprint.get("/<level>/")
def show(slug: str, level: str) -> ResponseReturnValue:
    """Show the files of a level with their problems, its first rows, and the forms that change them."""
    return _level_page(slug, level)


@blueprint.route("/<level>/edit", methods=["GET", "POST"])
def edit(slug: str, level: str) -> ResponseReturnValue:
    """Change the names and the metrics of a level."""
    form = LevelForm(prefix="names-", shown=_read_names(_get_level(slug, level)))
    if form.validate_on_submit():
        with show_error_at({ChangedMeanwhile: form.made_from, Conflict: form.slug}):
            with context.writing() as session:
                row, now, actor = _get_level(slug, level), context.arrival_time(), context.actor()
                form.merge_saved(_read_names(row))
                edit = _read_edit(form)
                changed = service.edit_level(session, actor, row, edit, now)
                confirmed = drafts.confirm_step(session, actor, row.task, "levels", now)
            flash_saved(changed, confirmed=confirmed)
            return redirect(url_for("levels.show", slug=slug, level=edit.slug))
    return _level_page(slug, level, names=form if form.is_submitted() else None)


@blueprint.post("/<level>/")
@takes_files(request_tasks.limit_for_organizers(files.SIZE_LIMIT + FORM_OVERHEAD))
def save(slug: str, level: str) -> ResponseReturnValue:
    """Save the files of all splits, and what the columns of the items are."""
    before = contents.read_level(context.session(), _get_level(slug, level))
    files_form = FilesForm(shown=_read_parts(before))
    forms = {split: SplitForm(prefix=f"{split}-") for split in SPLITS}
    columns = _read_changed_columns(before)
    for split, form in forms.items():
        form.validate()
        if (
            form.public_gold.data
            and split not in before.splits
            and not any(form[kind].data for kind in KINDS)
        ):
            form.items.errors = [_("Choose a file for the %(split)s split first.", split=split_words(split))]
    db.end_reading(context.session())  # checking large files takes a while, so no transaction stays open
    changes_of = {split: _read_change(form, before.splits.get(split)) for split, form in forms.items()}
    edits = {split: change for split, change in changes_of.items() if change is not None}
    touched = [*edits, *([] if columns is None else ["columns"])]
    labels = {split: split_words(split) for split in SPLITS} | {"columns": _("the columns")}
    with show_error_at({ChangedMeanwhile: files_form.made_from}):
        files_form.merge_saved({name: _read_parts(before)[name] for name in touched}, labels)
    if files_form.errors or any(form.errors for form in forms.values()):
        return _level_page(slug, level, forms=forms, columns=columns, files_form=files_form)
    # Faulty columns do not keep the files from being saved, because a browser forgets which were chosen.
    good_columns = columns if columns is not None and columns.validate() else None
    layout = None
    if good_columns is not None:
        roles, delimiter, header = (good_columns[name].data for name in ("roles", "delimiter", "header"))
        layout = preview.choose_columns(before, context.storage(), roles, delimiter, header=header)
    prepared = files.prepare_level(before, context.storage(), edits, layout)
    with show_error_at({Conflict: forms["test"].items}):
        with context.writing() as session:
            row, now = _get_level(slug, level), context.arrival_time()
            has_notice = files.put_level(session, context.actor(), row, prepared, now)
            confirmed = drafts.confirm_step(session, context.actor(), row.task, "levels", now)
        saved = [labels[name] for name in (*edits, *([] if prepared.layout is None else ["columns"]))]
        if all(split.check.is_good for split in prepared.splits.values()):
            flash_saved(saved, _("Saved: %(splits)s.", splits=", ".join(saved)), confirmed=confirmed)
        else:
            flash(_("Saved, but the files have problems, which this page lists."), "warning")
        if has_notice:
            words = _(
                "Teams get an email about the new items, because they may have downloaded the old ones."
            )
            flash(words, "info")
        if columns is good_columns:
            return redirect(url_for("levels.show", slug=slug, level=level))
        return _level_page(slug, level, columns=columns)
    return _level_page(slug, level, forms=forms, columns=columns)


def _read_parts(state: LevelFiles) -> dict[str, object]:
    """Return what the form of the files changes: the splits, and the layout."""
    return {split: state.splits.get(split) for split in SPLITS} | {"columns": preview.layout_of(state)}


def _read_names(level: Level) -> dict[str, object]:
    left, right = level.sides
    official, *others = level.metrics if level.metrics != level.task.metrics else [""]
    names = {"id": level.id, "slug": level.slug, "title": level.title, "left": left, "right": right}
    return {**names, "counts": level.counts, "official": official, "others": others}


def _read_changed_columns(state: LevelFiles) -> ColumnsForm | None:
    """Return the columns that were sent, if they differ from those that the page had shown.

    A page has none before the first items are saved. What was not changed is not validated, or a guess
    without both texts would refuse the files that correct it.
    """
    first_rows, form = preview.read_preview(state, context.storage()), ColumnsForm(prefix="columns-")
    if first_rows is None or not form.roles.entries:
        return None
    sent = (form.delimiter.data, form.header.data, tuple(form.roles.data))
    shown = (first_rows.delimiter, first_rows.header is not None, first_rows.roles)
    return None if sent == shown else form


def _read_change(form: SplitForm, present: SplitState | None) -> files.SplitChange | None:
    """Return what a form changes; None: nothing."""
    uploads = {kind: _keep(form[kind].data) for kind in KINDS if form[kind].data}
    public, removed = bool(form.public_gold.data), bool(form.remove.data)
    if present is not None and not removed:  # a form may arrive twice
        hashes = {kind: file.sha256 for kind, file in present.files.items()}
        uploads = {kind: file for kind, file in uploads.items() if hashes.get(kind) != file.sha256}
    if not uploads and not removed and (present is None or present.public_gold == public):
        return None
    return files.SplitChange(uploads, public, removed)


def _keep(file: FileStorage) -> SplitFile:
    """Put an uploaded file into the store before the write lock is taken."""
    data = file.stream.read()
    return SplitFile(context.storage().put(data), len(data), clean_filename(file.filename))


@blueprint.post("/<level>/remove")
def remove(slug: str, level: str) -> ResponseReturnValue:
    """Remove a level with its files from a draft."""
    title = _get_level(slug, level).title
    with flash_error():
        with context.writing() as session:
            row = _get_level(slug, level)
            service.remove_level(session, context.actor(), row, context.arrival_time())
        flash(_("%(title)s was removed.", title=title), "success")
        return redirect(url_for("levels.index", slug=slug))
    return redirect(url_for("levels.show", slug=slug, level=level))


def _read_edit(form: LevelForm) -> LevelEdit:
    sides = (form.left.data or "", form.right.data or "")
    return LevelEdit(form.slug.data or "", form.title.data or "", sides, form.counts.data, form.metrics)


def _level_page(
    slug: str,
    level: str,
    *,
    names: LevelForm | None = None,
    forms: Mapping[str, SplitForm] | None = None,
    columns: ColumnsForm | None = None,
    files_form: FilesForm | None = None,
) -> ResponseReturnValue:
    """Render the page of a level; the form that was sent keeps its values and errors."""
    row, session, storage = _get_level(slug, level), context.session(), context.storage()
    state = contents.read_level(session, row)
    task = row.task
    obstacles = {split: changes.find_split_obstacle(session, row, split) for split in SPLITS}
    shown = {
        split: SplitForm(
            None, prefix=f"{split}-", data={"public_gold": state.splits.get(split, SplitState()).public_gold}
        )
        for split in SPLITS
    } | dict(forms or {})
    first_rows = preview.read_preview(state, storage)
    if columns is None and first_rows is not None:
        shown_columns = {
            "delimiter": first_rows.delimiter,
            "header": first_rows.header is not None,
            "roles": first_rows.roles,
        }
        columns = ColumnsForm(None, prefix="columns-", data=shown_columns)
    names = names or LevelForm(None, prefix="names-", shown=_read_names(row))
    files_form = files_form or FilesForm(None, shown=_read_parts(state))
    forms_of_page = (files_form, names, columns, *shown.values())
    faulty = [form for form in forms_of_page if form is not None and form.errors]
    campaign = campaigns.list_by_level(session, task).get(row.slug)
    fixed_rules = changes.find_task_obstacle(session, task)
    fixed_name = service.find_name_obstacle(session, row)
    db.end_reading(session)  # checking large files takes a while, so no transaction stays open
    checks: dict[str, CheckResult] = {
        split: contents.check_split(state, split, files_of, storage)
        for split, files_of in state.splits.items()
    }
    page = render_template(
        "levels/level.html",
        task=task,
        level=row,
        campaign=campaign,
        has_scale=state.has_scale,
        draft=task.published_at is None,
        example=preview.example_lines(state),
        state=state,
        forms=shown,
        faulty=faulty,
        checks=checks,
        obstacles=obstacles,
        fixed_columns=next(filter(None, obstacles.values()), None),
        fixed_rules=fixed_rules,
        fixed_name=fixed_name,
        first_rows=first_rows,
        columns=columns,
        names=names,
        files_form=files_form,
    )
    return page, 422 if faulty else 200
