"""`assay task`: importing and exporting bundles, publishing and archiving tasks, and people with roles."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path

import click
from sqlalchemy.orm import Session

from server import bundles
from server.access import roles, tasks
from server.cli.common import flag_option, get_account, open_site
from server.core import clock
from server.core.actors import CONSOLE
from server.core.errors import ConfirmationRequired, Conflict
from server.core.zips import require_new_target, unpacked, write_package
from server.organize import to_do
from server.planning import task_deletion, task_states
from server.tasks.models import Task
from server.tasks.rules import ROLE_NAMES, RoleName, TaskState

FORCE = flag_option("--force", "Publish the task although it has placeholders.")
SLUG = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?")


@click.group("task")
def command() -> None:
    """Import, publish, archive, copy and list tasks, and give roles.

    \b
    Exit:  0 success, 1 invalid data or other error, 2 usage or settings
    """


@command.command("import")
@click.argument("bundle", type=click.Path(exists=True, path_type=Path))
@click.option("--config", type=click.Path(path_type=Path), help="A task.toml outside the bundle.")
@click.option("--organizer", "organizers", multiple=True, metavar="EMAIL", help="An organizer. Repeatable.")
@click.option("--wordnet", metavar="DIR", help="WordNet 3.0's dictionary files, for word2sense baselines.")
@flag_option("--publish", "Publish the task at once.", "published")
@FORCE
def import_(
    bundle: Path,
    config: Path | None,
    organizers: tuple[str, ...],
    wordnet: str | None,
    *,
    published: bool,
    force: bool,
) -> None:
    """Import a task from a bundle, as a draft.

    BUNDLE is a folder or zip file with a task.toml. The import computes the baselines of the task and
    scores its runs. If the bundle has an error, nothing is imported. Only its organizers and observers
    see the draft, until an organizer publishes it on the task's page or with `assay task publish`.

    \b
    Example:  assay task import clss-2014.zip --organizer ada@example.org
    Exit:     0 success, 1 invalid data (problems on standard error) or other error, 2 usage or settings
    """
    with open_site() as site, unpacked(bundle) as folder:
        plan = bundles.plan_import(folder, config, wordnet)
        bundles.keep_files(site.storage, plan)
        with site.writing() as session:
            people = [get_account(session, email) for email in organizers]
            task = bundles.import_task(session, CONSOLE, plan, people, clock.now(), published=published)
            if published:
                _print_gaps(session, task, clock.now())
                with _naming_force():
                    task_states.require_publishable(session, task, clock.now(), sure=force)
            words = "was imported and published" if published else "was imported as a draft"
            click.echo(f"Task {task.short_name} {words}: /tasks/{task.slug}/")
            if not people:
                hint = f"`assay task organizer {task.short_name} EMAIL`"
                click.echo(f"Nobody has a role in the task yet. Add an organizer: {hint}", err=True)


@command.command("export")
@click.argument("slug")
@click.option(
    "-o",
    "--output",
    "target",
    required=True,
    type=click.Path(path_type=Path),
    help="The .zip file or folder to create.",
)
@click.option(
    "--people",
    type=click.Choice(("ids", "names")),
    default="ids",
    help="Identify people by number, or also by name. Email addresses are never exported.",
)
def export(slug: str, target: Path, people: bundles.People) -> None:
    """Export a task as a bundle.

    The bundle contains everything in the task, including gold labels, and `assay task import` can read it.
    If you export an unchanged task again, you get the same files. `scorer board` computes the leaderboards of
    an unpacked bundle.

    \b
    Example:  assay task export clss-2014 -o clss-2014.zip
    Exit:     0 success, 1 error, 2 usage or settings
    """
    require_new_target(target)
    with open_site() as site:
        with site.reading() as session:
            export = bundles.collect_export(session, CONSOLE, tasks.get_named_task(session, slug), people)
        with site.writing():
            bundles.record_export(session, CONSOLE, tasks.get_named_task(session, slug), export, clock.now())
        write_package(target, export.slug, export.readers(site.storage))
        click.echo(f"Task {slug} was exported to {target}: {len(export.files)} files.")
        click.echo("The export contains gold labels. Keep it private.")


@command.command("list")
def list_() -> None:
    """List all tasks: slug, title, state.

    \b
    Exit:  0 success, 2 usage or settings
    """
    with open_site() as site:
        for task in tasks.list_tasks(site.session(), CONSOLE):
            click.echo(f"{task.slug}\t{task.title}\t{task.state}")


@command.command("organizer")
@click.argument("slug")
@click.argument("email")
@click.option("--role", type=click.Choice(ROLE_NAMES), default="organizer", help="The role to give.")
@flag_option("--remove", "Remove the person's role instead.")
def organizer(slug: str, email: str, role: RoleName, remove: bool) -> None:
    """Give a person a role in a task, or remove it.

    \b
    Example:  assay task organizer clss-2014 cy@example.org --role observer
    Exit:     0 success, 1 no such task or account, or the person already has the role, 2 usage or settings
    """
    with open_site() as site, site.writing() as session:
        task, user, now = tasks.get_named_task(session, slug), get_account(session, email), clock.now()
        if remove:
            roles.remove_person(session, CONSOLE, task, user.id, now)
            click.echo(f"{user.email} no longer has a role in {task.short_name}.")
        else:
            roles.add_person(session, CONSOLE, task, user, role, now)
            click.echo(f"{user.email} is now {roles.with_article(role)} of {task.short_name}.")


@command.command("people")
@click.argument("slug")
def people(slug: str) -> None:
    """List the people with a role in a task.

    The columns are role, email address and name.

    \b
    Exit:  0 success, 1 error, 2 usage or settings
    """
    with open_site() as site, site.reading() as session:
        for holder in roles.list_people(session, CONSOLE, tasks.get_named_task(session, slug)):
            click.echo(f"{holder.held.role}\t{holder.user.email}\t{holder.user.name}")


@command.command("publish")
@click.argument("slug")
@FORCE
def publish(slug: str, *, force: bool) -> None:
    """Publish a draft, or unarchive an archived task.

    Everyone can then see the task. The command refuses a task without organizers or a contact. It refuses
    placeholders (texts that begin with TODO, dates in the year 2999), unless you give --force. Other gaps,
    such as a missing gold standard, are only listed on standard error.

    \b
    Example:  assay task publish clss-2014
    Exit:     0 success, 1 no such task, it is already published or was refused, 2 usage or settings
    """
    _change_state(slug, "published", sure=force)


@command.command("hide")
@click.argument("slug")
def hide(slug: str) -> None:
    """Hide a published task, so that it is a draft again.

    This is possible until the first submission of a team is scored. You can publish the task again.

    \b
    Example:  assay task hide clss-2014
    Exit:     0 success, 1 no such task or it cannot be hidden, 2 usage or settings
    """
    _change_state(slug, "draft")


@command.command("archive")
@click.argument("slug")
def archive(slug: str) -> None:
    """Archive a published task.

    Everyone can still read it, but it takes no submissions and no teams, and its phases cannot change.
    `assay task publish` unarchives it.

    \b
    Example:  assay task archive clss-2014
    Exit:     0 success, 1 no such task or it is not published, 2 usage or settings
    """
    _change_state(slug, "archived")


@command.command("rename")
@click.argument("slug")
@click.argument("new_slug")
@click.option("--title", help="The new title. By default it does not change.")
def rename(slug: str, new_slug: str, title: str | None) -> None:
    """Change the slug of a draft, and its title.

    Links with the old slug stop working.

    \b
    Example:  assay task rename clss-2014 clss-2015 --title "Cross-Level Semantic Similarity"
    Exit:     0 success, 1 no such task, it is not a draft, or its slug stays, 2 usage or settings
    """
    new_slug = _require_slug(new_slug)
    with open_site() as site, site.writing() as session:
        task = tasks.get_named_task(session, slug)
        task_deletion.rename_task(session, CONSOLE, task, new_slug, title or task.title, clock.now())
        click.echo(f"Task {slug} is now {new_slug}: /tasks/{task.slug}/")


@command.command("delete")
@click.argument("slug")
@flag_option("--yes", "Do not ask for confirmation.")
def delete(slug: str, yes: bool) -> None:
    """Delete a draft that was never published.

    Its texts, items, gold versions, roles and baselines are deleted. Its entries in the activity log stay.
    `assay sweep` removes the files that no other task has.

    \b
    Example:  assay task delete clss-2014
    Exit:     0 success, 1 no such task, or it is or was published, 2 usage or settings
    """
    with open_site() as site:
        title = tasks.get_named_task(site.session(), slug).title
        if not yes:
            click.confirm(f"Delete the draft {slug} ({title})? This cannot be undone", abort=True, err=True)
        with site.writing() as session:
            task_deletion.delete_task(session, CONSOLE, tasks.get_named_task(session, slug), clock.now())
            click.echo(f"Task {slug} was deleted.")


@command.command("copy")
@click.argument("slug")
@click.argument("new_slug")
@click.option(
    "--shift", default="364d", show_default=True, metavar="DAYS", help="Move all dates, such as 364d or 52w."
)
def copy(slug: str, new_slug: str, shift: str) -> None:
    """Copy a task for next year, as a draft.

    The copy has the texts, terms, levels, items, gold standard, phases, baselines and roles of the task. It
    has no teams, runs, submissions or releases. 364 days are 52 weeks, so dates stay on the same weekday.

    \b
    Example:  assay task copy clss-2014 clss-2015
    Exit:     0 success, 1 no such task, or the slug is taken, 2 usage or settings
    """
    new_slug, days = _require_slug(new_slug), _read_shift(shift)
    with open_site() as site:
        task = tasks.get_named_task(site.session(), slug)
        with (
            bundles.plan_copy(site.session(), CONSOLE, task, new_slug, days) as plan,
            site.writing() as session,
        ):
            task = tasks.get_named_task(session, slug)
            copied = bundles.add_copy(session, CONSOLE, task, plan, clock.now())
            click.echo(f"Task {slug} was copied as a draft: /tasks/{copied.slug}/")


def _require_slug(text: str) -> str:
    if SLUG.fullmatch(text) is None:
        raise click.BadParameter("use lowercase letters, digits and hyphens", param_hint="NEW_SLUG")
    return text


def _read_shift(text: str) -> timedelta:
    number, unit = text[:-1], text[-1:]
    if not number.isascii() or not number.isdecimal() or unit not in ("d", "w") or len(number) > 4:
        raise click.BadParameter("use a number of days or weeks, such as 364d or 52w", param_hint="--shift")
    return timedelta(days=int(number) * (7 if unit == "w" else 1))


def _print_gaps(session: Session, task: Task, now: datetime) -> None:
    """Print what the task lacks before it is published, and which phases are open or over."""
    views = tasks.list_phases(session, task, now)
    overview = to_do.read_task_overview(session, CONSOLE, task, views, now)
    for gap in task_states.list_gaps(task, views, to_do.list_levels_without_gold(overview)):
        click.echo(gap, err=True)


@contextmanager
def _naming_force() -> Iterator[None]:
    """Add to a required confirmation how to give it on the command line."""
    try:
        yield
    except ConfirmationRequired as error:
        raise Conflict(f"{error.message} On the command line, confirm it by --force.") from error


def _change_state(slug: str, to: TaskState, *, sure: bool = False) -> None:
    with open_site() as site, site.writing() as session:
        task, now = tasks.get_named_task(session, slug), clock.now()
        if (task.state, to) == ("draft", "published"):
            _print_gaps(session, task, now)
        with _naming_force():
            task_states.change_state(session, CONSOLE, task, to, now, sure=sure)
        click.echo(f"Task {slug} is now {task_states.STATE_WORDS[to]}: /tasks/{task.slug}/")
