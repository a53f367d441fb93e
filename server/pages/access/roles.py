"""The page of people with a role in the task, and accepting an invitation link."""

from flask import flash, redirect, render_template, url_for
from flask.typing import ResponseReturnValue

from server.access import request_tasks, role_invitations, roles, service as access
from server.access.forms import RoleForm
from server.accounts.models import User
from server.core.errors import Conflict
from server.core.i18n import N_, _, translate
from server.tasks.models import Task
from server.web import context
from server.web.fields import ConfirmForm
from server.web.form_errors import flash_error, render_form, show_error_at
from server.web.page_rules import SignedInBlueprint, open_to_all

blueprint = SignedInBlueprint("roles", __name__, url_prefix="/tasks/<slug>")


ROLE_TITLES = {"organizer": N_("organizer"), "co-organizer": N_("co-organizer"), "observer": N_("observer")}
"""The names of the roles."""


def _get_managed_task(slug: str) -> Task:
    task = request_tasks.get_task(slug)
    access.require_people_manager(context.session(), context.actor(), task)
    return task


@blueprint.get("/organize/people")
def people(slug: str) -> str:
    """Show who has which role, and to organizers the open invitation links."""
    session, actor, task = context.session(), context.actor(), request_tasks.get_task(slug)
    return render_template(
        "access/people.html",
        people=roles.list_people(session, actor, task),
        invitations=role_invitations.list_open(session, actor, task, context.arrival_time()),
        task=task,
        roles={role: translate(words) for role, words in ROLE_TITLES.items()},
        role_form=RoleForm(formdata=None),
        form=ConfirmForm(formdata=None),
    )


@blueprint.post("/organize/people/invitations")
def invite(slug: str) -> ResponseReturnValue:
    """Create an invitation link that gives one person a role."""
    _get_managed_task(slug)
    form = RoleForm()
    if not form.validate_on_submit():
        flash(_("Choose a role."), "error")
        return redirect(url_for("roles.people", slug=slug))
    with flash_error(), context.writing() as session:
        task, now = request_tasks.get_task(slug), context.arrival_time()
        role_invitations.invite(session, context.actor(), task, form.role.data, now)
    return redirect(url_for("roles.people", slug=slug) + "#invitations")


@blueprint.post("/organize/people/invitations/<int:link_id>/revoke")
def revoke(slug: str, link_id: int) -> ResponseReturnValue:
    """Revoke an invitation link that gives a role."""
    _get_managed_task(slug)
    with context.writing() as session:
        task, now = request_tasks.get_task(slug), context.arrival_time()
        role_invitations.revoke(session, context.actor(), task, link_id, now)
    flash(_("The invitation link was revoked."), "success")
    return redirect(url_for("roles.people", slug=slug) + "#invitations")


@blueprint.route("/organize/people/<int:user_id>", methods=["GET", "POST"])
def change(slug: str, user_id: int) -> ResponseReturnValue:
    """Change a person's role, or ask for confirmation before it is ended."""
    task = _get_managed_task(slug)
    holder = roles.get_holder(context.session(), context.actor(), task, user_id)
    form = RoleForm(role=holder.held.role)
    if form.validate_on_submit():
        role, now = form.role.data, context.arrival_time()
        with show_error_at({Conflict: form.role}):
            with context.writing() as session:
                roles.change_role(session, context.actor(), request_tasks.get_task(slug), user_id, role, now)
            flash(_("The role was changed."), "success")
            return redirect(url_for("roles.people", slug=slug))
    return render_form("access/change_role.html", form, task=task, holder=holder)


@blueprint.post("/organize/people/<int:user_id>/remove")
def remove(slug: str, user_id: int) -> ResponseReturnValue:
    """End a person's role."""
    _get_managed_task(slug)
    with flash_error():
        with context.writing() as session:
            task, now = request_tasks.get_task(slug), context.arrival_time()
            roles.remove_person(session, context.actor(), task, user_id, now)
        flash(_("The role was ended."), "success")
    return redirect(
        url_for("tasks.show" if user_id == context.actor().user_id else "roles.people", slug=slug)
    )


@blueprint.route("/roles/<token>", methods=["GET", "POST"])
@open_to_all
def accept(slug: str, token: str) -> ResponseReturnValue:
    """Show who invites to which role, also before one signs in; then accept it."""
    form, actor, now = ConfirmForm(), context.actor(), context.arrival_time()
    if actor.user_id is not None and form.validate_on_submit():
        with context.writing() as session:
            role = role_invitations.accept(session, actor, request_tasks.get_task(slug), token, now)
        flash(_("You are now %(role)s of this task.", role=roles.with_article(role)), "success")
        return redirect(url_for("dashboard.show", slug=slug))
    session, task = context.session(), request_tasks.get_task(slug)
    invitation = role_invitations.get_invitation(session, actor, task, token, now)
    return render_template(
        "access/accept_role.html",
        task=task,
        role=invitation.role,
        role_words=roles.with_article(invitation.role),
        inviter=None if invitation.made_by is None else session.get_one(User, invitation.made_by),
        team=access.find_team(session, actor, task),
        form=form,
    )
