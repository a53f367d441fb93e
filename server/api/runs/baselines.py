"""API: the baselines of a phase."""

from typing import Any

from server.access import tasks
from server.access.api_auth import (
    OrganizerBlueprint,
    caller,
    get_observed_task,
    get_organized_task,
    is_early_organizer,
    organizers_only,
)
from server.api.runs.schemas import BaselinesSchema, RunSchema
from server.api.submissions.schemas import OwnBaselineSchema
from server.planning import baselines
from server.planning.responses import add_baseline, limit_baseline_upload, remove_baseline, save_own_baseline
from server.runs import service as runs
from server.runs.models import Run
from server.submissions.forms import clean_path
from server.submissions.whole_runs import SentFile
from server.web import context
from server.web.page_rules import takes_files

blueprint = OrganizerBlueprint("api_baselines", "/phases/<phase>/baselines")


@blueprint.get("")
@blueprint.output(BaselinesSchema)
def show(slug: str, phase: str) -> baselines.PhaseBaselines:
    """Read which baselines a phase has, and whether they can still change."""
    return baselines.get_baselines(context.session(), caller(), get_observed_task(slug), phase)


def limit_upload() -> int | None:
    """The maximum size of the body of an upload; None: that of other requests."""
    values = context.path_values()
    return limit_baseline_upload(values["slug"], values["phase"]) if is_early_organizer() else None


@blueprint.post("")
@organizers_only
@blueprint.input(OwnBaselineSchema, location="form_and_files", arg_name="sent")
@blueprint.output(RunSchema, status_code=201)
@takes_files(limit_upload)
def upload(slug: str, phase: str, sent: dict[str, Any]) -> Run:
    """Upload the files of a baseline that the site does not compute, and describe it.

    If the phase has a baseline with this name, the files and texts replace those that it has.
    """
    name, first_is_score = sent.pop("name"), sent.pop("first_is_score")
    files = [
        SentFile(clean_path(file.filename), file.stream.read(), first_is_score) for file in sent.pop("file")
    ]
    session = context.session()
    found = baselines.find_own(session, tasks.get_phase(session, get_organized_task(slug), phase), name)
    own_id = None if found is None else found.id
    run_id = save_own_baseline(slug, phase, caller(), own_id, name, sent, files)
    return runs.read_run(context.session(), caller(), None, run_id)


@blueprint.post("/<baseline>")
def add(slug: str, phase: str, baseline: str) -> None:
    """Add a baseline, which the site then computes and scores; a number restores one that was uploaded.

    This is possible until results of the phase are released.
    """
    get_organized_task(slug)
    add_baseline(slug, phase, caller(), baselines.get_key(baseline))


@blueprint.delete("/<baseline>")
def remove(slug: str, phase: str, baseline: str) -> None:
    """Remove a baseline. This is possible until results of the phase are released; you can add it again."""
    get_organized_task(slug)
    remove_baseline(slug, phase, caller(), baselines.get_key(baseline))
