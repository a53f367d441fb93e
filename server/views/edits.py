"""Editing a task's texts, and a phase's dates and rules."""

from flask import Blueprint, flash, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from flask_security import auth_required

from server.errors import DatesCrossed
from server.forms.edits import PhaseForm, TaskForm
from server.models import Task
from server.services import access, edits, tasks
from server.services.edits import PhaseEdit, TaskEdit
from server.views import context

blueprint = Blueprint("edits", __name__, url_prefix="/tasks/<slug>/organize")

TEXT_LIMIT = 1024 * 1024
"""The most bytes that the form with a task's texts may have."""


def _organized(slug: str) -> Task:
    task = context.task(slug)
    access.require_organizer(context.session(), context.actor(), task)
    return task


@blueprint.route("/edit", methods=["GET", "POST"])
@auth_required("session")
def edit_task(slug: str) -> ResponseReturnValue:
    """Change the title, description, licence and terms."""
    task = _organized(slug)
    form = TaskForm(data={name: getattr(task, name) for name in ("title", "description", "licence", "terms")})
    if form.validate_on_submit():
        edit = TaskEdit(
            *(field.data or "" for field in (form.title, form.description, form.licence, form.terms))
        )
        with context.writing() as session:
            changed = edits.edit_task(session, context.actor(), context.task(slug), edit, context.arrived())
        _tell(changed)
        return redirect(url_for("organize.show", slug=slug) + "#task")
    phases = context.phases(task)
    page = render_template("edits/task.html", task=task, phases=phases, form=form)
    return page, 422 if form.errors else 200


@blueprint.route("/phases/<phase>/edit", methods=["GET", "POST"])
@auth_required("session")
def edit_phase(slug: str, phase: str) -> ResponseReturnValue:
    """Change a phase's dates and rules; no file becomes late by it, and none on time."""
    task = _organized(slug)
    target = tasks.get_phase(context.session(), task, phase)
    form = PhaseForm(obj=target)
    if form.validate_on_submit():
        edit = PhaseEdit(
            title=form.title.data or "",
            opens=form.opens.moment,
            closes=form.closes.moment,
            grace_hours=form.grace_hours.data or 0,
            runs_per_team=form.runs_per_team.data or 1,
            files_per_level=form.files_per_level.data,
            files_per_day=form.files_per_day.data,
            feedback=form.feedback.data,
        )
        try:
            with context.writing() as session:
                target = tasks.get_phase(session, context.task(slug), phase)
                changed = edits.edit_phase(session, context.actor(), target, edit, context.arrived())
                after = edits.count_after(session, target, edit.closes) if edit.closes else 0
        except DatesCrossed as error:
            form.closes.errors = [*form.closes.errors, error.message]
        else:
            _tell(changed, after if "closes" in changed else 0)
            return redirect(url_for("organize.show", slug=slug) + "#task")
    return _phase_page(slug, phase, form)


def _phase_page(slug: str, phase: str, form: PhaseForm) -> ResponseReturnValue:
    task = context.task(slug)
    phases = context.phases(task)
    view = next(view for view in phases if view.phase.slug == phase)
    page = render_template(
        "edits/phase.html", task=task, phases=phases, phase=view.phase, view=view, form=form
    )
    return page, 422 if form.errors else 200


def _tell(changed: list[str], after: int = 0) -> None:
    names = {
        "runs_per_team": "runs a team",
        "files_per_level": "files for each level",
        "files_per_day": "files a day",
        "grace_hours": "grace",
    }
    if not changed:
        flash("Nothing was changed.", "info")
        return
    words = ", ".join(names.get(name, name) for name in changed)
    flash(f"Saved: {words}.", "success")
    if after:
        files = "1 file" if after == 1 else f"{after} files"
        flash(f"{files} came after the new closing time, on time by the old one; still on time.", "info")


def limit_body() -> int | None:
    """The most bytes that the texts may have; None: no more than other forms."""
    task = context.task((request.view_args or {})["slug"])
    return TEXT_LIMIT if access.is_organizer(context.session(), context.actor(), task) else None
