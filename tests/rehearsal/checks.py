"""What is checked from the outside: the released figures against scipy, from the files that were sent."""

import json
from collections import defaultdict

from tests.rehearsal.invented import FIXED_LEVEL, LEVELS
from tests.rehearsal.moves import RELEASE
from tests.rehearsal.play import Filed, Play, require

METRICS = ("pearson", "spearman")
Cells = dict[tuple[str, str], dict[str, bytes]]
"""The files that count, by team and run, then by level."""


def against_scipy(play: Play) -> str:
    """Every value of the release from the files alone: scipy's correlations, and the order of the totals."""
    board = json.loads(play.visitor.get(f"{RELEASE}.json").body)
    compared = 0
    for kind, late in (("official", False), ("late", True)):
        rows = {(row["team"], row["run"]): row for row in board[kind]}
        sent = counting(play.files, late=late)
        require(rows.keys() == sent.keys(), f"{kind} rows of {sorted(rows.keys() ^ sent.keys())[:3]}")
        for system, row in rows.items():
            for level in LEVELS:
                compared += _compare(play, system, level, row["levels"][level], sent[system].get(level))
    column = board["totals"][0]["name"]
    totals = [row["total"][column]["value"] for row in board["official"]]
    ranked = [value for value in totals if value is not None]
    require(ranked == sorted(ranked, reverse=True), "the rows are not in the order of their totals")
    return f"{compared} correlations within 1e-12, {len(ranked)} totals in order"


def counting(files: list[Filed], *, late: bool) -> Cells:
    """The newest file of each run and level that was on time and not withdrawn; or the newest late one."""
    found: Cells = defaultdict(dict)
    for one in sorted(files, key=lambda one: one.submission):
        if one.phase == "evaluation" and one.late == late and not one.withdrawn:
            found[one.team.name, one.run][one.level] = one.data
    return dict(found)


def _compare(play: Play, system: tuple[str, str], level: str, cell: dict, data: bytes | None) -> int:
    """Hold a row's values at a level against scipy's; how many there were."""
    from scipy import stats  # noqa: PLC0415  (it takes seconds)

    gold = play.invented.fixed if level == FIXED_LEVEL else play.invented.gold[level]
    sent = [] if data is None else zip(data.splitlines(), gold, strict=True)
    scored = [(float(line.split(b"\t")[0]), float(label)) for line, label in sent if label]
    pred, labels = [pair[0] for pair in scored], [pair[1] for pair in scored]
    for metric, function in zip(METRICS, (stats.pearsonr, stats.spearmanr), strict=True):
        value = cell[metric]["value"]
        if len(set(pred)) < 2:
            require(value is None and cell[metric]["rank"] is None, f"{system} has {value} at {level}")
        else:
            expected = float(function(pred, labels).statistic)
            require(abs(value - expected) < 1e-12, f"{system} has {value} at {level}, scipy {expected}")
    return len(METRICS) if len(set(pred)) > 1 else 0
