"""The keys of the table [[run]]."""

from scorer.bundles.bundle import BASELINES
from scorer.bundles.toml_table import Key

RUN_KEYS = (
    Key("team", "text", "", required=True, meaning="The name of the team.", example='"organizers"'),
    Key("name", "text", "", required=True, meaning="The name of the run.", example='"LCS"'),
    Key("description", "text", "", meaning="A sentence on the system.", example='"String kernels"'),
    Key(
        "baseline",
        "text",
        choices=BASELINES,
        otherwise="not a baseline",
        meaning="Makes the run a baseline, which the scorer computes: longest common substring, or greedy "
        "string tiling.",
        example='"lcs"',
    ),
    Key(
        "files",
        "table",
        otherwise="the files in runs/TEAM/NAME/",
        meaning="The file of the run for each level.",
        example='{ phrase2word = "runs/lotus/phrase2word.tsv" }',
    ),
    Key(
        "late",
        "texts",
        (),
        meaning="The levels for which the run has only a late file. Late files are shown separately and not "
        "ranked.",
        example='["phrase2word"]',
    ),
    Key(
        "late_files",
        "table",
        otherwise="none",
        meaning="For levels with two files, one on time and one late: the late one.",
        example='{ phrase2word = "runs/lotus/late.tsv" }',
    ),
    Key(
        "phase",
        "text",
        otherwise="the first phase on test items, else the first phase",
        meaning="The phase of the run.",
        example='"evaluation"',
    ),
    Key(
        "method",
        "text",
        "",
        meaning="How the system works, for the table of systems.",
        example='"fine-tuned encoder"',
    ),
    Key("resources", "text", "", meaning="The resources that the system uses.", example='"WordNet 3.0"'),
    Key(
        "links",
        "texts",
        (),
        meaning="Web addresses of the paper, the code or the model.",
        example='["https://example.org/paper"]',
    ),
    Key("authors", "text", "", meaning="The authors of the system.", example='"B. Birch and E. Elm"'),
    Key(
        "primary",
        "flag",
        default=False,
        meaning="Whether this is the primary run of its team. A team has at most one in a phase.",
        example="true",
    ),
)
