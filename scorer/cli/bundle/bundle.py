"""`scorer bundle`: starts and checks the folder of a task, and lists the keys of `task.toml`."""

from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from scorer.cli._key_reference import KeyReference
from scorer.cli._options import StrictCommand, first_is_score_option, format_option
from scorer.cli._output import print_json, progress
from scorer.cli.bundle import new
from scorer.cli.check import FORMATS, exit_with_problems
from scorer.errors import BundleError, DataError

if TYPE_CHECKING:
    from scorer.bundles.bundle import Bundle, PhaseSpec

CHECK_SCHEMA = "assay.bundle-check/1"
KEYS_SCHEMA = "assay.bundle-keys/1"


@click.group("bundle")
def command() -> None:
    """Start and check the folder of a task.

    A task bundle is a folder with the items, the gold standard and a task.toml. `new` looks at a folder of
    data and writes a task.toml. `check` lists everything that is wrong with a bundle, and what a site would
    host. `keys` explains every key of task.toml.

    \b
    Examples:
      scorer bundle new FOLDER
      scorer bundle check FOLDER
      scorer bundle keys level

    \b
    Exit codes:
      0  success
      1  bad data
      2  usage error
    """


command.add_command(new.command)


@command.command("check", cls=StrictCommand)
@click.argument("folder", type=click.Path(path_type=Path), metavar="FOLDER")
@click.option("--config", type=click.Path(path_type=Path), help="A task.toml outside the folder.")
@first_is_score_option
@format_option(FORMATS, "tsv and json print the problems to standard output too.")
def check(*, folder: Path, config: Path | None, first_is_score: bool, format_: str) -> None:
    """Check all files of a task bundle.

    This reads the task.toml of FOLDER and every file that it names, and lists the problems. FOLDER can also
    be a zip file. A site makes the same checks when you import the task.

    The command checks task.toml, then the items of each split, then its gold and runs. In a split, it stops
    at the first step with problems, so it can find more after you fix them.

    If there are no problems, the output says what would be hosted, and which keys still have a placeholder of
    `scorer bundle new`: a text that begins with TODO, or a date in the year 2999.

    \b
    Examples:
      scorer bundle check FOLDER
      scorer bundle check task.zip --format json
      scorer bundle check PACKAGE --config clss-2014.toml

    \b
    Exit codes:
      0  success (also if there are placeholders)
      1  bad data
      2  usage error
    """
    from scorer.bundles.zips import open_folder_or_zip

    try:
        with open_folder_or_zip(folder) as opened:
            _print_overview(opened, config, format_, first_is_score=first_is_score)
    except DataError as error:
        exit_with_problems(error, format_, CHECK_SCHEMA)


def _print_overview(folder: Path, config: Path | None, format_: str, *, first_is_score: bool) -> None:
    """Check the bundle in a folder and print what a site would host."""
    from scorer.bundles.checks import check_bundle
    from scorer.bundles.overview import FIELDS, list_notes, list_splits, overview_text
    from scorer.bundles.placeholders import find_placeholders
    from scorer.bundles.reader import read_bundle
    from scorer.bundles.toml import parse_toml
    from scorer.files.reading import read_bytes
    from scorer.reports.records import write_records

    try:
        bundle = read_bundle(folder, config)
    except BundleError:
        if format_ == "text" and (config or folder / "task.toml").is_file():
            click.echo("note: the files are checked only when task.toml has no errors", err=True)
        raise
    try:
        with progress("Checking"):
            check_bundle(replace(bundle, first_is_score=first_is_score))
    except BundleError as error:
        items = {split.items for level in bundle.levels for split in level.splits.values()}
        if format_ == "text" and items.intersection(problem.source for problem in error.problems):
            click.echo(
                "note: gold and runs of a split are checked only when its items have no errors", err=True
            )
        raise
    path = folder / "task.toml" if config is None else config
    placeholders = find_placeholders(parse_toml(read_bytes(str(path)), path.name))
    splits = list_splits(bundle)
    if format_ == "text":
        click.echo(f"{path.name} and all files are valid. A site would host:\n")
        click.echo(overview_text(bundle, splits, placeholders), nl=False)
    elif format_ == "tsv":
        click.echo(write_records(FIELDS, map(asdict, splits)), nl=False)
    else:
        values = {"levels": [asdict(split) for split in splits], "notes": list_notes(bundle, splits)}
        print_json(
            {"schema": CHECK_SCHEMA, "good": True, **_task_values(bundle), **values, "to_do": placeholders}
        )


def _task_values(bundle: "Bundle") -> dict[str, Any]:
    task = bundle.task
    return {
        "task": task.slug,
        "title": task.title,
        "scale": [task.scale.min, task.scale.max],
        "run_format": "aligned" if task.keyed is None else "keyed",
        "total": bundle.rules.total,
        "phases": [_phase_values(phase) for phase in bundle.phases],
        "runs": sum(run.baseline is None for run in bundle.runs),
        "baselines": [run.name for run in bundle.runs if run.baseline is not None],
    }


def _phase_values(phase: "PhaseSpec") -> dict[str, Any]:
    times = {"opens": phase.opens, "closes": phase.closes}
    written = {name: None if moment is None else moment.isoformat() for name, moment in times.items()}
    return {"phase": phase.slug, "split": phase.split, **written, "feedback": phase.feedback}


@command.command("keys", cls=StrictCommand)
@click.argument("names", nargs=-1)
@format_option(FORMATS, "tsv has one line per key; json has one object per table.")
def keys(*, names: tuple[str, ...], format_: str) -> None:
    """Explain every key of task.toml.

    This prints the meaning, the type, the default and an example of each key. NAMES limits the output to
    some tables or keys, such as phase or level.columns or phase.closes. The keys of the three splits of a
    level are the same and are called level.SPLIT.

    \b
    Examples:
      scorer bundle keys
      scorer bundle keys phase level.SPLIT
      scorer bundle keys --format tsv

    \b
    Exit codes:
      0  success
      1  bad data
      2  usage error
    """
    from scorer.bundles.key_reference import list_key_sections

    reference = KeyReference("task.toml", "scorer bundle keys", KEYS_SCHEMA, list_key_sections())
    reference.print_keys([_any_split(name) for name in names], format_)


def _any_split(name: str) -> str:
    """Return the name under which a table or key is listed: brackets are left out, and any split is SPLIT."""
    parts = name.strip("[]").split(".")
    splits = ("trial", "training", "test")
    return ".".join("SPLIT" if at and part in splits else part for at, part in enumerate(parts))
