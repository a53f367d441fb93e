"""Assay's scorer: reads runs and gold, computes metrics, ranks systems. Needs only the standard library.

The page /help/python of each site has more examples. `Client` sends requests to a site.

>>> from scorer import evaluate, parse_gold, parse_run
>>> gold = parse_gold(b"0\\n2\\n4\\n", "gold.tsv")
>>> run = parse_run(b"1\\n3\\n2\\n", "run.tsv", n=3)
>>> evaluate(gold, run, ["pearson"]).results[0].value
0.5
"""

from importlib import import_module
from typing import TYPE_CHECKING

from scorer._version import __version__
from scorer.errors import (
    BoardError,
    BundleError,
    DataError,
    GoldError,
    ItemsError,
    NotEntered,
    Problem,
    ProofError,
    RequestError,
    RunError,
    ScorerError,
    SiteError,
    SiteUnavailable,
    TokenError,
    UndefinedError,
)
from scorer.files.public_items import ItemsPart, parse_public_items
from scorer.files.reading import (
    Gold,
    Item,
    Items,
    ItemsLayout,
    KeyedFormat,
    NumberedFormat,
    Run,
    parse_gold,
    parse_items,
    parse_run,
    read_bytes,
)
from scorer.metrics import (
    METRICS,
    Metric,
    average_ranks,
    choice_accuracy,
    choice_credits,
    choice_standard_error,
    get_metric,
    kendall,
    mae,
    mse,
    pearson,
    rmse,
    spearman,
    weighted_pearson,
    within_sd,
    within_sd_credits,
)
from scorer.scoring.evaluate import HeldOutDifference, Report, Result, evaluate
from scorer.values import Undefined

if TYPE_CHECKING:
    from scorer.annotation.krippendorff import alpha_interval, krippendorff_alpha
    from scorer.annotation.ratings_reader import RatingsLayout, parse_ratings
    from scorer.baselines import baseline_run, fit_tfidf, gst, lcs, open_senses
    from scorer.boards.board import Board, BoardLevel, BoardRules, Entry, build_board, rank_values
    from scorer.boards.board_data import LevelData, SystemData
    from scorer.boards.changes import BoardChanges, board_changes
    from scorer.boards.genres import board_by_genre
    from scorer.boards.serialization import BoardFile, board_json, read_board
    from scorer.bundles.bundle import Bundle
    from scorer.bundles.example_bundles import write_example
    from scorer.bundles.reader import read_bundle
    from scorer.bundles.recompute import recompute_board
    from scorer.client.client import Client
    from scorer.inference.board_inference import InferenceOptions, infer_board
    from scorer.inference.clusters import cluster_numbers, rank_range
    from scorer.inference.comparison import Comparison, compare_runs
    from scorer.inference.comparison_options import ComparisonOptions
    from scorer.proof.document_verification import NamedFile, VerificationInputs
    from scorer.proof.findings import Finding, render_proof
    from scorer.proof.receipt_verification import verify_receipt
    from scorer.proof.receipts import Receipt, read_receipt
    from scorer.reports.board import render_board
    from scorer.reports.comparison import render_comparison
    from scorer.reports.genres import render_genres
    from scorer.scoring.held_out import evaluate_held_out
    from scorer.scoring.residuals import GenreResiduals, LineFit, fit_line, residuals_by_genre
    from scorer.scoring.spread import Spread, spread_of_runs
    from scorer.statistics.dependent_correlations import DependentTest, steiger, williams, zou_interval
    from scorer.statistics.intervals import Interval, Resampling, bootstrap_intervals, fisher_interval
    from scorer.statistics.multiple_testing import holm
    from scorer.statistics.power import detectable_difference, power_of_difference

__all__ = [
    "METRICS",
    "Board",
    "BoardChanges",
    "BoardError",
    "BoardFile",
    "BoardLevel",
    "BoardRules",
    "Bundle",
    "BundleError",
    "Client",
    "Comparison",
    "ComparisonOptions",
    "DataError",
    "DependentTest",
    "Entry",
    "Finding",
    "GenreResiduals",
    "Gold",
    "GoldError",
    "HeldOutDifference",
    "InferenceOptions",
    "Interval",
    "Item",
    "Items",
    "ItemsError",
    "ItemsLayout",
    "ItemsPart",
    "KeyedFormat",
    "LevelData",
    "LineFit",
    "Metric",
    "NamedFile",
    "NotEntered",
    "NumberedFormat",
    "Problem",
    "ProofError",
    "RatingsLayout",
    "Receipt",
    "Report",
    "RequestError",
    "Resampling",
    "Result",
    "Run",
    "RunError",
    "ScorerError",
    "SiteError",
    "SiteUnavailable",
    "Spread",
    "SystemData",
    "TokenError",
    "Undefined",
    "UndefinedError",
    "VerificationInputs",
    "__version__",
    "alpha_interval",
    "average_ranks",
    "baseline_run",
    "board_by_genre",
    "board_changes",
    "board_json",
    "bootstrap_intervals",
    "build_board",
    "choice_accuracy",
    "choice_credits",
    "choice_standard_error",
    "cluster_numbers",
    "compare_runs",
    "detectable_difference",
    "evaluate",
    "evaluate_held_out",
    "fisher_interval",
    "fit_line",
    "fit_tfidf",
    "get_metric",
    "gst",
    "holm",
    "infer_board",
    "kendall",
    "krippendorff_alpha",
    "lcs",
    "mae",
    "mse",
    "open_senses",
    "parse_gold",
    "parse_items",
    "parse_public_items",
    "parse_ratings",
    "parse_run",
    "pearson",
    "power_of_difference",
    "rank_range",
    "rank_values",
    "read_board",
    "read_bundle",
    "read_bytes",
    "read_receipt",
    "recompute_board",
    "render_board",
    "render_comparison",
    "render_genres",
    "render_proof",
    "residuals_by_genre",
    "rmse",
    "spearman",
    "spread_of_runs",
    "steiger",
    "verify_receipt",
    "weighted_pearson",
    "williams",
    "within_sd",
    "within_sd_credits",
    "write_example",
    "zou_interval",
]

_LAZY = {
    "scorer.annotation.krippendorff": ("alpha_interval", "krippendorff_alpha"),
    "scorer.annotation.ratings_reader": ("RatingsLayout", "parse_ratings"),
    "scorer.boards.board_data": ("LevelData", "SystemData"),
    "scorer.baselines": ("baseline_run", "fit_tfidf", "gst", "lcs", "open_senses"),
    "scorer.proof.document_verification": ("VerificationInputs", "NamedFile"),
    "scorer.boards.board": ("Board", "BoardLevel", "BoardRules", "Entry", "build_board", "rank_values"),
    "scorer.boards.changes": ("BoardChanges", "board_changes"),
    "scorer.boards.genres": ("board_by_genre",),
    "scorer.boards.serialization": ("BoardFile", "board_json", "read_board"),
    "scorer.reports.board": ("render_board",),
    "scorer.bundles.bundle": ("Bundle",),
    "scorer.bundles.example_bundles": ("write_example",),
    "scorer.client.client": ("Client",),
    "scorer.bundles.reader": ("read_bundle",),
    "scorer.reports.comparison": ("render_comparison",),
    "scorer.reports.genres": ("render_genres",),
    "scorer.scoring.held_out": ("evaluate_held_out",),
    "scorer.inference.board_inference": ("InferenceOptions", "infer_board"),
    "scorer.inference.clusters": ("cluster_numbers", "rank_range"),
    "scorer.inference.comparison": ("Comparison", "compare_runs"),
    "scorer.inference.comparison_options": ("ComparisonOptions",),
    "scorer.statistics.dependent_correlations": ("DependentTest", "steiger", "williams", "zou_interval"),
    "scorer.statistics.intervals": ("Interval", "Resampling", "bootstrap_intervals", "fisher_interval"),
    "scorer.statistics.multiple_testing": ("holm",),
    "scorer.statistics.power": ("detectable_difference", "power_of_difference"),
    "scorer.proof.findings": ("Finding", "render_proof"),
    "scorer.proof.receipt_verification": ("verify_receipt",),
    "scorer.proof.receipts": ("Receipt", "read_receipt"),
    "scorer.bundles.recompute": ("recompute_board",),
    "scorer.scoring.residuals": ("GenreResiduals", "LineFit", "fit_line", "residuals_by_genre"),
    "scorer.scoring.spread": ("Spread", "spread_of_runs"),
}
"""Names that are imported on first use, by module, so that `scorer score` starts fast."""


def __getattr__(name: str) -> object:
    for module, names in _LAZY.items():
        if name in names:
            return getattr(import_module(module), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
