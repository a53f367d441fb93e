"""The page of dry runs, in which organizers score a run file without submitting it."""

from flask.typing import ResponseReturnValue

from server.access import request_tasks, service as access
from server.core.errors import InvalidFile, TooLarge
from server.submissions import dry_runs
from server.submissions.forms import FORM_OVERHEAD, DryRunForm, clean_filename, script_messages
from server.web import context
from server.web.form_errors import render_form
from server.web.page_rules import SignedInBlueprint, takes_files

blueprint = SignedInBlueprint("dry_runs", __name__, url_prefix="/tasks/<slug>/organize")


def limit_upload() -> int | None:
    """The maximum size of the body of this upload; None: that of other forms."""
    task, session = request_tasks.get_task(context.path_values()["slug"]), context.session()
    if not access.is_organizer(session, context.actor(), task):
        return None
    limits = [dry_runs.dry_run_size_limit(split) for level in task.levels for split in level.splits]
    return max(limits, default=0) + FORM_OVERHEAD


@blueprint.route("/dry-run", methods=["GET", "POST"])
@takes_files(limit_upload)
def test(slug: str) -> ResponseReturnValue:
    """Score a file as an upload would be, or show every bad line; nothing of the file is stored."""
    form, task = DryRunForm(), request_tasks.get_task(slug)
    splits = dry_runs.list_splits(context.session(), context.actor(), task)
    titles = {key: f"{split.level.title}, {split.name}" for key, split in splits.items()}
    form.target.choices = list(titles.items())
    tested, refused = None, None
    if form.validate_on_submit():
        try:
            tested = _test(slug, form)
        except InvalidFile as error:
            refused = error
        except TooLarge as error:
            form.file.errors = [*form.file.errors, error.message]
    return render_form(
        "submissions/dry_run.html",
        form,
        words=script_messages(),
        task=request_tasks.get_task(slug),
        filename=clean_filename(form.file.data.filename) if tested or refused else None,
        tested=tested,
        target=titles.get(form.target.data),
        refused=refused,
    )


def _test(slug: str, form: DryRunForm) -> dry_runs.DryRun:
    session, actor = context.session(), context.actor()
    data, filename = form.file.data.stream.read(), clean_filename(form.file.data.filename)
    split = dry_runs.list_splits(session, actor, request_tasks.get_task(slug))[form.target.data]
    confirmed = form.first_is_score.data
    tested = dry_runs.dry_run(session, actor, split, data, filename, first_is_score=confirmed)
    with context.writing() as session:
        split = dry_runs.list_splits(session, actor, request_tasks.get_task(slug))[form.target.data]
        dry_runs.record_dry_run(session, actor, split, tested.gold_version, context.arrival_time())
    return tested
