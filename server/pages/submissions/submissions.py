"""Pages for uploading a file, showing its result, and withdrawing it."""

from flask import Response, flash, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from server.access import request_tasks, service as access, tasks, terms
from server.core.errors import Conflict, InvalidFile, ServerError
from server.core.i18n import _
from server.phases import windows
from server.phases.quotas import files_left, upload_limit, utc_day
from server.phases.rules import PhaseState
from server.releases import release_gold, service as releases
from server.runs import permissions, service as runs
from server.runs.models import Run
from server.submissions import (
    eligibility,
    feedback,
    probing_flags,
    receipts,
    rejections,
    service as submissions,
    standings,
    withdrawals,
)
from server.submissions.forms import FORM_OVERHEAD, UploadForm, clean_filename, script_messages
from server.submissions.models import Submission
from server.submissions.uploads import receive_file
from server.tasks.models import Level
from server.web import context
from server.web.downloads import send_json, send_tsv
from server.web.error_responses import retry_after
from server.web.fields import ConfirmForm
from server.web.formatting import format_size
from server.web.page_rules import TeamBlueprint, takes_files

blueprint = TeamBlueprint("submissions", __name__, url_prefix="/tasks/<slug>")


def limit_upload() -> int | None:
    """The maximum size of the body of this upload; None: that of other forms."""
    if context.actor().user_id is None:
        return None
    values = context.path_values()
    limit = submissions.get_size_limit(context.session(), context.actor(), values["run_id"], values["level"])
    return limit + FORM_OVERHEAD


def describe_limit(limit: int) -> str:
    """Say how large a run file can be."""
    size = format_size(limit - FORM_OVERHEAD)
    return _("A file can have at most %(size)s here. Nothing was stored or counted.", size=size)


@blueprint.route("/runs/<int:run_id>/<level>/upload", methods=["GET", "POST"])
@takes_files(limit_upload, scored=True, describe_limit=describe_limit)
def upload(slug: str, run_id: int, level: str) -> ResponseReturnValue:
    """Upload a run file for a level: it is scored in the response, or rejected with every bad line."""
    form, actor, now = UploadForm(), context.actor(), context.arrival_time()
    target = eligibility.find_own_target(context.session(), actor, run_id, level, now)
    task = _of_task(slug, target.run).team.task
    if terms.find_pending(context.session(), actor, task) is not None:
        flash(_("Read and accept the terms before you upload your file."), "info")
        return redirect(url_for("terms.show", slug=slug))
    if not form.validate_on_submit():
        return _upload_page(slug, run_id, level, form)
    try:
        stored = receive_file(context.session(), actor, _read_upload(form, target), now)
    except InvalidFile as refused:
        return _upload_page(slug, run_id, level, form, refused)
    except ServerError as error:
        if error.status == 404:
            raise
        form.file.errors = [*form.file.errors, error.message]
        return _upload_page(slug, run_id, level, form, error=error)
    if not stored.new:
        flash(_("This file is identical to your current submission. Nothing new was stored."), "info")
    return redirect(url_for("submissions.show", slug=slug, submission_id=stored.submission_id))


@blueprint.route("/runs/<int:run_id>/<level>/check", methods=["GET", "POST"])
@takes_files(limit_upload, scored=True, describe_limit=describe_limit)
def check(slug: str, run_id: int, level: str) -> ResponseReturnValue:
    """Check a run file as an upload would, and store nothing; show every bad line, or warnings."""
    form, actor, now = UploadForm(), context.actor(), context.arrival_time()
    session = context.session()
    target = eligibility.find_own_target(session, actor, run_id, level, now)
    _of_task(slug, target.run)
    if not form.validate_on_submit():
        return _upload_page(slug, run_id, level, form)
    try:
        checked = submissions.check_file(session, actor, _read_upload(form, target), now)
    except InvalidFile as refused:
        return _upload_page(slug, run_id, level, form, refused)
    except ServerError as error:
        return _upload_page(slug, run_id, level, form, error=error)
    return _upload_page(slug, run_id, level, form, checked=checked)


def _read_upload(form: UploadForm, target: eligibility.UploadTarget) -> eligibility.ReceivedFile:
    """Return the uploaded file."""
    filename = clean_filename(form.file.data.filename)
    return eligibility.ReceivedFile(
        target, form.file.data.stream.read(), filename, form.first_is_score.data, form.sure.data
    )


def _upload_page(
    slug: str,
    run_id: int,
    level_slug: str,
    form: UploadForm,
    refused: InvalidFile | None = None,
    error: ServerError | None = None,
    checked: submissions.UploadCheck | None = None,
) -> ResponseReturnValue:
    session, now = context.session(), context.arrival_time()
    task, run = request_tasks.get_task(slug), _own_run(slug, run_id)
    level, split = tasks.get_level_split(task, level_slug, run.phase.split)
    used = runs.count_files_used(session, run.team, run.phase, level, now)
    page = render_template(
        "submissions/upload.html",
        task=task,
        run=run,
        level=level,
        split=split,
        window=windows.window_of(session, run.phase, run.team),
        released=releases.find_newest_manual(session, run.phase),
        limit=upload_limit(split.n_items, keyed=task.keyed is not None),
        words=script_messages(),
        levels=len(tasks.levels_of(run.phase)),
        left=files_left(used, run.phase.files_per_level, run.phase.files_per_day),
        next_day=utc_day(now)[1],
        gold_opened=release_gold.list_opening_dates(session, task).get(run.phase.split),
        counting=standings.find_counting(session, run, level, now),
        on_time=standings.has_on_time(session, run, level),
        form=form,
        refused=refused,
        checked=checked,
        is_check=request.endpoint == "submissions.check",
        error=error,
    )
    if error is not None:
        return page, error.status, retry_after(error)
    return page, 422 if refused is not None or form.errors else 200


@blueprint.get("/submissions/<int:submission_id>")
def show(slug: str, submission_id: int) -> str:
    """Show the result of an upload: scores if the phase shows them, else "stored", with its hash and time."""
    session, actor, now = context.session(), context.actor(), context.arrival_time()
    task = request_tasks.get_task(slug)
    submission = submissions.get_submission(session, actor, task.id, submission_id)
    released = releases.find_newest_manual(session, submission.run.phase)
    split = tasks.find_split(submission.level, submission.run.phase.split)
    receipt = receipts.find_receipt(session, submission)
    window = windows.window_of(session, submission.run.phase, submission.run.team)
    return render_template(
        "submissions/show.html",
        task=task,
        submission=submission,
        split=split,
        scores=feedback.visible_scores(session, actor, submission),
        released=released,
        passed_by=released if released is not None and released.made_at < submission.arrived_at else None,
        withdrawn=standings.is_withdrawn(session, submission),
        run_withdrawn=standings.is_run_withdrawn(session, submission.run),
        counts=standings.does_count(session, submission),
        receipt=receipt,
        replaced=None if receipt is None else receipts.find_replaced(session, receipt),
        deadline=window.closes,
        missing=_missing_levels(submission, window.state(now)),
        salt=receipts.find_salt(session, receipt, split)
        if receipt is not None and split is not None
        else None,
        receipt_name=None if receipt is None else receipts.filename_of(receipt),
        can_change=permissions.can_withdraw(session, actor, submission, now),
        can_send_again=submissions.may_send_again(session, submission, now),
        flags=probing_flags.list_visible_flags(session, actor, submission),
        form=ConfirmForm(formdata=None),
    )


def _missing_levels(submission: Submission, state: PhaseState) -> list[Level]:
    """List the levels for which the run lacks a file that could be uploaded now."""
    session, run = context.session(), submission.run
    if state not in ("open", "grace") or standings.is_run_withdrawn(session, run):
        return []
    return standings.list_missing_levels(session, run, tasks.levels_of(run.phase))


@blueprint.post("/submissions/<int:submission_id>/again")
def send_again(slug: str, submission_id: int) -> ResponseReturnValue:
    """Submit a late file again, now on time, because the deadline was extended."""
    session, actor = context.session(), context.actor()
    now = context.arrival_time()
    task = request_tasks.get_task(slug)
    late = submissions.get_submission(session, actor, task.id, submission_id)
    access.require_member(session, actor, late.run.team)
    if not submissions.may_send_again(session, late, now):
        raise Conflict.of(
            "Only a late submission can be submitted again, once, and only before an extended deadline."
        )
    data = context.storage().get(late.sha256)
    target = eligibility.find_own_target(session, actor, late.run_id, late.level.slug, now)
    again = eligibility.ReceivedFile(
        target, data, late.filename, first_is_score=True, sure=True
    )  # it was accepted before
    stored = receive_file(session, actor, again, now)
    return redirect(url_for("submissions.show", slug=slug, submission_id=stored.submission_id))


@blueprint.get("/submissions/<int:submission_id>/file")
def file(slug: str, submission_id: int) -> Response:
    """Download the file as it was uploaded, for its team and organizers."""
    task = request_tasks.get_task(slug)
    submission = submissions.get_submission(context.session(), context.actor(), task.id, submission_id)
    return send_tsv(context.storage().get(submission.sha256), submission.filename)


@blueprint.get("/submissions/<int:submission_id>/receipt.json")
def receipt(slug: str, submission_id: int) -> Response:
    """Download the signed receipt of the file, for its team and people who may see all of the task."""
    session, task = context.session(), request_tasks.get_task(slug)
    submission = submissions.get_submission(session, context.actor(), task.id, submission_id)
    signed_receipt = receipts.get_receipt(session, submission)
    return send_json(signed_receipt.text, receipts.filename_of(signed_receipt))


@blueprint.get("/rejections/<int:rejection_id>")
def rejection(slug: str, rejection_id: int) -> str:
    """Show why an upload was rejected, with every bad line."""
    session, task = context.session(), request_tasks.get_task(slug)
    rejection = rejections.get_rejection(session, context.actor(), task.id, rejection_id)
    return render_template("submissions/rejection.html", task=task, rejection=rejection)


@blueprint.route("/submissions/<int:submission_id>/withdraw", methods=["GET", "POST"])
def withdraw(slug: str, submission_id: int) -> ResponseReturnValue:
    """Withdraw a submission, after the page has shown what will count."""
    actor, now, form = context.actor(), context.arrival_time(), ConfirmForm()
    if form.validate_on_submit():
        with context.writing() as session:
            task = request_tasks.get_task(slug)
            submission = submissions.get_submission(session, actor, task.id, submission_id)
            withdrawals.withdraw_submission(session, actor, submission, now)
        flash(_("The submission was withdrawn."), "success")
        return redirect(url_for("teams.show", slug=slug))
    session, task = context.session(), request_tasks.get_task(slug)
    submission = submissions.get_submission(session, actor, task.id, submission_id)
    access.require_member(session, actor, submission.run.team)
    return render_template(
        "submissions/withdraw.html",
        task=task,
        preview=withdrawals.preview_withdrawal(session, submission),
        withdrawn=standings.is_withdrawn(session, submission),
        can_change=not permissions.is_withdrawal_closed(session, submission, now),
        form=form,
    )


@blueprint.post("/submissions/<int:submission_id>/restore")
def restore(slug: str, submission_id: int) -> ResponseReturnValue:
    """Restore a withdrawn submission."""
    actor = context.actor()
    with context.writing() as session:
        task = request_tasks.get_task(slug)
        submission = submissions.get_submission(session, actor, task.id, submission_id)
        withdrawals.restore_submission(session, actor, submission, context.arrival_time())
    flash(_("The submission was restored."), "success")
    return redirect(url_for("submissions.show", slug=slug, submission_id=submission_id))


def _own_run(slug: str, run_id: int) -> Run:
    """Return a run of the reader's team in the task of the address."""
    return _of_task(slug, runs.get_run(context.session(), context.actor(), run_id))


def _of_task(slug: str, run: Run) -> Run:
    """Return a run, if it belongs to the task of the address; otherwise raise NotFound."""
    return run if run.team.task.slug == slug else runs.get_run(context.session(), context.actor(), -1)
