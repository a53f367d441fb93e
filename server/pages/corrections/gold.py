"""Pages of gold versions: uploading, previewing, putting in force and discarding them."""

from collections.abc import Callable
from datetime import datetime

from flask import Response, flash, redirect, render_template, url_for
from flask.typing import ResponseReturnValue
from flask_wtf import FlaskForm
from sqlalchemy.orm import Session

from server.access import request_tasks
from server.core.actors import Actor
from server.core.errors import Conflict, InvalidFile
from server.core.i18n import _, ngettext
from server.corrections import (
    preview as gold_previews,
    preview_exports,
    publishing as gold_publishing,
    service as gold,
)
from server.corrections.forms import MAX_UPLOAD_BYTES, GoldForm, ReasonForm
from server.gold.models import GoldVersion
from server.scoring import service as scoring
from server.submissions.forms import clean_filename
from server.tasks.models import Split
from server.web import context
from server.web.downloads import send_tsv
from server.web.fields import ConfirmForm
from server.web.form_errors import flash_error
from server.web.page_rules import SignedInBlueprint, takes_files

blueprint = SignedInBlueprint("gold", __name__, url_prefix="/tasks/<slug>/organize/gold")
MAX_LABELS = 100
"""How many changed labels a page shows."""


@blueprint.route("", methods=["GET", "POST"])
@takes_files(request_tasks.limit_for_organizers(MAX_UPLOAD_BYTES))
def upload(slug: str) -> ResponseReturnValue:
    """Upload a gold file: the first of a split is in force at once, a later one is a candidate."""
    task, form, refused, conflict = request_tasks.get_organized_task(slug), GoldForm(), None, None
    splits = {f"{level.slug}.{split.name}": split for level in task.levels for split in level.splits}
    form.target.choices = [(key, f"{split.level.title}, {split.name}") for key, split in splits.items()]
    if form.validate_on_submit():
        session, actor, split = context.session(), context.actor(), splits[form.target.data]
        data, filename = form.file.data.stream.read(), clean_filename(form.file.data.filename)
        try:
            prepared = gold.prepare_gold(session, actor, split, data, filename, form.reason.data or "")
            return _add_gold(slug, prepared)
        except InvalidFile as error:
            refused = error
        except Conflict as error:
            conflict = error.message
    golds = gold_previews.list_version_views(context.session(), context.actor(), task)
    page = render_template(
        "corrections/upload.html",
        task=task,
        form=form,
        refused=refused,
        conflict=conflict,
        candidate=_find_candidate(golds, splits.get(form.target.data)) if conflict else None,
        golds=golds,
        outdated=gold_previews.list_outdated(golds),
        installed=scoring.VERSION,
    )
    return page, 422 if form.errors or refused or conflict else 200


def _find_candidate(golds: list[gold_previews.GoldVersionView], split: Split | None) -> GoldVersion | None:
    """Return the candidate of a split, which blocks further uploads for it."""
    waiting = (view.version for view in golds if view.state == "candidate")
    return next((version for version in waiting if split and version.split_id == split.id), None)


def _add_gold(slug: str, prepared: gold.PreparedGold) -> ResponseReturnValue:
    with context.writing() as session:
        version = gold.add_gold(session, context.actor(), prepared, context.arrival_time())
        version_id, number = version.id, version.number
        warnings = gold_previews.warn_of_first_version(context.session(), version) if number == 1 else []
    if number == 1:
        flash(_("Gold version 1 is now in force."), "success")
        for warning in warnings:
            flash(warning, "error")
        return redirect(url_for("gold.upload", slug=slug) + "#versions")
    message = _("Gold version %(number)d is now a candidate. Nothing has changed for teams.", number=number)
    flash(message, "success")
    return redirect(url_for("gold.show", slug=slug, version_id=version_id))


@blueprint.get("/<int:version_id>")
def show(slug: str, version_id: int) -> str:
    """Show the state of a version, the progress of its scoring, and what it would change."""
    task = request_tasks.get_observed_task(slug)
    preview = gold_previews.preview_version(context.session(), context.actor(), task, version_id)
    return render_template(
        "corrections/show.html",
        task=task,
        preview=preview,
        shown=MAX_LABELS,
        titles={level.slug: level.title for level in task.levels},
        form=ReasonForm(formdata=None),
    )


@blueprint.get("/<int:version_id>.json")
def as_json(slug: str, version_id: int) -> Response:
    """Send the complete preview of a version as JSON."""
    task = request_tasks.get_observed_task(slug)
    preview = gold_previews.preview_version(context.session(), context.actor(), task, version_id)
    return Response(preview_exports.preview_json(preview), content_type="application/json")


@blueprint.get("/<int:version_id>.tsv")
def file(slug: str, version_id: int) -> Response:
    """Download a version's file."""
    task = request_tasks.get_observed_task(slug)
    version = gold.get_version(context.session(), context.actor(), task, version_id)
    name = f"{version.split.level.slug}.{version.split.name}.gold.{version.number}.tsv"
    return send_tsv(context.storage().get(version.sha256), name)


@blueprint.post("/<int:version_id>/publish")
def publish(slug: str, version_id: int) -> ResponseReturnValue:
    """Put the candidate in force."""

    def act(session: Session, actor: Actor, version: GoldVersion, now: datetime) -> str:
        gold_publishing.publish_version(session, actor, version, now)
        return _(
            "Gold version %(number)d is now in force. Past releases do not change; release again to "
            "publish the new scores.",
            number=version.number,
        )

    return _apply_action(slug, version_id, act)


@blueprint.post("/<int:version_id>/drop")
def drop(slug: str, version_id: int) -> ResponseReturnValue:
    """Discard the candidate."""
    form = ReasonForm()

    def act(session: Session, actor: Actor, version: GoldVersion, now: datetime) -> str:
        gold_publishing.drop_version(session, actor, version, form.reason.data or "", now)
        return _(
            "Gold version %(number)d was discarded. Nothing has changed for teams.", number=version.number
        )

    return _apply_action(slug, version_id, act, form)


@blueprint.post("/<int:version_id>/put-back")
def put_back(slug: str, version_id: int) -> ResponseReturnValue:
    """Put an earlier version in force, or make it the candidate if there are newer files."""
    form = ReasonForm()

    def act(session: Session, actor: Actor, version: GoldVersion, now: datetime) -> str:
        if gold_publishing.restore_version(session, actor, version, form.reason.data or "", now):
            return _("Gold version %(number)d is in force again.", number=version.number)
        return _(
            "Submissions arrived since then, so gold version %(number)d is a candidate until they "
            "are scored.",
            number=version.number,
        )

    return _apply_action(slug, version_id, act, form)


@blueprint.post("/<int:version_id>/score")
def score(slug: str, version_id: int) -> ResponseReturnValue:
    """Score the files that have no score against the candidate."""

    def act(session: Session, actor: Actor, version: GoldVersion, now: datetime) -> str:
        gold_publishing.score_missing_files(session, actor, version, now)
        return _("The remaining submissions are being scored.")

    return _apply_action(slug, version_id, act)


@blueprint.post("/<int:version_id>/again")
def again(slug: str, version_id: int) -> ResponseReturnValue:
    """Make the file in force a candidate that the installed scorer scores."""
    task, form = request_tasks.get_organized_task(slug), ConfirmForm()
    version = gold.get_version(context.session(), context.actor(), task, version_id)
    try:
        if form.validate_on_submit():
            prepared = gold.prepare_rescoring(context.session(), context.actor(), version)
            return _add_gold(slug, prepared)
    except Conflict as error:
        flash(error.message, "error")
    except InvalidFile as error:
        message = ngettext(
            "The installed scorer cannot read the gold file: %(num)d problem.",
            "The installed scorer cannot read the gold file: %(num)d problems.",
            error.count,
        )
        flash(message, "error")
    return redirect(url_for("gold.show", slug=slug, version_id=version_id))


VersionAction = Callable[[Session, Actor, GoldVersion, datetime], str]
"""Acts on a version, and returns a message about it."""


def _apply_action(
    slug: str, version_id: int, act: VersionAction, form: FlaskForm | None = None
) -> ResponseReturnValue:
    """Act on a version in one transaction, and redirect to its page."""
    request_tasks.get_organized_task(slug)
    form = ConfirmForm() if form is None else form
    response = redirect(url_for("gold.show", slug=slug, version_id=version_id))
    if not form.validate_on_submit():
        flash(_("Enter a reason. Nothing was changed."), "error")
        return response
    with flash_error():
        with context.writing() as session:
            version = gold.get_version(session, context.actor(), request_tasks.get_task(slug), version_id)
            message = act(session, context.actor(), version, context.arrival_time())
        flash(message, "success")
    return response
