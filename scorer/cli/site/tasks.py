"""`scorer tasks`: lists the tasks of a site."""

from collections.abc import Mapping
from typing import Any

import click

from scorer.cli.site._site_command import SiteCommand, connect_to_site, echo_json, format_table, site_options

SCHEMA = "assay.tasks/1"
STATE_WORDS = {
    "early": "not yet open",
    "open": "open",
    "grace": "late submissions only",
    "over": "closed",
}
"""The states of a phase in the words of the site's pages."""


@click.command("tasks", cls=SiteCommand)
@site_options
def command(*, site: str | None, format_: str) -> None:
    """List the tasks of a site.

    The output has the phases and deadlines of each task, the newest task first. If you are logged in,
    deadlines include extensions for your team.

    \b
    Examples:
      scorer tasks
      scorer tasks --site https://tasks.example.org --format json

    \b
    Exit codes:
      0  success
      1  rejected
      2  usage error
      3  site not available
      4  no valid token
    """
    with connect_to_site(site, token=False) as connection:
        tasks = [connection.json(f"/tasks/{row['slug']}") for row in connection.rows("/tasks/")]
        if format_ == "json":
            names = ("slug", "title", "state", "levels", "phases")
            echo_json(SCHEMA, tasks=[{name: task[name] for name in names} for task in tasks])
            return
        rows = [
            (task["slug"], phase["slug"], _state_words(task, phase), *_phase_times(phase), task["title"])
            for task in tasks
            for phase in task["phases"]
        ]
        head = "task", "phase", "state", "opens", "closes", "late until", "title"
        click.echo(format_table(head, rows), nl=False)


def _state_words(task: Mapping[str, Any], phase: Mapping[str, Any]) -> str:
    """Return the state of a phase, after that of its task if that is a draft or archived."""
    state = str(STATE_WORDS.get(phase["state"], phase["state"]))
    if task["state"] == "archived":
        return "archived"
    return f"draft, {state}" if task["state"] == "draft" else state


def _phase_times(phase: Mapping[str, Any]) -> tuple[str, ...]:
    """Return when a phase opens if it is not open yet, and its deadlines for timely and late files."""
    from scorer.client.times import format_time

    window = phase["window"]
    opens = window["opens"] if phase["state"] == "early" else None
    late = None if window["grace_ends"] == window["closes"] else window["grace_ends"]
    return tuple("" if time is None else format_time(time) for time in (opens, window["closes"], late))
