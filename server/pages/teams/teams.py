"""Pages for creating a team, and of the reader's own team."""

from datetime import datetime

from flask import flash, redirect, render_template, url_for
from flask.typing import ResponseReturnValue

from server.access import participation, request_tasks, service as access
from server.boards import score_history
from server.core.dates import NEVER
from server.core.errors import NameTaken
from server.core.i18n import _
from server.pages.teams.phase_heads import render_phase_head
from server.pages.teams.run_cards import render_run_cards
from server.releases import placements, responses
from server.releases.service import ReleasedPhase
from server.runs import completeness, service as runs
from server.submissions import feedback, listings
from server.teams import invitations, memberships, service as teams
from server.teams.forms import EditTeamForm, TeamForm
from server.web import context
from server.web.fields import ConfirmForm
from server.web.form_errors import render_form, show_error_at
from server.web.page_rules import TeamBlueprint

blueprint = TeamBlueprint("teams", __name__, url_prefix="/tasks/<slug>")


@blueprint.get("/team/")
def show(slug: str) -> ResponseReturnValue:
    """Show the runs of the reader's team, by phase; without a team, how to get one."""
    session, actor, now = context.session(), context.actor(), context.arrival_time()
    task, released = responses.read_task(slug)
    released.sort(key=_first_to_close)
    phases = [phase.view for phase in released]
    team = access.find_team(session, actor, task)
    if team is None:
        role = access.find_role(session, actor, task)
        return render_template("teams/none.html", task=task, phases=phases, role=role)
    runs_by_phase = runs.list_runs(session, team, [view.phase for view in phases], now, "rejected")
    outlook_by_phase = {
        view.phase.id: completeness.check_completeness(runs_by_phase[view.phase.id]) for view in phases
    }
    shown_files = listings.list_shown_files(session, team, [view.phase for view in phases])
    places = {file.id: (file.run.phase, file.level) for file in shown_files} | {
        file.id: (view.phase, at.level)
        for view in phases
        for state in runs_by_phase[view.phase.id]
        for at in state.levels
        for file in (at.on_time, at.late)
        if file is not None
    }
    scores = feedback.official_scores(session, places)
    ranks = placements.list_live_ranks(session, team, released, runs_by_phase, scores)
    placements_by_phase = placements.list_team_placements(session, team, released)
    missing = completeness.find_first_missing(phases, outlook_by_phase)
    return render_template(
        "teams/show.html",
        task=task,
        phases=phases,
        team=team,
        members=participation.list_member_names(session, actor, task),
        runs=runs_by_phase,
        heads={
            view.phase.id: render_phase_head(
                task,
                view,
                runs_by_phase[view.phase.id],
                outlook_by_phase[view.phase.id],
                placements_by_phase.get(view.phase.id),
            )
            for view in phases
        },
        cards={
            view.phase.id: render_run_cards(slug, view, runs_by_phase[view.phase.id], scores, ranks, missing)
            for view in phases
        },
        histories=score_history.draw_histories(shown_files, scores),
    )


def _first_to_close(phase: ReleasedPhase) -> datetime:
    """Return the end of a phase that takes files, so that the first to close stands first; else never."""
    window, ends = phase.view.window, {"open": "closes", "grace": "grace_ends"}
    return getattr(window, ends.get(phase.view.state, ""), None) or NEVER


@blueprint.get("/team/members")
def members(slug: str) -> str:
    """Show the members of the reader's team, its invitation links, and the actions on them."""
    session, actor, now = context.session(), context.actor(), context.arrival_time()
    task = request_tasks.get_task(slug)
    team = access.require_team(session, actor, task)
    return render_template(
        "teams/members.html",
        task=task,
        team=team,
        members=teams.list_members(session, team),
        invitations=invitations.list_open(session, team, now),
        captain=access.is_captain(actor, team),
        fixed=access.is_fixed(session, team),
        reason_to_stay=memberships.explain_staying(session, actor, team),
        form=ConfirmForm(formdata=None),
    )


@blueprint.route("/team/edit", methods=["GET", "POST"])
def edit(slug: str) -> ResponseReturnValue:
    """Edit the name and the affiliations of the reader's team."""
    session, actor = context.session(), context.actor()
    task = request_tasks.get_task(slug)
    team = access.require_team(session, actor, task)
    form = EditTeamForm(obj=team)
    if not teams.may_rename(session, actor, team):
        del form.name
    if form.validate_on_submit():
        name = form.name.data if form.name is not None else None
        affiliations, now = form.affiliations.data or "", context.arrival_time()
        with show_error_at({NameTaken: form.name}):
            with context.writing() as session:
                teams.edit_team(session, actor, request_tasks.get_task(slug), name, affiliations, now)
            flash(_("The team was changed."), "success")
            return redirect(url_for("teams.members", slug=slug))
    fixed = access.is_fixed(session, team)
    return render_form("teams/edit.html", form, task=task, team=team, fixed=fixed)


@blueprint.route("/teams/new", methods=["GET", "POST"])
def create(slug: str) -> ResponseReturnValue:
    """Create a team."""
    task, form = request_tasks.get_task(slug), TeamForm()
    access.require_may_join_team(context.session(), context.actor(), task)
    if form.validate_on_submit():
        name, now = form.name.data or "", context.arrival_time()
        with show_error_at({NameTaken: form.name}):
            with context.writing() as session:
                teams.create_team(session, context.actor(), request_tasks.get_task(slug), name, now)
            flash(_("Your team was created. Invite your colleagues under Team and invitations."), "success")
            return redirect(url_for("teams.show", slug=slug))
    return render_form("teams/new.html", form, task=task, phases=request_tasks.list_phases(task))
