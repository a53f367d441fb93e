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
        "number",
        0.0,
        required=True,
        advice="give the lowest value of the scale",
        meaning="The lowest rating. A gold label below it is an error; a score of a run below it is a "
        "warning.",
        example="0",
    ),
    Key(
        "max",
        "number",
        1.0,
        required=True,
        advice="give the highest value of the scale",
        meaning="The highest rating.",
        example="4",
    ),
    Key(
        "step",
        "number",
        0.0,
        otherwise="no step; labels can have any value",
        meaning="The distance between two points of the scale. The charts of the gold standard use it, and a "
        "site warns about gold labels between two points.",
        example="0.25",
    ),
)
_KEYED_KEYS = (
    Key(
        "id",
        "text",
        "",
        required=True,
        meaning="The column of the item id, in runs and in keyed gold files.",
        example='"pair_ID"',
    ),
    Key(
        "score",
        "text",
        "",
        required=True,
        meaning="The column of the score in a run.",
        example='"relatedness_score"',
    ),
    Key(
        "confidence",
        "text",
        otherwise="runs have no confidence",
        meaning="The column of the confidence in a run.",
        example='"confidence"',
    ),
    Key(
        "delimiter",
        "text",
        choices=DELIMITERS,
        otherwise="tab if the header has one, else comma",
        meaning="What separates the columns of runs and keyed gold files.",
        example='"comma"',
    ),
    Key(
        "gold",
        "text",
        otherwise="the same as score",
        meaning="The column of the label in a keyed gold file.",
        example='"gold_score"',
    ),
)
TASK_KEYS = (
    Key(
        "slug",
        "text",
        "",
        required=True,
        slug=SLUG,
        meaning="The short name of the task in addresses and commands, in lower case.",
        example='"similarity-2026"',
    ),
    Key(
        "title",
        "text",
        "",
        required=True,
        maximum=MAX_TITLE,
        meaning="The title of the task.",
        example='"Phrase and Word Similarity"',
    ),
    Key(
        "description",
        "text",
        "",
        meaning="What the task is about, in Markdown: the text itself, or the name of a file (.md or .txt).",
        example='"description.md"',
    ),
    Key(
        "terms",
        "text",
        "",
        meaning="The terms that people must accept before they download data or submit, in Markdown: the "
        'text itself, or the name of a file (.md or .txt). If there are no terms, write "none" or leave out '
        "the key.",
        example='"terms.md"',
    ),
    Key("licence", "text", "", meaning="The licence of the data, in a few words.", example='"CC BY 4.0"'),
    Key(
        "organizers",
        "text",
        "",
        maximum=MAX_ORGANIZERS,
        meaning="The names of the organizers, as the task's page shows them. A site publishes no task "
        "without them.",
        example='"Language Group, Forest University"',
    ),
    Key(
        "contact",
        "text",
        "",
        maximum=MAX_CONTACT,
        meaning="How to reach the organizers: an email address or a link, which everyone can see. A site "
        "publishes no task without it.",
        example='"organizers@example.org"',
    ),
    Key(
        "mailing_list",
        "text",
        "",
        maximum=MAX_CONTACT,
        meaning="A link to the mailing list of the task.",
        example='"https://lists.example.org/similarity"',
    ),
    Key(
        "scale",
        "table",
        required=True,
        advice="give the rating scale as { min = 0, max = 4 }",
        keys=_SCALE_KEYS,
        meaning="The rating scale of the gold standard.",
        example="{ min = 0, max = 4 }",
    ),
    Key(
        "labels",
        "table",
        otherwise="no labels",
        meaning="What points of the scale mean.",
        example='{ "0" = "unrelated", "4" = "very similar" }',
    ),
    Key(
        "metrics",
        "texts",
        DEFAULT_METRICS,
        meaning="The metrics of each level. The first one is official: it ranks the systems.",
        example='["spearman", "pearson"]',
    ),
    Key(
        "run_format",
        "text",
        "aligned",
        choices=("aligned", "keyed"),
        meaning="The format of run files. aligned: line X has the score of item X, and perhaps a tab and a "
        "confidence. keyed: a table with a header, one row for each item in any order, with its id and "
        "score.",
        example='"keyed"',
    ),
    Key(
        "keyed",
        "table",
        keys=_KEYED_KEYS,
        otherwise='none; run_format = "keyed" needs it',
        meaning="The columns of keyed runs.",
        example='{ id = "pair_ID", score = "score" }',
    ),
    Key(
        "history",
        "file",
        meaning="The history of the task, which only an export of a site has. Do not write it yourself.",
        example='"history.json"',
    ),
    Key(
        "confidence",
        "number",
        1.0,
        meaning="The upper end of the scale of confidences; the lower end is 0. The STS tasks have 100.",
        example="100",
    ),
)
BOARD_KEYS = (
    Key(
        "total",
        "text",
        choices=("sum", "mean", "weighted", "none"),
        otherwise='"sum", or "none" if there is one level',
        meaning="How the total, which ranks the systems, is computed from the official metric of the levels: "
        "sum, mean, or weighted (the mean, weighted by the number of items). none: each level is ranked "
        "separately.",
        example='"mean"',
    ),
    Key(
        "total_needs",
        "text",
        "entered",
        choices=("entered", "all"),
        meaning="Which systems have a total. entered: all systems, over the levels that they entered. all: "
        "only systems that entered every level.",
        example='"all"',
    ),
    Key(
        "enter_at_least",
        "whole",
        1,
        minimum=1,
        meaning="The number of levels that a system must enter to be in the overall ranking.",
        example="2",
    ),
    Key(
        "oov",
        "text",
        "mean",
        choices=("mean", "zero"),
        meaning="The score of a baseline for a word-to-sense item whose word is not in the dictionary: the "
        "mean of the other items, or zero.",
        example='"zero"',
    ),
    Key(
        "runs_per_team",
        "whole",
        3,
        minimum=1,
        meaning="The number of runs that a team can have in a phase.",
        example="2",
    ),
)
TEAMS_KEYS = (
    Key(
        "size",
        "whole",
        minimum=1,
        otherwise="no limit",
        meaning="The maximum number of members of a team.",
        example="5",
    ),
    Key(
        "registration",
        "text",
        "open",
        choices=("open", "approved"),
        meaning="Whether a new team can submit at once (open), or only after an organizer has approved it.",
        example='"approved"',
    ),
)
