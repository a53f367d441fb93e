"""Pages of the organizers' announcements: the list, the form with its preview, and editing."""

from typing import Any

from flask import flash, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from server.access import request_tasks
from server.core.errors import ChangedMeanwhile
from server.core.i18n import _, ngettext
from server.mail import announcements
from server.mail.forms import ALL_TEAMS, CHOSEN_TEAMS, AnnouncementEditForm, AnnouncementForm
from server.mail.models import Announcement
from server.tasks.models import Task
from server.web import context
from server.web.fields import flash_saved
from server.web.form_errors import flash_error, render_form, show_error_at
from server.web.page_rules import SignedInBlueprint

blueprint = SignedInBlueprint("announcements", __name__, url_prefix="/tasks/<slug>/organize/announcements")


@blueprint.get("")
def organize(slug: str) -> str:
    """Show every announcement of the task, with its audience."""
    session, task = context.session(), request_tasks.get_observed_task(slug)
    return render_template(
        "mail/announcements.html",
        task=task,
        announcements=announcements.list_announcements(session, context.actor(), task),
    )


@blueprint.route("/new", methods=["GET", "POST"])
def write(slug: str) -> ResponseReturnValue:
    """Write an announcement, preview it and the number of its recipients, and send it."""
    session, task = context.session(), request_tasks.get_organized_task(slug)
    form, asked = AnnouncementForm(), request.args.get("team", type=int)
    views = request_tasks.list_phases(task)
    teams = announcements.list_addressees(session, task)
    form.teams.choices = [(team.id, team.name) for team in teams]
    if request.method == "GET" and asked in [team.id for team in teams]:
        form.audience.data, form.teams.data = CHOSEN_TEAMS, [asked]
    form.audience.choices = [(ALL_TEAMS, _("All teams"))] + [
        (str(view.phase.id), _("Teams whose runs of %(phase)s are incomplete", phase=view.phase.title))
        for view in views
    ]
    if teams:
        form.audience.choices.append((CHOSEN_TEAMS, _("Some teams, chosen below")))
    if form.validate_on_submit() and form.step.data == "send":
        return _send(slug, form)
    draft = _read_draft(task, form) if form.step.data == "preview" and not form.errors else None
    reach = None if draft is None else announcements.find_recipients(session, context.actor(), task, draft)
    return render_form(
        "mail/write_announcement.html", form, task=task, phases=views, draft=draft, reach=reach
    )


@blueprint.route("/<int:announcement_id>", methods=["GET", "POST"])
def edit(slug: str, announcement_id: int) -> ResponseReturnValue:
    """Edit an announcement as the task's page shows it, or pin it."""

    def get_announcement() -> Announcement:
        task = request_tasks.get_organized_task(slug)
        return announcements.get_announcement(context.session(), context.actor(), task, announcement_id)

    form = AnnouncementEditForm(shown=_read_values(get_announcement()))
    if form.validate_on_submit():
        with show_error_at({ChangedMeanwhile: form.made_from}):
            with context.writing() as session:
                announcement, now = get_announcement(), context.arrival_time()
                form.merge_saved(_read_values(announcement))
                values = {name: form[name].data for name in _read_values(announcement)}
                changed = announcements.edit_announcement(
                    session, context.actor(), announcement, now, **values
                )
            flash_saved(changed)
            return redirect(url_for("announcements.organize", slug=slug))
    return render_form("mail/edit_announcement.html", form, task=get_announcement().task)


def _read_values(announcement: Announcement) -> dict[str, Any]:
    return {name: getattr(announcement, name) for name in ("title", "text", "pinned")}


def _send(slug: str, form: AnnouncementForm) -> ResponseReturnValue:
    with flash_error():
        with context.writing() as session:
            task = request_tasks.get_task(slug)
            draft, now = _read_draft(task, form), context.arrival_time()
            count = len(announcements.find_recipients(session, context.actor(), task, draft).people)
            announcements.announce(session, context.actor(), task, draft, now)
        notice = ngettext(
            "The announcement was published and is being sent to %(num)d team member.",
            "The announcement was published and is being sent to %(num)d team members.",
            count,
        )
        flash(notice, "success")
    return redirect(url_for("announcements.organize", slug=slug))


def _read_draft(task: Task, form: AnnouncementForm) -> announcements.AnnouncementDraft:
    """Read the draft from the form."""
    title, text, audience = form.title.data or "", form.text.data or "", form.audience.data
    if audience == CHOSEN_TEAMS:
        teams = announcements.list_addressees(context.session(), task)
        chosen = tuple(team for team in teams if team.id in (form.teams.data or ()))
        return announcements.AnnouncementDraft(title, text, teams=chosen)
    phase = next(
        (view.phase for view in request_tasks.list_phases(task) if str(view.phase.id) == audience), None
    )
    return announcements.AnnouncementDraft(title, text, phase)
