"""API: tasks with their rules, dates and files."""

from typing import Any

from apiflask.schemas import FileSchema
from flask import Response

from server.access import service as access, tasks, terms
from server.access.api_auth import ApiBlueprint, caller
from server.api.phases.schemas import ItemsPage, ItemsQuery, OnePhase, TasksPage, TaskWithRules
from server.planning import task_files
from server.scoring import service as scoring
from server.web import context
from server.web.caching import require_revalidation
from server.web.downloads import send_content, send_tsv
from server.web.rest.responses import PageQuery, cut_page

blueprint = ApiBlueprint("api_tasks", url_prefix="/tasks", tag="Tasks")


@blueprint.get("/")
@blueprint.input(PageQuery, location="query", arg_name="query")
@blueprint.output(TasksPage)
def index(query: dict[str, int]) -> dict[str, Any]:
    """List all tasks, the newest first."""
    return cut_page(tasks.list_tasks(context.session(), caller()), query)


@blueprint.get("/<slug>")
@blueprint.output(TaskWithRules)
def show(slug: str) -> dict[str, Any]:
    """Read one task: levels, phases with the dates for your team, files, and all rules."""
    session, actor, now = context.session(), caller(), context.arrival_time()
    task = tasks.get_task(session, slug)
    team = access.find_team(session, actor, task)
    return {
        **{name: getattr(task, name) for name in TaskWithRules().fields if hasattr(task, name)},
        "phases": tasks.list_phases(session, task, now, team),
        "files": tasks.list_files(session, actor, task, now),
        "starter_kit": task_files.list_kit(session, task),
    }


@blueprint.get("/<slug>/files/<level>/<split>/<any(items,gold,senses,public):kind>")
@blueprint.output(FileSchema(), content_type="text/tab-separated-values", description="The file.")
def download(slug: str, level: str, split: str, kind: str) -> Response:
    """Download a file of the task: items, public gold, senses. You need to accept the terms first."""
    session, actor, now = context.session(), caller(), context.arrival_time()
    task = tasks.get_task(session, slug)
    terms.require_accepted(session, actor, task)
    file, content = tasks.read_file(session, actor, task, level, split, kind, now)
    return require_revalidation(send_tsv(content, file.filename), public=False)


@blueprint.get("/<slug>/starter-kit/<name>")
@blueprint.output(FileSchema(), content_type="application/octet-stream", description="The file.")
def download_kit_file(slug: str, name: str) -> Response:
    """Download a file of the starter kit. You need to accept the terms first."""
    session, actor = context.session(), caller()
    task = tasks.get_task(session, slug)
    terms.require_accepted(session, actor, task)
    file = task_files.get_file(session, task, name, is_picture=False)
    response = send_content(context.storage().get(file.sha256), file.name, "application/octet-stream")
    return require_revalidation(response, public=False)


@blueprint.get("/<slug>/levels/<level>/items")
@blueprint.input(ItemsQuery, location="query", arg_name="query")
@blueprint.output(ItemsPage)
def list_items(slug: str, level: str, query: dict[str, Any]) -> dict[str, Any]:
    """List the items of a level and split, in the order of their file. You need to accept the terms first."""
    session, actor, now = context.session(), caller(), context.arrival_time()
    task = tasks.get_task(session, slug)
    terms.require_accepted(session, actor, task)
    items = scoring.read_items(session, actor, task, level, query["split"], now)
    return cut_page(items, query)


@blueprint.get("/<slug>/phases/<phase>")
@blueprint.output(OnePhase)
def read_phase(slug: str, phase: str) -> tasks.PhaseView:
    """Read one phase with its dates for you: your team may have more time than others."""
    session, actor = context.session(), caller()
    task = tasks.get_task(session, slug)
    target, team = tasks.get_phase(session, task, phase), access.find_team(session, actor, task)
    listed = tasks.list_phases(session, task, context.arrival_time(), team)
    return next(view for view in listed if view.phase.id == target.id)
