"""Uploading a whole run: files for several levels at once, each named by its level."""

import re
from collections.abc import Iterable, Sequence

from flask import flash, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from server.access import request_tasks, terms
from server.core.errors import InvalidRunFiles, NotFound, ServerError
from server.core.i18n import _
from server.phases import windows
from server.releases import release_gold, service as releases
from server.runs import service as runs
from server.runs.models import Run
from server.submissions import whole_runs
from server.submissions.forms import WholeRunForm, clean_path, script_messages
from server.submissions.service import UploadCheck
from server.submissions.uploads import receive_run
from server.submissions.whole_runs import RunFiles, SentFile
from server.tasks.models import Task
from server.web import context
from server.web.error_responses import retry_after
from server.web.page_rules import TeamBlueprint, takes_files

blueprint = TeamBlueprint("whole_runs", __name__, url_prefix="/tasks/<slug>/runs/<int:run_id>")

FILE_IDS = re.compile(r"[0-9]{1,9}(-[0-9]{1,9}){0,199}")
MAX_IGNORED_SHOWN = 5
FORM_OVERHEAD = 16 * 1024
"""The maximum size of a form's other fields and part headers."""


def limit_upload() -> int | None:
    """The maximum size of the body of this upload; None: that of other forms."""
    if context.actor().user_id is None:
        return None
    run_id = context.path_values()["run_id"]
    return whole_runs.get_run_size_limit(context.session(), context.actor(), run_id) + FORM_OVERHEAD


@blueprint.route("/upload", methods=["GET", "POST"])
@takes_files(limit_upload, scored=True)
def upload(slug: str, run_id: int) -> ResponseReturnValue:
    """Upload files for several levels: all are scored in the response, or none, with every problem."""
    form = WholeRunForm()
    task = _task_and_run(slug, run_id)[0]
    session, actor = context.session(), context.actor()
    now = context.arrival_time()
    if terms.find_pending(session, actor, task) is not None:
        flash(_("Read and accept the terms before you upload your files."), "info")
        return redirect(url_for("terms.show", slug=slug))
    if not form.validate_on_submit():
        return _upload_page(slug, run_id, form)
    sent_files = _read_uploads(form)
    try:
        stored = receive_run(session, actor, run_id, sent_files, now)
    except InvalidRunFiles as refused:
        return _upload_page(slug, run_id, form, refused)
    except ServerError as error:
        if error.status == 404:
            raise
        form.file.errors = [*form.file.errors, error.message]
        return _upload_page(slug, run_id, form, error=error)
    for fault in stored.left_out:
        flash(_("%(file)s was not stored. %(why)s", file=fault.filename, why=fault.message), "warning")
    if stored.ignored:
        flash(_ignored_words(stored.ignored), "info")
    ids = [file.submission_id for file in stored.files]
    same = [file.submission_id for file in stored.files if not file.new]
    again = _join_ids(same) if same else None
    return redirect(url_for("whole_runs.show", slug=slug, run_id=run_id, files=_join_ids(ids), again=again))


@blueprint.route("/check", methods=["GET", "POST"])
@takes_files(limit_upload, scored=True)
def check(slug: str, run_id: int) -> ResponseReturnValue:
    """Check files for several levels as an upload would, without storing them."""
    form = WholeRunForm()
    _task_and_run(slug, run_id)
    if not form.validate_on_submit():
        return _upload_page(slug, run_id, form)
    session, actor = context.session(), context.actor()
    now = context.arrival_time()
    try:
        checked = whole_runs.check_run(session, actor, run_id, _read_uploads(form), now)
    except InvalidRunFiles as refused:
        return _upload_page(slug, run_id, form, refused)
    except ServerError as error:
        return _upload_page(slug, run_id, form, error=error)
    return _upload_page(slug, run_id, form, checked=checked)


def _read_uploads(form: WholeRunForm) -> list[SentFile]:
    confirmed = form.first_is_score.data, form.sure.data
    return [SentFile(clean_path(file.filename), file.stream.read(), *confirmed) for file in form.file.data]


@blueprint.get("/uploaded/<files>")
def show(slug: str, run_id: int, files: str) -> str:
    """Show the result of an upload of several files, whose ids are in the address: a row for each.

    The query says which of them were sent `again` unchanged, and had been stored before.
    """
    session = context.session()
    task, run = _task_and_run(slug, run_id)
    stored = whole_runs.list_stored_files(session, run, _split_ids(files))
    return render_template(
        "submissions/whole_run.html",
        task=task,
        run=run,
        stored=stored,
        again=set(_split_ids(request.args.get("again", "")))
        & {stored_file.submission.id for stored_file in stored},
        released=releases.find_newest_manual(session, run.phase),
    )


def _ignored_words(names: Sequence[str]) -> str:
    shown = ", ".join(names[:MAX_IGNORED_SHOWN])
    return (
        _("Ignored in the zip because they are not run files: %(names)s.", names=shown)
        if len(names) <= MAX_IGNORED_SHOWN
        else _(
            "Ignored in the zip because they are not run files: %(names)s and %(more)d more.",
            names=shown,
            more=len(names) - MAX_IGNORED_SHOWN,
        )
    )


def _join_ids(ids: Iterable[int]) -> str:
    return "-".join(map(str, ids))


def _split_ids(ids: str) -> list[int]:
    return [int(digits) for digits in ids.split("-")] if FILE_IDS.fullmatch(ids) else []


def _upload_page(
    slug: str,
    run_id: int,
    form: WholeRunForm,
    refused: InvalidRunFiles | None = None,
    error: ServerError | None = None,
    checked: RunFiles[UploadCheck] | None = None,
) -> ResponseReturnValue:
    session, now = context.session(), context.arrival_time()
    task, run = _task_and_run(slug, run_id)
    state = whole_runs.get_run_state(session, run, now)
    window = windows.window_of(session, run.phase, run.team)
    takes = window.state(now) in ("open", "grace") and any(level.left.now != 0 for level in state.levels)
    outcome = refused or checked
    ignored = () if outcome is None else outcome.ignored
    page = render_template(
        "submissions/upload_whole_run.html",
        task=task,
        run=run,
        state=state,
        window=window,
        takes=takes,
        released=releases.find_newest_manual(session, run.phase),
        split=None,
        gold_opened=release_gold.list_opening_dates(session, task).get(run.phase.split),
        limit=whole_runs.run_size_limit(run.phase),
        words=script_messages(many=True),
        form=form,
        refused=refused,
        checked=checked,
        is_check=request.endpoint == "whole_runs.check",
        error=error,
        ignored=_ignored_words(ignored) if ignored else None,
    )
    if error is not None:
        return page, error.status, retry_after(error)
    return page, 422 if refused is not None or form.errors else 200


def _task_and_run(slug: str, run_id: int) -> tuple[Task, Run]:
    session, task = context.session(), request_tasks.get_task(slug)
    run = runs.get_run(session, context.actor(), run_id)
    if run.team.task_id != task.id:
        raise NotFound.of("There is no such run.")
    return task, run
