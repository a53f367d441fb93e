"""The pages of tasks: the list, a task's page and its data."""

from collections.abc import Callable, Iterable

from flask import Blueprint, flash, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from server.access import request_tasks, service as access, tasks, terms
from server.core.i18n import _
from server.mail import announcements
from server.organize import home
from server.pages.tasks import task_tables
from server.phases.models import Phase
from server.planning import extensions, task_files
from server.releases import live_boards, release_gold, responses
from server.releases.service import ReleaseState
from server.tasks.models import Task
from server.tasks.rules import Capability, RoleName, grants
from server.web import context
from server.web.downloads import send_tsv

blueprint = Blueprint("tasks", __name__)


@blueprint.app_context_processor
def _roles() -> dict[str, object]:
    """Return the functions with which templates check the reader's role, cached for each page."""
    roles: dict[int, RoleName | None] = {}

    def asking(capability: Capability) -> Callable[[Task], bool]:
        def answer(task: Task) -> bool:
            if task.id not in roles:
                roles[task.id] = access.find_role(context.session(), context.actor(), task)
            return grants(roles[task.id], capability)

        return answer

    return {"sees_all": asking("see"), "organizes": asking("run"), "manages_people": asking("people")}


SEARCH_FROM = 20
"""The number of tasks from which on the home page has a search form."""


@blueprint.get("/")
def index() -> str:
    """Show what the site is, and a card for each task: the person's own first, then by deadline."""
    cards = home.list_cards(context.session(), context.actor(), context.arrival_time())
    words, state = request.args.get("q", "")[:100], request.args.get("state", "")
    found = {card.task.id: card for card in home.filter_cards(cards, words)}
    phases = {task_id: card.phases for task_id, card in found.items()}
    groups = {
        group: [found[task.id] for task in listed]
        for group, listed in tasks.group_by_state([card.task for card in found.values()], phases).items()
        if state in ("", group)
    }
    others = {group: [card for card in listed if not card.own] for group, listed in groups.items()}
    public = [card for card in cards if card.task.state != "draft"]
    return render_template(
        "tasks/index.html",
        own=[(group, card) for group, listed in groups.items() for card in listed if card.own],
        others={group: listed for group, listed in others.items() if listed},
        state=state,
        words=words,
        searchable=len(cards) >= SEARCH_FROM,
        numbers=(
            len(public),
            sum(card.teams for card in public),
            sum(card.leaders.first.of for card in public if card.leaders is not None),
        ),
    )


@blueprint.get("/tasks/<slug>/")
def show(slug: str) -> str:
    """Show what a task is about, its dates, levels, scale, data, and how to take part."""
    session, actor = context.session(), context.actor()
    task, released = responses.read_task(slug)
    tasks.load_levels(session, task)
    phases = [phase.view for phase in released]
    extended = [phase.view.phase for phase in released if phase.is_extended]
    opened_gold = any(phase.opened_gold for phase in released)
    team, role = access.find_team(session, actor, task), access.find_role(session, actor, task)
    newest = {state.release.phase_id: state for phase in released if (state := phase.newest) is not None}
    over = task.state == "archived" or all(view.state == "over" for view in phases)
    return render_template(
        "tasks/show.html",
        task=task,
        phases=phases,
        dates=task_tables.render_dates(
            task,
            phases,
            newest,
            {view.phase.id: live_boards.is_paused(session, view.phase) for view in phases},
            release_gold.list_opening_dates(session, task) if opened_gold else {},
            extensions.list_visible_extensions(session, extended, team) if extended else [],
        ),
        data=task_tables.render_data(
            task,
            tasks.list_files(session, actor, task, context.arrival_time(), phases),
            [file.name for file in task_files.list_kit(session, task)],
            is_pending=terms.find_pending(session, actor, task) is not None,
        ),
        announcements=announcements.list_announcements(session, actor, task),
        to_read=_last_released_phase(newest.values()) if over else None,
        team=team,
        role=role,
    )


def _last_released_phase(newest: Iterable[ReleaseState]) -> Phase | None:
    """Return the phase with the last release that was not withdrawn."""
    standing = [state.release for state in newest if state.withdrawal is None]
    last = max(standing, key=lambda release: release.made_at, default=None)
    return None if last is None else last.phase


@blueprint.get("/tasks/<slug>/data/<level>.<split>.<kind>.tsv")
def data(slug: str, level: str, split: str, kind: str) -> ResponseReturnValue:
    """Send one data file, if it is available; the terms have to be accepted first."""
    session, actor, now = context.session(), context.actor(), context.arrival_time()
    task = request_tasks.get_task(slug)
    file, content = tasks.read_file(session, actor, task, level, split, kind, now)
    if terms.find_pending(session, actor, task) is not None:
        flash(_("Read and accept the terms before you download the data."), "info")
        return redirect(url_for("terms.show", slug=slug))
    return send_tsv(content, file.filename)
