"""A bundle of two levels, small enough to rank by hand, for the tests of bundles and boards."""

from pathlib import Path

TASK = """\
[task]
slug = "small"
title = "Small & simple"
scale = { min = 0, max = 4 }
labels = { "0" = "unrelated", "4" = "the same" }

[board]
enter_at_least = 1

[[level]]
slug = "p2s"
test = { items = "items.tsv", gold = "gold.tsv" }

[[level]]
slug = "s2p"
test = { items = "items.tsv", gold = "gold.tsv" }

[[phase]]
slug = "evaluation"
split = "test"
opens = 2026-03-01T00:00:00Z
closes = 2026-03-15T12:00:00+02:00

[[run]]
team = "organizers"
name = "LCS"
baseline = "lcs"

[[run]]
team = "birch"
name = "one"
files = { p2s = "elsewhere/birch.tsv" }

[[run]]
team = "ash"
name = "a_b"
late = ["s2p"]
"""


def write_bundle(folder: Path, task: str = TASK) -> Path:
    """Write the bundle with two runs: ash found in runs/, birch by its entry; and return its folder."""
    files = {
        "task.toml": task,
        "items.tsv": "a boat\ta boat\tx-1\na lamp\tthe lamp\tx-2\nbread\tdark ale\ty-3\n",
        "gold.tsv": "4\n3\n0\n",
        "runs/ash/a_b/p2s.tsv": "4\n2\n1\n",
        "runs/ash/a_b/s2p.tsv": "2\n2\n2\n",
        "elsewhere/birch.tsv": "1\t0.5\n2\n3\n",
    }
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder
