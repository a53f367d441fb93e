"""The baselines of a task's phases: adding, describing and removing them."""

from collections.abc import Mapping
from typing import Literal

from flask import flash, redirect, render_template, url_for
from flask.typing import ResponseReturnValue

from server.access import request_tasks, service as access
from server.core.errors import Conflict, InvalidRunFiles
from server.core.i18n import N_, _, translate
from server.levels import baseline_files
from server.planning import baselines
from server.planning.responses import add_baseline, limit_baseline_upload, remove_baseline, save_own_baseline
from server.runs.forms import BaselineForm
from server.scoring.baselines import BASELINE_DESCRIPTIONS, BASELINES
from server.submissions.forms import clean_path
from server.submissions.whole_runs import SentFile
from server.web import context
from server.web.form_errors import flash_error, render_form, show_error_at
from server.web.page_rules import SignedInBlueprint, takes_files

blueprint = SignedInBlueprint("baselines", __name__, url_prefix="/tasks/<slug>/organize/baselines")
Change = Literal["add", "remove"]
DONE_MESSAGES: Mapping[Change, str] = {
    "add": N_("{baseline} was added to {phase}."),
    "remove": N_("{baseline} was removed from {phase}. You can add it again."),
}


@blueprint.get("")
def show(slug: str) -> str:
    """Show the baselines of each phase, with buttons that add and remove them."""
    task = request_tasks.get_observed_task(slug)
    return render_template(
        "runs/baselines.html",
        task=task,
        entries=baselines.list_baselines(context.session(), context.actor(), task),
        titles=BASELINES,
        missing=baseline_files.list_missing(context.session(), task),
        error=baseline_files.find_error(context.session(), task),
        descriptions={name: translate(words) for name, words in BASELINE_DESCRIPTIONS.items()},
    )


@blueprint.post("/<phase>/<baseline>/<any(add,remove):change>")
def edit(slug: str, phase: str, baseline: str, change: Change) -> ResponseReturnValue:
    """Add a baseline to a phase or remove it, until results of the phase are released."""
    task, key = request_tasks.get_organized_task(slug), baselines.get_key(baseline)
    target = request_tasks.get_phase(task, phase)
    title, phase_title = baselines.get_title(context.session(), target, key), target.title
    with flash_error():
        (add_baseline if change == "add" else remove_baseline)(slug, phase, context.actor(), key)
        flash(translate(DONE_MESSAGES[change]).format(baseline=title, phase=phase_title), "success")
    return redirect(url_for("baselines.show", slug=slug) + f"#phase-{phase}")


def limit_upload() -> int | None:
    """The maximum size of the body of this upload; None: that of other forms."""
    values = context.path_values()
    task = request_tasks.get_task(values["slug"])
    is_organizer = access.is_organizer(context.session(), context.actor(), task)
    return limit_baseline_upload(values["slug"], values["phase"]) if is_organizer else None


@blueprint.route("/<phase>/own", methods=["GET", "POST"])
@takes_files(limit_upload)
def upload(slug: str, phase: str) -> ResponseReturnValue:
    """Add a baseline that the site does not compute, with its files, or show every bad line of them."""
    return _save(slug, phase, None)


@blueprint.route("/<phase>/own/<int:run_id>", methods=["GET", "POST"])
@takes_files(limit_upload)
def describe(slug: str, phase: str, run_id: int) -> ResponseReturnValue:
    """Edit the description of such a baseline at any time; its name and files until results are released."""
    return _save(slug, phase, run_id)


def _save(slug: str, phase: str, run_id: int | None) -> ResponseReturnValue:
    session, actor = context.session(), context.actor()
    target = request_tasks.get_phase(request_tasks.get_organized_task(slug), phase)
    run = None if run_id is None else baselines.get_own(session, target, run_id)
    form, refused, released = BaselineForm(obj=run), None, baselines.is_released(session, target)
    if run is not None and released:
        del form.name, form.file, form.first_is_score
    if form.validate_on_submit():
        name = None if form.name is None else form.name.data
        sent = [
            SentFile(clean_path(file.filename), file.stream.read(), form.first_is_score.data)
            for file in (() if form.file is None else form.file.data or ())
        ]
        try:
            with show_error_at({Conflict: form.name or form.description}):
                save_own_baseline(slug, phase, actor, run_id, name, form.texts(), sent)
                flash(_("Saved."), "success")
                return redirect(url_for("baselines.show", slug=slug) + f"#phase-{phase}")
        except InvalidRunFiles as error:
            refused = error
    task = request_tasks.get_task(slug)
    target = request_tasks.get_phase(task, phase)
    run = None if run_id is None else baselines.get_own(context.session(), target, run_id)
    return render_form("runs/edit_baseline.html", form, task=task, phase=target, run=run, refused=refused)
