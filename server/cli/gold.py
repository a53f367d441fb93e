"""`assay gold`: gold versions, previews, putting them in force and discarding them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from sqlalchemy.orm import Session

from server.access import tasks
from server.cli.common import flag_option, open_site, reason_option, require_text
from server.core import clock
from server.core.actors import CONSOLE
from server.core.errors import NotFound, require_found
from server.core.site_resources import Site
from server.corrections import (
    preview as gold_previews,
    preview_exports,
    publishing as gold_publishing,
    scoring_jobs,
    service as gold,
)
from server.gold import versions as gold_versions
from server.gold.models import GoldVersion
from server.submissions import rescoring
from server.submissions.forms import clean_filename
from server.tasks.models import Split

SPLITS = ("trial", "training", "test")


@click.group("gold")
def command() -> None:
    """Manage gold versions: add, list, preview, put in force, discard.

    The first gold version of a split is in force at once. A later one is a candidate until you put it in
    force with `assay gold publish`.

    \b
    Exit:  0 success, 1 invalid data or other error, 2 usage or settings
    """


def _split_arguments(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the arguments that name a split."""
    split = click.argument("split", type=click.Choice(SPLITS))
    return click.argument("slug")(click.argument("level")(split(function)))


@command.command("add")
@_split_arguments
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@reason_option("The reason for the new version, which is stored.")
@flag_option("--publish", "Score all submissions now, then put the version in force.", "at_once")
def add(slug: str, level: str, split: str, file: Path, reason: str, *, at_once: bool) -> None:
    """Upload FILE as a new gold version.

    FILE has the gold labels of one level and split of the task SLUG.

    \b
    Example:  assay gold add clss-2014 phrase2word test fixed.tsv --reason "item 17 was mistyped"
    Exit:     0 success, 1 invalid data (every problem on standard error) or other error, 2 usage or settings
    """
    with open_site() as site:
        session, name = site.session(), clean_filename(file.name)
        target = _split(session, slug, level, split)
        prepared = gold.prepare_gold(session, CONSOLE, target, file.read_bytes(), name, reason)
        with site.writing():
            version = gold.add_gold(session, CONSOLE, prepared, clock.now())
            version_id, number = version.id, version.number
            is_first = gold_versions.states_of(session, [version])[version.id] == "in force"
        if is_first:
            click.echo(f"Gold version {number} is in force.")
        elif at_once:
            _score_and_publish(site, version_id)
        else:
            click.echo(f"Gold version {number} is a candidate. `assay gold show` shows what it would change.")


@command.command("list")
@click.argument("slug")
def list_(slug: str) -> None:
    """List the gold versions of a task.

    The columns are level, split, number, state, scored files, time, scorer and reason.

    \b
    Exit:  0 success, 1 no such task, 2 usage or settings
    """
    with open_site() as site, site.reading() as session:
        for view in gold_previews.list_version_views(session, CONSOLE, tasks.get_named_task(session, slug)):
            version, split = view.version, view.version.split
            scored = f"{view.progress.scored}/{view.progress.of}" if view.state == "candidate" else ""
            at = version.made_at.isoformat(timespec="seconds")
            reason = " ".join(version.reason.split())
            cells = (
                split.level.slug,
                split.name,
                version.number,
                view.state,
                scored,
                at,
                version.scorer,
                reason,
            )
            click.echo("\t".join(map(str, cells)))


@command.command("show")
@_split_arguments
@click.option(
    "--version", "number", type=click.IntRange(1), help="The version to show. [default: the candidate]"
)
@click.option(
    "--format",
    "format_",
    type=click.Choice(("text", "json")),
    default="text",
    help="The output format.",
)
def show(slug: str, level: str, split: str, number: int | None, format_: str) -> None:
    """Show what a gold version would change.

    The output lists labels, scores and ranks, and so contains hidden gold labels.

    \b
    Exit:  0 success, 1 there is no such version, 2 usage or settings
    """
    with open_site() as site, site.reading() as session:
        target = _split(session, slug, level, split)
        version = _candidate(session, target) if number is None else _version(session, target, number)
        preview = gold_previews.preview_version(session, CONSOLE, target.level.task, version.id)
        write = {"text": preview_exports.preview_text, "json": preview_exports.preview_json}[format_]
        click.echo(write(preview), nl=False)


@command.command("publish")
@_split_arguments
@click.option("--version", "number", type=click.IntRange(1), help="An earlier version to put in force again.")
@click.option(
    "--reason",
    callback=lambda *given: given[2] and require_text(*given),
    help="Why the earlier version is put in force.",
)
def publish(slug: str, level: str, split: str, number: int | None, reason: str | None) -> None:
    """Put a gold version in force. This does not make it public.

    Without --version, this is the candidate of the level and split.

    Files without a score against this version are scored first.

    \b
    Example:  assay gold publish clss-2014 phrase2word test --version 1 --reason "it was right"
    Exit:     0 success, 1 error, 2 usage or settings
    """
    if (number is None) != (not (reason or "").strip()):
        raise click.UsageError(
            "To put an earlier version in force, give both --version and --reason. "
            "For the candidate, give neither."
        )
    with open_site() as site:
        session = site.session()
        if number is None:
            _score_and_publish(site, _candidate(session, _split(session, slug, level, split)).id)
            return
        with site.writing():
            version = _version(session, _split(session, slug, level, split), number)
            version_id = version.id
            at_once = gold_publishing.restore_version(session, CONSOLE, version, reason or "", clock.now())
        if at_once:
            click.echo(f"Gold version {number} is now in force.")
        else:
            _score_and_publish(site, version_id)


@command.command("drop")
@_split_arguments
@reason_option("Why you discard it; stored with the version.")
def drop(slug: str, level: str, split: str, reason: str) -> None:
    """Discard the candidate of a level and split.

    \b
    Exit:  0 success, 1 there is no candidate, 2 usage or settings
    """
    with open_site() as site, site.writing() as session:
        version = _candidate(session, _split(session, slug, level, split))
        gold_publishing.drop_version(session, CONSOLE, version, reason, clock.now())
        click.echo(f"Gold version {version.number} is discarded.")


def _score_and_publish(site: Site, version_id: int) -> None:
    """Score files without a score, as the jobs do, and put the version in force."""
    scoring_jobs.score_all(site, version_id, clock.now())
    with site.writing() as session:
        version = session.get_one(GoldVersion, version_id)
        gold_publishing.publish_version(session, CONSOLE, version, clock.now())
        of = rescoring.count_scored(session, [version_id])[version_id].of
        files = "1 file has" if of == 1 else f"{of} files have"
        click.echo(f"Gold version {version.number} is now in force. {files} been scored against it.")


def _split(session: Session, slug: str, level: str, split: str) -> Split:
    return tasks.get_level_split(tasks.get_named_task(session, slug), level, split)[1]


def _candidate(session: Session, split: Split) -> GoldVersion:
    version = gold_versions.find_candidate(session, split)
    return require_found(version, f"There is no candidate for {split.level.slug}, {split.name}.")


def _version(session: Session, split: Split, number: int) -> GoldVersion:
    for version in gold.list_versions(session, CONSOLE, split.level.task):
        if (version.split_id, version.number) == (split.id, number):
            return version
    raise NotFound(f"There is no gold version {number} of {split.level.slug}, {split.name}.")
