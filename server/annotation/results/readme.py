"""The README.md of a round's export: what its files are, and the command of each figure."""

from collections.abc import Sequence

from server.annotation.models import AnnotationRound
from server.annotation.results.commands import count_command, list_commands
from server.annotation.results.tables import name_table

_TITLES = {
    "agreement": "Agreement between annotators, by genre, and each annotator beside the others",
    "intra": "Agreement of annotators with themselves (the rows “first with second rating”)",
    "increase": "Effect of the context: the increase from the first pass to the second, by a paired test",
    "passes": "Correlation of the passes; error by thinking time; calibration curve; time between the passes",
    "rounds": "Correlation of the mean ratings with those of another round",
    "reliability": "Split-half reliability of the scores, and agreement",
    "scores": "Scores of the items",
    "expert": "The expert's judgments beside the scores",
}
_RATINGS = """## Ratings

Each ratings file has the answers of a pass that count, one on each line, by unit and slot:

- `at`: when the answer arrived.
- `seconds`: the time for the answer by the clock in `clock`: `visible` if it is known, otherwise `elapsed`.
- `turn`: the place of the unit in the annotator's assignment.
- `since`: the time since the annotator's previous answer in the round, which includes breaks and waiting. It
  is empty for the first answer.
- `elapsed`: the time from the page to the answer, by the server's clock.
- `visible`: how long the page was in front, by its script; empty without script.
"""
_CALIBRATION = """
`calibration` files have the same columns, for the units that everybody answers first and that do not count.
The units are in `calibration.tsv`.
"""
_INTRA = """
`intra` files have the same columns. Each repeat has two lines: the earlier rating, which can be of an earlier
round, and then the repeat.
"""
_ROUNDS = """
`rounds` has the ratings that count of other rounds about the same units. The README.md in its own
export explains the columns.
"""
_TUPLES = """## Tuples

Each `bws` file has the answers of a pass that count, one on each line. `Item1` and so on are the keys of the
tuple's items in the order of the file of tuples, not in the order of the page. `shown` has the numbers of the
items in the order of the page. `items.tsv` has the items.
"""
_HEAD = """# Campaign {campaign}, round {round}

`answers.jsonl` has every answer ever given. Its `outcome` says what became of each: counted, superseded by a
later one, surplus (the unit had enough answers), excluded, late (after the round was closed, or after the
pass was done), calibration, repeat, or "no value" (the annotator could not judge the unit). Times are in UTC,
and durations in seconds. Annotators have pseudonyms.

`units.tsv` has the units, `campaign` the files from which the campaign was made, and `plan` files the
assignments. `gold.tsv`, in the export of the round that makes the gold standard, has one value for each line
of `{items}`, in the same order; an empty line had too few answers. `manifest.json` has the SHA-256 of each
file.

"""


def write_readme(of_round: AnnotationRound, compared: Sequence[AnnotationRound]) -> str:
    """Write the README.md of a round; `compared`: the rounds with which it is compared."""
    is_bws, rules = of_round.kind == "bws", of_round.rules
    parts = [
        _HEAD.format(
            campaign=of_round.campaign.slug,
            round=of_round.slug,
            items="items.tsv" if is_bws else "units.tsv",
        ),
        _TUPLES if is_bws else _RATINGS,
        _CALIBRATION if rules["calibration"] else "",
        _INTRA if rules["repeats"] else "",
        _ROUNDS if compared else "",
        "\n## Commands\n",
    ]
    for command in list_commands(of_round, compared):
        of_pass = f", pass {command.pass_slug}" if command.pass_slug else ""
        other = f" (round {command.other_round})" if command.other_round else ""
        parts.append(f"\n{_TITLES[command.name]}{other}{of_pass}:\n\n    {command.line}\n")
    if not is_bws:
        parts.append("\nHow often each rating was given:\n\n")
        parts += [f"    {count_command(name_table('ratings', slug))}\n" for slug in of_round.pass_slugs]
    parts.append("\nA data set for publication, which is a task too:\n\n    scorer dataset . --out dataset\n")
    check = f"scorer assignments check plan-1.json campaign answers.jsonl --round {of_round.slug}"
    parts.append(f"\nWhether the plan and the answers keep the rules of the round:\n\n    {check}\n")
    return "".join(parts)
