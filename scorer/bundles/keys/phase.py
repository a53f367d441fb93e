"""The keys of the table [[phase]]."""

from scorer.bundles.bundle import SPLITS
from scorer.bundles.keys.task import MAX_TITLE
from scorer.bundles.toml_table import SLUG, Key

_FEEDBACKS = ("hidden", "scores", "rounded", "public-part", "ladder")
PHASE_KEYS = (
    Key(
        "slug",
        "The short name of the phase in addresses and commands, in lower case.",
        '"evaluation"',
        required=True,
        slug=SLUG,
    ),
    Key(
        "title",
        "The title of the phase.",
        '"Evaluation"',
        maximum=MAX_TITLE,
        otherwise="the slug, with a capital letter",
    ),
    Key(
        "split",
        "The split whose items are scored: a run has one score for each of them. At least one level "
        "must have this split.",
        '"trial"',
        default="test",
        choices=SPLITS,
    ),
    Key(
        "opens",
        "When the phase opens: a date and time with an offset. Z is UTC.",
        "2026-03-02T00:00:00Z",
        "moment",
        otherwise="open from the beginning",
    ),
    Key(
        "closes",
        "The deadline. The offset -12:00 is “anywhere on earth”.",
        "2026-03-15T23:59:59-12:00",
        "moment",
        otherwise="no deadline",
    ),
    Key(
        "grace_hours",
        "The grace period in hours: late files are still accepted and scored, but never ranked.",
        "72",
        "whole",
        0,
        maximum=366 * 24,
    ),
    Key(
        "feedback",
        "What a team sees of its scores before the release. hidden: nothing. scores: exact scores. "
        "rounded: rounded scores. public-part: its scores on the public items. ladder: its best score so "
        "far, in steps. Exact scores reveal gold labels to teams that submit many files.",
        '"scores"',
        default="hidden",
        choices=_FEEDBACKS,
    ),
    Key(
        "places",
        'The decimal places of the scores that teams see if feedback = "rounded".',
        "2",
        "whole",
        maximum=6,
        otherwise='2 if feedback = "rounded"',
    ),
    Key(
        "step",
        'With feedback = "ladder", a team sees a new score only if it is better by more than this.',
        "0.01",
        "number",
        otherwise='0.01 if feedback = "ladder"',
    ),
    Key(
        "board",
        "When the leaderboard is public. released: once you release it. live: the site updates "
        "it within a minute of each change. live needs a feedback other than hidden.",
        '"live"',
        default="released",
        choices=("released", "live"),
    ),
    Key(
        "runs_public",
        "Whether a release publishes the files that count and the late ones. Teams are told so when "
        "they upload.",
        "true",
        "flag",
        default=False,
    ),
    Key(
        "runs_per_team",
        "The number of runs that a team can have in this phase.",
        "3",
        "whole",
        minimum=1,
        otherwise="that of [board]",
    ),
    Key(
        "files_per_level",
        "The number of scored files that a team can upload for each level.",
        "10",
        "whole",
        minimum=1,
        otherwise="no limit",
    ),
    Key(
        "files_per_day",
        "The number of scored files that a team can upload for each level on one day in UTC.",
        "5",
        "whole",
        minimum=1,
        otherwise="no limit",
    ),
    Key(
        "reminders",
        "How many hours before the deadline teams get an email as a reminder.",
        "[72, 24]",
        "wholes",
        (),
        minimum=1,
        maximum=30 * 24,
    ),
    Key(
        "baselines",
        "Whether releases always show the baselines, or only after the last deadline for the items. "
        "Before that deadline, the scores of baselines would help teams to guess the gold standard.",
        '"always"',
        default="after",
        choices=("after", "always"),
    ),
)
