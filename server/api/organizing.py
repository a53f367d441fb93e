"""What organizers do with gold, teams and announcements."""

from typing import Any

from apiflask import APIBlueprint

from server.api.callers import auth, caller, organized
from server.api.inputs import fill
from server.api.schemas.organizing import BroughtGold, NewAnnouncement, NewGold, ReasonSchema
from server.forms.announcements import ALL, AnnouncementForm
from server.forms.gold import ReasonForm
from server.forms.registrations import DeclineForm
from server.forms.submissions import clean_filename
from server.models import GoldVersion
from server.services import announcements, gold, gold_publishing, registrations, tasks
from server.services.announcements import Draft
from server.views import context

blueprint = APIBlueprint("api_organizing", __name__, url_prefix="/api/v1/tasks/<slug>", tag="Organizing")


@blueprint.post("/gold/<level>/<split>")
@blueprint.auth_required(auth, roles=["organize"])
@blueprint.input(NewGold, location="form_and_files", arg_name="sent")
@blueprint.output(BroughtGold, status_code=201)
def bring_gold(slug: str, level: str, split: str, sent: dict[str, Any]) -> GoldVersion:
    """Bring a gold file: the first of a split is in force at once, a later one is a candidate."""
    target = tasks.get_level_split(organized(slug), level, split)[1]
    reason = fill(ReasonForm, {"reason": sent["reason"]}).reason.data or ""
    data, filename = sent["file"].stream.read(), clean_filename(sent["file"].filename)
    prepared = gold.prepare(context.session(), context.storage(), caller(), target, data, filename, reason)
    with context.writing() as session:
        version_id = gold.bring(session, context.storage(), caller(), prepared, context.arrived()).id
    return _version(slug, version_id)


@blueprint.post("/gold/<int:version_id>/publish")
@blueprint.auth_required(auth, roles=["organize"])
@blueprint.output({}, status_code=204)
def publish_gold(slug: str, version_id: int) -> str:
    """Put the candidate in force. Released boards stay as they are; release again."""
    with context.writing() as session:
        gold_publishing.publish(session, caller(), _version(slug, version_id), context.arrived())
    return ""


@blueprint.post("/gold/<int:version_id>/drop")
@blueprint.auth_required(auth, roles=["organize"])
@blueprint.input(ReasonSchema, arg_name="given")
@blueprint.output({}, status_code=204)
def drop_gold(slug: str, version_id: int, given: dict[str, str]) -> str:
    """Give the candidate up; nothing changes for anybody else."""
    organized(slug)
    reason = fill(ReasonForm, given).reason.data or ""
    with context.writing() as session:
        gold_publishing.drop(session, caller(), _version(slug, version_id), reason, context.arrived())
    return ""


@blueprint.post("/gold/<int:version_id>/put-back")
@blueprint.auth_required(auth, roles=["organize"])
@blueprint.input(ReasonSchema, arg_name="given")
@blueprint.output({}, status_code=204)
def put_gold_back(slug: str, version_id: int, given: dict[str, str]) -> str:
    """Put an earlier version back in force, or make it the candidate if files came since."""
    organized(slug)
    reason = fill(ReasonForm, given).reason.data or ""
    with context.writing() as session:
        gold_publishing.put_back(session, caller(), _version(slug, version_id), reason, context.arrived())
    return ""


@blueprint.post("/teams/<int:team_id>/approve")
@blueprint.auth_required(auth, roles=["organize"])
@blueprint.output({}, status_code=204)
def approve(slug: str, team_id: int) -> str:
    """Let a team compete."""
    with context.writing() as session:
        registrations.approve_team(session, caller(), organized(slug), team_id, context.arrived())
    return ""


@blueprint.post("/teams/<int:team_id>/decline")
@blueprint.auth_required(auth, roles=["organize"])
@blueprint.input(ReasonSchema, arg_name="given")
@blueprint.output({}, status_code=204)
def decline(slug: str, team_id: int, given: dict[str, str]) -> str:
    """Let a team not compete, with a reason that it reads."""
    organized(slug)
    reason = fill(DeclineForm, given).reason.data or ""
    with context.writing() as session:
        registrations.decline_team(session, caller(), organized(slug), team_id, reason, context.arrived())
    return ""


@blueprint.post("/announcements")
@blueprint.auth_required(auth, roles=["organize"])
@blueprint.input(NewAnnouncement, arg_name="given")
@blueprint.output({}, status_code=204)
def announce(slug: str, given: dict[str, Any]) -> str:
    """Announce something to the members of the teams, by mail and on the task's page."""
    task = organized(slug)
    target = None if given["phase"] is None else tasks.get_phase(context.session(), task, given["phase"])
    audience = ALL if target is None else target.slug
    words = {"title": given["title"], "text": given["text"], "audience": audience, "step": "send"}
    form = fill(AnnouncementForm, words, {"audience": [(audience, audience)]})
    with context.writing() as session:
        task = organized(slug)
        phase = None if target is None else tasks.get_phase(session, task, audience)
        draft = Draft(form.title.data or "", form.text.data or "", phase)
        announcements.announce(session, caller(), task, draft, context.arrived())
    return ""


def _version(slug: str, version_id: int) -> GoldVersion:
    return gold.get_version(context.session(), caller(), organized(slug), version_id)
