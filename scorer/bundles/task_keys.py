"""Describes every key of `task.toml`: its meaning, its type, its default and its limits.

The modules of `scorer.bundles.keys` describe the keys of each table, in the order in which messages and the
reference list them. Rules that depend on several keys are in the readers.
"""

from scorer.bundles.keys.level import LEVEL_KEYS
from scorer.bundles.keys.phase import PHASE_KEYS
from scorer.bundles.keys.run import RUN_KEYS
from scorer.bundles.keys.task import BOARD_KEYS, TASK_KEYS, TEAMS_KEYS
from scorer.bundles.toml_table import Key

MAX_LEVELS = 200
MAX_PHASES = 50
MAX_RUNS = 10_000
TASK_TOML = (
    Key("task", "The task as a whole. Every task.toml has this table.", kind="table", keys=TASK_KEYS),
    Key("board", "The rules of the leaderboard.", kind="table", default={}, keys=BOARD_KEYS),
    Key("teams", "The rules for teams.", kind="table", default={}, keys=TEAMS_KEYS),
    Key(
        "level",
        "One comparison level, which has its own items and runs. Write one [[level]] for each; a "
        "task has at least one.",
        kind="tables",
        default=(),
        maximum=MAX_LEVELS,
        keys=LEVEL_KEYS,
    ),
    Key(
        "phase",
        "One phase, in which teams submit runs for the items of one split. Write one [[phase]] for each.",
        kind="tables",
        default=(),
        maximum=MAX_PHASES,
        keys=PHASE_KEYS,
    ),
    Key(
        "run",
        "A baseline, or a run that the bundle has already. A run whose files are "
        "runs/TEAM/RUN/LEVEL.tsv needs no [[run]].",
        kind="tables",
        default=(),
        maximum=MAX_RUNS,
        keys=RUN_KEYS,
    ),
)
"""The tables at the top of the file."""


def find_limits(table: str, name: str) -> tuple[int, int]:
    """Return the minimum and the maximum of a key whose value is a whole number, or a list of them.

    >>> find_limits("phase", "reminders")
    (1, 720)
    """
    keys = next(key.keys for key in TASK_TOML if key.name == table)
    return next(key.limits for key in keys if key.name == name)
