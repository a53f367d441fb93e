"""Describes every key of `task.toml`: its type, its default and its limits.

The keys are in the order in which messages and the reference list them. `task_keys.toml` says what each of
them means. Rules that depend on several keys are in the readers.
"""

from scorer.baselines import BASELINES
from scorer.bundles.bundle import OWN_BASELINE, SPLITS
from scorer.bundles.toml_table import LEVEL_SLUG, SLUG, Key
from scorer.files.items import ITEM_COLUMNS

DEFAULT_METRICS = ("pearson", "spearman")
MAX_TITLE = 200
MAX_ORGANIZERS = 500
MAX_CONTACT = 255
MAX_LEVELS = 200
MAX_PHASES = 50
MAX_RUNS = 10_000
_DELIMITERS = ("tab", "comma")
_FEEDBACKS = ("hidden", "scores", "rounded", "public-part", "ladder")

_SCALE_KEYS = (
    Key("min", "number", 0.0, required=True, advice="give the lowest value of the scale"),
    Key("max", "number", 1.0, required=True, advice="give the highest value of the scale"),
    Key("step", "number", 0.0),
)
_KEYED_KEYS = (
    Key("id", required=True),
    Key("score", required=True),
    Key("confidence"),
    Key("delimiter", choices=_DELIMITERS),
    Key("gold"),
)
_TASK_KEYS = (
    Key("slug", required=True, slug=SLUG),
    Key("title", required=True, maximum=MAX_TITLE),
    Key("description", default=""),
    Key("terms", default=""),
    Key("licence", default=""),
    Key("organizers", default="", maximum=MAX_ORGANIZERS),
    Key("contact", default="", maximum=MAX_CONTACT),
    Key("mailing_list", default="", maximum=MAX_CONTACT),
    Key("citation", default=""),
    Key(
        "scale",
        "table",
        required=True,
        advice="give the rating scale as { min = 0, max = 4 }",
        keys=_SCALE_KEYS,
    ),
    Key("labels", "table"),
    Key("metrics", "texts", DEFAULT_METRICS),
    Key("run_format", default="aligned", choices=("aligned", "keyed")),
    Key("keyed", "table", keys=_KEYED_KEYS),
    Key("history", "file"),
    Key("confidence", "number", 1.0),
)
_BOARD_KEYS = (
    Key("total", choices=("sum", "mean", "weighted", "none")),
    Key("total_needs", choices=("entered", "all")),
    Key("enter_at_least", "whole", 1, minimum=1),
    Key("oov", default="mean", choices=("mean", "zero")),
    Key("runs_per_team", "whole", 3, minimum=1),
)
_TEAMS_KEYS = (
    Key("size", "whole", minimum=1),
    Key("registration", default="open", choices=("open", "approved")),
)
_SPLIT_KEYS = (
    Key("items", "file", required=True, advice="name the file with the split's items"),
    Key("gold", "file"),
    Key("public_gold", "flag", default=False),
    Key("held_out_genres", "texts", ()),
    Key("public_items", "file"),
    Key("scored", "whole", minimum=1),
)
_COLUMN_KEYS = tuple(Key(name, default="") for name in (*ITEM_COLUMNS, "genre"))
_LEVEL_KEYS = (
    Key("slug", required=True, slug=LEVEL_SLUG),
    Key("title", maximum=MAX_TITLE),
    Key("columns", "texts or table", (), keys=_COLUMN_KEYS),
    Key("sides", "texts", ("left", "right")),
    Key("genre"),
    Key("header", "flag", default=False),
    Key("delimiter", default="tab", choices=_DELIMITERS),
    Key("metrics", "texts"),
    Key("counts", "flag", default=True),
    Key("senses", "file"),
    *(Key(split, "table", keys=_SPLIT_KEYS) for split in SPLITS),
)
_PHASE_KEYS = (
    Key("slug", required=True, slug=SLUG),
    Key("title", maximum=MAX_TITLE),
    Key("split", default="test", choices=SPLITS),
    Key("opens", "moment"),
    Key("closes", "moment"),
    Key("grace_hours", "whole", 0, maximum=366 * 24),
    Key("feedback", default="hidden", choices=_FEEDBACKS),
    Key("places", "whole", maximum=6),
    Key("step", "number"),
    Key("board", default="released", choices=("released", "live")),
    Key("runs_public", "flag", default=False),
    Key("runs_per_team", "whole", minimum=1),
    Key("files_per_level", "whole", minimum=1),
    Key("files_per_day", "whole", minimum=1),
    Key("reminders", "wholes", (), minimum=1, maximum=30 * 24),
    Key("baselines", default="after", choices=("after", "always")),
)
_RUN_KEYS = (
    Key("team", required=True),
    Key("name", required=True),
    Key("description", default=""),
    Key("baseline", choices=(*BASELINES, OWN_BASELINE)),
    Key("files", "table"),
    Key("late", "texts", ()),
    Key("late_files", "table"),
    Key("phase"),
    Key("method", default=""),
    Key("resources", default=""),
    Key("links", "texts", ()),
    Key("authors", default=""),
    Key("version", default=""),
    Key("licence", default=""),
    Key("command", default=""),
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


def find_limits(table: str, name: str) -> tuple[int, int]:
    """Return the minimum and the maximum of a key whose value is a whole number, or a list of them.

    >>> find_limits("phase", "reminders")
    (1, 720)
    """
    keys = next(key.keys for key in TASK_TOML if key.name == table)
    return next(key.limits for key in keys if key.name == name)
