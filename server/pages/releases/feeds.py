"""The Atom feed of a task's releases, and the calendar of its dates."""

from typing import Any
from urllib.parse import urlsplit

from flask import Blueprint, Response, current_app, url_for

from server.access import request_tasks, tasks
from server.core.i18n import _
from server.core.placeholders import is_placeholder_date
from server.releases import public_releases
from server.tasks.models import Task
from server.web import context
from server.web.atom import Feed, FeedEntry
from server.web.caching import require_revalidation
from server.web.calendar_files import write_calendar

blueprint = Blueprint("feeds", __name__, url_prefix="/tasks/<slug>")


@blueprint.get("/releases.atom")
def releases(slug: str) -> Response:
    """Send the releases of all phases; an entry is updated when one is withdrawn, or its names revealed."""
    task = request_tasks.get_task(slug)
    feed = Feed(
        url=_absolute("feeds.releases", slug=slug),
        page=_absolute("tasks.show", slug=slug),
        title=_("%(task)s: releases", task=task.title),
        author=_("Organizers of %(task)s", task=task.title),
        since=task.created_at,
        entries=[_entry(task, listed) for listed in public_releases.list_summaries(context.session(), task)],
    )
    response = Response(feed.as_xml(), content_type="application/atom+xml; charset=utf-8")
    return require_revalidation(response, public=True)


@blueprint.get("/dates.ics")
def dates(slug: str) -> Response:
    """Send the dates of all phases, as this person may see them, as a file for calendars."""
    task, now = request_tasks.get_task(slug), context.arrival_time()
    host = urlsplit(context.site_of(current_app).config.site_url).hostname
    events = [
        (f"{task.id}-{view.phase.id}-{name}@{host}", f"{task.title}: {words}", at)
        for view in tasks.list_phases_for_actor(context.session(), context.actor(), task, now)
        for name, words, at in (
            ("opens", _("%(phase)s opens", phase=view.phase.title), view.window.opens),
            ("closes", _("%(phase)s closes", phase=view.phase.title), view.window.closes),
        )
        if at is not None and not is_placeholder_date(at)
    ]
    return Response(write_calendar(events, now), mimetype="text/calendar")


def _absolute(endpoint: str, **values: Any) -> str:
    """Return an address with the site's own URL, whatever host the request named."""
    return context.site_of(current_app).config.site_url + url_for(endpoint, **values)


def _entry(task: Task, listed: public_releases.ReleaseSummary) -> FeedEntry:
    title, summary = _words(listed)
    url = _absolute("releases.show", slug=task.slug, phase=listed.phase.slug, number=listed.number)
    return FeedEntry(url, title, listed.made_at, listed.updated_at, summary)


def _words(listed: public_releases.ReleaseSummary) -> tuple[str, str]:
    """Return the title of a release, and its organizers' note."""
    named = {"phase": listed.phase.title, "number": listed.number}
    if listed.withdrawn is not None:
        title = _("%(phase)s leaderboard, release %(number)d (withdrawn)", **named)
        return title, _("Withdrawn: %(why)s", why=listed.withdrawn)
    manner = _("Released without team names.") if listed.anonymous else _("Released.")
    words = [manner, *([listed.note] if listed.note else []), f"SHA-256 {listed.sha256}"]
    return _("%(phase)s leaderboard, release %(number)d", **named), " ".join(words)
