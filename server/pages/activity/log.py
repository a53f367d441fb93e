"""Pages of the activity log: of a task, of a team, and of the whole site for site administrators."""

from tempfile import SpooledTemporaryFile
from typing import cast

from flask import Response, render_template, request

from server.access import request_tasks
from server.activity import exports, service as activity
from server.activity.actions import ACTION_KINDS
from server.activity.exports import ENDINGS, Ending
from server.activity.service import LogFilter
from server.core.i18n import N_, translate
from server.teams import service as teams
from server.web import context
from server.web.downloads import send_file
from server.web.page_rules import SignedInBlueprint

blueprint = SignedInBlueprint("log", __name__)

KIND_WORDS = {
    "files": N_("Submissions"),
    "runs": N_("Runs"),
    "teams": N_("Teams"),
    "people": N_("People"),
    "task": N_("Dates, rules and texts"),
    "annotation": N_("Annotation"),
    "gold": N_("Gold standard"),
    "boards": N_("Leaderboards"),
    "site": N_("Site"),
}
"""The texts of the links that filter."""
MAX_IN_MEMORY = 1024 * 1024


def _kind_labels(*kinds: str) -> dict[str, str]:
    return {kind: translate(KIND_WORDS[kind]) for kind in kinds}


def _read_filter() -> LogFilter:
    """Read the filter from the address; invalid parts are ignored."""
    kind = next((kind for kind in ACTION_KINDS if kind == request.args.get("kind")), None)
    before, team = (request.args.get(name, type=int) for name in ("before", "team"))
    return LogFilter(_row_number(before), kind, _row_number(team))


def _row_number(number: int | None) -> int | None:
    return number if number is not None and 0 < number < 2**31 else None


@blueprint.get("/tasks/<slug>/organize/log")
def task(slug: str) -> str:
    """Show the activity log of the task to people who may see all of it, the newest entries first."""
    observed_task, session = request_tasks.get_observed_task(slug), context.session()
    log_filter = _read_filter()
    log = activity.see_task_log(session, context.actor(), observed_task, log_filter)
    return render_template(
        "activity/task.html",
        task=observed_task,
        log=log,
        asked=log_filter,
        kinds=_kind_labels(*KIND_WORDS),
        senders=teams.list_teams(session, observed_task),
    )


@blueprint.get("/tasks/<slug>/organize/log.<any(tsv, jsonl):ending>")
def download(slug: str, ending: str) -> Response:
    """Download all entries of the task, the oldest first, with what their hashes cover."""
    observed_task, file = request_tasks.get_observed_task(slug), SpooledTemporaryFile(MAX_IN_MEMORY)  # noqa: SIM115  (sent after this)
    exports.write_log(context.session(), context.actor(), observed_task, cast(Ending, ending), file)
    return send_file(file, f"{slug}.log.{ending}", CONTENT_TYPES[cast(Ending, ending)])


CONTENT_TYPES: dict[Ending, str] = dict(
    zip(
        ENDINGS, ("text/tab-separated-values; charset=utf-8", "application/jsonl; charset=utf-8"), strict=True
    )
)


@blueprint.get("/tasks/<slug>/team/log")
def team(slug: str) -> str:
    """Show the entries about the reader's team, and those about the task that every team may see."""
    requested_task, log_filter = request_tasks.get_task(slug), _read_filter()
    own_team, log = activity.see_team_log(context.session(), context.actor(), requested_task, log_filter)
    return render_template(
        "activity/team.html",
        task=requested_task,
        team=own_team,
        log=log,
        asked=log_filter,
        kinds=_kind_labels("files", "runs", "teams", "task", "boards"),
    )


@blueprint.get("/log/")
def site() -> str:
    """Show the whole site's log to administrators: people by name, objects of tasks by number."""
    log_filter = _read_filter()
    log = activity.see_site_log(context.session(), context.actor(), log_filter)
    return render_template("activity/site.html", log=log, asked=log_filter, kinds=_kind_labels(*KIND_WORDS))
