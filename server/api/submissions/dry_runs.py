"""API: dry runs, in which organizers score a run file without submitting it."""

from typing import Any

from server.access import tasks
from server.access.api_auth import OrganizerBlueprint, caller, get_organized_task, is_early_organizer
from server.api.submissions.schemas import DryRunFileSchema, DryRunSchema
from server.submissions import dry_runs
from server.submissions.forms import FORM_OVERHEAD, clean_filename
from server.tasks.models import Split
from server.web import context
from server.web.page_rules import takes_files

blueprint = OrganizerBlueprint("api_dry_runs", "/dry-run")


def limit_upload() -> int | None:
    """The maximum size of the body; None: that of other requests."""
    if not is_early_organizer():
        return None
    values = context.path_values()
    task = tasks.get_task(context.session(), values["slug"])
    return (
        dry_runs.dry_run_size_limit(tasks.get_level_split(task, values["level"], values["split"])[1])
        + FORM_OVERHEAD
    )


@blueprint.post("/<level>/<split>")
@blueprint.input(DryRunFileSchema, location="form_and_files", arg_name="sent")
@blueprint.output(DryRunSchema)
@takes_files(limit_upload)
def test(slug: str, level: str, split: str, sent: dict[str, Any]) -> dry_runs.DryRun:
    """Score a run file as an upload would be, or list every bad line. Nothing of the file is stored."""
    data, filename = sent["file"].stream.read(), clean_filename(sent["file"].filename)
    session, target = context.session(), _split(slug, level, split)
    confirmed = sent["first_is_score"]
    tested = dry_runs.dry_run(session, caller(), target, data, filename, first_is_score=confirmed)
    with context.writing() as session:
        target = _split(slug, level, split)
        dry_runs.record_dry_run(session, caller(), target, tested.gold_version, context.arrival_time())
    return tested


def _split(slug: str, level: str, split: str) -> Split:
    return tasks.get_level_split(get_organized_task(slug), level, split)[1]
