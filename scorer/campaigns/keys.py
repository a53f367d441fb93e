"""Describes every key of `annotation.toml`: its meaning, its type, its default and its limits.

`scorer campaign keys` prints the description. Rules that depend on several keys are in the reader."""

from scorer.bundles.bundle import SPLITS
from scorer.bundles.keys.task import MAX_CONTACT, MAX_TITLE
from scorer.bundles.toml_table import LEVEL_SLUG, SLUG, Key

MAX_ANSWERS = 100
MAX_ASSIGNMENT = 1000
MAX_SCALE_POINTS = 101
MAX_LABEL = 200
MAX_QUESTION = 500
MAX_PASSES = 2
MAX_ROUNDS = 10
MAX_HOURS = 8760

SCALE_KEYS = (
    Key(
        "min",
        "The lowest rating.",
        "0",
        "number",
        0.0,
        required=True,
        advice="give the lowest value of the scale",
    ),
    Key(
        "max",
        "The highest rating.",
        "6",
        "number",
        1.0,
        required=True,
        advice="give the highest value of the scale",
    ),
    Key(
        "step",
        "The distance between two neighbouring ratings. max - min has to be a multiple of step.",
        "1",
        "number",
        0.0,
        required=True,
        advice="give the distance between two neighbouring ratings",
    ),
)
CAMPAIGN_KEYS = (
    Key(
        "slug",
        "The short name of the campaign in addresses and commands, in lower case.",
        '"harbour-similarity"',
        required=True,
        slug=SLUG,
    ),
    Key(
        "title",
        "The title of the campaign, which annotators see.",
        '"How similar are these sentences?"',
        required=True,
        maximum=MAX_TITLE,
    ),
    Key(
        "contact",
        "Where annotators can ask questions: an email address or a link.",
        '"organizers@example.org"',
        required=True,
        maximum=MAX_CONTACT,
    ),
    Key(
        "languages",
        "The languages of the annotators' pages: en, cs or de. The first one is the default, and "
        "annotators can choose another one.",
        '["en"]',
        "texts",
        ("en",),
    ),
    Key(
        "text_language",
        "The language of the texts to annotate. Screen readers need it.",
        '"cs"',
        required=True,
        advice='give the language of the texts, such as "en"',
        maximum=16,
    ),
    Key(
        "consent",
        "The consent text, in each language of the campaign. Annotators have to accept it before "
        "they begin. Give Markdown text, or the name of a file with it (.md or .txt).",
        '{ en = "consent.en.md" }',
        "table",
        required=True,
        advice='give the consent text as { en = "consent.en.md" }',
    ),
    Key(
        "guide",
        "The instructions for annotators, in each language of the campaign: Markdown text, or the "
        "name of a file with it.",
        '{ en = "guide.en.md" }',
        "table",
        otherwise="no instructions",
    ),
    Key(
        "scale",
        "The rating scale of all rounds that have no scale of their own.",
        "{ min = 0, max = 6, step = 1 }",
        "table",
        keys=SCALE_KEYS,
        otherwise="none; then each round of ratings needs its own",
    ),
    Key(
        "labels",
        "The meaning of points of the scale, in each language of the campaign.",
        '{ en = { "0" = "completely different", "6" = "identical" } }',
        "table",
        otherwise="no labels",
    ),
    Key(
        "level",
        "The level for which the answers make a gold standard. The key split is needed, too.",
        '"sentences"',
        slug=LEVEL_SLUG,
        otherwise="no level",
    ),
    Key(
        "split",
        "The split for which the answers make a gold standard. The key level is needed, too.",
        '"test"',
        choices=SPLITS,
        otherwise="no split",
    ),
)
ENTRY_KEYS = (
    Key(
        "kind",
        "How these annotators come in. personal: each of them gets a personal link.",
        '"personal"',
        required=True,
        choices=("personal",),
    ),
    Key(
        "lease_hours",
        "If an annotator gives no answer for this many hours, others get the rest of the assignment.",
        "168",
        "whole",
        336,
        minimum=1,
        maximum=MAX_HOURS,
    ),
    Key(
        "assignments_each",
        "The maximum number of assignments that an annotator can do in a round. 0 means no limit.",
        "3",
        "whole",
        1,
        maximum=1000,
    ),
)
ASK_KEYS = (
    Key("comment", "Whether annotators can write a comment on a unit.", "true", "flag", default=False),
    Key(
        "cannot_judge",
        "Whether annotators can say that they cannot judge a unit. Such an answer does not count.",
        "true",
        "flag",
        default=False,
    ),
)
PASS_KEYS = (
    Key(
        "slug",
        "The short name of the pass, in lower case. The names of exported files contain it.",
        '"dependent"',
        required=True,
        slug=SLUG,
    ),
    Key(
        "show",
        "The columns that annotators see in this pass.",
        '["left_context", "right_context"]',
        "texts",
        otherwise="show of the round",
    ),
    Key(
        "after_hours",
        "The second pass opens this many hours after the annotator's last answer of the first pass.",
        "72",
        "whole",
        0,
        maximum=MAX_HOURS,
    ),
    Key(
        "remind_hours",
        "When to remind annotators of the second pass, in hours after their last answer of the "
        "first pass. Only annotators with an email address who have not begun the second pass get "
        "reminders.",
        "[72, 96]",
        "wholes",
        (),
        maximum=MAX_HOURS,
    ),
)
CALIBRATION_KEYS = (
    Key(
        "units",
        "The table of the calibration units. It has the same columns as the table of the round's units.",
        '"calibration.tsv"',
        "file",
        required=True,
        advice="name the file with the calibration units",
    ),
    Key(
        "each_pass",
        "Whether annotators answer the calibration units before each pass (true) or only before the "
        "first pass (false).",
        "true",
        "flag",
        default=True,
    ),
)
INTRA_KEYS = (
    Key(
        "n",
        "The number of units that each annotator rates again, at the end of each pass.",
        "5",
        "whole",
        1,
        required=True,
        advice="give the number of units that each annotator rates again",
        minimum=1,
        maximum=MAX_ASSIGNMENT,
    ),
    Key(
        "from",
        "The slug of an earlier round, such as a pilot. Annotators then rate units again that they "
        "rated in that round. By default, they rate units from the first half of their assignment again.",
        '"pilot"',
        otherwise="this round",
    ),
    Key(
        "else",
        "What to do if the annotator rated too few units in the earlier round. main: repeat units of "
        "this round, too. Without this key, there are fewer repeats.",
        '"main"',
        choices=("main",),
        otherwise="fewer repeats",
    ),
)
ROUND_KEYS = (
    Key("slug", "The short name of the round, in lower case.", '"rate"', required=True, slug=SLUG),
    Key(
        "kind",
        "What annotators do. rate: they rate pairs of texts on the scale. bws: they choose the best "
        "and the worst of three or four texts (best-worst scaling).",
        '"rate"',
        required=True,
        choices=("rate", "bws"),
    ),
    Key(
        "entries",
        "The entries whose annotators work in this round.",
        '["students"]',
        "texts",
        otherwise="all entries",
    ),
    Key(
        "units",
        "The table of the units, which are what annotators answer about. Its header has the columns "
        "key, left and right, and optionally group and genre. It can have further columns, such as turn1, "
        "turn2 and so on for the earlier turns of a dialogue, which may be empty. In columns other than "
        "left and right, <sent> and </sent> can mark a sentence. In best-worst scaling, each row is an "
        "item: right is its text, and left is the text that all items of its group are compared with.",
        '"pairs.tsv"',
        "file",
        required=True,
        advice="name the file with the pairs",
    ),
    Key(
        "tuples",
        "The table of the tuples, for best-worst scaling. To make it, run `scorer bws tuples UNITS "
        "--item key --group group`.",
        '"tuples.tsv"',
        "file",
        otherwise="none; required for bws",
    ),
    Key(
        "show",
        "The columns that annotators see. In a bws round, they see these above the texts to compare.",
        '["left", "right", "context"]',
        "texts",
        otherwise='["left", "right"], and for bws ["left"]',
    ),
    Key(
        "question",
        "The question about each unit, in each language of the campaign.",
        '{ en = "How similar are the two sentences?" }',
        "table",
        otherwise="How similar are these two texts?",
    ),
    Key(
        "best",
        "The question for the best text of a tuple, in each language of the campaign.",
        '{ en = "Which sentence is most similar to the last one?" }',
        "table",
        otherwise="Which text is most similar?",
    ),
    Key(
        "worst",
        "The question for the worst text of a tuple, in each language of the campaign.",
        '{ en = "Which sentence is least similar to the last one?" }',
        "table",
        otherwise="Which text is least similar?",
    ),
    Key(
        "ask",
        "What else annotators can answer.",
        "{ comment = true, cannot_judge = true }",
        "table",
        {},
        keys=ASK_KEYS,
        otherwise="only the rating",
    ),
    Key(
        "scale",
        "The rating scale of this round.",
        "{ min = 0, max = 1, step = 1 }",
        "table",
        keys=SCALE_KEYS,
        otherwise="the campaign's scale",
    ),
    Key(
        "labels",
        "The meaning of points of the scale, in each language of the campaign.",
        '{ en = { "0" = "rather different", "1" = "rather similar" } }',
        "table",
        otherwise="the campaign's labels; none if the round has its own scale",
    ),
    Key(
        "answers",
        "The number of answers that each unit gets in each pass, all from different annotators.",
        "9",
        "whole",
        1,
        required=True,
        advice="give the number of answers for each unit, such as 9",
        minimum=1,
        maximum=MAX_ANSWERS,
    ),
    Key(
        "assignment",
        "The number of units in an assignment, which is a list of units for one annotator. Some "
        "assignments can have fewer units.",
        "50",
        "whole",
        1,
        required=True,
        advice="give the number of units in an assignment, such as 50",
        minimum=1,
        maximum=MAX_ASSIGNMENT,
    ),
    Key(
        "groups",
        "Whether an annotator can get several units of a group, which are units with the same value "
        "in the column group. apart: nobody gets two units of a group. free: the column does not matter.",
        '"free"',
        default="apart",
        choices=("apart", "free"),
    ),
    Key(
        "order",
        "The order of the units in an assignment. shuffled: random, and different in each "
        "assignment. given: the order of the table.",
        '"given"',
        default="shuffled",
        choices=("shuffled", "given"),
    ),
    Key(
        "passes",
        "The two passes. Annotators rate the same units in the same order in both passes, usually "
        "first without context and later with it.",
        '[{ slug = "free" }, { slug = "dependent", show = ["left_context", "right_context"], '
        "after_hours = 72 }]",
        "tables",
        (),
        maximum=MAX_PASSES,
        keys=PASS_KEYS,
        otherwise="one pass",
    ),
    Key(
        "calibration",
        "Units that all annotators rate first, in the order of their table. These answers do not count.",
        '{ units = "calibration.tsv" }',
        "table",
        keys=CALIBRATION_KEYS,
        otherwise="no calibration",
    ),
    Key(
        "intra",
        "Units that annotators rate a second time, to measure intra-annotator agreement. The second "
        "ratings do not count.",
        '{ n = 5, from = "pilot" }',
        "table",
        keys=INTRA_KEYS,
        otherwise="no repeats",
    ),
    Key(
        "seed",
        "The seed of the plan. The same seed and the same units give the same assignments.",
        "7",
        "whole",
        1,
    ),
)
GOLD_KEYS = (
    Key("round", "The slug of the round whose answers become the gold standard.", '"rate"', required=True),
    Key(
        "pass",
        "The slug of the pass whose answers become the gold standard.",
        '"free"',
        otherwise="the first pass",
    ),
    Key(
        "rule",
        "How the answers become gold labels. mean, median: the mean or the median of the ratings of "
        "a unit. bws: the best-worst score of an item. It is how often the item was chosen as best minus "
        "how often it was chosen as worst, divided by the number of answers to its tuples, and mapped from "
        "-1 … 1 to 0 … 1.",
        '"mean"',
        required=True,
        choices=("mean", "median", "bws"),
    ),
    Key(
        "at_least",
        "The number of answers that a unit needs to get a gold label. With the rule bws, each tuple "
        "of an item needs this many answers.",
        "7",
        "whole",
        minimum=1,
        maximum=MAX_ANSWERS,
        otherwise="the answers of the round",
    ),
)
ANNOTATION_TOML = (
    Key(
        "campaign",
        "The campaign as a whole. Every annotation.toml has this table.",
        kind="table",
        keys=CAMPAIGN_KEYS,
    ),
    Key(
        "entry",
        "The entries, which are groups of annotators. A campaign has at least one, such as [entry.students].",
        kind="table",
        default={},
        keys=(
            Key(
                "NAME",
                "One group of annotators, under a name that you choose.",
                kind="table",
                keys=ENTRY_KEYS,
            ),
        ),
    ),
    Key(
        "round",
        "A round asks one question about one set of units. A campaign has at least one [[round]].",
        kind="tables",
        default=(),
        maximum=MAX_ROUNDS,
        keys=ROUND_KEYS,
    ),
    Key(
        "gold",
        "How the answers become a gold standard.",
        kind="table",
        keys=GOLD_KEYS,
        otherwise="no gold standard",
    ),
)
"""The tables at the top of the file."""

LATER_TABLES = ("training",)
LATER_KEYS = {
    "campaign": ("publish",),
    "entry": ("person", "study", "visit", "preview", "codes", "back", "back_auto"),
    "round": (
        *("passages", "highlight", "assignment_groups", "panel", "gate", "want", "people", "not_by"),
        *("causes", "gap"),
    ),
    "calibration": ("n", "feedback"),
    "ask": ("pick", "write", "blank", "scale_each"),
    "gold": ("decisions",),
}
"""The keys of each table that the design of annotation has and this version does not."""
LATER_VALUES = {
    ("entry", "kind"): ("crowd",),
    ("round", "kind"): ("choose", "write", "choice", "decide"),
    ("round", "groups"): ("together",),
    ("round", "answers"): ("all",),
}
"""The same for values of keys."""
