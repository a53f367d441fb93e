"""The scale, the metrics, the format of runs and the total of a task."""

from typing import Any

from flask import redirect, url_for
from flask.typing import ResponseReturnValue

from server.access import request_tasks
from server.annotation.campaigns import service as campaigns
from server.core import db
from server.core.errors import ChangedMeanwhile, Conflict
from server.levels import changes, contents, files, service as levels
from server.planning import drafts
from server.planning.forms import ScoringForm
from server.planning.scoring_rules import ScoringEdit, edit_scoring
from server.tasks.forms import read_labels, write_labels
from server.tasks.models import Task
from server.web import context
from server.web.fields import flash_saved
from server.web.form_errors import flash_error, render_form, show_error_at
from server.web.page_rules import SignedInBlueprint

blueprint = SignedInBlueprint("task_scoring", __name__, url_prefix="/tasks/<slug>/organize/scoring")
KEYED_COLUMNS = ("id", "score", "gold", "confidence")


@blueprint.route("", methods=["GET", "POST"])
def edit(slug: str) -> ResponseReturnValue:
    """Change how runs are read, scored and ranked; waiting gold is used if it fits the new scale."""
    task = request_tasks.get_organized_task(slug)
    form = ScoringForm(shown=_read_values(task))
    if form.validate_on_submit():
        changes_format = (form.run_format.data == "keyed") != (task.keyed is not None)
        place = form.run_format if changes_format else form.high
        with show_error_at({ChangedMeanwhile: form.made_from, Conflict: place}):
            with context.writing() as session:
                task, now = request_tasks.get_task(slug), context.arrival_time()
                form.merge_saved(_read_values(task))
                edit = _read_edit(form)
                changed = edit_scoring(session, context.actor(), task, edit, now)
                confirmed = drafts.confirm_step(session, context.actor(), task, "scale", now)
            _use_waiting_files(slug)
            flash_saved(changed, confirmed=confirmed)
            return redirect(url_for("task_scoring.edit", slug=slug))
        task = request_tasks.get_task(slug)
    obstacle = changes.find_task_obstacle(context.session(), task)
    return render_form("tasks/scoring.html", form, task=task, obstacle=obstacle)


def _use_waiting_files(slug: str) -> None:
    """Use the files that waited for a scale; each level by itself, since one may have been changed."""
    task = request_tasks.get_task(slug)
    states = contents.read_levels(context.session(), task.levels)
    db.end_reading(context.session())
    for name, state in states.items():
        if not state.waiting:
            continue
        level = files.prepare_level(state, context.storage(), {}, again=True)
        with flash_error(), context.writing() as session:
            row = levels.get_level(request_tasks.get_task(slug), name)
            files.put_level(session, context.actor(), row, level, context.arrival_time())


def _read_values(task: Task) -> dict[str, Any]:
    keyed, (official, *others) = task.keyed or {}, task.metrics
    values = {
        **_read_scale(task),
        "labels": write_labels(task.labels),
        "official": official,
        "others": others,
        "run_format": "aligned" if task.keyed is None else "keyed",
        "confidence": task.confidence_max,
        **task.board_rules,
    }
    return values | {f"keyed_{name}": keyed.get(name) or "" for name in KEYED_COLUMNS}


def _read_scale(task: Task) -> dict[str, float | None]:
    """Return the scale of a task; until it has one, that of a campaign which makes its gold standard."""
    values = [task.scale_min, task.scale_max, task.scale_step]
    if task.scale_min is None:
        by_level = campaigns.list_by_level(context.session(), task)
        if found := [by_level[level.slug] for level in task.levels if level.slug in by_level]:
            round_ = campaigns.get_gold_round(found[0])
            scale = round_.rules.scale
            values = [0.0, 1.0, None] if round_.kind == "bws" else [scale.min, scale.max, scale.step]
    return dict(zip(("low", "high", "step"), values, strict=True))


def _read_edit(form: ScoringForm) -> ScoringEdit:
    keyed = {name: form[f"keyed_{name}"].data or None for name in KEYED_COLUMNS}
    official = form.official.data
    return ScoringEdit(
        scale_min=form.low.data or 0.0,
        scale_max=form.high.data or 0.0,
        scale_step=form.step.data,
        labels=tuple(read_labels(form.labels.data or "")),
        metrics=(official, *(name for name in form.others.data or () if name != official)),
        keyed=keyed if form.run_format.data == "keyed" else None,
        confidence_max=form.confidence.data or 1.0,
        total=form.total.data,
        total_needs=form.total_needs.data,
        enter_at_least=form.enter_at_least.data or 1,
    )
