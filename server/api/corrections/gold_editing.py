"""API: gold files, and which version is in force."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session

from server.access import tasks
from server.access.api_auth import (
    OrganizerBlueprint,
    caller,
    get_organized_task,
    limit_for_organizers,
    organizers_only,
)
from server.api.corrections.schemas import BroughtGold, NewGold
from server.core.actors import Actor
from server.corrections import publishing as gold_publishing, service as gold
from server.corrections.forms import MAX_UPLOAD_BYTES
from server.gold.models import GoldVersion
from server.submissions.forms import clean_filename
from server.web import context
from server.web.page_rules import takes_files
from server.web.rest.requests import ReasonSchema

blueprint = OrganizerBlueprint("api_gold_editing")


@blueprint.post("/gold/<level>/<split>")
@organizers_only
@blueprint.input(NewGold, location="form_and_files", arg_name="sent")
@blueprint.output(BroughtGold, status_code=201)
@takes_files(limit_for_organizers(MAX_UPLOAD_BYTES))
def bring_gold(slug: str, level: str, split: str, sent: dict[str, Any]) -> GoldVersion:
    """Upload a gold file. The first version of a split is in force at once; a later one is a candidate."""
    target = tasks.get_level_split(get_organized_task(slug), level, split)[1]
    data, filename = sent["file"].stream.read(), clean_filename(sent["file"].filename)
    prepared = gold.prepare_gold(context.session(), caller(), target, data, filename, sent["reason"])
    return _add_gold(slug, prepared)


@blueprint.post("/gold/<int:version_id>/publish")
def publish_gold(slug: str, version_id: int) -> None:
    """Put the candidate in force. Released leaderboards do not change; release again to update them."""
    with context.writing() as session:
        gold_publishing.publish_version(session, caller(), _version(slug, version_id), context.arrival_time())


@blueprint.post("/gold/<int:version_id>/drop")
@organizers_only
@blueprint.input(ReasonSchema, arg_name="given")
def drop_gold(slug: str, version_id: int, given: dict[str, str]) -> None:
    """Discard the candidate. Nothing else changes."""
    _decide(gold_publishing.drop_version, slug, version_id, given["reason"])


@blueprint.post("/gold/<int:version_id>/put-back")
@organizers_only
@blueprint.input(ReasonSchema, arg_name="given")
def put_gold_back(slug: str, version_id: int, given: dict[str, str]) -> None:
    """Put an earlier version back in force, or make it the candidate if files were uploaded since."""
    _decide(gold_publishing.restore_version, slug, version_id, given["reason"])


@blueprint.post("/gold/<int:version_id>/score")
def score_gold(slug: str, version_id: int) -> None:
    """Score the files that have no score against the candidate."""
    with context.writing() as session:
        gold_publishing.score_missing_files(
            session, caller(), _version(slug, version_id), context.arrival_time()
        )


@blueprint.post("/gold/<int:version_id>/again")
@blueprint.output(BroughtGold, status_code=201)
def bring_gold_again(slug: str, version_id: int) -> GoldVersion:
    """Score the gold file in force again with the installed scorer, as a new candidate."""
    version = _version(slug, version_id)
    return _add_gold(slug, gold.prepare_rescoring(context.session(), caller(), version))


def _version(slug: str, version_id: int) -> GoldVersion:
    return gold.get_version(context.session(), caller(), get_organized_task(slug), version_id)


def _add_gold(slug: str, prepared: gold.PreparedGold) -> GoldVersion:
    with context.writing() as session:
        version_id = gold.add_gold(session, caller(), prepared, context.arrival_time()).id
    return _version(slug, version_id)


GoldDecision = Callable[[Session, Actor, GoldVersion, str, datetime], object]
"""Acts on a version, with a reason."""


def _decide(act: GoldDecision, slug: str, version_id: int, reason: str) -> None:
    with context.writing() as session:
        act(session, caller(), _version(slug, version_id), reason, context.arrival_time())
