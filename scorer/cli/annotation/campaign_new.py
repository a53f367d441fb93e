"""`scorer campaign new`: writes an annotation.toml for a table of pairs or a list of texts."""

import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from scorer.cli._options import StrictCommand
from scorer.errors import BundleError, Problem
from scorer.files.tables import Delimiter
from scorer.files.text import shorten

if TYPE_CHECKING:
    from scorer.campaigns.drafts.draft import CampaignDraft

QUESTIONS = {
    "delimiter": "Columns are separated by",
    "header": "Does the first line name the columns?",
    "roles": "Columns (left, right, pair, id, genre, group, context or ignored)",
    "languages": "Languages of the pages (en, cs, de)",
    "text_language": "Language of the texts",
    "title": "Title for annotators",
    "contact": "Email address or link for questions of annotators",
    "low": "Lowest rating",
    "high": "Highest rating",
    "step": "Step between ratings",
    "compared": "The text with which all texts are compared",
    "answers": "Annotators for each pair or tuple",
    "assignment": "Maximum of pairs or tuples for an annotator",
    "level": "Level that gets the gold standard",
    "split": "Split that gets it",
}
"""A question about each field of a draft that the table does not say."""


@click.command("new", cls=StrictCommand)
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option(
    "--table",
    type=click.Path(path_type=Path),
    help="The pairs or texts, if FOLDER has several tables, or none.",
)
def command(*, folder: Path, table: Path | None) -> None:
    """Write an annotation.toml for a table of pairs or a list of texts.

    FOLDER has a table of pairs of texts, which annotators will rate, or a list with a text on each line, of
    which they will choose the best and the worst (best-worst scaling). The command finds out the columns. In
    a terminal, it asks a few questions; press Enter to accept a guess. It writes the annotation.toml, a usual
    consent text, and the tables of units and tuples that a campaign needs. No file is ever replaced. What the
    command cannot know gets a placeholder, which `scorer campaign check` lists.

    If the command takes the wrong columns without a terminal, name them in the first line of the table: id,
    left and right, or id and text. It also uses the columns genre and group.

    \b
    Examples:
      scorer campaign new FOLDER
      scorer campaign new FOLDER --table FOLDER/pairs.csv

    \b
    Exit codes:
      0  success
      1  bad data
      2  usage error
    """
    from scorer.bundles.drafts.path_words import make_slug
    from scorer.campaigns.drafts.campaign_files import write_campaign_files
    from scorer.campaigns.drafts.draft import draft_campaign
    from scorer.campaigns.reader import CONFIG_NAME
    from scorer.files.reading import read_bytes

    _refuse_existing(folder / CONFIG_NAME)
    table = table or _choose_table(folder)
    data = read_bytes(str(table))
    draft = draft_campaign(data, table.name)
    _print_findings(draft)
    if sys.stdin.isatty():
        draft = _ask(draft, data)
    draft = replace(draft, slug=make_slug(folder.resolve().name, draft.slug))
    _write_new(folder, write_campaign_files(draft, data))
    _report(folder)


def _choose_table(folder: Path) -> Path:
    """Return the only table in the folder, or the one that is chosen in a terminal."""
    from scorer.bundles.run_file_names import RUN_FILE_ENDINGS, is_document

    names = sorted(path.name for path in folder.iterdir() if path.is_file())
    tables = [name for name in names if name.lower().endswith(RUN_FILE_ENDINGS) and not is_document(name)]
    if len(tables) > 1 and sys.stdin.isatty():
        return folder / click.prompt("Table", tables[0], type=click.Choice(tables), err=True)
    if len(tables) == 1:
        return folder / tables[0]
    message = "there is no table; put a .tsv, .csv or .txt file with pairs or texts there, or use --table"
    if tables:
        message = f"there are several tables, {', '.join(tables)}; name one with --table"
    raise BundleError([Problem(str(folder), None, "no_table", message)])


def _print_findings(draft: "CampaignDraft") -> None:
    """Print what the table is, its columns, and their first values to standard error."""
    kind = "a list of texts" if draft.kind == "bws" else "a table of pairs"
    header = "with a header" if draft.header else "without a header"
    click.echo(f"{draft.table}: {kind}, {header}. Its columns and the first line:", err=True)
    for role, value in zip(draft.roles, draft.rows[0], strict=False):
        click.echo(f"  {role:<8} {shorten(value)}", err=True)


def _ask(draft: "CampaignDraft", data: bytes) -> "CampaignDraft":
    """Ask in a terminal what the table cannot say; Enter accepts what stands in brackets."""
    from scorer.campaigns.drafts.draft import draft_campaign, suggest_round
    from scorer.campaigns.drafts.units import read_draft_units

    click.echo("\nPress Enter to accept the value in brackets.", err=True)
    delimiter = _ask_about(draft, "delimiter").delimiter
    if delimiter != draft.delimiter:
        draft = draft_campaign(data, draft.table, delimiter)
        _print_findings(draft)
    draft = _ask_about(draft, "header", "roles")
    read_draft_units(draft, data)
    draft = _ask_about(draft, "languages")
    draft = replace(draft, text_language=draft.languages[0], **suggest_round(draft))
    draft = _ask_about(draft, "text_language", "title", "contact")
    draft = _ask_about(draft, *(("low", "high", "step") if draft.kind == "rate" else ("compared",)))
    draft = _ask_about(draft, "answers", "assignment", "level")
    return draft if draft.level is None else _ask_about(replace(draft, split="test"), "split")


def _ask_about(draft: "CampaignDraft", *names: str) -> "CampaignDraft":
    """Ask some questions, again until the answers fit together."""
    from scorer.campaigns.drafts.draft import find_faults

    while True:
        answers: dict[str, Any] = {name: _prompt(name, getattr(draft, name)) for name in names}
        answered = replace(draft, **answers)
        faults = [words for name, words in find_faults(answered) if name in names]
        if not faults:
            return answered
        click.echo(f"Error: {' '.join(faults)}", err=True)


def _prompt(name: str, value: Any) -> Any:
    """Ask one question; the answer has the type of the value that is proposed."""
    from scorer.bundles.bundle import SPLITS
    from scorer.bundles.placeholders import PLACEHOLDER_WORD

    question = QUESTIONS[name]
    if isinstance(value, bool):
        return click.confirm(question, value, err=True)
    if isinstance(value, tuple):
        answer = click.prompt(question, ", ".join(value), err=True)
        return tuple(part.strip() for part in answer.split(","))
    types: dict[object, Any] = {int: click.IntRange(1), float: click.FLOAT}
    types |= {"delimiter": click.Choice(get_args(Delimiter)), "split": click.Choice(SPLITS)}
    shown = "none" if value is None else f"{value:g}" if isinstance(value, float) else value
    shown = "later" if str(shown).startswith(PLACEHOLDER_WORD) else shown
    answer = click.prompt(question, shown, type=types.get(name, types.get(type(value), str.strip)), err=True)
    return value if answer == shown else answer


def _refuse_existing(target: Path) -> None:
    """Raise BundleError if a file is there, even as a broken link."""
    if target.exists() or target.is_symlink():
        message = "exists, and is never replaced; rename it, or give the campaign a folder of its own"
        raise BundleError([Problem(str(target), None, "exists", message)])


def _write_new(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write the files that are not there yet; a consent text, a guide or the table itself can be there."""
    targets = {folder / name: data for name, data in files.items()}
    new = {path: data for path, data in targets.items() if not _is_kept(path, data)}
    for path in new:
        _refuse_existing(path)
    for path, data in new.items():
        with path.open("xb") as file:
            file.write(data)


def _is_kept(path: Path, data: bytes) -> bool:
    return path.is_file() and (path.suffix == ".md" or path.read_bytes() == data)


def _report(folder: Path) -> None:
    """Check what was written, and print what is still to do."""
    from scorer.campaigns.reader import CONFIG_NAME, read_campaign
    from scorer.campaigns.workload import list_placeholders

    click.echo(str(folder / CONFIG_NAME))
    placeholders = list_placeholders(read_campaign(folder))
    if placeholders:
        click.echo(f"Still to do: {', '.join(placeholders)}", err=True)
    click.echo(f"Read the files, then run: scorer campaign check {folder}", err=True)
