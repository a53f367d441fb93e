"""`scorer board`: the table of a task bundle, recomputed from its files."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from scorer.boards.board import Board
from scorer.boards.genres import board_by_genre
from scorer.boards.serialization import read_board
from scorer.bundles.bundle import SPLITS, Bundle, PhaseSpec
from scorer.bundles.reader import read_bundle
from scorer.bundles.recompute import Recomputation, open_recomputation
from scorer.bundles.zips import open_folder_or_zip
from scorer.cli._added_runs import add_runs
from scorer.cli._options import StrictCommand, format_option, option_group
from scorer.cli._output import progress
from scorer.errors import Problem, ProofError, RequestError
from scorer.proof.evidence import BOARD, INFERENCE, Evidence, is_evidence, read_evidence, refuse_extra_files
from scorer.proof.evidence_board import can_recompute, compare_board
from scorer.proof.evidence_verification import require_valid_evidence
from scorer.proof.reranking import rerank_board, reranked_json
from scorer.proof.signing import read_json
from scorer.reports.board import FORMATS, render_board
from scorer.reports.genres import FORMATS as GENRE_FORMATS
from scorer.reports.genres import render_genres

if TYPE_CHECKING:
    from scorer.inference.board_inference import InferenceOptions

DEFAULT_B = 10_000
"""Resamples where only tests were asked for."""


def _asked_for(b: int | None, *, significance: bool, **rest: Any) -> "InferenceOptions | None":
    """How intervals and tests are made, checked before anything is read; None: none are asked for."""
    context = click.get_current_context()
    for name in context.params:
        if name in rest and context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE:
            if name in ("permutations", "alpha") and not significance:
                raise RequestError(f"--{name} needs --significance, which is what it is for")
            if b is None and not significance:
                raise RequestError(f"--{name} needs --bootstrap B or --significance")
    if b is None and not significance:
        return None
    from scorer.inference.board_inference import InferenceOptions

    options = InferenceOptions(b=DEFAULT_B if b is None else b, significance=significance, **rest)
    options.check()
    return options


_inference_options = option_group(
    "asked_for",
    _asked_for,
    click.option(
        "--bootstrap", "b", type=int, metavar="B", help="Add intervals from B resamples, 10000 for instance."
    ),
    click.option(
        "--interval", type=click.Choice(("bca", "percentile")), default="bca", help="Which interval."
    ),
    click.option("--level", default=0.95, help="Coverage of each interval."),
    click.option(
        "--significance",
        is_flag=True,
        help="Add rank ranges and clusters from permutation tests of all pairs, which standardize scores "
        "first.",
    ),
    click.option(
        "--permutations",
        type=int,
        metavar="P",
        help="How many for each test; by default 20 for each pair, divided by alpha, and at least 1000.",
    ),
    click.option(
        "--alpha", default=0.05, help="The chance of any false difference in a column that is allowed."
    ),
    click.option("--by-genre", is_flag=True, help="Print values by genre instead, as text, tsv or json."),
    click.option("--seed", default=0, help="The same seed and files give the same figures."),
    passed_on=("interval", "level", "permutations", "alpha", "seed"),
)


@click.command("board", cls=StrictCommand, short_help="Rank the runs of a task bundle.")
@click.argument("bundle", type=click.Path(path_type=Path))
@click.option("--config", type=click.Path(path_type=Path), help="A task.toml kept outside the bundle.")
@click.option(
    "--runs",
    "runs_folder",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    metavar="FOLDER",
    help="Add the runs in FOLDER/TEAM/RUN/; the name of a file holds its level.",
)
@click.option("--split", type=click.Choice(SPLITS), help="Which split; by default the main phase's.")
@click.option("--phase", metavar="SLUG", help="Which phase, where several are on one split.")
@click.option("--wordnet", metavar="DIR", help="WordNet 3.0's dictionary files, for word2sense baselines.")
@click.option(
    "--without-baselines",
    is_flag=True,
    help="Leave baselines out, as a release made before the deadline does.",
)
@_inference_options
@format_option(
    FORMATS, "text, markdown and latex round; tsv (a line a value), csv (a row a system) and json do not."
)
def command(
    *,
    bundle: Path,
    config: Path | None,
    runs_folder: Path | None,
    split: str | None,
    phase: str | None,
    wordnet: str | None,
    without_baselines: bool,
    by_genre: bool,
    asked_for: "InferenceOptions | None",
    format_: str,
) -> None:
    """Score every run of BUNDLE against its gold, and rank them by the bundle's rules.

    BUNDLE is a folder with a task.toml, a zip of one, or any folder together with --config. Baselines that
    it names are computed, unless it has their files. The figures are those of the site's board, to the last
    digit.

    BUNDLE may be the evidence of a release too: its hashes, signatures and ranks are verified first. Where it
    has no gold or no runs, the board is the one that was signed, with its ranks found anew, and intervals and
    tests are those of its inference.json.

    --runs adds the runs in FOLDER to those of the bundle, for the board that is printed: a folder for each
    team, and in it one for each run with a file for each level, such as FOLDER/birch/run1/LEVEL.tsv. A team
    with a single run may leave the folder of the run out; it is then called run1. A run that the bundle has
    too is an error.

    With --bootstrap values have intervals; with --significance each two systems are tested, and there are
    rank ranges, rules between clusters of systems, and Kendall's tau with the order by other rules. For
    correlations the tests standardize the scores (the ranks) of each system before they swap them, so that
    the scales of two systems are not mixed; p may differ from that of a test that swaps raw scores (Deutsch,
    Dror & Roth 2021, doi:10.1162/tacl_a_00417).

    With --by-genre each system is scored on the items of each genre apart, at every level that has some.

    \b
    Example:  scorer board clss-2014 --split training --format latex
              scorer board clss-2014 --bootstrap 10000 --significance
              scorer board clss-2014 --by-genre --format tsv
              scorer board PACKAGE --config clss-2014.toml --runs FOLDER
    Exit:     0 good, 1 bad data (every problem on standard error), 2 usage
    """
    if by_genre and (asked_for is not None or format_ not in GENRE_FORMATS):
        raise RequestError(
            f"--by-genre prints {', '.join(GENRE_FORMATS)}, without intervals and tests; ask for these apart"
        )
    with open_folder_or_zip(bundle) as folder:
        evidence = None
        if config is None:
            refuse_extra_files(folder, bundle.name)
        if config is None and is_evidence(folder):
            if runs_folder is not None:
                raise RequestError("--runs adds to a bundle, and this is evidence: its board stays as it is")
            evidence = read_evidence(folder, bundle.name)
            require_valid_evidence(evidence)
        task = read_bundle(folder, config)
        phase_spec = None if phase is None else _find_phase(task, phase, split)
        chosen = split or (task.main_split if phase_spec is None else phase_spec.split)
        if not any(chosen in level.splits for level in task.levels):
            raise click.BadParameter(
                f'no level of this bundle lists a split "{chosen}"', param_hint="--split"
            )
        if evidence is not None and not can_recompute(evidence):
            if by_genre:
                raise RequestError("values by genre need gold and runs, and this evidence has not both")
            _print_signed_board(evidence, format_, asked_for, baselines=not without_baselines)
            return
        if runs_folder is not None:
            task = add_runs(task, runs_folder, chosen, phase_spec or task.phase_on(chosen))
        work = open_recomputation(task, chosen, wordnet, phase_spec, baselines=not without_baselines)
        _note_no_runs(work, may_add=evidence is None and runs_folder is None)
        text = _genres_text(work, format_) if by_genre else _board_text(work, chosen, format_, asked_for)
        click.echo(text, nl=False)
        if evidence is not None and not without_baselines:
            _compare_with_signed(evidence, work)


def _note_no_runs(work: Recomputation, *, may_add: bool) -> None:
    """Say that no team's run is on the board; `may_add`: and how to add some."""
    kinds = {system.kind for system in work.systems()}
    if kinds <= {"baseline"}:
        rest = "has baselines only" if kinds else "is empty"
        hint = " Add runs with --runs FOLDER." if may_add else ""
        click.echo(f"No run of this bundle answers the {work.split} split; the board {rest}.{hint}", err=True)


def _board_text(work: Recomputation, split: str, format_: str, asked_for: "InferenceOptions | None") -> str:
    """The board of a bundle, computed from its files."""
    board, task = work.board(), work.bundle.task
    inference = None if asked_for is None else _run_inference(work, board, asked_for)
    return render_board(board, format_, task=task.slug, title=task.title, split=split, inference=inference)


def _genres_text(work: Recomputation, format_: str) -> str:
    """The values by genre of a bundle, computed from its files."""
    return render_genres(board_by_genre(work.board(), work.level_data(), work.systems()), format_)


def _compare_with_signed(evidence: Evidence, work: Recomputation) -> None:
    """Say whether the board computed here is the one that was signed."""
    finding = compare_board(evidence, work)
    click.echo(f"{_verification_text(evidence)} {finding.text}", err=True)
    if finding.state == "fails":
        raise click.exceptions.Exit(1)


def _verification_text(evidence: Evidence) -> str:
    """What `require_valid_evidence` checked: evidence without receipts has none to check."""
    count = len(evidence.receipts)
    if not count:
        return "Verified: files, signatures and ranks. There are no receipts in it."
    return f"Verified: files, signatures, {count} receipt{'s' if count > 1 else ''} and ranks."


def _print_signed_board(
    evidence: Evidence, format_: str, asked_for: "InferenceOptions | None", *, baselines: bool
) -> None:
    """The values that were signed, ranked here: what can be had without gold or runs."""
    if not baselines:
        raise RequestError("--without-baselines needs gold and runs; a board that was signed stays as it is")
    values = read_board(evidence.read(BOARD), BOARD)
    inference = None if asked_for is None else _signed_inference(evidence, format_)
    for part in evidence.left_out:
        click.echo(f"The evidence has no {part.what}: {part.why}", err=True)
    click.echo(
        f"{_verification_text(evidence)} These values were signed with the key {evidence.signed.key}. "
        "They were not computed again. `scorer verify` says it in full.",
        err=True,
    )
    if format_ == "json":
        text = reranked_json(values)
        if inference is not None:
            text = (
                json.dumps(json.loads(text) | {"inference": inference}, ensure_ascii=False, indent=1) + "\n"
            )
        click.echo(text, nl=False)
        return
    names = {name: values[name] for name in ("task", "title", "split")}
    board = rerank_board(values)
    try:
        text = render_board(board, format_, **names, inference=inference)
    except (LookupError, TypeError, ValueError) as error:
        message = "is not what a scorer of this version infers; leave --bootstrap and --significance out"
        raise ProofError([Problem(INFERENCE, None, "bad_inference", message)]) from error
    click.echo(text, nl=False)


def _signed_inference(evidence: Evidence, format_: str) -> Any:
    """What was inferred as the evidence has it, whatever options are asked for; None: it cannot be shown."""
    if not evidence.has(INFERENCE):
        click.echo(f"There are no intervals and tests: they need gold and runs, or {INFERENCE}.", err=True)
        return None
    inference = read_json(evidence.read(INFERENCE), INFERENCE)
    if inference.get("left_out") and format_ != "json":
        click.echo(f"{INFERENCE} leaves systems out, so it is shown by --format json alone.", err=True)
        return None
    words = f"Intervals, tests and clusters are those of {INFERENCE}, by the options that it names"
    click.echo(f"{words}; they were not computed anew either.", err=True)
    return inference


def _run_inference(work: Recomputation, board: Board, options: "InferenceOptions") -> dict[str, Any]:
    """What `infer_board` finds."""
    from scorer.inference.board_inference import count_steps, infer_board

    levels, systems = work.level_data(), work.systems()
    with progress("Resampling", count_steps(board, options)) as advance:
        return infer_board(board, levels, systems, options, advance)


def _find_phase(task: Bundle, slug: str, split: str | None) -> PhaseSpec:
    for phase in task.phases:
        if phase.slug == slug:
            if split not in (None, phase.split):
                raise click.BadParameter(f'"{slug}" is on the {phase.split} split', param_hint="--phase")
            return phase
    slugs = ", ".join(phase.slug for phase in task.phases) or "none"
    raise click.BadParameter(f'this bundle has no phase "{slug}"; it has {slugs}', param_hint="--phase")
