"""API: the baselines of a phase."""

from server.access.api_auth import ApiBlueprint, caller, get_observed_task, get_organized_task
from server.api.runs.schemas import BaselinesSchema
from server.planning import baselines
from server.planning.responses import add_baseline, remove_baseline
from server.scoring.baselines import get_baseline_name
from server.web import context

blueprint = ApiBlueprint(
    "api_baselines",
    url_prefix="/tasks/<slug>/phases/<phase>/baselines",
    tag="Organizing",
    scopes=["organize"],
)


@blueprint.get("")
@blueprint.output(BaselinesSchema)
def show(slug: str, phase: str) -> baselines.PhaseBaselines:
    """Read which baselines a phase has, and whether they can still change."""
    return baselines.get_baselines(context.session(), caller(), get_observed_task(slug), phase)


@blueprint.post("/<baseline>")
def add(slug: str, phase: str, baseline: str) -> None:
    """Add a baseline, which the site then computes and scores.

    This is possible until results of the phase are released.
    """
    get_organized_task(slug)
    add_baseline(slug, phase, caller(), get_baseline_name(baseline))


@blueprint.delete("/<baseline>")
def remove(slug: str, phase: str, baseline: str) -> None:
    """Remove a baseline. This is possible until results of the phase are released; you can add it again."""
    get_organized_task(slug)
    remove_baseline(slug, phase, caller(), get_baseline_name(baseline))
