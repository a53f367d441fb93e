"""A task small enough to compute manually: two levels of four items, a hidden test split with odd gold."""

from pathlib import Path

PASSWORD = "correct horse battery"

GOLD = {"p2s": ("0.125", "1.375", "2.625", "3.875"), "s2p": ("3.625", "0.375", "2.375", "1.125")}
"""Hidden values that occur nowhere else, so that a page that shows one is detected."""

GOOD = b"0.5\n1.0\n2.5\n3.5\n"
"""A valid run file for either level."""
PHASE_FORM = {
    "title": "Evaluation",
    "opens": "2026-03-01 00:00",
    "closes": "2026-03-15 12:00",
    "grace_hours": "72",
    "runs_per_team": "2",
    "files_per_level": "3",
    "feedback": "hidden",
    "board": "released",
}
"""What the page of the phase is sent if nothing in it changes."""


def variant(number: int) -> bytes:
    """A valid file that differs from GOOD, and from those of other numbers."""
    return b" " * (number + 1) + GOOD


TASK = """\
[task]
slug = "small"
title = "A small task"
description = "How similar are two texts?"
organizers = "The Forest Group"
contact = "https://forest.example/task"
scale = { min = 0, max = 4 }
labels = { "0" = "unrelated", "4" = "the same" }

[board]
enter_at_least = 1

[[level]]
slug = "p2s"
title = "Paragraph to sentence"
sides = ["paragraph", "sentence"]
test = { items = "p2s.test.tsv", gold = "p2s.test.gold" }
trial = { items = "trial.tsv", gold = "trial.gold", public_gold = true }

[[level]]
slug = "s2p"
title = "Sentence to phrase"
sides = ["sentence", "phrase"]
test = { items = "s2p.test.tsv", gold = "s2p.test.gold" }

[[phase]]
slug = "practice"
split = "trial"
feedback = "scores"

[[phase]]
slug = "evaluation"
split = "test"
opens = 2026-03-01T00:00:00Z
closes = 2026-03-15T12:00:00Z
grace_hours = 72
feedback = "hidden"
files_per_level = 3
runs_per_team = 2

[[run]]
team = "organizers"
name = "LCS"
baseline = "lcs"
"""

TEXTS = (
    ("the boat came in before the storm", "the boat came in"),
    ("nobody had seen the lamp burn", "a lamp burning bright"),
    ("bread is sold from seven o'clock", "bread from seven"),
    ("the ferry waits for no one", "shoes and ships"),
)


def write_bundle(folder: Path, task: str = TASK, hidden: dict[str, tuple[str, ...]] = GOLD) -> Path:
    """Write the bundle with this hidden gold, and return its folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "task.toml").write_text(task, encoding="utf-8")
    for level, gold in hidden.items():
        lines = [f"{left}\t{right}\tNews-{i}\n" for i, (left, right) in enumerate(TEXTS, start=1)]
        (folder / f"{level}.test.tsv").write_text("".join(lines), encoding="utf-8")
        (folder / f"{level}.test.gold").write_text("\n".join(gold) + "\n", encoding="utf-8")
    trial = [f"{left}\t{right}\tTrial-{i}\n" for i, (left, right) in enumerate(TEXTS, start=1)]
    (folder / "trial.tsv").write_text("".join(trial), encoding="utf-8")
    (folder / "trial.gold").write_text("0\n2\n3\n4\n", encoding="utf-8")
    return folder
