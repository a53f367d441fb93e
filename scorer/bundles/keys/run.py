"""The keys of the table [[run]]."""

from scorer.bundles.bundle import BASELINES
from scorer.bundles.toml_table import Key

RUN_KEYS = (
    Key("team", "The name of the team.", '"organizers"', required=True),
    Key("name", "The name of the run.", '"LCS"', required=True),
    Key("description", "A sentence on the system.", '"String kernels"', default=""),
    Key(
        "baseline",
        "Makes the run a baseline, which the scorer computes: longest common substring, or greedy "
        "string tiling.",
        '"lcs"',
        choices=BASELINES,
        otherwise="not a baseline",
    ),
    Key(
        "files",
        "The file of the run for each level.",
        '{ phrase2word = "runs/lotus/phrase2word.tsv" }',
        "table",
        otherwise="the files in runs/TEAM/NAME/",
    ),
    Key(
        "late",
        "The levels for which the run has only a late file. Late files are shown separately and not ranked.",
        '["phrase2word"]',
        "texts",
        (),
    ),
    Key(
        "late_files",
        "For levels with two files, one on time and one late: the late one.",
        '{ phrase2word = "runs/lotus/late.tsv" }',
        "table",
        otherwise="none",
    ),
    Key(
        "phase",
        "The phase of the run.",
        '"evaluation"',
        otherwise="the first phase on test items, else the first phase",
    ),
    Key("method", "How the system works, for the table of systems.", '"fine-tuned encoder"', default=""),
    Key("resources", "The resources that the system uses.", '"WordNet 3.0"', default=""),
    Key(
        "links",
        "Web addresses of the paper, the code or the model.",
        '["https://example.org/paper"]',
        "texts",
        (),
    ),
    Key("authors", "The authors of the system.", '"B. Birch and E. Elm"', default=""),
    Key(
        "primary",
        "Whether this is the primary run of its team. A team has at most one in a phase.",
        "true",
        "flag",
        default=False,
    ),
)
