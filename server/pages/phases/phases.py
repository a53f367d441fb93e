"""A task's phases: adding one, its dates and rules, extending it, declaring its public items."""

from typing import Any

from flask import flash, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from server.access import request_tasks, tasks
from server.core.dates import format_utc
from server.core.errors import (
    ChangedMeanwhile,
    ConfirmationRequired,
    Conflict,
    FileProblem,
    FilesPrivate,
    InvalidDates,
    InvalidFile,
    NameTaken,
    TitleTaken,
)
from server.core.i18n import _, ngettext, translate
from server.inferences import detectable_differences
from server.inferences.detectable_differences import DetectableDifferences
from server.pages.confirmation import render_confirmation, wants_edit
from server.phases import windows
from server.phases.forms import (
    FEEDBACK_RISKS,
    DetectableForm,
    ExtendForm,
    ListedItemsForm,
    NewPhaseForm,
    PhaseForm,
    PublicItemsForm,
)
from server.phases.models import Phase
from server.planning import drafts, extensions, phase_editing, public_items
from server.planning.inputs import PHASE_DEFAULTS, list_phase_warnings, phase_values, read_phase_edit
from server.planning.run_limits import find_low_limits
from server.releases import release_gold
from server.tasks.forms import TEXT_LIMIT
from server.tasks.split_names import SPLITS
from server.teams import service as teams
from server.web import context
from server.web.form_errors import flash_error, render_form, show_error_at
from server.web.page_rules import SignedInBlueprint, takes_texts

blueprint = SignedInBlueprint("phases", __name__, url_prefix="/tasks/<slug>/organize/phases")
MAX_LISTED_PROBLEMS = 10
"""How many problems of a list of public items are shown at its field."""


@blueprint.route("/new", methods=["GET", "POST"])
def add(slug: str) -> ResponseReturnValue:
    """Add a phase."""
    task = request_tasks.get_organized_task(slug)
    present, after = request_tasks.list_phases(task), request.args.get("after")
    model = next((view.phase for view in present if view.phase.slug == after), None)
    form = NewPhaseForm(**(PHASE_DEFAULTS if model is None else _post_evaluation_defaults(model)))
    known = dict.fromkeys(split.name for level in task.levels for split in level.splits)
    if task.published_at is None:
        known |= dict.fromkeys(reversed(SPLITS))
    form.split.choices = [(name, _("the %(split)s split", split=name)) for name in known]
    if not wants_edit() and form.validate_on_submit():
        phase, split, edit = form.slug.data or "", form.split.data, read_phase_edit(form.data)
        with show_error_at(
            {NameTaken: form.slug, TitleTaken: form.title, InvalidDates: form.closes, Conflict: form.feedback}
        ):
            try:
                with context.writing() as session:
                    task, actor, now = request_tasks.get_task(slug), context.actor(), context.arrival_time()
                    phase_editing.add_phase(
                        session, actor, task, phase, split, edit, now, sure=form.sure.data
                    )
            except ConfirmationRequired as error:
                question = _("Add %(title)s?", title=edit.title)
                return render_confirmation(
                    request_tasks.get_task(slug), question, error.message, _("Add the phase")
                )
            flash(_("%(title)s was added.", title=form.title.data), "success")
            _flash_warnings(slug, phase)
            return redirect(url_for("dashboard.show", slug=slug))
    return render_form(
        "phases/new_phase.html",
        form,
        task=task,
        phases=present,
        given_away={kind: translate(words) for kind, words in FEEDBACK_RISKS.items()},
        model=model,
        ending=[view.phase for view in present if view.window.closes is not None],
    )


def _post_evaluation_defaults(model: Phase) -> dict[str, Any]:
    """Return the defaults of a phase for runs after `model`, on the same items, from when late files end."""
    last = windows.find_last_deadline(context.session(), model, grace=True)
    is_open = release_gold.is_open(model)
    return PHASE_DEFAULTS | {
        "title": _("Post-evaluation"),
        "slug": "post-evaluation",
        "split": model.split,
        "opens": last if last is not None and last >= context.arrival_time() else None,
        "runs_per_team": 10,
        "files_per_day": None if is_open else 3,
        "feedback": "scores" if is_open else "rounded",
        "board": "live",
        "runs_public": model.runs_public,
    }


@blueprint.route("/<phase>/edit", methods=["GET", "POST"])
def edit(slug: str, phase: str) -> ResponseReturnValue:
    """Change a phase's dates and rules; files that have arrived stay on time or late as they are."""
    task = request_tasks.get_organized_task(slug)
    form = PhaseForm(shown=_read_values(request_tasks.get_phase(task, phase)))
    if not form.is_submitted():
        form.feedback_places.data = 2 if form.feedback_places.data is None else form.feedback_places.data
        form.ladder_step.data = form.ladder_step.data or 0.01
    if not wants_edit() and form.validate_on_submit() and _has_kept_limits(form, slug, phase):
        with show_error_at(
            {
                ChangedMeanwhile: form.made_from,
                TitleTaken: form.title,
                InvalidDates: form.closes,
                FilesPrivate: form.runs_public,
                Conflict: form.feedback,
            }
        ):
            try:
                with context.writing() as session:
                    target = request_tasks.get_phase(request_tasks.get_task(slug), phase)
                    actor, now, sure = context.actor(), context.arrival_time(), form.sure.data
                    form.merge_saved(_read_values(target))
                    edit = read_phase_edit(form.data)
                    changed = phase_editing.edit_phase(session, actor, target, edit, now, sure=sure)
                    confirmed = drafts.confirm_step(session, actor, target.task, "phases", now)
                    after = phase_editing.count_files_after(session, target, edit.closes)
            except ConfirmationRequired as error:
                question = _("Save the dates and rules of %(title)s?", title=edit.title)
                return render_confirmation(
                    request_tasks.get_task(slug), question, error.message, _("Save dates and rules")
                )
            form.flash_saved(changed, confirmed=confirmed)
            if after and "closes" in changed:
                notice = ngettext(
                    "%(num)d submission arrived before the old deadline but after the new one. It is still "
                    "on time.",
                    "%(num)d submissions arrived before the old deadline but after the new one. They are "
                    "still on time.",
                    after,
                )
                flash(notice, "info")
            _flash_warnings(slug, phase)
            return redirect(url_for("dashboard.show", slug=slug))
    return _edit_page(slug, phase, form)


def _read_values(phase: Phase) -> dict[str, Any]:
    return {"id": phase.id, **phase_values(phase)}


def _has_kept_limits(form: PhaseForm, slug: str, phase: str) -> bool:
    """Add an error to each limit that is lower than what a team has used; whether there is none."""
    target = request_tasks.get_phase(request_tasks.get_task(slug), phase)
    low = find_low_limits(context.session(), target, form.data, context.arrival_time())
    for name, words in low.items():
        form[name].errors = [words]
    return not low


@blueprint.post("/<phase>/remove")
def remove(slug: str, phase: str) -> ResponseReturnValue:
    """Remove a phase that has not been used."""
    request_tasks.get_organized_task(slug)
    with flash_error():
        with context.writing() as session:
            target = request_tasks.get_phase(request_tasks.get_task(slug), phase)
            title = target.title
            phase_editing.remove_phase(session, context.actor(), target, context.arrival_time())
        flash(_("%(title)s was removed.", title=title), "success")
        return redirect(url_for("dashboard.show", slug=slug))
    return redirect(url_for("phases.edit", slug=slug, phase=phase))


def _edit_page(slug: str, phase: str, form: PhaseForm) -> ResponseReturnValue:
    task = request_tasks.get_task(slug)
    views = request_tasks.list_phases(task)
    view = next(view for view in views if view.phase.slug == phase)
    supposed, rows = _read_detectable(view.phase)
    return render_form(
        "phases/edit_phase.html",
        form,
        task=task,
        phases=views,
        phase=view.phase,
        view=view,
        given_away={kind: translate(words) for kind, words in FEEDBACK_RISKS.items()},
        telling=phase_editing.list_revealing_phases(context.session(), view.phase),
        may_remove=phase_editing.can_remove_phase(context.session(), view.phase),
        supposed=supposed,
        detectable=rows,
    )


def _read_detectable(phase: Phase) -> tuple[DetectableForm, list[DetectableDifferences]]:
    """Return the assumptions in the address, and the differences that the items can show under them."""
    has_query = not {"r", "between", "pairs"}.isdisjoint(request.args)
    form = DetectableForm(request.args if has_query else None)
    if has_query and not form.validate():
        return form, []
    try:
        pairs = (1, form.pairs.data or 1)
        return form, detectable_differences.list_detectable_differences(
            phase, form.r.data or 0.0, form.between.data or 0.0, pairs
        )
    except Conflict as error:
        form.between.errors = [*form.between.errors, error.message]
        return form, []


def _flash_warnings(slug: str, phase: str) -> None:
    """Warn of phases that reveal facts about the gold standard that others hide."""
    for words in list_phase_warnings(request_tasks.get_phase(request_tasks.get_task(slug), phase)):
        flash(words, "error")


@blueprint.route("/<phase>/extend", methods=["GET", "POST"])
def extend(slug: str, phase: str) -> ResponseReturnValue:
    """Extend the deadline for all teams, or for one."""
    task = request_tasks.get_organized_task(slug)
    session, target = context.session(), request_tasks.get_phase(task, phase)
    form, rivals = ExtendForm(), {str(team.id): team for team in teams.list_teams(session, task)}
    form.team.choices = [("", _("all teams")), *((key, team.name) for key, team in rivals.items())]
    if request.method == "GET":
        form.team.data = request.args.get("team", "")
    if form.validate_on_submit() and form.closes.data is not None:
        team, closes, reason = rivals.get(form.team.data), form.closes.data, form.reason.data or ""
        with show_error_at({Conflict: form.closes}):
            with context.writing() as session:
                extended = request_tasks.get_phase(request_tasks.get_task(slug), phase)
                extensions.extend_deadline(
                    session, context.actor(), extended, team, closes, reason, context.arrival_time()
                )
            facts = {"title": target.title, "at": format_utc(closes)}
            notice = (
                _("%(title)s now closes for all teams on %(at)s.", **facts)
                if team is None
                else _("%(title)s now closes for %(team)s on %(at)s.", team=team.name, **facts)
            )
            flash(notice, "success")
            return redirect(url_for("phases.extend", slug=slug, phase=phase))
    views = request_tasks.list_phases(task)
    return render_form(
        "phases/extend_phase.html",
        form,
        task=task,
        phases=views,
        phase=target,
        view=next(view for view in views if view.phase.slug == phase),
        extensions=extensions.list_extensions(session, target),
        late=extensions.has_late_submissions(session, target),
        gold_opened=release_gold.find_opening_after_end(session, target),
    )


@blueprint.route("/<phase>/public-items", methods=["GET", "POST"])
def declare_public(slug: str, phase: str) -> ResponseReturnValue:
    """Declare which of the phase's items are public: scores on them may be shown, the others decide."""
    request_tasks.get_organized_task(slug)
    form = PublicItemsForm()
    if form.validate_on_submit():
        percent, seed, now = form.percent.data or 0, form.seed.data or "", context.arrival_time()
        with show_error_at({Conflict: form.percent}):
            with context.writing() as session:
                drawn_for = request_tasks.get_phase(request_tasks.get_task(slug), phase)
                public_items.declare_public_items(session, context.actor(), drawn_for, percent, seed, now)
            flash(_("The public items were declared. Everyone can download the list."), "success")
            return redirect(url_for("phases.declare_public", slug=slug, phase=phase))
    page = _public_items_page(slug, phase, form, ListedItemsForm(None, prefix="list-"))
    return page, 422 if form.errors else 200


@blueprint.post("/<phase>/public-items/list")
@takes_texts(request_tasks.limit_for_organizers(TEXT_LIMIT))
def list_public(slug: str, phase: str) -> ResponseReturnValue:
    """Declare the public items of a level by a list of their ids."""
    request_tasks.get_organized_task(slug)
    form = ListedItemsForm(prefix="list-")
    _offer_levels(form, request_tasks.get_phase(request_tasks.get_task(slug), phase))
    if form.validate_on_submit():
        try:
            with context.writing() as session:
                target = request_tasks.get_phase(request_tasks.get_task(slug), phase)
                public_items.declare_listed_items(
                    session, context.actor(), target, form.level.data,
                    form.ids.data or "", context.arrival_time()
                )  # fmt: skip
            flash(_("The public items were declared. Everyone can download the list."), "success")
            return redirect(url_for("phases.declare_public", slug=slug, phase=phase))
        except Conflict as error:
            form.ids.errors = [error.message]
        except InvalidFile as error:
            form.ids.errors = [_describe_problem(problem) for problem in error.problems[:MAX_LISTED_PROBLEMS]]
    return _public_items_page(slug, phase, PublicItemsForm(None), form), 422


def _describe_problem(problem: FileProblem) -> str:
    if problem.line is None:
        return _("Your list: %(message)s.", message=problem.message)
    return _("Line %(line)d: %(message)s.", line=problem.line, message=problem.message)


def _offer_levels(form: ListedItemsForm, phase: Phase) -> None:
    form.level.choices = [(level.slug, level.title) for level in tasks.levels_of(phase)]


def _public_items_page(slug: str, phase: str, form: PublicItemsForm, listed: ListedItemsForm) -> str:
    task = request_tasks.get_task(slug)
    target = request_tasks.get_phase(task, phase)
    _offer_levels(listed, target)
    return render_template(
        "phases/public_items.html",
        task=task,
        phase=target,
        levels=tasks.levels_of(target),
        form=form,
        listed=listed,
        open=public_items.can_declare_public_items(context.session(), target),
    )
