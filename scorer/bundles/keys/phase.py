"""The keys of the table [[phase]]."""

from scorer.bundles.bundle import SPLITS
from scorer.bundles.keys.task import MAX_TITLE
from scorer.bundles.toml_table import SLUG, Key

_FEEDBACKS = ("hidden", "scores", "rounded", "public-part", "ladder")
PHASE_KEYS = (
    Key(
        "slug",
        "text",
        "",
        required=True,
        slug=SLUG,
        meaning="The short name of the phase in addresses and commands, in lower case.",
        example='"evaluation"',
    ),
    Key(
        "title",
        "text",
        maximum=MAX_TITLE,
        otherwise="the slug, with a capital letter",
        meaning="The title of the phase.",
        example='"Evaluation"',
    ),
    Key(
        "split",
        "text",
        "test",
        choices=SPLITS,
        meaning="The split whose items are scored: a run has one score for each of them. At least one level "
        "must have this split.",
        example='"trial"',
    ),
    Key(
        "opens",
        "moment",
        otherwise="open from the beginning",
        meaning="When the phase opens: a date and time with an offset. Z is UTC.",
        example="2026-03-02T00:00:00Z",
    ),
    Key(
        "closes",
        "moment",
        otherwise="no deadline",
        meaning="The deadline. The offset -12:00 is “anywhere on earth”.",
        example="2026-03-15T23:59:59-12:00",
    ),
    Key(
        "grace_hours",
        "whole",
        0,
        maximum=366 * 24,
        meaning="The grace period in hours: late files are still accepted and scored, but never ranked.",
        example="72",
    ),
    Key(
        "feedback",
        "text",
        "hidden",
        choices=_FEEDBACKS,
        meaning="What a team sees of its scores before the release. hidden: nothing. scores: exact scores. "
        "rounded: rounded scores. public-part: its scores on the public items. ladder: its best score so "
        "far, in steps. Exact scores reveal gold labels to teams that submit many files.",
        example='"scores"',
    ),
    Key(
        "places",
        "whole",
        maximum=6,
        otherwise='2 if feedback = "rounded"',
        meaning='The decimal places of the scores that teams see if feedback = "rounded".',
        example="2",
    ),
    Key(
        "step",
        "number",
        otherwise='0.01 if feedback = "ladder"',
        meaning='With feedback = "ladder", a team sees a new score only if it is better by more than this.',
        example="0.01",
    ),
    Key(
        "board",
        "text",
        "released",
        choices=("released", "live"),
        meaning="When the leaderboard is public. released: once you release it. live: the site updates "
        "it within a minute of each change. live needs a feedback other than hidden.",
        example='"live"',
    ),
    Key(
        "runs_public",
        "flag",
        default=False,
        meaning="Whether a release publishes the files that count and the late ones. Teams are told so when "
        "they upload.",
        example="true",
    ),
    Key(
        "runs_per_team",
        "whole",
        minimum=1,
        otherwise="that of [board]",
        meaning="The number of runs that a team can have in this phase.",
        example="3",
    ),
    Key(
        "files_per_level",
        "whole",
        minimum=1,
        otherwise="no limit",
        meaning="The number of scored files that a team can upload for each level.",
        example="10",
    ),
    Key(
        "files_per_day",
        "whole",
        minimum=1,
        otherwise="no limit",
        meaning="The number of scored files that a team can upload for each level on one day in UTC.",
        example="5",
    ),
    Key(
        "reminders",
        "wholes",
        (),
        minimum=1,
        maximum=30 * 24,
        meaning="How many hours before the deadline teams get an email as a reminder.",
        example="[72, 24]",
    ),
    Key(
        "baselines",
        "text",
        "after",
        choices=("after", "always"),
        meaning="Whether releases always show the baselines, or only after the last deadline for the items. "
        "Before that deadline, the scores of baselines would help teams to guess the gold standard.",
        example='"always"',
    ),
)
