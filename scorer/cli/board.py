"""`scorer board`: recomputes the leaderboard of a task bundle from its files."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from scorer.boards.board import Board
from scorer.boards.genres import board_by_genre
from scorer.boards.people import PeopleRow
from scorer.bundles.bundle import SPLITS, Bundle, PhaseSpec
from scorer.bundles.reader import read_bundle
from scorer.bundles.recompute import Recomputation, open_recomputation
from scorer.bundles.zips import open_folder_or_zip
from scorer.cli._added_runs import add_runs
from scorer.cli._options import (
    StrictCommand,
    bootstrap_option,
    first_is_score_option,
    flag_option,
    format_option,
    interval_option,
    option_group,
    value_option,
)
from scorer.cli._output import progress
from scorer.errors import Problem, ProofError, RequestError
from scorer.files.text import count_noun
from scorer.proof.evidence import (
    INFERENCE,
    Evidence,
    is_evidence,
    omitted_inputs,
    read_evidence,
    refuse_extra_files,
)
from scorer.proof.evidence_board import compare_board
from scorer.proof.evidence_verification import require_valid_evidence
from scorer.proof.reranking import rerank_board, reranked_json
from scorer.proof.signing import read_json
from scorer.reports.board import FORMATS, render_board
from scorer.reports.genres import FORMATS as GENRE_FORMATS, render_genres
from scorer.statistics.adjustments import ADJUSTMENT_NAMES, MAX_T_ITEMS

if TYPE_CHECKING:
    from scorer.inference.board_inference import InferenceOptions

DEFAULT_B = 10_000
"""Number of resamples if only --significance is given."""


def _inference_request(b: int | None, *, significance: bool, **rest: Any) -> "InferenceOptions | None":
    """Return the options of intervals and tests, checked before any file is read; None if none are wanted."""
    context = click.get_current_context()
    for name in context.params:
        if name in rest and context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE:
            if name in ("permutations", "alpha", "adjust") and not significance:
                raise RequestError(f"--{name} applies to tests only; add --significance")
            if b is None and not significance:
                raise RequestError(f"--{name} needs --bootstrap B or --significance")
    if b is None and not significance:
        return None
    from scorer.inference.board_inference import InferenceOptions

    options = InferenceOptions(b=DEFAULT_B if b is None else b, significance=significance, **rest)
    options.check()
    return options


_inference_options = option_group(
    "inference",
    _inference_request,
    bootstrap_option("Add confidence intervals from B bootstrap resamples, such as 10000."),
    interval_option,
    click.option("--level", default=0.95, help="Confidence level of each interval."),
    flag_option(
        "--significance",
        "Test all pairs of systems with permutation tests, and add rank ranges and clusters.",
    ),
    value_option(
        "--permutations",
        "P",
        "Permutations per test. By default 10000 for max-t, and for holm 20 times the largest number of "
        "pairs of systems in a column, divided by alpha; at least 1000.",
        type=int,
    ),
    click.option(
        "--adjust",
        type=click.Choice([*ADJUSTMENT_NAMES]),
        help="How p values are adjusted for the number of tests in a column: step-down maxT (Westfall & "
        "Young 1993), which uses the dependence between pairs, or Holm's method. The default is max-t if "
        f"every level has enough items ({MAX_T_ITEMS}), and else holm.",
    ),
    click.option("--alpha", default=0.05, help="Family-wise error rate of the tests in each column."),
    flag_option("--by-genre", "Print the scores by genre instead, as text, tsv or json."),
    click.option("--seed", default=0, help="Random seed. The same seed and files give the same results."),
    passed_on=("interval", "level", "permutations", "alpha", "adjust", "seed"),
)


@click.command("board", cls=StrictCommand)
@click.argument("bundle", type=click.Path(path_type=Path))
@click.option("--config", type=click.Path(path_type=Path), help="A task.toml outside the bundle.")
@value_option(
    "--runs",
    "FOLDER",
    "Add the runs in FOLDER/TEAM/RUN/. The name of each file contains its level, if there are several.",
    "runs_folder",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
)
@click.option(
    "--split",
    type=click.Choice(SPLITS),
    help="The split to rank. By default that of the first phase on test items, else of the first phase.",
)
@value_option("--phase", "SLUG", "The phase, if several use the same split.")
@value_option("--wordnet", "DIR", "The folder of WordNet 3.0, for word2sense baselines.")
@flag_option("--without-baselines", "Leave out the baselines, as releases before the deadline do.")
@value_option(
    "--columns",
    "NAME,...",
    "The columns of the tables of --format latex, such as rank,team,system,total; by default all.",
)
@first_is_score_option
@_inference_options
@format_option(
    FORMATS,
    "text, markdown and latex round. tsv (one line per value), csv (one row per system) and json do not.",
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
    columns: str | None,
    first_is_score: bool,
    by_genre: bool,
    inference: "InferenceOptions | None",
    format_: str,
) -> None:
    """Rank the runs of a task bundle.

    Every run of BUNDLE is scored against the gold standard and ranked by the rules of the bundle.

    BUNDLE is a folder with a task.toml, a zip file of such a folder, or any folder if --config is given.
    Baselines are computed unless the bundle has their run files. The results equal the leaderboard of the
    site to the last digit.

    BUNDLE can also be the evidence of a release. Its hashes, signatures and ranks are verified first. If it
    has no gold standard or no runs, the signed leaderboard is printed: its ranks are recomputed from the
    signed values, and intervals and tests are copied from its inference.json. A row without a rank shows how
    well people would do, if the release says so.

    --runs adds runs of your own to the leaderboard that is printed. FOLDER has one folder per team, with one
    folder per run, with one file per level, such as FOLDER/birch/run1/LEVEL.tsv. If a team has one run, its
    files can be directly in the folder of the team; the run is then called run1. A run that is already in the
    bundle is an error.

    --significance tests each pair of systems. It adds rank ranges, lines between clusters of systems, and
    Kendall's tau between this ranking and rankings by other criteria. For correlations, the tests
    standardize the scores (or ranks) of each system before they swap them, so that the scales of two systems
    are not mixed.
    Therefore p can differ from that of a test that swaps raw scores (Deutsch, Dror & Roth 2021,
    doi:10.1162/tacl_a_00417).

    --by-genre scores each system separately on each genre of each level.

    \b
    Examples:
      scorer board clss-2014 --split training --format latex --columns rank,team,system,total
      scorer board clss-2014 --bootstrap 10000 --significance
      scorer board clss-2014 --by-genre --format tsv
      scorer board PACKAGE --config clss-2014.toml --runs FOLDER

    \b
    Exit codes:
      0  success
      1  bad data
      2  usage error
    """
    if by_genre and (inference is not None or format_ not in GENRE_FORMATS):
        raise RequestError(
            f"--by-genre prints {', '.join(GENRE_FORMATS)}, without intervals and tests; "
            "print these in a separate call"
        )
    chosen_columns = _column_names(columns, format_)
    with open_folder_or_zip(bundle) as folder:
        evidence = None
        if config is None:
            refuse_extra_files(folder, bundle.name)
        if config is None and is_evidence(folder):
            if runs_folder is not None:
                raise RequestError(
                    "--runs adds runs to a bundle, and this is evidence: its leaderboard cannot change"
                )
            evidence = read_evidence(folder, bundle.name)
            require_valid_evidence(evidence)
        task = read_bundle(folder, config) if evidence is None else evidence.bundle
        task = replace(task, first_is_score=task.first_is_score or first_is_score)
        phase_spec = None if phase is None else _find_phase(task, phase, split)
        chosen = split or (task.main_split if phase_spec is None else phase_spec.split)
        if not any(chosen in level.splits for level in task.levels):
            raise click.BadParameter(
                f'no level of this bundle lists a split "{chosen}"', param_hint="--split"
            )
        if evidence is not None and omitted_inputs(evidence.manifest.left_out):
            if by_genre:
                raise RequestError("scores by genre need gold and runs, and this evidence does not have both")
            _print_signed_board(evidence, format_, inference, chosen_columns, baselines=not without_baselines)
            return
        if runs_folder is not None:
            task = add_runs(task, runs_folder, chosen, phase_spec or task.phase_on(chosen))
        with progress("Reading"):
            work = open_recomputation(task, chosen, wordnet, phase_spec, baselines=not without_baselines)
            board = work.board()
        _note_no_runs(work, may_add=evidence is None and runs_folder is None)
        people = None if evidence is None or without_baselines else evidence.people
        text = _board_text(work, board, format_, inference, people, chosen_columns, by_genre=by_genre)
        click.echo(text, nl=False)
        if evidence is not None and not without_baselines:
            _compare_with_signed(evidence, work)


def _column_names(columns: str | None, format_: str) -> list[str]:
    """Return the names in --columns."""
    if columns is None:
        return []
    if format_ != "latex":
        raise RequestError("--columns is for --format latex")
    return [name.strip() for name in columns.split(",")]


def _note_no_runs(work: Recomputation, *, may_add: bool) -> None:
    """Print a note if no team's run is on the leaderboard; if `may_add`, also how to add runs."""
    kinds = {system.kind for system in work.systems()}
    if kinds <= {"baseline"}:
        rest = "has baselines only" if kinds else "is empty"
        hint = " Add runs with --runs FOLDER." if may_add else ""
        click.echo(
            f"No run of this bundle answers the {work.split} split; the leaderboard {rest}.{hint}", err=True
        )


def _board_text(
    work: Recomputation,
    board: Board,
    format_: str,
    options: "InferenceOptions | None",
    people: PeopleRow | None,
    columns: Sequence[str],
    *,
    by_genre: bool,
) -> str:
    """Render the leaderboard of a bundle, with intervals and tests if they are wanted."""
    if by_genre:
        return render_genres(board_by_genre(board, work.level_data(), work.systems()), format_)
    task, inference = work.bundle.task, None if options is None else _run_inference(work, board, options)
    return render_board(
        board,
        format_,
        task=task.slug,
        title=task.title,
        split=work.split,
        inference=inference,
        people=people,
        columns=columns,
    )


def _compare_with_signed(evidence: Evidence, work: Recomputation) -> None:
    """Print whether the recomputed leaderboard equals the signed one; exit with 1 if it does not."""
    finding = compare_board(evidence, work)
    click.echo(f"{_verification_text(evidence)} {finding.text}", err=True)
    if finding.state == "fails":
        raise click.exceptions.Exit(1)


def _verification_text(evidence: Evidence) -> str:
    """Describe what `require_valid_evidence` has verified."""
    count = len(evidence.receipts)
    if not count:
        return "Verified: files, signatures and ranks. The evidence has no receipts."
    return f"Verified: files, signatures, {count_noun(count, 'receipt')} and ranks."


def _print_signed_board(
    evidence: Evidence,
    format_: str,
    options: "InferenceOptions | None",
    columns: Sequence[str],
    *,
    baselines: bool,
) -> None:
    """Print the signed values with recomputed ranks, which is possible without gold and runs."""
    if not baselines:
        raise RequestError("--without-baselines needs gold and runs; a signed leaderboard cannot change")
    file = evidence.board
    inference = None if options is None else _signed_inference(evidence, format_)
    for part in evidence.manifest.left_out:
        click.echo(f"The evidence has no {part.what}: {part.why}", err=True)
    click.echo(
        f"{_verification_text(evidence)} These values were signed with the key {evidence.signed.key}. "
        "They were not recomputed. For details, run `scorer verify`.",
        err=True,
    )
    if format_ == "json":
        text = reranked_json(file)
        if inference is not None:
            text = (
                json.dumps(json.loads(text) | {"inference": inference}, ensure_ascii=False, indent=1) + "\n"
            )
        click.echo(text, nl=False)
        return
    board = rerank_board(file.board)
    try:
        text = render_board(
            board, format_, **file.names, inference=inference, people=evidence.people, columns=columns
        )
    except (LookupError, TypeError, ValueError) as error:
        message = "was not written by this version of scorer; leave out --bootstrap and --significance"
        raise ProofError([Problem(INFERENCE, None, "bad_inference", message)]) from error
    click.echo(text, nl=False)


def _signed_inference(evidence: Evidence, format_: str) -> Any:
    """Return the intervals and tests in the evidence, whatever options were given; None if not usable."""
    if not evidence.has(INFERENCE):
        click.echo(
            f"Intervals and tests are not available: they need gold and runs, or {INFERENCE}.", err=True
        )
        return None
    inference = read_json(evidence.read(INFERENCE), INFERENCE)
    if inference.get("left_out") and format_ != "json":
        click.echo(f"{INFERENCE} leaves out some systems, so only --format json can show it.", err=True)
        return None
    note = f"Intervals, tests and clusters are copied from {INFERENCE}, with the options that it names"
    click.echo(f"{note}; they were not recomputed.", err=True)
    return inference


def _run_inference(work: Recomputation, board: Board, options: "InferenceOptions") -> dict[str, Any]:
    """Compute intervals and tests while showing a progress bar."""
    from scorer.inference.board_inference import count_steps, infer_board

    levels, systems = work.level_data(), work.systems()
    with progress("Resampling", count_steps(board, levels, options)) as advance:
        return infer_board(board, levels, systems, options, advance)


def _find_phase(task: Bundle, slug: str, split: str | None) -> PhaseSpec:
    for phase in task.phases:
        if phase.slug == slug:
            if split not in (None, phase.split):
                raise click.BadParameter(f'"{slug}" is on the {phase.split} split', param_hint="--phase")
            return phase
    slugs = ", ".join(phase.slug for phase in task.phases) or "none"
    raise click.BadParameter(f'this bundle has no phase "{slug}"; it has {slugs}', param_hint="--phase")
