"""The keys of the tables [task], [board] and [teams]."""

from scorer.bundles.toml_table import SLUG, Key

DEFAULT_METRICS = ("pearson", "spearman")
MAX_TITLE = 200
MAX_ORGANIZERS = 500
MAX_CONTACT = 255
DELIMITERS = ("tab", "comma")

_SCALE_KEYS = (
    Key(
        "min",
        "The lowest rating. A gold label below it is an error; a score of a run below it is a warning.",
        "0",
        "number",
        0.0,
        required=True,
        advice="give the lowest value of the scale",
    ),
    Key(
        "max",
        "The highest rating.",
        "4",
        "number",
        1.0,
        required=True,
        advice="give the highest value of the scale",
    ),
    Key(
        "step",
        "The distance between two points of the scale. The charts of the gold standard use it, and a "
        "site warns about gold labels between two points.",
        "0.25",
        "number",
        0.0,
        otherwise="no step; labels can have any value",
    ),
)
_KEYED_KEYS = (
    Key("id", "The column of the item id, in runs and in keyed gold files.", '"pair_ID"', required=True),
    Key("score", "The column of the score in a run.", '"relatedness_score"', required=True),
    Key(
        "confidence",
        "The column of the confidence in a run.",
        '"confidence"',
        otherwise="runs have no confidence",
    ),
    Key(
        "delimiter",
        "What separates the columns of runs and keyed gold files.",
        '"comma"',
        choices=DELIMITERS,
        otherwise="tab if the header has one, else comma",
    ),
    Key(
        "gold", "The column of the label in a keyed gold file.", '"gold_score"', otherwise="the same as score"
    ),
)
TASK_KEYS = (
    Key(
        "slug",
        "The short name of the task in addresses and commands, in lower case.",
        '"similarity-2026"',
        required=True,
        slug=SLUG,
    ),
    Key("title", "The title of the task.", '"Phrase and Word Similarity"', required=True, maximum=MAX_TITLE),
    Key(
        "description",
        "What the task is about, in Markdown: the text itself, or the name of a file (.md or .txt).",
        '"description.md"',
        default="",
    ),
    Key(
        "terms",
        "The terms that people must accept before they download data or submit, in Markdown: the "
        'text itself, or the name of a file (.md or .txt). If there are no terms, write "none" or leave out '
        "the key.",
        '"terms.md"',
        default="",
    ),
    Key("licence", "The licence of the data, in a few words.", '"CC BY 4.0"', default=""),
    Key(
        "organizers",
        "The names of the organizers, as the task's page shows them. A site publishes no task without them.",
        '"Language Group, Forest University"',
        default="",
        maximum=MAX_ORGANIZERS,
    ),
    Key(
        "contact",
        "How to reach the organizers: an email address or a link, which everyone can see. A site "
        "publishes no task without it.",
        '"organizers@example.org"',
        default="",
        maximum=MAX_CONTACT,
    ),
    Key(
        "mailing_list",
        "A link to the mailing list of the task.",
        '"https://lists.example.org/similarity"',
        default="",
        maximum=MAX_CONTACT,
    ),
    Key(
        "scale",
        "The rating scale of the gold standard.",
        "{ min = 0, max = 4 }",
        "table",
        required=True,
        advice="give the rating scale as { min = 0, max = 4 }",
        keys=_SCALE_KEYS,
    ),
    Key(
        "labels",
        "What points of the scale mean.",
        '{ "0" = "unrelated", "4" = "very similar" }',
        "table",
        otherwise="no labels",
    ),
    Key(
        "metrics",
        "The metrics of each level. The first one is official: it ranks the systems.",
        '["spearman", "pearson"]',
        "texts",
        DEFAULT_METRICS,
    ),
    Key(
        "run_format",
        "The format of run files. aligned: line X has the score of item X, and perhaps a tab and a "
        "confidence. keyed: a table with a header, one row for each item in any order, with its id and "
        "score.",
        '"keyed"',
        default="aligned",
        choices=("aligned", "keyed"),
    ),
    Key(
        "keyed",
        "The columns of keyed runs.",
        '{ id = "pair_ID", score = "score" }',
        "table",
        keys=_KEYED_KEYS,
        otherwise='none; run_format = "keyed" needs it',
    ),
    Key(
        "history",
        "The history of the task, which only an export of a site has. Do not write it yourself.",
        '"history.json"',
        "file",
    ),
    Key(
        "confidence",
        "The upper end of the scale of confidences; the lower end is 0. The STS tasks have 100.",
        "100",
        "number",
        1.0,
    ),
)
BOARD_KEYS = (
    Key(
        "total",
        "How the total, which ranks the systems, is computed from the official metric of the levels: "
        "sum, mean, or weighted (the mean, weighted by the number of items). none: each level is ranked "
        "separately.",
        '"mean"',
        choices=("sum", "mean", "weighted", "none"),
        otherwise='"sum", or "none" if there is one level',
    ),
    Key(
        "total_needs",
        "Which systems have a total. entered: all systems, over the levels that they entered. all: "
        "only systems that entered every level.",
        '"all"',
        default="entered",
        choices=("entered", "all"),
    ),
    Key(
        "enter_at_least",
        "The number of levels that a system must enter to be in the overall ranking.",
        "2",
        "whole",
        1,
        minimum=1,
    ),
    Key(
        "oov",
        "The score of a baseline for a word-to-sense item whose word is not in the dictionary: the "
        "mean of the other items, or zero.",
        '"zero"',
        default="mean",
        choices=("mean", "zero"),
    ),
    Key("runs_per_team", "The number of runs that a team can have in a phase.", "2", "whole", 3, minimum=1),
)
TEAMS_KEYS = (
    Key("size", "The maximum number of members of a team.", "5", "whole", minimum=1, otherwise="no limit"),
    Key(
        "registration",
        "Whether a new team can submit at once (open), or only after an organizer has approved it.",
        '"approved"',
        default="open",
        choices=("open", "approved"),
    ),
)
