"""The string baselines of SemEval-2014 Task 3, reproduced exactly, tf-idf, and other sources of runs."""

from scorer.baselines.common_substring import lcs, longest_common_substring
from scorer.baselines.log_likelihoods import log_likelihoods_run
from scorer.baselines.run_file import (
    BASELINES,
    Baseline,
    BaselineName,
    OovRule,
    Scale,
    baseline_run,
    compared_texts,
)
from scorer.baselines.senses import SenseInventory, SenseTable, open_senses, parse_senses
from scorer.baselines.string_tiling import Tile, greedy_string_tiling, gst
from scorer.baselines.tfidf import fit_tfidf
from scorer.baselines.wordnet import WordNet, find_wordnet

__all__ = [
    "BASELINES", "Baseline", "BaselineName", "OovRule", "Scale", "SenseInventory", "SenseTable", "Tile",
    "WordNet", "baseline_run", "compared_texts", "find_wordnet", "fit_tfidf", "greedy_string_tiling", "gst",
    "lcs", "log_likelihoods_run", "longest_common_substring", "open_senses", "parse_senses",
]  # fmt: skip
