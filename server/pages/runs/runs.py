"""Pages of a run: adding, editing, primary run, order, withdrawing and restoring."""

from flask import Response, flash, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from sqlalchemy.orm import Session

from server.access import request_tasks, service as access
from server.core.errors import Conflict, NameTaken, require_found
from server.core.i18n import _
from server.core.table_formats import write_table
from server.phases import windows
from server.releases import item_results, placements
from server.runs import (
    editing as run_editing,
    history as run_history,
    permissions,
    service as runs,
    withdrawals as run_withdrawals,
)
from server.runs.forms import RunForm
from server.runs.models import Run
from server.submissions import standings
from server.web import context
from server.web.downloads import send_tsv
from server.web.fields import ConfirmForm, flash_saved
from server.web.form_errors import render_form, show_error_at
from server.web.page_rules import TeamBlueprint

blueprint = TeamBlueprint("runs", __name__, url_prefix="/tasks/<slug>")


@blueprint.route("/phases/<phase>/runs/new", methods=["GET", "POST"])
def create(slug: str, phase: str) -> ResponseReturnValue:
    """Add a run to the reader's team in a phase."""
    form = RunForm()
    if form.validate_on_submit():
        name, texts = form.name.data or "", runs.RunTexts(**form.texts())
        with show_error_at({Conflict: form.name}):
            with context.writing() as session:
                target = request_tasks.get_phase(request_tasks.get_task(slug), phase)
                runs.create_run(session, context.actor(), target, name, texts, context.arrival_time())
            flash(_("The run was added. Now upload its files."), "success")
            return redirect(url_for("teams.show", slug=slug) + f"#{phase}")
    task = request_tasks.get_task(slug)
    target = request_tasks.get_phase(task, phase)
    team = access.require_team(context.session(), context.actor(), task)
    access.require_competing(team)
    return render_form(
        "runs/new.html",
        form,
        task=task,
        phase=target,
        window=windows.window_of(context.session(), target, team),
        run_count=runs.count_runs(context.session(), team, target),
    )


@blueprint.get("/runs/<int:run_id>/")
def show(slug: str, run_id: int) -> str:
    """Show a run's description, the submissions that count, and everything that was uploaded for it."""
    session, actor, now = context.session(), context.actor(), context.arrival_time()
    task = request_tasks.get_task(slug)
    run = runs.read_run(session, actor, task.id, run_id)
    filed = _find_state(run)
    readable = item_results.find_readable_run_files(session, actor, filed, now)
    requested_level = request.args.get("level")
    level = requested_level if requested_level in readable else next(iter(readable), None)
    shown = None if level is None else readable[level]
    return render_template(
        "runs/show.html",
        task=task,
        run=run,
        filed=filed,
        history=run_history.read_history(session, run, context.page_number()),
        readable=readable,
        level=level,
        results=None
        if shown is None or shown.gold is None
        else item_results.find_results(context.session(), shown.split, shown.gold, shown.file),
        standing=placements.find_run_placement(session, run),
        titles={level.slug: level.title for level in task.levels},
    )


@blueprint.get("/runs/<int:run_id>/items/<level>.tsv")
def items(slug: str, run_id: int, level: str) -> Response:
    """Download the scores of the file that counts beside the items, with gold and residuals if public."""
    session, actor = context.session(), context.actor()
    run = runs.read_run(session, actor, request_tasks.get_task(slug).id, run_id)
    readable = item_results.find_readable_run_files(session, actor, _find_state(run), context.arrival_time())
    table = item_results.list_items(session, readable[level]) if level in readable else None
    head, *rows = require_found(table, _("There is no such file, or you cannot read it yet."))
    return send_tsv(write_table("tsv", head, rows).encode(), f"{slug}-{run.name}-{level}.items.tsv")


def _find_state(run: Run) -> runs.RunState:
    listed = runs.list_runs(context.session(), run.team, [run.phase], context.arrival_time())[run.phase_id]
    return next(filed for filed in listed if filed.run.id == run.id)


@blueprint.route("/runs/<int:run_id>/edit", methods=["GET", "POST"])
def edit(slug: str, run_id: int) -> ResponseReturnValue:
    """Edit the description of a run at any time, and its name as long as the run is open."""
    session, actor, now = context.session(), context.actor(), context.arrival_time()
    run = own_run(session, slug, run_id)
    form = RunForm(obj=run)
    if not permissions.is_run_open(session, run, now):
        del form.name
    if form.validate_on_submit():
        name = form.name.data if form.name is not None else None
        texts = runs.RunTexts(**runs.texts_of(run) | form.texts())
        with show_error_at({NameTaken: form.name}):
            with context.writing() as session:
                changed = run_editing.edit_run(
                    session, actor, own_run(session, slug, run_id), name, texts, now
                )
            flash_saved(changed)
            return redirect(url_for("runs.show", slug=slug, run_id=run_id))
    task = request_tasks.get_task(slug)
    run = own_run(context.session(), slug, run_id)
    is_late = not permissions.is_phase_open(context.session(), run, now)
    return render_form("runs/edit.html", form, task=task, run=run, is_late=is_late)


@blueprint.post("/runs/<int:run_id>/primary")
def choose_primary(slug: str, run_id: int) -> ResponseReturnValue:
    """Make a run the primary one of its team and phase; with `primary=no`, let none be."""
    primary = request.form.get("primary") != "no"
    with context.writing() as session:
        run = own_run(session, slug, run_id)
        run_editing.choose_primary(session, context.actor(), run, context.arrival_time(), primary=primary)
        name, anchor = run.name, run.phase.slug
    chosen = _("%(run)s is now your primary run.", run=name)
    flash(chosen if primary else _("You now have no primary run."), "success")
    return redirect(url_for("teams.show", slug=slug) + f"#{anchor}")


@blueprint.post("/runs/<int:run_id>/move")
def move(slug: str, run_id: int) -> ResponseReturnValue:
    """Swap a run with the one before or after it."""
    with context.writing() as session:
        run = own_run(session, slug, run_id)
        direction: run_editing.Direction = "up" if request.form.get("direction") == "up" else "down"
        run_editing.move_run(session, context.actor(), run, direction, context.arrival_time())
        anchor = run.id
    return redirect(url_for("teams.show", slug=slug) + f"#run-{anchor}")


@blueprint.route("/runs/<int:run_id>/withdraw", methods=["GET", "POST"])
def withdraw(slug: str, run_id: int) -> ResponseReturnValue:
    """Withdraw a run, after the page has shown what no longer counts."""
    now, form = context.arrival_time(), ConfirmForm()
    if form.validate_on_submit():
        with context.writing() as session:
            run_withdrawals.withdraw_run(session, context.actor(), own_run(session, slug, run_id), now)
        flash(_("The run was withdrawn."), "success")
        return redirect(url_for("teams.show", slug=slug) + f"#run-{run_id}")
    session, task = context.session(), request_tasks.get_task(slug)
    run = own_run(session, slug, run_id)
    return render_template(
        "runs/withdraw.html",
        task=task,
        preview=run_withdrawals.preview_run_withdrawal(session, run),
        withdrawn=standings.is_run_withdrawn(session, run),
        can_change=permissions.is_run_open(session, run, now),
        state=windows.window_of(session, run.phase, run.team).state(now),
        form=form,
    )


@blueprint.post("/runs/<int:run_id>/restore")
def restore(slug: str, run_id: int) -> ResponseReturnValue:
    """Restore a withdrawn run, with the files that counted."""
    with context.writing() as session:
        run = own_run(session, slug, run_id)
        run_withdrawals.restore_run(session, context.actor(), run, context.arrival_time())
    flash(_("The run was restored."), "success")
    return redirect(url_for("teams.show", slug=slug) + f"#run-{run_id}")


def own_run(session: Session, slug: str, run_id: int) -> Run:
    """Return a run of the reader's team in the task of the address."""
    task, run = request_tasks.get_task(slug), runs.get_run(session, context.actor(), run_id)
    return run if run.team.task_id == task.id else runs.get_run(session, context.actor(), -1)
