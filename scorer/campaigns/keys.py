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
        "number",
        0.0,
        required=True,
        advice="give the lowest value of the scale",
        meaning="The lowest rating.",
        example="0",
    ),
    Key(
        "max",
        "number",
        1.0,
        required=True,
        advice="give the highest value of the scale",
        meaning="The highest rating.",
        example="6",
    ),
    Key(
        "step",
        "number",
        0.0,
        required=True,
        advice="give the distance between two neighbouring ratings",
        meaning="The distance between two neighbouring ratings. max - min has to be a multiple of step.",
        example="1",
    ),
)
CAMPAIGN_KEYS = (
    Key(
        "slug",
        "text",
        "",
        required=True,
        slug=SLUG,
        meaning="The short name of the campaign in addresses and commands, in lower case.",
        example='"harbour-similarity"',
    ),
    Key(
        "title",
        "text",
        "",
        required=True,
        maximum=MAX_TITLE,
        meaning="The title of the campaign, which annotators see.",
        example='"How similar are these sentences?"',
    ),
    Key(
        "contact",
        "text",
        "",
        required=True,
        maximum=MAX_CONTACT,
        meaning="Where annotators can ask questions: an email address or a link.",
        example='"organizers@example.org"',
    ),
    Key(
        "languages",
        "texts",
        ("en",),
        meaning="The languages of the annotators' pages: en, cs or de. The first one is the default, and "
        "annotators can choose another one.",
        example='["en"]',
    ),
    Key(
        "text_language",
        "text",
        "",
        required=True,
        advice='give the language of the texts, such as "en"',
        maximum=16,
        meaning="The language of the texts to annotate. Screen readers need it.",
        example='"cs"',
    ),
    Key(
        "consent",
        "table",
        required=True,
        advice='give the consent text as { en = "consent.en.md" }',
        meaning="The consent text, in each language of the campaign. Annotators have to accept it before "
        "they begin. Give Markdown text, or the name of a file with it (.md or .txt).",
        example='{ en = "consent.en.md" }',
    ),
    Key(
        "guide",
        "table",
        otherwise="no instructions",
        meaning="The instructions for annotators, in each language of the campaign: Markdown text, or the "
        "name of a file with it.",
        example='{ en = "guide.en.md" }',
    ),
    Key(
        "scale",
        "table",
        keys=SCALE_KEYS,
        otherwise="none; then each round of ratings needs its own",
        meaning="The rating scale of all rounds that have no scale of their own.",
        example="{ min = 0, max = 6, step = 1 }",
    ),
    Key(
        "labels",
        "table",
        otherwise="no labels",
        meaning="The meaning of points of the scale, in each language of the campaign.",
        example='{ en = { "0" = "completely different", "6" = "identical" } }',
    ),
    Key(
        "level",
        "text",
        slug=LEVEL_SLUG,
        otherwise="no level",
        meaning="The level for which the answers make a gold standard. The key split is needed, too.",
        example='"sentences"',
    ),
    Key(
        "split",
        "text",
        choices=SPLITS,
        otherwise="no split",
        meaning="The split for which the answers make a gold standard. The key level is needed, too.",
        example='"test"',
    ),
)
ENTRY_KEYS = (
    Key(
        "kind",
        "text",
        "",
        required=True,
        choices=("personal",),
        meaning="How these annotators come in. personal: each of them gets a personal link.",
        example='"personal"',
    ),
    Key(
        "lease_hours",
        "whole",
        336,
        minimum=1,
        maximum=MAX_HOURS,
        meaning="If an annotator gives no answer for this many hours, others get the rest of the assignment.",
        example="168",
    ),
    Key(
        "assignments_each",
        "whole",
        1,
        maximum=1000,
        meaning="The maximum number of assignments that an annotator can do in a round. 0 means no limit.",
        example="3",
    ),
)
ASK_KEYS = (
    Key(
        "comment",
        "flag",
        default=False,
        meaning="Whether annotators can write a comment on a unit.",
        example="true",
    ),
    Key(
        "cannot_judge",
        "flag",
        default=False,
        meaning="Whether annotators can say that they cannot judge a unit. Such an answer does not count.",
        example="true",
    ),
)
PASS_KEYS = (
    Key(
        "slug",
        "text",
        "",
        required=True,
        slug=SLUG,
        meaning="The short name of the pass, in lower case. The names of exported files contain it.",
        example='"dependent"',
    ),
    Key(
        "show",
        "texts",
        otherwise="show of the round",
        meaning="The columns that annotators see in this pass.",
        example='["left_context", "right_context"]',
    ),
    Key(
        "after_hours",
        "whole",
        0,
        maximum=MAX_HOURS,
        meaning="The second pass opens this many hours after the annotator's last answer of the first pass.",
        example="72",
    ),
    Key(
        "remind_hours",
        "wholes",
        (),
        maximum=MAX_HOURS,
        meaning="When to remind annotators of the second pass, in hours after their last answer of the "
        "first pass. Only annotators with an email address who have not begun the second pass get "
        "reminders.",
        example="[72, 96]",
    ),
)
CALIBRATION_KEYS = (
    Key(
        "units",
        "file",
        "",
        required=True,
        advice="name the file with the calibration units",
        meaning="The table of the calibration units. It has the same columns as the table of the round's "
        "units.",
        example='"calibration.tsv"',
    ),
    Key(
        "each_pass",
        "flag",
        default=True,
        meaning="Whether annotators answer the calibration units before each pass (true) or only before the "
        "first pass (false).",
        example="true",
    ),
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
        meaning="The number of units that each annotator rates again, at the end of each pass.",
        example="5",
    ),
    Key(
        "from",
        "text",
        otherwise="this round",
        meaning="The slug of an earlier round, such as a pilot. Annotators then rate units again that they "
        "rated in that round. By default, they rate units from the first half of their assignment again.",
        example='"pilot"',
    ),
    Key(
        "else",
        "text",
        choices=("main",),
        otherwise="fewer repeats",
        meaning="What to do if the annotator rated too few units in the earlier round. main: repeat units of "
        "this round, too. Without this key, there are fewer repeats.",
        example='"main"',
    ),
)
ROUND_KEYS = (
    Key(
        "slug",
        "text",
        "",
        required=True,
        slug=SLUG,
        meaning="The short name of the round, in lower case.",
        example='"rate"',
    ),
    Key(
        "kind",
        "text",
        "",
        required=True,
        choices=("rate", "bws"),
        meaning="What annotators do. rate: they rate pairs of texts on the scale. bws: they choose the best "
        "and the worst of three or four texts (best-worst scaling).",
        example='"rate"',
    ),
    Key(
        "entries",
        "texts",
        otherwise="all entries",
        meaning="The entries whose annotators work in this round.",
        example='["students"]',
    ),
    Key(
        "units",
        "file",
        "",
        required=True,
        advice="name the file with the pairs",
        meaning="The table of the units, which are what annotators answer about. Its header has the columns "
        "key, left and right, and optionally group and genre. It can have further columns, such as turn1, "
        "turn2 and so on for the earlier turns of a dialogue, which may be empty. In columns other than "
        "left and right, <sent> and </sent> can mark a sentence. In best-worst scaling, each row is an "
        "item: right is its text, and left is the text that all items of its group are compared with.",
        example='"pairs.tsv"',
    ),
    Key(
        "tuples",
        "file",
        otherwise="none; required for bws",
        meaning="The table of the tuples, for best-worst scaling. To make it, run `scorer bws tuples UNITS "
        "--item key --group group`.",
        example='"tuples.tsv"',
    ),
    Key(
        "show",
        "texts",
        otherwise='["left", "right"], and for bws ["left"]',
        meaning="The columns that annotators see. In a bws round, they see these above the texts to compare.",
        example='["left", "right", "context"]',
    ),
    Key(
        "question",
        "table",
        otherwise="How similar are these two texts?",
        meaning="The question about each unit, in each language of the campaign.",
        example='{ en = "How similar are the two sentences?" }',
    ),
    Key(
        "best",
        "table",
        otherwise="Which text is most similar?",
        meaning="The question for the best text of a tuple, in each language of the campaign.",
        example='{ en = "Which sentence is most similar to the last one?" }',
    ),
    Key(
        "worst",
        "table",
        otherwise="Which text is least similar?",
        meaning="The question for the worst text of a tuple, in each language of the campaign.",
        example='{ en = "Which sentence is least similar to the last one?" }',
    ),
    Key(
        "ask",
        "table",
        {},
        keys=ASK_KEYS,
        otherwise="only the rating",
        meaning="What else annotators can answer.",
        example="{ comment = true, cannot_judge = true }",
    ),
    Key(
        "scale",
        "table",
        keys=SCALE_KEYS,
        otherwise="the campaign's scale",
        meaning="The rating scale of this round.",
        example="{ min = 0, max = 1, step = 1 }",
    ),
    Key(
        "labels",
        "table",
        otherwise="the campaign's labels; none if the round has its own scale",
        meaning="The meaning of points of the scale, in each language of the campaign.",
        example='{ en = { "0" = "rather different", "1" = "rather similar" } }',
    ),
    Key(
        "answers",
        "whole",
        1,
        required=True,
        advice="give the number of answers for each unit, such as 9",
        minimum=1,
        maximum=MAX_ANSWERS,
        meaning="The number of answers that each unit gets in each pass, all from different annotators.",
        example="9",
    ),
    Key(
        "assignment",
        "whole",
        1,
        required=True,
        advice="give the number of units in an assignment, such as 50",
        minimum=1,
        maximum=MAX_ASSIGNMENT,
        meaning="The number of units in an assignment, which is a list of units for one annotator. Some "
        "assignments can have fewer units.",
        example="50",
    ),
    Key(
        "groups",
        "text",
        "apart",
        choices=("apart", "free"),
        meaning="Whether an annotator can get several units of a group, which are units with the same value "
        "in the column group. apart: nobody gets two units of a group. free: the column does not matter.",
        example='"free"',
    ),
    Key(
        "order",
        "text",
        "shuffled",
        choices=("shuffled", "given"),
        meaning="The order of the units in an assignment. shuffled: random, and different in each "
        "assignment. given: the order of the table.",
        example='"given"',
    ),
    Key(
        "passes",
        "tables",
        (),
        maximum=MAX_PASSES,
        keys=PASS_KEYS,
        otherwise="one pass",
        meaning="The two passes. Annotators rate the same units in the same order in both passes, usually "
        "first without context and later with it.",
        example='[{ slug = "free" }, { slug = "dependent", show = ["left_context", "right_context"], '
        "after_hours = 72 }]",
    ),
    Key(
        "calibration",
        "table",
        keys=CALIBRATION_KEYS,
        otherwise="no calibration",
        meaning="Units that all annotators rate first, in the order of their table. These answers do not "
        "count.",
        example='{ units = "calibration.tsv" }',
    ),
    Key(
        "intra",
        "table",
        keys=INTRA_KEYS,
        otherwise="no repeats",
        meaning="Units that annotators rate a second time, to measure intra-annotator agreement. The second "
        "ratings do not count.",
        example='{ n = 5, from = "pilot" }',
    ),
    Key(
        "seed",
        "whole",
        1,
        meaning="The seed of the plan. The same seed and the same units give the same assignments.",
        example="7",
    ),
)
GOLD_KEYS = (
    Key(
        "round",
        "text",
        "",
        required=True,
        meaning="The slug of the round whose answers become the gold standard.",
        example='"rate"',
    ),
    Key(
        "pass",
        "text",
        otherwise="the first pass",
        meaning="The slug of the pass whose answers become the gold standard.",
        example='"free"',
    ),
    Key(
        "rule",
        "text",
        "",
        required=True,
        choices=("mean", "median", "bws"),
        meaning="How the answers become gold labels. mean, median: the mean or the median of the ratings of "
        "a unit. bws: the best-worst score of an item. It is how often the item was chosen as best minus "
        "how often it was chosen as worst, divided by the number of answers to its tuples, and mapped from "
        "-1 … 1 to 0 … 1.",
        example='"mean"',
    ),
    Key(
        "at_least",
        "whole",
        minimum=1,
        maximum=MAX_ANSWERS,
        otherwise="the answers of the round",
        meaning="The number of answers that a unit needs to get a gold label. With the rule bws, each tuple "
        "of an item needs this many answers.",
        example="7",
    ),
)
ANNOTATION_TOML = (
    Key(
        "campaign",
        "table",
        keys=CAMPAIGN_KEYS,
        meaning="The campaign as a whole. Every annotation.toml has this table.",
    ),
    Key(
        "entry",
        "table",
        {},
        keys=(
            Key(
                "NAME",
                "table",
                keys=ENTRY_KEYS,
                meaning="One group of annotators, under a name that you choose.",
            ),
        ),
        meaning="The entries, which are groups of annotators. A campaign has at least one, such as "
        "[entry.students].",
    ),
    Key(
        "round",
        "tables",
        (),
        keys=ROUND_KEYS,
        maximum=MAX_ROUNDS,
        meaning="A round asks one question about one set of units. A campaign has at least one [[round]].",
    ),
    Key(
        "gold",
        "table",
        keys=GOLD_KEYS,
        otherwise="no gold standard",
        meaning="How the answers become a gold standard.",
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
