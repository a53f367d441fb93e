"""Assay's scorer: read runs and gold, correlate, rank. Needs the standard library alone.

>>> from scorer import evaluate, parse_gold, parse_run
>>> gold = parse_gold(b"0\\n2\\n4\\n", "gold.tsv")
>>> run = parse_run(b"1\\n3\\n2\\n", "run.tsv", n=3)
>>> evaluate(gold, run, ["pearson"]).results[0].value
0.5
"""

from scorer._version import __version__
from scorer.errors import (
    BundleError,
    DataError,
    GoldError,
    ItemsError,
    Problem,
    RequestError,
    RunError,
    ScorerError,
    UndefinedError,
)
from scorer.evaluate import Report, Result, Undefined, evaluate
from scorer.io import (
    Gold,
    Item,
    Items,
    ItemsLayout,
    KeyedFormat,
    Run,
    parse_gold,
    parse_items,
    parse_run,
    read_bytes,
)
from scorer.metrics import METRICS, Metric, average_ranks, get_metric, mae, mse, pearson, rmse, spearman

__all__ = [
    "METRICS",
    "BundleError",
    "DataError",
    "Gold",
    "GoldError",
    "Item",
    "Items",
    "ItemsError",
    "ItemsLayout",
    "KeyedFormat",
    "Metric",
    "Problem",
    "Report",
    "RequestError",
    "Result",
    "Run",
    "RunError",
    "ScorerError",
    "Undefined",
    "UndefinedError",
    "__version__",
    "average_ranks",
    "evaluate",
    "get_metric",
    "mae",
    "mse",
    "parse_gold",
    "parse_items",
    "parse_run",
    "pearson",
    "read_bytes",
    "rmse",
    "spearman",
]
