"""`scorer paper`: writes the tables and figures of an overview paper."""

from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import click

from scorer.bundles.bundle import SPLITS, Bundle
from scorer.cli._options import StrictCommand, flag_option, value_option
from scorer.cli._output import progress
from scorer.cli.annotation._shared import refuse_full_folder
from scorer.errors import RequestError

if TYPE_CHECKING:
    from scorer.paper.catalog import Catalog
    from scorer.paper.sources import Sources
    from scorer.paper.writing import Paper

STYLES = ("plain", "acl", "ceur")
_GIVEN = click.core.ParameterSource.COMMANDLINE


@click.command("paper", cls=StrictCommand)
@click.argument(
    "sources", nargs=-1, required=True, metavar="SOURCE...", type=click.Path(path_type=Path, exists=True)
)
@value_option(
    "--out", "FOLDER", "The folder to write, which is new or empty.", type=click.Path(path_type=Path)
)
@flag_option("--list", "List the tables and figures, and what the sources lack.", "lists")
@value_option("--only", "NAME", "Write only this table or figure. Repeat it for more.", multiple=True)
@click.option("--style", type=click.Choice(STYLES), default="plain", help="The style of main.tex.")
@flag_option("--pdf", "Also compile main.pdf, with the pdflatex of this machine.")
@click.option("--config", type=click.Path(path_type=Path), help="A task.toml outside the bundle.")
@value_option(
    "--runs",
    "FOLDER",
    "Add the runs in FOLDER/TEAM/RUN/ to the bundle, as `scorer board` does.",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
)
@click.option("--split", type=click.Choice(SPLITS), help="The split of the bundle to rank.")
@value_option("--wordnet", "DIR", "The folder of WordNet 3.0.")
@value_option("--bootstrap", "B", "Resamples of each interval.", "b", default=10_000)
@click.option("--seed", default=0, help="Random seed. The same seed and sources give the same files.")
def command(
    *,
    sources: tuple[Path, ...],
    out: Path | None,
    lists: bool,
    only: tuple[str, ...],
    style: str,
    pdf: bool,
    config: Path | None,
    runs: Path | None,
    split: str | None,
    wordnet: str | None,
    b: int,
    seed: int,
) -> None:
    """Write the tables and figures of an overview paper.

    A SOURCE is a bundle with gold, the evidence of a release, or the export of a round of a campaign: a
    folder or a zip file. One bundle or evidence and any number of exports are joined. Evidence is verified
    first.

    FOLDER gets main.tex, which compiles with pdflatex as it is; results.tex with the sections on data,
    annotation, participation and results, and all tables and figures; numbers.tex with a macro for each
    number that prose needs; systems.bib with what teams gave; the tables as CSV and Markdown; the figures as
    PDF and SVG, with their data as TSV; README.md with the methods, their references, and the command that
    prints the values of each table; and checklist.md with answers to the ACL's questions on responsible
    research. The style acl needs acl.sty and acl_natbib.bst, and ceur needs ceurart.cls, which you add.

    Figures need matplotlib, and names in other scripts need anyascii: pip install 'assay[paper]'.

    \b
    Examples:
      scorer paper EVIDENCE.zip --list
      scorer paper EVIDENCE.zip EXPORT --style acl --out paper
      scorer paper PACKAGE --config clss-2014.toml --runs RUNS --out paper

    \b
    Exit codes:
      0  success
      1  bad data
      2  usage error
    """
    if (out is None) == (not lists):
        raise RequestError("name a folder with --out FOLDER, or list what can be written with --list")
    from scorer.inference.board_inference import InferenceOptions
    from scorer.paper.catalog import Catalog
    from scorer.paper.compiling import require_pdflatex
    from scorer.paper.sources import SourceOptions, open_sources

    if pdf:
        require_pdflatex()
    inference = InferenceOptions(b=b, seed=seed)
    inference.check()
    adder = None if runs is None else partial(_add_runs, runs)
    named = {"--config": config, "--runs": runs, "--split": split}
    words = " ".join(f"{name} {value}" for name, value in named.items() if value is not None)
    options = SourceOptions(config, adder, split, wordnet, inference, words)
    with open_sources(sources, options, partial(progress, "Resampling")) as opened:
        _refuse_unused_options(opened)
        catalog = Catalog(opened, wordnet)
        if lists:
            _list(catalog, only)
        elif out is not None:
            _write(catalog, out, style, only, pdf=pdf)


def _refuse_unused_options(sources: "Sources") -> None:
    """Raise RequestError if options for intervals were given, and a release already has them."""
    from scorer.proof.evidence import INFERENCE

    context, board = click.get_current_context(), sources.board
    names = {"b": "--bootstrap", "seed": "--seed"}
    given = [option for name, option in names.items() if context.get_parameter_source(name) is _GIVEN]
    if given and board is not None and board.evidence is not None and board.evidence.has(INFERENCE):
        raise RequestError(
            f"{given[0]} is for a bundle; the intervals of a release are those of its {INFERENCE}"
        )


def _write(catalog: "Catalog", out: Path, style: str, only: tuple[str, ...], *, pdf: bool) -> None:
    """Write the files, and say what was left out."""
    from scorer.paper.compiling import compile_paper
    from scorer.paper.figures.style import figures_fault, save
    from scorer.paper.writing import make_paper

    refuse_full_folder(out)
    missing = figures_fault()
    paper = make_paper(catalog, style, only, draws=missing is None)
    with TemporaryDirectory(dir=out.resolve().parent, prefix=f".{out.name}-") as made:
        for name, data in paper.files.items():
            path = Path(made) / "paper" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        with progress("Drawing", len(paper.figures)) as advance:
            for figure in paper.figures:
                save(figure, Path(made) / "paper" / "figures", draws=missing is None)
                advance(1)
        if out.exists():
            out.rmdir()
        (Path(made) / "paper").rename(out)
    _note(paper, missing)
    if pdf:
        with progress("Compiling"):
            compile_paper(out)
    click.echo(f"{out} was written. Read README.md first.", err=True)


def _note(paper: "Paper", missing: str | None) -> None:
    """Say which figures were not drawn, and which words were replaced."""
    from scorer.paper.figures.style import INSTALL_HINT

    if paper.figures and missing is not None:
        click.echo(f"The figures have their data alone: {missing}", err=True)
    for old, new in paper.replaced.items():
        click.echo(f'pdflatex cannot set "{old}"; it is written as "{new}"', err=True)
    if any("?" in new and "?" not in old for old, new in paper.replaced.items()):
        click.echo(f"Some characters became a question mark. For Latin letters, {INSTALL_HINT}", err=True)


def _add_runs(folder: Path, bundle: Bundle, split: str) -> Bundle:
    from scorer.cli._added_runs import add_runs

    return add_runs(bundle, folder, split, bundle.phase_on(split))


def _list(catalog: "Catalog", only: tuple[str, ...]) -> None:
    """Print each table and figure with its section, and what it lacks."""
    from scorer.values import Undefined

    for entry in catalog.chosen(only):
        made = entry.make()
        state = f"no: {made.reason}" if isinstance(made, Undefined) else "yes"
        click.echo(f"{entry.section:14} {entry.name:14} {state}")
