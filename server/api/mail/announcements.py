"""API: the announcements of a task."""

from typing import Any

from server.access import tasks
from server.access.api_auth import ApiBlueprint, caller, get_organized_task, organizers_only
from server.api.mail.schemas import AnnouncementChange, AnnouncementsPage, MadeAnnouncement, NewAnnouncement
from server.mail import announcements
from server.mail.models import Announcement
from server.web import context
from server.web.rest.requests import ChangedSchema
from server.web.rest.responses import PageQuery, cut_page

blueprint = ApiBlueprint("api_announcements", url_prefix="/tasks/<slug>", tag="Tasks")


@blueprint.get("/announcements")
@blueprint.input(PageQuery, location="query", arg_name="query")
@blueprint.output(AnnouncementsPage)
def index(slug: str, query: dict[str, int]) -> dict[str, Any]:
    """List announcements, the pinned and then the newest first; team members also see those to some teams."""
    session, actor = context.session(), caller()
    task = tasks.get_task(session, slug)
    return cut_page(announcements.list_announcements(session, actor, task), query)


@blueprint.post("/announcements", scopes=["organize"])
@organizers_only
@blueprint.input(NewAnnouncement, arg_name="given")
@blueprint.output(MadeAnnouncement, status_code=201)
def announce(slug: str, given: dict[str, Any]) -> Announcement:
    """Announce something to team members, by email and on the task's page."""
    with context.writing() as session:
        task = get_organized_task(slug)
        phase = None if given["phase"] is None else tasks.get_phase(session, task, given["phase"])
        draft = announcements.AnnouncementDraft(given["title"], given["text"], phase)
        return announcements.announce(session, caller(), task, draft, context.arrival_time())


@blueprint.patch("/announcements/<int:announcement_id>", scopes=["organize"])
@organizers_only
@blueprint.input(AnnouncementChange, arg_name="given")
@blueprint.output(ChangedSchema)
def edit(slug: str, announcement_id: int, given: dict[str, Any]) -> dict[str, list[str]]:
    """Edit or pin an announcement. The task's page marks a new text as edited; no email is sent."""
    with context.writing() as session:
        task, now = get_organized_task(slug), context.arrival_time()
        announcement = announcements.get_announcement(session, caller(), task, announcement_id)
        return {"changed": announcements.edit_announcement(session, caller(), announcement, now, **given)}
