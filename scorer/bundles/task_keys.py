"""Describes every key of `task.toml`: its type, its default and its limits.

The keys of a table are in the order in which messages list them. Rules that depend on several keys are in the
readers.
"""

import re

from scorer.bundles.bundle import BASELINES, SPLITS
from scorer.bundles.toml_table import Key
from scorer.files.items import ITEM_COLUMNS

DEFAULT_METRICS = ("pearson", "spearman")
MAX_LEVELS = 200
MAX_PHASES = 50
MAX_RUNS = 10_000
_MAX_TITLE = 200
MAX_LEVELS, MAX_PHASES, MAX_RUNS = 200, 50, 10_000
_DELIMITERS = ("tab", "comma")
_FEEDBACKS = ("hidden", "scores", "rounded", "public-part", "ladder")
_SLUG = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?")
_LEVEL_SLUG = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_-]{0,62}[A-Za-z0-9])?")

_SCALE_KEYS = (
    Key("min", "number", 0.0, required=True),
    Key("max", "number", 1.0, required=True),
    Key("step", "number", 0.0),
)
_KEYED_KEYS = (
    Key("id", "text", "", required=True),
    Key("score", "text", "", required=True),
    Key("confidence", "text"),
    Key("delimiter", "text", choices=_DELIMITERS),
    Key("gold", "text"),
)
_SCALE_ADVICE = "give the rating scale as { min = 0, max = 4 }"
_TASK_KEYS = (
    Key("slug", "text", "", required=True, slug=_SLUG),
    Key("title", "text", "", required=True, maximum=_MAX_TITLE),
    Key("description", "text", ""),
    Key("terms", "text", ""),
    Key("licence", "text", ""),
    Key("scale", "table", required=True, advice=_SCALE_ADVICE, keys=_SCALE_KEYS),
    Key("labels", "table"),
    Key("metrics", "texts", DEFAULT_METRICS),
    Key("run_format", "text", "aligned", choices=("aligned", "keyed")),
    Key("keyed", "table", keys=_KEYED_KEYS),
    Key("history", "file"),
    Key("confidence", "number", 1.0),
)
_BOARD_KEYS = (
    Key("total", "text", choices=("sum", "mean", "weighted", "none")),
    Key("total_needs", "text", "entered", choices=("entered", "all")),
    Key("enter_at_least", "whole", 1, minimum=1),
    Key("oov", "text", "mean", choices=("mean", "zero")),
    Key("runs_per_team", "whole", 3, minimum=1),
)
_TEAMS_KEYS = (
    Key("size", "whole", minimum=1),
    Key("registration", "text", "open", choices=("open", "approved")),
)
_SPLIT_KEYS = (
    Key("items", "file", "", required=True, advice="name the file with the split's items"),
    Key("gold", "file"),
    Key("public_gold", "flag", default=False),
    Key("held_out_genres", "texts", ()),
    Key("public_items", "file"),
    Key("scored", "whole", minimum=1),
)
_COLUMN_KEYS = tuple(Key(name, "text", "") for name in (*ITEM_COLUMNS, "genre"))
_LEVEL_KEYS = (
    Key("slug", "text", "", required=True, slug=_LEVEL_SLUG),
    Key("title", "text", maximum=_MAX_TITLE),
    Key("columns", "texts or table", (), keys=_COLUMN_KEYS),
    Key("sides", "texts", ("left", "right")),
    Key("genre", "text"),
    Key("header", "flag", default=False),
    Key("delimiter", "text", "tab", choices=_DELIMITERS),
    Key("metrics", "texts"),
    Key("counts", "flag", default=True),
    Key("senses", "file"),
    *(Key(split, "table", keys=_SPLIT_KEYS) for split in SPLITS),
)
_PHASE_KEYS = (
    Key("slug", "text", "", required=True, slug=_SLUG),
    Key("title", "text", maximum=_MAX_TITLE),
    Key("split", "text", "test", choices=SPLITS),
    Key("opens", "moment"),
    Key("closes", "moment"),
    Key("grace_hours", "whole", 0, maximum=366 * 24),
    Key("feedback", "text", "hidden", choices=_FEEDBACKS),
    Key("places", "whole", maximum=6),
    Key("step", "number"),
    Key("board", "text", "released", choices=("released", "live")),
    Key("runs_public", "flag", default=False),
    Key("runs_per_team", "whole", minimum=1),
    Key("files_per_level", "whole", minimum=1),
    Key("files_per_day", "whole", minimum=1),
    Key("reminders", "wholes", (), minimum=1, maximum=30 * 24),
    Key("baselines", "text", "after", choices=("after", "always")),
)
_RUN_KEYS = (
    Key("team", "text", "", required=True),
    Key("name", "text", "", required=True),
    Key("description", "text", ""),
    Key("baseline", "text", choices=BASELINES),
    Key("files", "table"),
    Key("late", "texts", ()),
    Key("late_files", "table"),
    Key("phase", "text"),
    Key("method", "text", ""),
    Key("resources", "text", ""),
    Key("links", "texts", ()),
    Key("authors", "text", ""),
    Key("primary", "flag", default=False),
)
TASK_TOML = (
    Key("task", "table", keys=_TASK_KEYS),
    Key("board", "table", {}, keys=_BOARD_KEYS),
    Key("teams", "table", {}, keys=_TEAMS_KEYS),
    Key("level", "tables", (), maximum=MAX_LEVELS, keys=_LEVEL_KEYS),
    Key("phase", "tables", (), maximum=MAX_PHASES, keys=_PHASE_KEYS),
    Key("run", "tables", (), maximum=MAX_RUNS, keys=_RUN_KEYS),
)
"""The tables at the top of the file."""
