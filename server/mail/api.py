"""Announcements of a task: those there are, and making one."""

from typing import Any

from apiflask import APIBlueprint

from server.access import service as access
from server.access import tasks
from server.access.api_auth import ANONYMOUS_ALLOWED, auth, caller, get_organized_task
from server.mail import announcements
from server.mail.announcements import AnnouncementDraft
from server.mail.forms import ALL_TEAMS, AnnouncementForm
from server.mail.models import Announcement
from server.mail.schemas import AnnouncementsPage, MadeAnnouncement, NewAnnouncement
from server.web import context
from server.web.rest.forms import fill_form
from server.web.rest.responses import PageQuery, page_values, slice_page

blueprint = APIBlueprint("api_announcements", __name__, url_prefix="/api/v1/tasks/<slug>", tag="Tasks")


@blueprint.get("/announcements")
@blueprint.input(PageQuery, location="query", arg_name="query")
@blueprint.output(AnnouncementsPage)
@blueprint.auth_required(auth, optional=ANONYMOUS_ALLOWED)
def index(slug: str, query: dict[str, int]) -> dict[str, Any]:
    """List what the organizers announced, the newest first; to members of teams also what was for some."""
    session, actor = context.session(), caller()
    task = tasks.get_task(session, slug)
    affiliation = access.find_team(session, actor, task) or access.find_role(session, actor, task)
    rows, total = slice_page(
        announcements.list_announcements(session, task, everything=affiliation is not None), query
    )
    return page_values([_announcement_fields(row) for row in rows], total, query)


@blueprint.post("/announcements")
@blueprint.auth_required(auth, roles=["organize"])
@blueprint.input(NewAnnouncement, arg_name="given")
@blueprint.output(MadeAnnouncement, status_code=201)
def announce(slug: str, given: dict[str, Any]) -> dict[str, Any]:
    """Announce something to the members of the teams, by mail and on the task's page."""
    task = get_organized_task(slug)
    target = None if given["phase"] is None else tasks.get_phase(context.session(), task, given["phase"])
    audience = ALL_TEAMS if target is None else target.slug
    words = {"title": given["title"], "text": given["text"], "audience": audience, "step": "send"}
    form = fill_form(AnnouncementForm, words, {"audience": [(audience, audience)]})
    with context.writing() as session:
        task = get_organized_task(slug)
        phase = None if target is None else tasks.get_phase(session, task, audience)
        draft = AnnouncementDraft(form.title.data or "", form.text.data or "", phase)
        return _announcement_fields(
            announcements.announce(session, caller(), task, draft, context.arrival_time())
        )


def _announcement_fields(row: Announcement) -> dict[str, Any]:
    fields = {name: getattr(row, name) for name in ("id", "title", "text", "made_at")}
    return {**fields, "phase": None if row.phase is None else row.phase.slug}
