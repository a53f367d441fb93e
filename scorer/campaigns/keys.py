"""Describes every key of `annotation.toml`: its type, its default and its limits.

`annotation_keys.toml` says what each of them means. Rules that depend on several keys are in the reader."""

from pathlib import Path

from scorer.bundles.bundle import SPLITS
from scorer.bundles.task_keys import MAX_CONTACT, MAX_TITLE
from scorer.bundles.toml_table import LEVEL_SLUG, SLUG, Key

MAX_ANSWERS = 100
MAX_ASSIGNMENT = 1000
MAX_SCALE_POINTS = 101
MAX_LABEL = 200
MAX_QUESTION = 500
MAX_PROSE = 50_000
"""The maximum length of a consent text and of a guide, which annotators' pages render."""
MAX_PASSES = 2
MAX_TRIES = 10
MAX_WORDS = 1000
MAX_ENTRIES = 50
MAX_ROUNDS = 10
MAX_HOURS = 8760

SCALE_KEYS = (
    Key("min", "number", 0.0, required=True, advice="give the lowest value of the scale"),
    Key("max", "number", 1.0, required=True, advice="give the highest value of the scale"),
    Key("step", "number", 0.0, required=True, advice="give the distance between two neighbouring ratings"),
)
CAMPAIGN_KEYS = (
    Key("slug", required=True, slug=SLUG),
    Key("title", required=True, maximum=MAX_TITLE),
    Key("contact", required=True, maximum=MAX_CONTACT),
    Key("languages", "texts", ("en",)),
    Key("text_language", required=True, advice='give the language of the texts, such as "en"', maximum=16),
    Key("consent", "table", required=True, advice='give the consent text as { en = "consent.en.md" }'),
    Key("guide", "table"),
    Key("scale", "table", keys=SCALE_KEYS),
    Key("labels", "table"),
    Key("level", slug=LEVEL_SLUG),
    Key("split", choices=SPLITS),
)
ENTRY_KEYS = (
    Key("kind", required=True, choices=("personal", "crowd")),
    Key("lease_hours", "whole", 336, minimum=1, maximum=MAX_HOURS),
    Key("assignments_each", "whole", 1, maximum=1000),
    Key("person"),
    Key("done"),
    Key("failed"),
    Key("back"),
)
ASK_KEYS = (
    Key("comment", "flag", default=False),
    Key("cannot_judge", "flag", default=False),
)
PASS_KEYS = (
    Key("slug", required=True, slug=SLUG),
    Key("show", "texts"),
    Key("after_hours", "whole", 0, maximum=MAX_HOURS),
    Key("remind_hours", "wholes", (), maximum=MAX_HOURS),
    Key("question", "table"),
)
CALIBRATION_KEYS = (
    Key("units", "file", required=True, advice="name the file with the calibration units"),
    Key("each_pass", "flag", default=True),
    Key("need", "whole", minimum=1, maximum=MAX_ASSIGNMENT),
    Key("within", "number", 1.0),
    Key("tries", "whole", 1, minimum=1, maximum=MAX_TRIES),
    Key("feedback", "flag", default=False),
)
INTRA_KEYS = (
    Key(
        "n",
        "whole",
        1,
        required=True,
        advice="give the number of units that each annotator rates again",
        minimum=1,
        maximum=MAX_ASSIGNMENT,
    ),
    Key("from"),
    Key("else", choices=("main",)),
)
ROUND_KEYS = (
    Key("slug", required=True, slug=SLUG),
    Key("kind", required=True, choices=("rate", "bws", "choose", "write")),
    Key("title", "table"),
    Key("entries", "texts"),
    Key("units", "file", required=True, advice="name the file with the pairs"),
    Key("tuples", "file"),
    Key("reports", "file"),
    Key("senses", "file"),
    Key("show", "texts"),
    Key("question", "table"),
    Key("best", "table"),
    Key("worst", "table"),
    Key("best_label", "table"),
    Key("worst_label", "table"),
    Key("noun", "table"),
    Key("words", "wholes", (), maximum=MAX_WORDS),
    Key("examples", "table"),
    Key("highlight", "flag", default=True),
    Key("ask", "table", {}, keys=ASK_KEYS),
    Key("scale", "table", keys=SCALE_KEYS),
    Key("labels", "table"),
    Key(
        "answers",
        "whole",
        1,
        required=True,
        advice="give the number of answers for each unit, such as 9",
        minimum=1,
        maximum=MAX_ANSWERS,
    ),
    Key(
        "assignment",
        "whole",
        1,
        required=True,
        advice="give the number of units in an assignment, such as 50",
        minimum=1,
        maximum=MAX_ASSIGNMENT,
    ),
    Key("groups", default="apart", choices=("apart", "free")),
    Key("people", default="any", choices=("any", "same")),
    Key("order", default="shuffled", choices=("shuffled", "given")),
    Key("passes", "tables", (), maximum=MAX_PASSES, keys=PASS_KEYS),
    Key("calibration", "table", keys=CALIBRATION_KEYS),
    Key("intra", "table", keys=INTRA_KEYS),
    Key("seed", "whole", 1),
)
GOLD_KEYS = (
    Key("round", required=True),
    Key("pass"),
    Key("rule", required=True, choices=("mean", "median", "bws")),
    Key("at_least", "whole", minimum=1, maximum=MAX_ANSWERS),
)
ANNOTATION_TOML = (
    Key("campaign", "table", keys=CAMPAIGN_KEYS),
    Key("entry", "table", {}, keys=(Key("NAME", "table", keys=ENTRY_KEYS),)),
    Key("round", "tables", (), maximum=MAX_ROUNDS, keys=ROUND_KEYS),
    Key("gold", "table", keys=GOLD_KEYS),
)
"""The tables at the top of the file."""
ANNOTATION_TEXTS = Path(__file__).with_name("annotation_keys.toml")
"""What the keys mean."""
