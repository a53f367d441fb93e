"""`scorer status`: shows which submissions of the user's teams count."""

from collections.abc import Iterator, Mapping
from typing import Any

import click

from scorer.cli.site._site_command import SiteCommand, connect_to_site, echo_json, format_table, site_options

SCHEMA = "assay.status/1"
TABLE_HEAD = ("phase", "run", "level", "submission that counts", "late submission", "files left")


@click.command("status", cls=SiteCommand)
@click.argument("task", required=False)
@site_options
def command(*, task: str | None, site: str | None, format_: str) -> None:
    """Show which of your submissions count.

    Without TASK, the output has every task in which you have a team.

    The output first shows until when each phase accepts files, in UTC. Then it has one row per run and level,
    with the ID of the submission that counts, the ID of the late submission that is shown separately, and how
    many more files your team may submit.

    \b
    Examples:
      scorer status clss-2014
      scorer status --format json

    \b
    Exit codes:
      0  success
      1  rejected
      2  usage error
      3  site not available
      4  no valid token
    """
    from scorer.client.team_counts import fetch_all_counts, fetch_counts

    with connect_to_site(site) as connection:
        counts_by_task = (
            dict(fetch_all_counts(connection)) if task is None else {task: fetch_counts(connection, task)}
        )
        if format_ == "json":
            echo_json(SCHEMA, tasks=[{"task": slug, **counts} for slug, counts in counts_by_task.items()])
            return
        for slug, counts in counts_by_task.items():
            click.echo(f"{slug}, team {counts['team']['name']}")
            for phase in (*counts["phases"], *counts.get("early", ())):
                click.echo(f"{phase['phase']} {_phase_text(phase)}")
            rows = list(_rows(counts))
            click.echo(
                format_table(TABLE_HEAD, rows)
                if rows
                else "There are no runs yet in a phase that accepts files.\n",
                nl=False,
            )
    if not counts_by_task:
        click.echo("You are not in a team yet.", err=True)


def _rows(counts: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    for phase in counts["phases"]:
        for run in (*phase["runs"], *phase["withdrawn"]):
            name = f"{run['run']['name']}{' (withdrawn)' if run['withdrawn'] else ''}"
            for level in run["levels"]:
                numbers = _submission_number(level["on_time"]), _submission_number(level["late"])
                yield str(phase["phase"]), name, str(level["level"]), *numbers, _files_left(level["left"])


def _phase_text(phase: Mapping[str, Any]) -> str:
    """Describe until when a phase accepts files from this team, in UTC."""
    from scorer.client.times import format_time

    closes, for_all = phase["closes"], phase.get("closes_for_all")
    grace_ends = format_time(phase["grace_ends"])
    own = "" if for_all in (None, closes) else f" (your team only; other teams until {format_time(for_all)})"
    late = "" if phase["grace_ends"] in (None, closes) else f", and late files until {grace_ends}"
    match phase["state"]:
        case "over":
            return f"has been closed since {grace_ends}"
        case "early":
            ends = "" if closes is None else f" and accepts files until {format_time(closes)}{own}{late}"
            return f"opens at {format_time(phase['opens'])}{ends}"
        case "grace":
            return f"accepts late files until {grace_ends}"
        case _ if closes is None:
            return "accepts files and has no deadline"
    return f"accepts files until {format_time(closes)}{own}{late}"


def _submission_number(submission: int | None) -> str:
    return "-" if submission is None else str(submission)


def _files_left(counts: Mapping[str, Any]) -> str:
    bounds = ("in_all", "at this level"), ("today", "today")
    parts = [f"{counts[name]} {period}" for name, period in bounds if counts[name] is not None]
    return ", ".join(parts) or "any number"
