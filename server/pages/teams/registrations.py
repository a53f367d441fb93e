"""The organizers' page of teams, with their rules and approval."""

from flask import Response, flash, redirect, render_template, url_for
from flask.typing import ResponseReturnValue

from server.access import request_tasks
from server.core.errors import ChangedMeanwhile, Conflict
from server.core.i18n import _
from server.core.table_formats import write_table
from server.planning import registrations, task_editing
from server.tasks.models import Task
from server.teams import memberships
from server.teams.forms import DeclineForm, TeamRulesForm
from server.web import context
from server.web.downloads import send_content
from server.web.fields import ConfirmForm, flash_saved
from server.web.form_errors import flash_error, render_form, show_error_at
from server.web.page_rules import SignedInBlueprint

blueprint = SignedInBlueprint("registrations", __name__, url_prefix="/tasks/<slug>/organize/teams")


@blueprint.get("")
def show(slug: str) -> str:
    """Show the teams of the task with their members, affiliations and state, and the rules for teams."""
    task = request_tasks.get_task(slug)
    return _teams_page(slug, TeamRulesForm(None, shown=_read_rules(task)))


@blueprint.post("")
def edit_rules(slug: str) -> ResponseReturnValue:
    """Change how large a team can be, and whether organizers approve new teams."""
    form = TeamRulesForm(shown=_read_rules(request_tasks.get_organized_task(slug)))
    if form.validate_on_submit():
        with show_error_at({ChangedMeanwhile: form.made_from, Conflict: form.size}):
            with context.writing() as session:
                task = request_tasks.get_task(slug)
                form.merge_saved(_read_rules(task))
                rules = {"team_size": form.size.data, "registration": form.registration.data}
                edit = task_editing.edit_of(task, **rules)
                changed = task_editing.edit_task(session, context.actor(), task, edit, context.arrival_time())
            flash_saved(changed)
            return redirect(url_for("registrations.show", slug=slug))
    return _teams_page(slug, form), 422


def _read_rules(task: Task) -> dict[str, object]:
    return {"size": task.team_size, "registration": task.registration}


def _teams_page(slug: str, form: TeamRulesForm) -> str:
    task = request_tasks.get_task(slug)
    listed = registrations.list_registrations(context.session(), context.actor(), task)
    return render_template("teams/registrations.html", registrations=listed, task=task, form=form)


@blueprint.get("/teams.csv")
def download(slug: str) -> Response:
    """Download the teams with their affiliations as CSV."""
    session, task = context.session(), request_tasks.get_task(slug)
    listed = registrations.list_registrations(session, context.actor(), task)
    text = write_table("csv", *registrations.make_team_table(listed), ("Affiliations",))
    return send_content(text, f"{task.slug}.teams.csv", "text/csv; charset=utf-8")


@blueprint.post("/<int:team_id>/approve")
def approve(slug: str, team_id: int) -> ResponseReturnValue:
    """Approve a team, so that it can compete."""
    request_tasks.get_organized_task(slug)
    with flash_error():
        with context.writing() as session:
            task, now = request_tasks.get_task(slug), context.arrival_time()
            team = registrations.approve_team(session, context.actor(), task, team_id, now)
            name = team.name
        flash(_("%(team)s can now submit.", team=name), "success")
    return redirect(url_for("registrations.show", slug=slug))


@blueprint.route("/<int:team_id>/decline", methods=["GET", "POST"])
def decline(slug: str, team_id: int) -> ResponseReturnValue:
    """Decline a team, so that it cannot compete, with a reason that it reads."""
    task, form = request_tasks.get_task(slug), DeclineForm()
    team = registrations.get_team(context.session(), context.actor(), task, team_id)
    if form.validate_on_submit():
        with context.writing() as session:
            reason = form.reason.data or ""
            declined = registrations.decline_team(
                session,
                context.actor(),
                request_tasks.get_task(slug),
                team_id,
                reason,
                context.arrival_time(),
            )
            name = declined.name
        flash(_("%(team)s was declined. It can see your reason on its page.", team=name), "success")
        return redirect(url_for("registrations.show", slug=slug))
    return render_form("teams/decline_team.html", form, task=task, team=team)


@blueprint.route("/<int:team_id>/members/<int:user_id>/remove", methods=["GET", "POST"])
def remove_member(slug: str, team_id: int, user_id: int) -> ResponseReturnValue:
    """Remove a member from a team."""
    session, actor, form = context.session(), context.actor(), ConfirmForm()
    task = request_tasks.get_organized_task(slug)
    team = registrations.get_team(session, actor, task, team_id)
    member = memberships.get_removable_member(session, actor, team, user_id)
    if form.validate_on_submit():
        name = member.name
        with context.writing() as session:
            team = registrations.get_team(session, actor, request_tasks.get_task(slug), team_id)
            memberships.remove_member(session, actor, team, user_id, context.arrival_time())
        flash(_("%(name)s was removed from the team.", name=name), "success")
        return redirect(url_for("dashboard.team", slug=slug, team_id=team_id))
    return render_template("teams/remove_from_team.html", task=task, team=team, member=member, form=form)
