"""`scorer tasks`: what a site hosts."""

from collections.abc import Mapping
from typing import Any

import click

from scorer.cli._site import SiteCommand, asked_site, echo_json, site_options, table

SCHEMA = "assay.tasks/1"


@click.command("tasks", cls=SiteCommand, short_help="List the tasks of a site.")
@site_options
def command(*, site: str | None, format_: str) -> None:
    """List the tasks of the site, the newest first, with their phases as they stand for you.

    \b
    Example:  scorer tasks
              scorer tasks --site https://tasks.example.org --format json
    Exit:     0 good, 1 refused, 2 usage, 3 the site is away, 4 no good token
    """
    with asked_site(site, token=False) as found:
        tasks = [found.json(f"/tasks/{row['slug']}") for row in found.rows("/tasks/")]
        if format_ == "json":
            names = ("slug", "title", "levels", "phases")
            echo_json(SCHEMA, tasks=[{name: task[name] for name in names} for task in tasks])
            return
        rows = [
            (task["slug"], phase["slug"], phase["state"], *_times(phase), task["title"])
            for task in tasks
            for phase in task["phases"]
        ]
        head = "task", "phase", "state", "opens", "closes", "late until", "title"
        click.echo(table(head, rows), nl=False)


def _times(phase: Mapping[str, Any]) -> tuple[str, ...]:
    """When a phase opens that is not open yet, and when it takes the last files, on time and late."""
    from scorer.client.times import for_people

    window = phase["window"]
    opens = window["opens"] if phase["state"] == "early" else None
    late = None if window["grace_ends"] == window["closes"] else window["grace_ends"]
    return tuple("" if time is None else for_people(time) for time in (opens, window["closes"], late))
