"""`scorer bundle new`: writes a task.toml for a folder of data, or an example bundle."""

import sys
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import TYPE_CHECKING

import click

from scorer.cli._options import StrictCommand, value_option
from scorer.errors import BundleError, Problem, RequestError

if TYPE_CHECKING:
    from scorer.bundles.drafts.draft import Draft, Total

_ANYWHERE_ON_EARTH = timezone(timedelta(hours=-12))
_LATER = "later"


@click.command("new", cls=StrictCommand)
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--config",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write the task.toml to this file, not into FOLDER.",
)
@value_option("--example", "NAME", "Write an example bundle: aligned, keyed or word-to-sense.")
def command(*, folder: Path, config: Path | None, example: str | None) -> None:
    """Write a task.toml for a folder of data.

    The task.toml describes the items, gold and runs in FOLDER. The command finds out the levels, splits,
    columns, delimiters, genres, the rating scale and the format of runs from the names and the content of
    the files; official packages of SemEval and STS work too. In a terminal, it asks a few questions; press
    Enter to accept a guess. What it cannot know gets a placeholder, which `scorer bundle check` lists. An
    existing task.toml is never replaced, and the data is not changed.

    \b
    Examples:
      scorer bundle new FOLDER
      scorer bundle new PACKAGE --config similarity-2026.toml
      scorer bundle new FOLDER --example keyed

    \b
    Exit codes:
      0  success
      1  bad data
      2  usage error
    """
    if example is not None:
        if config is not None:
            raise RequestError("an example has its own task.toml; leave out --config")
        _write_example(folder, example)
        return
    from scorer.bundles.drafts.guess import draft_task
    from scorer.bundles.drafts.task_file import write_task_file

    target = folder / "task.toml" if config is None else config
    _refuse_existing(target, folder)
    draft = draft_task(folder)
    _print_findings(draft)
    if sys.stdin.isatty():
        draft = _ask(draft)
    _write_new(target, write_task_file(draft), folder)
    _report(target, folder, config)


def _write_example(folder: Path, name: str) -> None:
    from scorer.bundles.example_bundles import write_example

    write_example(name, folder)
    click.echo(f"{folder}: the example {name} was written. Look at its task.toml, and try:", err=True)
    click.echo(f"  scorer bundle check {folder}\n  scorer board {folder}", err=True)


def _refuse_existing(target: Path, folder: Path) -> None:
    """Raise BundleError unless a file can be written there without replacing anything."""
    if folder.is_dir() and not target.parent.is_dir():
        message = f"the folder {target.parent} does not exist; make it first, or choose another place"
        raise BundleError([Problem(str(target), None, "no_folder", message)])
    if target.exists() or target.is_symlink():
        message = (
            "exists, and is never replaced. Check it with `scorer bundle check`, or rename it and call this "
            f"command again; `scorer bundle new {folder} --config OTHER.toml` writes a second one"
        )
        raise BundleError([Problem(str(target), None, "exists", message)])


def _print_findings(draft: "Draft") -> None:
    """Print what was found and what was not used to standard error."""
    from scorer.bundles.drafts.data_files import group_by_reason

    names = ", ".join(level.slug for level in draft.levels)
    splits = [split for level in draft.levels for split in level.splits.values()]
    files = len({path for split in splits for path in (split.items, split.gold) if path is not None})
    many = "1 level" if len(draft.levels) == 1 else f"{len(draft.levels)} levels"
    click.echo(f"Found {many} ({names}) in {files} {'file' if files == 1 else 'files'}.", err=True)
    for note in draft.notes:
        click.echo(f"note: {note}", err=True)
    for reason, paths in group_by_reason(draft.unused).items():
        click.echo(f"not used: {_some(paths)}: {reason}", err=True)


def _some(paths: Sequence[str]) -> str:
    """Name one file, and the number of the others; the task.toml lists them."""
    return paths[0] if len(paths) == 1 else f"{paths[0]} and {len(paths) - 1} more"


def _ask(draft: "Draft") -> "Draft":
    """Ask in a terminal what the data cannot say; Enter accepts what stands in brackets."""
    click.echo("\nPress Enter to accept the value in brackets.", err=True)
    title = click.prompt("Title of the task", default=_LATER, err=True).strip()
    low, high = ask_scale(draft.scale)
    metrics = _ask_metrics(draft.metrics)
    total = draft.total
    if len(draft.levels) > 1:
        total = _ask_total(total)
    opens, closes = _ask_dates() if draft.evaluation else (None, None)
    answers = replace(draft, metrics=metrics, total=total, opens=opens, closes=closes)
    if (low, high) != draft.scale:
        answers = replace(answers, scale=(low, high), scale_is_known=True, step=None)
    return answers if title == _LATER else replace(answers, title=title)


def _ask_total(total: "Total") -> "Total":
    choices: tuple[Total, ...] = ("sum", "mean", "weighted", "none")
    answer: Total = click.prompt("Total over the levels", type=click.Choice(choices), default=total, err=True)
    return answer


def ask_scale(scale: tuple[float, float]) -> tuple[float, float]:
    """Ask for the ends of the rating scale."""
    while True:
        low = click.prompt("Lowest rating", type=float, default=f"{scale[0]:g}", err=True)
        high = click.prompt("Highest rating", type=float, default=f"{scale[1]:g}", err=True)
        if low < high < float("inf") and low > -float("inf"):
            return low, high
        click.echo("Error: the lowest rating must be below the highest.", err=True)


def _ask_metrics(metrics: tuple[str, ...]) -> tuple[str, ...]:
    from scorer.metrics import METRICS

    choice = click.Choice(tuple(METRICS))
    official = click.prompt("Official metric", type=choice, default=metrics[0], err=True)
    return (official, *(metric for metric in metrics if metric != official))


def _ask_dates() -> tuple[datetime | None, datetime | None]:
    """Ask for the days on which the evaluation opens and closes."""
    while True:
        opens = _ask_day("Evaluation opens on (YYYY-MM-DD)")
        closes = _ask_day("Evaluation closes at the end of (YYYY-MM-DD, anywhere on earth)")
        first = None if opens is None else opens.replace(tzinfo=UTC)
        last = (
            None
            if closes is None
            else closes.replace(hour=23, minute=59, second=59, tzinfo=_ANYWHERE_ON_EARTH)
        )
        if first is None or last is None or first < last:
            return first, last
        click.echo("Error: the evaluation must close after it opens.", err=True)


def _ask_day(question: str) -> datetime | None:
    while True:
        answer = click.prompt(question, default=_LATER, err=True).strip()
        if answer == _LATER:
            return None
        try:
            return datetime.strptime(answer, "%Y-%m-%d")  # noqa: DTZ007  (the caller adds the offset)
        except ValueError:
            click.echo(f'Error: "{answer}" is not a date such as 2026-03-15; or write {_LATER}.', err=True)


def _write_new(target: Path, text: str, folder: Path) -> None:
    """Write a file that must not exist; between the first check and now, someone may have made it."""
    try:
        with target.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError:
        _refuse_existing(target, folder)


def _report(target: Path, folder: Path, config: Path | None) -> None:
    """Check what was written, and print what is still to do."""
    from scorer.bundles.checks import check_bundle
    from scorer.bundles.placeholders import find_placeholders
    from scorer.bundles.reader import read_bundle
    from scorer.bundles.toml import parse_toml
    from scorer.files.reading import read_bytes

    click.echo(str(target))
    placeholders = find_placeholders(parse_toml(read_bytes(str(target)), target.name))
    if placeholders:
        click.echo(f"Still to do in {target.name}: {', '.join(placeholders)}", err=True)
    option = "" if config is None else f" --config {config}"
    click.echo(f"Read it, then run: scorer bundle check {folder}{option}", err=True)
    try:
        check_bundle(read_bundle(folder, config))
    except BundleError:
        click.echo(f"{target.name} was written, and these files have problems:", err=True)
        raise
