"""`assay campaign`: campaigns with their personal links, the states of their rounds, and their results."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TextIO

import click
from sqlalchemy.orm import Session

from server.access import tasks
from server.annotation.assignments import plans
from server.annotation.campaigns import (
    creation,
    crowd,
    exclusions,
    overview,
    people,
    personal_links,
    rules,
    service as campaigns,
)
from server.annotation.models import AnnotationRound
from server.annotation.results import exports, gold
from server.cli.common import flag_option, open_site, reason_option
from server.core import clock
from server.core.actors import CONSOLE
from server.core.errors import Conflict
from server.core.zips import unpacked

NOUNS = {"rate": "pairs", "bws": "tuples", "choose": "sentences", "write": "texts"}
"""What annotators are asked about, by the kind of the round."""


@click.group("campaign")
def command() -> None:
    """Manage annotation campaigns, their links and results.

    \b
    Exit:  0 success, 1 invalid data or other error, 2 usage or settings
    """


def _campaign_arguments(function: Callable[..., Any]) -> Callable[..., Any]:
    return click.argument("slug")(click.argument("campaign")(function))


_ROUND = click.option(
    "--round", "round_slug", metavar="ROUND", help="The round of the campaign. [default: the only one]"
)


@command.command("add")
@click.argument("slug")
@click.argument("folder", type=click.Path(exists=True, path_type=Path))
def add(slug: str, folder: Path) -> None:
    """Add the campaign of FOLDER to the task SLUG.

    FOLDER is a folder or zip file with an annotation.toml and the files that it names. The site plans which
    annotator gets which texts. Nobody can annotate until you open the campaign.

    \b
    Example:  assay campaign add clss-2014 harbour/
    Exit:     0 success, 1 invalid data (every problem on standard error) or other error, 2 usage or settings
    """
    with open_site() as site, unpacked(folder) as unpacked_folder:
        prepared = creation.prepare_campaign(unpacked_folder)
        with site.writing() as session:
            task = tasks.get_named_task(session, slug)
            campaign = creation.add_campaign(session, CONSOLE, task, prepared, clock.now())
            name = campaign.slug
        click.echo(f"Campaign {name} was added: /tasks/{slug}/organize/campaigns/{name}/")
        for round_, plan in zip(prepared.config.rounds, prepared.plans, strict=True):
            figures = overview.compute_figures(plan)
            each_pass = " in each pass" if len(round_.passes) > 1 else ""
            noun = NOUNS[round_.kind]
            sizes = f"{figures.smallest} to " if figures.smallest < figures.largest else ""
            click.echo(
                f"{plan.round}: {figures.units} {noun}, {figures.steps} answers{each_pass}, "
                f"{figures.assignments} assignments of {sizes}{figures.largest} {noun}."
            )


@command.command("list")
@click.argument("slug")
def list_(slug: str) -> None:
    """List the campaigns of a task.

    The columns are slug, round, state, number of plans (the first one and repair plans), and title.

    \b
    Exit:  0 success, 1 no such task, 2 usage or settings
    """
    with open_site() as site, site.reading() as session:
        for campaign in campaigns.list_campaigns(session, CONSOLE, tasks.get_named_task(session, slug)):
            for round_ in campaign.rounds:
                state = campaigns.round_state(session, round_)
                n_plans = len(plans.list_plans(session, round_))
                click.echo(f"{campaign.slug}\t{round_.slug}\t{state}\t{n_plans}\t{campaign.title}")


@command.command("links")
@_campaign_arguments
@click.option("--count", type=click.IntRange(1, rules.MAX_LINKS), help="The number of links without names.")
@click.option(
    "--people",
    "file",
    type=click.File(encoding="utf-8-sig"),
    help="A file with one person on each line: a name, an email address or Name <address>. "
    "- is standard input.",
)
@click.option(
    "--entry",
    metavar="NAME",
    help="The group of annotators that gets the links: the NAME of an [entry.NAME] in annotation.toml. "
    "[default: the first]",
)
def links(slug: str, campaign: str, count: int | None, file: TextIO | None, entry: str | None) -> None:
    """Create personal links for annotators, or show the links of crowds.

    With --people or --count, each line has the pseudonym, the name or address if there is one, and the
    personal link. Such a link is printed only once, because the site stores only a hash of it. Without them,
    each line has a group of annotators who come from a crowd platform, and the link to enter there.

    \b
    Example:  assay campaign links clss-2014 harbour --count 30
    Exit:     0 success, 1 bad lines, repeated people or other error, 2 usage or settings
    """
    if count is not None and file is not None:
        raise click.UsageError("Use either --people or --count.")
    if count is None and file is None:
        _print_crowd_links(slug, campaign)
        return
    invitees, bad = rules.read_people("" if file is None else file.read())
    if bad:
        raise Conflict(f"These lines cannot be read: {'; '.join(bad[:10])}")
    with open_site() as site, site.writing() as session:
        row = campaigns.get_campaign(session, CONSOLE, tasks.get_named_task(session, slug), campaign)
        people_of = invitees or [rules.Invitee()] * (count or 0)
        new = people.add_annotators(session, CONSOLE, people.get_entry(row, entry), people_of, clock.now())
        lines = [
            (link.annotator.name, link.invitee.label or link.invitee.email or "", link.key) for link in new
        ]
    for name, label, key in lines:
        click.echo(f"{name}\t{label}\t{personal_links.link_of(site.config.site_url, key)}")


def _print_crowd_links(slug: str, campaign: str) -> None:
    with open_site() as site, site.reading() as session:
        row = campaigns.get_campaign(session, CONSOLE, tasks.get_named_task(session, slug), campaign)
        links = crowd.list_links(session, row, site.config.site_url)
        crowds = [(entry.slug, address) for entry, address in links]
    if not crowds:
        raise click.UsageError(
            "This campaign has no link for a crowd. For personal links, use --people or --count."
        )
    for entry, address in crowds:
        click.echo(f"{entry}\t{address}")


@command.command("open")
@_campaign_arguments
@_ROUND
def open_(slug: str, campaign: str, round_slug: str | None) -> None:
    """Open a round of a campaign, or open it again after a pause.

    \b
    Exit:  0 success, 1 the round is closed or does not exist, 2 usage or settings
    """
    with open_site() as site, site.writing() as session:
        round_ = _find_round(session, slug, campaign, round_slug)
        campaigns.open_round(session, CONSOLE, round_, clock.now())
        click.echo(f"{_name_round(round_)} is open.")


@command.command("pause")
@_campaign_arguments
@_ROUND
def pause(slug: str, campaign: str, round_slug: str | None) -> None:
    """Pause an open round of a campaign. Annotators then get no new texts.

    \b
    Exit:  0 success, 1 the round is not open or does not exist, 2 usage or settings
    """
    with open_site() as site, site.writing() as session:
        round_ = _find_round(session, slug, campaign, round_slug)
        campaigns.pause_round(session, CONSOLE, round_, clock.now())
        click.echo(f"{_name_round(round_)} is paused.")


@command.command("close")
@_campaign_arguments
@_ROUND
def close(slug: str, campaign: str, round_slug: str | None) -> None:
    """Close a round of a campaign for good. Later answers never count.

    \b
    Exit:  0 success, 1 the round was never opened or does not exist, 2 usage or settings
    """
    with open_site() as site, site.writing() as session:
        round_ = _find_round(session, slug, campaign, round_slug)
        campaigns.close_round(session, CONSOLE, round_, clock.now())
        click.echo(f"{_name_round(round_)} is closed.")


@command.command("export")
@_campaign_arguments
@click.argument("folder", type=click.Path(path_type=Path))
@_ROUND
def export(slug: str, campaign: str, folder: Path, round_slug: str | None) -> None:
    """Write the answers and tables of a round into a folder.

    FOLDER must not exist yet. Its README.md lists the commands that recompute the figures.

    \b
    Example:  assay campaign export clss-2014 harbour exported/
    Exit:     0 success, 1 no such round, or FOLDER exists, 2 usage or settings
    """
    with open_site() as site, site.reading() as session:
        round_ = _find_round(session, slug, campaign, round_slug)
        try:
            folder.mkdir()
        except OSError as error:
            raise Conflict(f"{folder}: {error.strerror}. Name a folder that does not exist yet.") from error
        exports.write_files(session, round_, folder)
        click.echo(f"{_name_round(round_)} was written to {folder}.")


@command.command("gold")
@_campaign_arguments
def gold_(slug: str, campaign: str) -> None:
    """Make the gold standard from answers and decisions.

    The round must be closed.

    \b
    Exit:  0 success, 1 the round is not closed, or the values do not fit the level, 2 usage or settings
    """
    with open_site() as site, site.writing() as session:
        row = campaigns.get_campaign(session, CONSOLE, tasks.get_named_task(session, slug), campaign)
        version = gold.add_gold(session, CONSOLE, row, clock.now())
        state = "in force" if version.number == 1 else "a candidate"
        click.echo(f"Gold version {version.number} was made and is {state}.")


@command.command("exclude")
@_campaign_arguments
@click.argument("name")
@reason_option("Shown to the organizers.")
@flag_option("--include", "Let excluded answers count again.")
def exclude(slug: str, campaign: str, name: str, reason: str, include: bool) -> None:
    """Exclude the answers of an annotator, or include them.

    NAME is the pseudonym, such as A001. Excluded answers are in no figure and not in the gold standard.

    \b
    Exit:  0 success, 1 no such annotator, or excluded already, 2 usage or settings
    """
    with open_site() as site, site.writing() as session:
        row = campaigns.get_campaign(session, CONSOLE, tasks.get_named_task(session, slug), campaign)
        annotator = people.get_annotator(session, row, name)
        exclusions.exclude_annotator(
            session, CONSOLE, annotator, excluded=not include, reason=reason, now=clock.now()
        )
        click.echo(f"The answers of {name} {'count again' if include else 'no longer count'}.")


def _find_round(session: Session, slug: str, campaign: str, round_slug: str | None) -> AnnotationRound:
    row = campaigns.get_campaign(session, CONSOLE, tasks.get_named_task(session, slug), campaign)
    if round_slug is None and len(row.rounds) > 1:
        rounds = ", ".join(round_.slug for round_ in row.rounds)
        raise click.UsageError(f"The campaign has the rounds {rounds}; name one with --round.")
    return campaigns.get_round(row, round_slug or "")


def _name_round(round_: AnnotationRound) -> str:
    """Name the campaign of a round, and the round if the campaign has several."""
    campaign = round_.campaign
    return f"{f'Round {round_.slug} of campaign' if len(campaign.rounds) > 1 else 'Campaign'} {campaign.slug}"
