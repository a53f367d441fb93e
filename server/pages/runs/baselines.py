"""The baselines of a task's phases, and adding or removing one."""

from collections.abc import Mapping
from typing import Literal

from flask import flash, redirect, render_template, url_for
from flask.typing import ResponseReturnValue

from server.access import request_tasks
from server.core.i18n import N_, translate
from server.levels import baseline_files
from server.planning import baselines
from server.planning.responses import add_baseline, remove_baseline
from server.scoring.baselines import BASELINE_DESCRIPTIONS, BASELINES, get_baseline_name
from server.web import context
from server.web.form_errors import flash_error
from server.web.page_rules import SignedInBlueprint

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
    task, name = request_tasks.get_organized_task(slug), get_baseline_name(baseline)
    title = request_tasks.get_phase(task, phase).title
    with flash_error():
        (add_baseline if change == "add" else remove_baseline)(slug, phase, context.actor(), name)
        words = translate(DONE_MESSAGES[change]).format(baseline=BASELINES[name], phase=title)
        flash(words, "success")
    return redirect(url_for("baselines.show", slug=slug) + f"#phase-{phase}")
