"""The two string baselines of SemEval-2014 Task 3, reproduced exactly, and the glosses for word2sense."""

from scorer.baselines.common_substring import lcs, longest_common_substring
from scorer.baselines.run_file import BaselineName, OovRule, Scale, baseline_run
from scorer.baselines.senses import SenseInventory, SenseTable, open_senses, parse_senses
from scorer.baselines.string_tiling import Tile, greedy_string_tiling, gst
from scorer.baselines.wordnet import WordNet, find_wordnet

__all__ = [
    "BaselineName", "OovRule", "Scale", "SenseInventory", "SenseTable", "Tile", "WordNet", "baseline_run",
    "find_wordnet", "greedy_string_tiling", "gst", "lcs", "longest_common_substring", "open_senses",
    "parse_senses",
]  # fmt: skip
