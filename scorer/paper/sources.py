"""Reads what a paper is made from: a bundle with gold or a release's evidence, and exports of campaigns."""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from scorer.boards.board import Board, Row, rows_of
from scorer.bundles.bundle import Bundle, RunSpec
from scorer.bundles.reader import read_bundle
from scorer.bundles.recompute import Recomputation, open_recomputation
from scorer.bundles.zips import open_folder_or_zip
from scorer.campaigns.config import CampaignConfig, RoundConfig
from scorer.campaigns.exported_round import find_exported_round
from scorer.campaigns.reader import CONFIG_NAME
from scorer.datasets.figure_inputs import DATA_SET_FILES, FigureInputs, read_figure_inputs
from scorer.datasets.figures import figures_report
from scorer.errors import BundleError, Problem, RequestError
from scorer.inference.board_inference import InferenceOptions, count_steps, infer_board
from scorer.proof.evidence import INFERENCE, MANIFEST, Evidence, is_evidence, omitted_inputs, read_evidence
from scorer.proof.evidence_board import ProgressFactory, no_progress
from scorer.proof.evidence_verification import require_valid_evidence
from scorer.proof.reranking import rerank_board
from scorer.reports.table_report import TableReport

BUNDLE_NAME = "task.toml"


@dataclass(frozen=True, slots=True)
class SourceOptions:
    """What a bundle is ranked with; the same as the options of `scorer board`.

    Parameters
    ----------
    config : Path, optional
        A task.toml outside the bundle.
    add_runs : callable, optional
        Adds runs to the bundle for a split.
    split : str, optional
        The split to rank; by default that of the bundle's main phase.
    wordnet : str, optional
        The folder of WordNet 3.0.
    inference : InferenceOptions
        How intervals and tests are computed for a bundle, and for evidence that has none.
    words : str
        The options of a bundle as the user gave them, for commands that print the same values.
    """

    config: Path | None = None
    add_runs: Callable[[Bundle, str], Bundle] | None = None
    split: str | None = None
    wordnet: str | None = None
    inference: InferenceOptions = field(default_factory=InferenceOptions)
    words: str = ""


@dataclass(frozen=True, slots=True)
class BoardSource:
    """A ranked split of a bundle, or the leaderboard of a release.

    Parameters
    ----------
    name : str
        The name of its folder or zip file.
    bundle : Bundle
        The task.
    split : str
        The split that was ranked.
    board : Board
        The ranks.
    inference : mapping, optional
        The result of `infer_board`; None if the evidence lacks it.
    work : Recomputation, optional
        The files of the split; None if the evidence lacks gold or runs.
    evidence : Evidence, optional
        The evidence, which was verified.
    words : str
        The options with which it was read.
    """

    name: str
    bundle: Bundle
    split: str
    board: Board
    inference: Mapping[str, Any] | None
    work: Recomputation | None
    evidence: Evidence | None = None
    words: str = ""

    @property
    def argument(self) -> str:
        """What other commands read: its name and options."""
        return f"{self.name} {self.words}".strip()

    def run_of(self, row: Row) -> RunSpec | None:
        """Return what the bundle says about the run of a row."""
        names = row.team, row.run
        return next((run for run in self.bundle.runs if (run.team, run.name) == names), None)

    @property
    def rows(self) -> list[Row]:
        """All rows of the board."""
        return rows_of(self.board)


@dataclass(frozen=True, slots=True)
class CampaignSource:
    """An export of a round of a campaign, or a data set that was made from it.

    Parameters
    ----------
    name : str
        The name of its folder or zip file.
    inputs : FigureInputs
        The answers.
    report : TableReport
        Every figure of the round, as `scorer figures` prints them.
    campaign, round_ : CampaignConfig and RoundConfig, optional
        The campaign and its round; None for a data set.
    title : str
        What it is called in tables, which tells it from the other sources.
    """

    name: str
    inputs: FigureInputs
    report: TableReport
    campaign: CampaignConfig | None = None
    round_: RoundConfig | None = None
    title: str = ""


@dataclass(frozen=True, slots=True)
class Sources:
    """All sources of a paper. There is at most one leaderboard."""

    board: BoardSource | None
    campaigns: tuple[CampaignSource, ...]

    @property
    def title(self) -> str:
        """The title of the task, else of the campaign."""
        if self.board is not None:
            return self.board.bundle.task.title
        named = [source.campaign.title for source in self.campaigns if source.campaign is not None]
        return named[0] if named else self.campaigns[0].name


@contextmanager
def open_sources(
    paths: Sequence[Path], options: SourceOptions, steps: ProgressFactory = no_progress
) -> Iterator[Sources]:
    """Read the sources of a paper. Evidence is verified first.

    Parameters
    ----------
    paths : sequence of Path
        Folders or zip files: at most one bundle or evidence, and any number of exports.
    options : SourceOptions
        How a bundle is ranked.
    steps : callable, optional
        Opens a progress bar for a number of steps, and yields the function that advances it.

    Yields
    ------
    Sources
        The files are there until the end of the block.

    Raises
    ------
    RequestError
        If a source stands there twice, there are several bundles, or an option applies to no source.
    DataError
        If a source is none of these, or has problems.
    """
    twice = [path for path, count in Counter(path.resolve() for path in paths).items() if count > 1]
    if twice:
        raise RequestError(f"{twice[0].name} stands there twice; name each source once")
    with ExitStack() as stack:
        boards, campaigns = list[BoardSource](), list[CampaignSource]()
        for path in paths:
            name = path.name or path.resolve().name
            folder = stack.enter_context(open_folder_or_zip(path))
            has_campaign = _has_config(folder) or any((folder / file).exists() for file in DATA_SET_FILES)
            if (
                is_evidence(folder)
                or (folder / BUNDLE_NAME).exists()
                or (options.config and not has_campaign)
            ):
                boards.append(_read_board(folder, name, options, steps))
            elif not has_campaign:
                raise _unknown_source(folder, name)
            if has_campaign:
                campaigns.append(_read_campaign(folder, name))
        if len(boards) > 1:
            names = ", ".join(board.name for board in boards)
            raise RequestError(f"a paper has one leaderboard, and these are several: {names}")
        if not boards and (options.config or options.add_runs or options.split):
            raise RequestError("--config, --runs and --split are for a bundle, and no source is one")
        yield Sources(boards[0] if boards else None, tuple(_name_campaigns(campaigns)))


def _name_campaigns(campaigns: Sequence[CampaignSource]) -> Iterator[CampaignSource]:
    """Name each round: by its title, after that of its campaign if there are several campaigns."""
    of_campaign = Counter(source.campaign.title for source in campaigns if source.campaign is not None)
    titles = []
    for source in campaigns:
        title, campaign = _round_title(source), source.campaign
        if campaign is not None and len(of_campaign) > 1:
            title = campaign.title if of_campaign[campaign.title] == 1 else f"{campaign.title}: {title}"
        titles.append(title)
    for source, title in zip(campaigns, titles, strict=True):
        yield replace(source, title=title if titles.count(title) == 1 else source.name)


def _round_title(source: CampaignSource) -> str:
    if source.round_ is None:
        return source.name
    titles = source.round_.title
    return titles.get("en") or next(iter(titles.values()), source.round_.slug)


def _has_config(folder: Path) -> bool:
    return any((folder / place / CONFIG_NAME).exists() for place in (".", "campaign"))


def _unknown_source(folder: Path, name: str) -> BundleError:
    message = "is neither a folder nor a zip file"
    if folder.is_dir():
        message = (
            f"is no bundle (it has no {BUNDLE_NAME}), no evidence of a release ({MANIFEST}), no export of "
            f"a campaign ({CONFIG_NAME}) and no data set; for a package without {BUNDLE_NAME}, use "
            "--config"
        )
    return BundleError([Problem(name, None, "no_source", message)])


def _read_campaign(folder: Path, name: str) -> CampaignSource:
    campaign, round_ = find_exported_round(folder) if _has_config(folder) else (None, None)
    inputs = read_figure_inputs(folder)
    return CampaignSource(name, inputs, figures_report(inputs), campaign, round_)


def _read_board(folder: Path, name: str, options: SourceOptions, steps: ProgressFactory) -> BoardSource:
    if options.config is None and is_evidence(folder):
        if options.add_runs or options.split:
            raise RequestError(
                "--runs and --split are for a bundle; the leaderboard of a release cannot change"
            )
        return _read_release(folder, name, options, steps)
    bundle = read_bundle(folder, options.config)
    split = options.split or bundle.main_split
    if not any(split in level.splits for level in bundle.levels):
        raise RequestError(f'--split: no level of {name} lists a split "{split}"')
    if options.add_runs is not None:
        bundle = options.add_runs(bundle, split)
    work = open_recomputation(bundle, split, options.wordnet)
    board = work.board()
    inference = _infer(work, board, options, steps)
    return BoardSource(name, bundle, split, board, inference, work, words=options.words)


def _read_release(folder: Path, name: str, options: SourceOptions, steps: ProgressFactory) -> BoardSource:
    evidence = read_evidence(folder, name)
    require_valid_evidence(evidence)
    inference = json.loads(evidence.read(INFERENCE)) if evidence.has(INFERENCE) else None
    bundle, split = evidence.bundle, evidence.board.split
    if omitted_inputs(evidence.manifest.left_out):
        return BoardSource(name, bundle, split, rerank_board(evidence.board.board), inference, None, evidence)
    phase = next((phase for phase in bundle.phases if phase.slug == evidence.manifest.phase), None)
    work = open_recomputation(bundle, split, options.wordnet, phase)
    board = work.board()
    if inference is None:
        inference = _infer(work, board, options, steps)
    return BoardSource(name, bundle, split, board, inference, work, evidence)


def _infer(
    work: Recomputation, board: Board, options: SourceOptions, steps: ProgressFactory
) -> Mapping[str, Any] | None:
    """Compute intervals and tests, if there is a row to compute them for."""
    if not rows_of(board):
        return None
    levels, systems = work.level_data(), work.systems()
    with steps(count_steps(board, levels, options.inference)) as advance:
        return infer_board(board, levels, systems, options.inference, advance)
