"""`scorer tasks`: what a site hosts."""

from collections.abc import Mapping

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
            (task["slug"], phase["slug"], phase["state"], *_ends(phase["window"]), task["title"])
            for task in tasks
            for phase in task["phases"]
        ]
        click.echo(table(("task", "phase", "state", "closes", "late until", "title"), rows), nl=False)


def _ends(window: Mapping[str, str | None]) -> tuple[str, str]:
    """When the last file on time is taken, and the last late one; empty: there is no such end."""
    closes, grace_ends = window["closes"] or "", window["grace_ends"] or ""
    return closes, "" if grace_ends == closes else grace_ends
