"""`assay release`: leaderboards and their releases."""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import click
from sqlalchemy.orm import Session

from server.access import tasks
from server.boards import service as boards
from server.cli.common import check_with, flag_option, open_site, parse_instant, reason_option
from server.core import clock
from server.core.actors import CONSOLE
from server.core.dates import format_plain_utc
from server.core.zips import require_new_target, write_zip_file
from server.evidence import service as evidence_bundles
from server.phases.models import Phase
from server.releases import (
    confirmations,
    creation as release_creation,
    pseudonyms,
    public_releases,
    scheduling as release_scheduling,
    service as releases,
)
from server.releases.creation import ReleaseOptions
from server.releases.forms import NOTE
from server.releases.models import ReleasePlan
from server.signing import service as signing_keys


def _phase_arguments(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the arguments that name a phase."""
    return click.argument("slug")(click.argument("phase")(function))


@click.group("release")
def command() -> None:
    """Show, release, schedule or withdraw leaderboards.

    \b
    Exit:  0 success, 1 error, 2 usage or settings
    """


@command.command("show")
@_phase_arguments
@flag_option(
    "--preview",
    "Show the current leaderboard, which is not released. It includes the baselines, even if a release "
    "would not show them yet.",
)
def show(slug: str, phase: str, preview: bool) -> None:
    """Print the released leaderboard of a phase as JSON.

    \b
    Exit:  0 success, 1 no such phase or nothing is released, 2 usage or settings
    """
    with open_site() as site, site.reading() as session:
        target = _phase(session, slug, phase)
        text = boards.board_text(session, target) if preview else releases.get_public(session, target).text
        click.echo(text, nl=False)


@command.command("add")
@_phase_arguments
@click.option(
    "--at",
    metavar="TIME",
    callback=parse_instant,
    help="Schedule the release for this time in UTC, such as 2026-03-20T09:00.",
)
@flag_option("--anonymous", 'Replace team names by random pseudonyms ("Team A").')
@flag_option("--open-gold", "Also make the gold standard of these items public. You cannot undo this.")
@click.option("--note", callback=check_with(NOTE), metavar="TEXT", help="A note to readers, in Markdown.")
@flag_option("--yes", "Do not ask for confirmation.")
def add(
    slug: str, phase: str, at: datetime | None, anonymous: bool, open_gold: bool, note: str | None, yes: bool
) -> None:
    """Release a leaderboard now, or schedule it.

    If this shows scores that are hidden, or the phase still accepts submissions, the command asks first.

    \b
    Example:  assay release add clss-2014 evaluation --at 2026-03-20T09:00Z --anonymous
    Exit:     0 success, 1 error, 2 usage or settings
    """
    manner = ReleaseOptions(anonymous, open_gold, note)
    with open_site() as site:
        if not yes:
            _confirm_release(site.session(), slug, phase, manner, at)
        with site.writing() as session:
            click.echo(_release(session, _phase(session, slug, phase), manner, at))


def _confirm_release(
    session: Session, slug: str, phase: str, manner: ReleaseOptions, at: datetime | None
) -> None:
    """Ask before a release that would show what is hidden now, or comes while submissions are accepted."""
    target, now = _phase(session, slug, phase), clock.now()
    consequences = confirmations.list_release_consequences(session, target, manner, at, now)
    if consequences:
        click.confirm(f"{' '.join(consequences)}\nRelease anyway?", abort=True, err=True)


def _release(session: Session, phase: Phase, manner: ReleaseOptions, at: datetime | None) -> str:
    """Release a leaderboard or schedule it, and say so."""
    if at is not None:
        release_scheduling.schedule_release(session, CONSOLE, phase, at, clock.now(), manner)
        return f"The release is scheduled for {format_plain_utc(at)}."
    release = release_creation.release_board(session, CONSOLE, phase, clock.now(), manner)
    return f"Release {release.number} is public, SHA-256 {release.sha256}."


@command.command("cancel")
@_phase_arguments
def cancel(slug: str, phase: str) -> None:
    """Cancel the scheduled release of a phase.

    \b
    Exit:  0 success, 1 none is scheduled, 2 usage or settings
    """
    with open_site() as site, site.writing() as session:
        plan = release_scheduling.cancel_plan(session, CONSOLE, _phase(session, slug, phase), clock.now())
        click.echo(f"The release scheduled for {format_plain_utc(plan.due_at)} is cancelled.")


@command.command("name")
@_phase_arguments
@flag_option("--yes", "Do not ask for confirmation.")
def name(slug: str, phase: str, yes: bool) -> None:
    """Reveal the team names in anonymous releases.

    You cannot hide the names again, so the command asks first.

    \b
    Exit:  0 success, 1 there is no anonymous release, 2 usage or settings
    """
    if not yes:
        click.confirm("Names that were shown cannot be hidden again.\nShow them?", abort=True, err=True)
    with open_site() as site, site.writing() as session:
        for release in pseudonyms.reveal_names(session, CONSOLE, _phase(session, slug, phase), clock.now()):
            click.echo(f"Release {release.number} now shows team names, SHA-256 {release.named_sha256}.")


@command.command("withdraw")
@_phase_arguments
@reason_option("Readers see the reason instead of the leaderboard.")
@click.option("--number", type=int, help="The number of the release. [default: the newest]")
def withdraw(slug: str, phase: str, reason: str, number: int | None) -> None:
    """Withdraw a release of a phase.

    \b
    Exit:  0 success, 1 nothing is released, 2 usage or settings
    """
    with open_site() as site, site.writing() as session:
        target = _phase(session, slug, phase)
        release = releases.withdraw_release(session, CONSOLE, target, reason, clock.now(), number)
        click.echo(f"Release {release.number} is withdrawn.")
        plan = release_scheduling.find_plan(session, target)
        if plan is not None:
            still = f"The release scheduled for {format_plain_utc(plan.due_at)} will still be made"
            click.echo(f"{still}. `assay release cancel {slug} {phase}` cancels it.", err=True)


@command.command("evidence")
@_phase_arguments
@click.argument("number", type=click.IntRange(min=1), required=False)
@click.option(
    "--output",
    required=True,
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="The zip file to create; it must not exist.",
)
def evidence(slug: str, phase: str, number: int | None, output: Path) -> None:
    """Write the evidence of a release to a zip file.

    NUMBER is the number of the release, by default the newest. The zip contains everything public about
    the release, with a signed list of the files. It is identical to the zip on the page of the release.
    `scorer verify FILE` reports what it proves.

    \b
    Example:  assay release evidence clss-2014 evaluation 2 --output evidence.zip
    Exit:     0 success, 1 there is no such release or it has no evidence, 2 usage or settings
    """
    with open_site() as site:
        session = site.session()
        require_new_target(output)
        target, now = _phase(session, slug, phase), clock.now()
        state = (
            releases.get_public(session, target)
            if number is None
            else public_releases.get_release(session, target, number)
        )
        evidence_bundles.require_evidence(target, state, now)
        with site.writing() as session:  # the site's first key may have to be created
            signing_keys.ensure_key(session, now)
        archive = evidence_bundles.collect_evidence(session, target, state, now)
        write_zip_file(output, archive.name, archive.readers(site.storage))
        click.echo(
            f"Release {state.release.number}: wrote {len(archive.tables) + len(archive.stored)} files.",
            err=True,
        )
        for omission in evidence_bundles.list_left_out(session, target, state, now):
            click.echo(f"Left out: {omission.what} ({omission.why})", err=True)


@command.command("list")
@click.argument("slug")
def list_(slug: str) -> None:
    """List the releases of a task.

    The columns are phase, number, time, SHA-256 and state. Scheduled releases have no number and no
    SHA-256 yet.

    \b
    Exit:  0 success, 1 no such task, 2 usage or settings
    """
    with open_site() as site, site.reading() as session:
        for view in tasks.list_phases(session, tasks.get_named_task(session, slug), clock.now()):
            plan = release_scheduling.find_plan(session, view.phase)
            if plan is not None:
                _echo_row(view.phase, "-", plan.due_at, "-", _describe_plan(plan))
            for state in releases.list_releases(session, view.phase):
                release, word = state.release, _describe_state(state)
                _echo_row(view.phase, release.number, release.made_at, state.sha256, word)


def _echo_row(phase: Phase, number: object, at: datetime, sha256: str, word: str) -> None:
    click.echo(f"{phase.slug}\t{number}\t{at.isoformat(timespec='seconds')}\t{sha256}\t{word}")


def _describe_plan(plan: ReleasePlan) -> str:
    ways = (plan.anonymous, ", anonymous"), (plan.opens_gold, ", makes the gold standard public")
    return "scheduled" + "".join(words for applies, words in ways if applies)


def _describe_state(state: releases.ReleaseState) -> str:
    if state.withdrawal is not None:
        return f"withdrawn: {state.withdrawal.reason}"
    if state.naming is not None:
        return f"public, team names since {state.naming.made_at.isoformat(timespec='seconds')}"
    return "public, anonymous" if state.anonymous else "public"


def _phase(session: Session, slug: str, phase: str) -> Phase:
    return tasks.get_phase(session, tasks.get_named_task(session, slug), phase)
