"""`scorer campaign new`: writes an annotation.toml for a table of pairs or a list of texts."""

import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from scorer.cli._options import StrictCommand
from scorer.errors import BundleError, Problem
from scorer.files.text import shorten

if TYPE_CHECKING:
    from scorer.campaigns.drafts.draft import CampaignDraft

_LATER = "later"


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

    If the command takes the wrong columns, name them in the first line of the table: id, left and right, or
    id and text. It also uses the columns genre and group.

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
    from scorer.campaigns.drafts.units import read_draft_units
    from scorer.campaigns.reader import CONFIG_NAME
    from scorer.files.reading import read_bytes

    _refuse_existing(folder / CONFIG_NAME)
    table = table or _choose_table(folder)
    data = read_bytes(str(table))
    draft = draft_campaign(data, table.name)
    read_draft_units(draft, data)
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
    kind = "a list of texts" if draft.is_list else "a table of pairs"
    header = "with a header" if draft.layout.header else "without a header"
    click.echo(f"{draft.table}: {kind}, {header}. Its columns and the first line:", err=True)
    for role, value in zip(draft.layout.roles, draft.layout.rows[0], strict=False):
        name = "text" if draft.is_list and role == "right" else role
        click.echo(f"  {name:<8} {shorten(value)}", err=True)


def _ask(draft: "CampaignDraft", data: bytes) -> "CampaignDraft":
    """Ask in a terminal what the table cannot say; Enter accepts what stands in brackets."""
    from scorer.bundles.bundle import ScaleSpec
    from scorer.campaigns.config import LANGUAGES, RoundKind
    from scorer.campaigns.drafts.draft import draft_campaign
    from scorer.campaigns.round_reader import DEFAULT_QUESTIONS
    from scorer.cli.bundle.new import ask_scale

    click.echo("\nPress Enter to accept the value in brackets.", err=True)
    header = click.confirm("Does the first line name the columns?", draft.layout.header, err=True)
    layout = replace(draft.layout, header=header)
    if not draft.is_list:
        kinds: click.Choice[RoundKind] = click.Choice(get_args(RoundKind))
        question = "Rate the pairs, or compare the texts of one left text (bws)"
        draft = draft_campaign(data, draft.table, click.prompt(question, draft.kind, type=kinds, err=True))
    names = _ask_text(f"Languages of the pages ({', '.join(LANGUAGES)})", ", ".join(draft.languages))
    languages = tuple(name.strip() for name in names.split(","))
    draft = replace(draft, layout=layout, languages=languages)
    title = DEFAULT_QUESTIONS["question" if draft.kind == "rate" else "best"].get(draft.languages[0])
    answers: dict[str, Any] = {
        "text_language": _ask_text("Language of the texts", draft.languages[0]),
        "title": _ask_text("Title for annotators", title or draft.title),
        "contact": _ask_text("Email address or link for questions of annotators", _LATER),
    }
    if draft.kind == "rate":
        low, high = ask_scale((draft.scale.min, draft.scale.max))
        step = click.prompt("Step between ratings", f"{draft.scale.step:g}", type=float, err=True)
        answers["scale"] = ScaleSpec(low, high, step)
    elif draft.is_list:
        answers["compared"] = _ask_text("The text with which all texts are compared", _LATER)
    noun = "pair" if draft.kind == "rate" else "tuple"
    number, question = click.IntRange(1), f"Annotators for each {noun}"
    answers["answers"] = click.prompt(question, draft.answers, type=number, err=True)
    question = f"Maximum of {noun}s for an annotator"
    answers["assignment"] = click.prompt(question, draft.assignment, type=number, err=True)
    return replace(draft, **{key: value for key, value in answers.items() if value != _LATER})


def _ask_text(question: str, default: str) -> str:
    answer: str = click.prompt(question, default, err=True)
    return answer.strip()


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
