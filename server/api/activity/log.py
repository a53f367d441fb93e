"""API: the activity log and the jobs of a task."""

from typing import Any

from flask import request, url_for

from server.access import tasks
from server.access.api_auth import READ_SCOPES, ApiBlueprint, caller
from server.activity import service as activity, task_jobs
from server.api.activity.schemas import JobsPage, JobsQuery, LogQuery, TaskLog, TaskLogQuery, TeamLog
from server.web import context
from server.web.rest.responses import limit_and_offset, page_values

blueprint = ApiBlueprint("api_log", url_prefix="/tasks/<slug>", tag="Activity log")


@blueprint.get("/log", scopes=["organize"])
@blueprint.input(TaskLogQuery, location="query", arg_name="query")
@blueprint.output(TaskLog)
def show(slug: str, query: dict[str, Any]) -> dict[str, Any]:
    """Read the activity log of the task, the newest entries first."""
    session = context.session()
    task = tasks.get_task(session, slug)
    return _log_page(activity.see_task_log(session, caller(), task, _read_filter(query)))


@blueprint.get("/team/log", scopes=READ_SCOPES)
@blueprint.input(LogQuery, location="query", arg_name="query")
@blueprint.output(TeamLog)
def of_team(slug: str, query: dict[str, Any]) -> dict[str, Any]:
    """Read the entries about your team, and those about the task that all teams may see, the newest first."""
    session = context.session()
    task = tasks.get_task(session, slug)
    return _log_page(activity.see_team_log(session, caller(), task, _read_filter(query))[1])


@blueprint.get("/jobs", scopes=["organize"])
@blueprint.input(JobsQuery, location="query", arg_name="query")
@blueprint.output(JobsPage)
def jobs(slug: str, query: dict[str, Any]) -> dict[str, Any]:
    """List the jobs of the task, the newest first: waiting, running, failed, and recently done ones."""
    session = context.session()
    task = tasks.get_task(session, slug)
    rows, total = task_jobs.list_jobs(session, caller(), task, query.get("state"), *limit_and_offset(query))
    return page_values(rows, total, query)


def _read_filter(query: dict[str, Any]) -> activity.LogFilter:
    return activity.LogFilter(query.get("before"), query.get("kind"), query.get("team"))


def _log_page(log: activity.LogPage) -> dict[str, Any]:
    address = {**context.path_values(), **request.args.to_dict(), "before": log.older}
    older = None if log.older is None else url_for(request.endpoint or "", **address)
    return {"items": log.lines, "next": older}
