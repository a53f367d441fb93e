"""The organizers' overview: teams that need attention, the page of one team, and all uploads."""

from collections.abc import Sequence

from flask import render_template, request, url_for

from server.access import request_tasks, tasks
from server.bundles.forms import ExportForm
from server.core.i18n import _
from server.inferences import detectable_differences
from server.organize import dashboard, to_do
from server.planning import drafts, extensions, registrations, task_deletion, task_states
from server.runs import service as runs
from server.runs.service import RunState
from server.submissions import listings, probing_flags, standings
from server.tasks.models import Task
from server.teams import service as teams
from server.web import context
from server.web.page_rules import SignedInBlueprint

blueprint = SignedInBlueprint("dashboard", __name__, url_prefix="/tasks/<slug>/organize")

STEP_PAGES: dict[drafts.StepName, str] = {
    "texts": "task_editing.edit_task",
    "scale": "task_scoring.edit",
    "levels": "levels.index",
    "phases": "phases.add",
    "teams": "registrations.show",
    "baselines": "baselines.show",
}
TEAMS_PER_PAGE = 50
FILES_PER_PAGE = 100


@blueprint.app_context_processor
def _steps() -> dict[str, object]:
    """Return the functions that give a step's page, and the step that a draft lacks next."""
    return {"step_url": _step_url, "next_step": _find_next_step}


def _step_url(task: Task, step: drafts.StepName, phases: Sequence[tasks.PhaseView]) -> str:
    if step == "phases" and phases:
        return url_for("phases.edit", slug=task.slug, phase=phases[0].phase.slug)
    return url_for(STEP_PAGES[step], slug=task.slug, _anchor="rules" if step == "teams" else None)


def _find_next_step(task: Task) -> tuple[str, str] | None:
    """Return the title and the page of a draft's first step that is missing or guessed, if any."""
    phases = request_tasks.list_phases(task)
    for step in drafts.list_steps(context.session(), task, phases):
        if step.state in ("missing", "guessed"):
            return step.title, _step_url(task, step.name, phases)
    return None


@blueprint.get("/")
def show(slug: str) -> str:
    """Show the overview: what to do, teams, uploads over time, leaderboards, gold versions, texts."""
    task = request_tasks.get_observed_task(slug)
    session, actor, now = context.session(), context.actor(), context.arrival_time()
    phases = tasks.list_phases(session, task, now)
    view = dashboard.choose_phase(phases, request.args.get("phase"))
    laid = None if view is None else dashboard.build_dashboard(session, actor, view.phase)
    only, page = request.args.get("only"), context.page_number()
    lines = [] if laid is None else [line for line in laid.lines if only is None or only in line.reasons]
    overview = to_do.read_task_overview(session, actor, task, phases, now)
    return render_template(
        "organize/show.html",
        task=task,
        phases=phases,
        view=view,
        desk=laid,
        known=overview,
        needs=to_do.list_to_do_items(session, actor, task, overview, laid, now),
        only=only,
        lines=lines[(page - 1) * TEAMS_PER_PAGE : page * TEAMS_PER_PAGE],
        page=page,
        pages=max(1, -(-len(lines) // TEAMS_PER_PAGE)),
        activity=None if view is None else dashboard.chart_uploads(session, actor, view.phase, now),
        detectable={
            view.phase.id: detectable_differences.find_largest_difference(view.phase)
            for view in phases
            if view.state == "early"
        },
        steps=drafts.list_steps(session, task, phases) if task.state == "draft" else (),
        gaps=task_states.list_gaps(task, phases, to_do.list_levels_without_gold(overview))
        if task.state == "draft"
        else (),
        can_be_hidden=task.state == "published" and not listings.has_team_file(session, task),
        undeletable=task_deletion.find_deletion_obstacle(session, task) if task.state == "draft" else None,
        export_form=ExportForm(formdata=None),
    )


@blueprint.get("/teams/<int:team_id>")
def team(slug: str, team_id: int) -> str:
    """Show one team: members, runs, newest uploads, flags, quota, extensions."""
    task, session, actor = request_tasks.get_observed_task(slug), context.session(), context.actor()
    observed_team = teams.get_observed_team(session, actor, task, team_id)
    phases = tasks.list_phases(session, task, context.arrival_time(), observed_team)
    filed = runs.list_runs(
        session, observed_team, [view.phase for view in phases], context.arrival_time(), "recent"
    )
    return render_template(
        "organize/team.html",
        task=task,
        phases=phases,
        team=observed_team,
        members=teams.list_members(session, observed_team),
        former=registrations.list_former_members(session, observed_team),
        runs=filed,
        flags=_flag_words(filed),
        extensions=extensions.list_visible_extensions(
            session, [view.phase for view in phases], observed_team
        ),
    )


def _flag_words(filed: dict[int, list[RunState]]) -> dict[int, list[str]]:
    """Return the texts of the flags by submission, and which teams have the same file."""
    session, levels = context.session(), [at for runs in filed.values() for run in runs for at in run.levels]
    files = [file.submission for at in levels for file in at.files]
    words: dict[int, list[str]] = {}
    for flag in probing_flags.list_flags(session, [file.id for file in files]):
        words.setdefault(flag.submission_id, []).append(flag.words)
    for submission_id, names in listings.find_equal_files(session, files).items():
        words.setdefault(submission_id, []).append(_("same file as %(teams)s", teams=", ".join(names)))
    return words


@blueprint.get("/files")
def files(slug: str) -> str:
    """Show all submissions of the teams, the newest first, filtered by team, level and phase."""
    task, session, actor = request_tasks.get_observed_task(slug), context.session(), context.actor()
    phases, page = tasks.list_phases(session, task, context.arrival_time()), context.page_number()
    filters = {name: request.args[name] for name in ("team", "level", "phase") if request.args.get(name)}
    level = listings.find_level(task, filters.get("level"))
    phase = next((view.phase for view in phases if view.phase.slug == filters.get("phase")), None)
    upload_filter = listings.UploadFilter(
        team_id=request.args.get("team", type=int),
        level_id=None if level is None else level.id,
        phase_id=None if phase is None else phase.id,
    )
    listed, total = listings.list_uploads(session, actor, task, upload_filter, page, FILES_PER_PAGE)
    ids = [submission.id for submission in listed]
    return render_template(
        "organize/files.html",
        task=task,
        phases=phases,
        submissions=listed,
        withdrawn=standings.withdrawn_ids(session, ids),
        withdrawn_runs=standings.withdrawn_run_ids(session, [submission.run_id for submission in listed]),
        flagged={flag.submission_id for flag in probing_flags.list_flags(session, ids)},
        equal=listings.find_equal_files(session, listed),
        senders=teams.list_teams(session, task),
        asked=filters,
        total=total,
        page=page,
        pages=max(1, -(-total // FILES_PER_PAGE)),
    )
