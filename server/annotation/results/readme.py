"""The README.md of a round's export: what its files are, and the command of each figure."""

from server.annotation.models import AnnotationRound
from server.annotation.results.commands import count_command, list_commands
from server.annotation.results.tables import name_table

_TITLES = {
    "agreement": "Agreement between annotators, by genre, and each annotator compared with the others",
    "intra": "Agreement of annotators with themselves (the rows “first with second rating”)",
    "increase": "Effect of the context: the increase from the first pass to the second, by a paired test",
    "passes": "Correlation of the passes; error by thinking time; calibration curve; time between the passes",
    "reliability": "Split-half reliability of the scores, and agreement",
    "scores": "Scores of the items",
}
_RATINGS = """## Ratings

Each `ratings` file has the answers of one pass that count. Each line is one answer:

- `at`: when the answer arrived.
- `seconds`: the time for the answer, in the way that `clock` names: `visible` if it is known, otherwise
  `elapsed`.
- `turn`: the place of the unit in the annotator's assignment.
- `since`: the time since the annotator's previous answer in the round, with breaks and waiting. It is empty
  for the first answer.
- `elapsed`: the time from sending the page to receiving the answer, by the server's clock.
- `visible`: how long the page was in front, by its script. It is empty if the browser ran no script.
"""
_CALIBRATION = """
`calibration` files have the same columns, for the calibration units, which everybody answers first and which
do not count. The units are in `calibration.tsv`.
"""
_INTRA = """
`intra` files have the same columns, for units that an annotator rated twice. Each such unit has two lines:
the earlier rating, which can be from an earlier round, and then the repeat.
"""
_TUPLES = """## Tuples

Each `bws` file has the answers of one pass that count. Each line is one answer. `Item1` and so on are the
keys of the tuple's items. `shown` says in which order the page showed the items: `3 1 2` means that `Item3`
came first. The texts of the items are in `items.tsv`.
"""
_HEAD = """# Campaign {campaign}, round {round}

`answers.jsonl` has every answer, except those of annotators who withdrew their consent. The field `outcome`
says whether the answer counts:

- `counted`
- `superseded`: the annotator changed the answer later.
- `surplus`: the unit had enough answers already.
- `excluded`: an organizer excluded the annotator's answers.
- `late`: it arrived after the round was closed, or after the annotator's pass was over.
- `no value`: the annotator could not judge the unit.
- `calibration`, `repeat`: the unit is a calibration unit or a repeat, which do not count.

Times are in UTC, and durations in seconds. Annotators appear under their pseudonyms.

- `units.tsv`: the units, which are what annotators answered about.
- `campaign/`: the files from which the campaign was made.
- `plan-1.json` and so on: the plans, which say who answers what.
- `gold.tsv`: the gold label of each row of `{items}`, in the same order. A line is empty if there were too
  few answers. Only the round that makes the gold standard has this file.
- `manifest.json`: the SHA-256 of each file.

"""


def write_readme(of_round: AnnotationRound) -> str:
    """Write the README.md of a round."""
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
        "\n## Commands\n",
    ]
    for command in list_commands(of_round):
        of_pass = f", pass {command.pass_slug}" if command.pass_slug else ""
        parts.append(f"\n{_TITLES[command.name]}{of_pass}:\n\n    {command.line}\n")
    if not is_bws:
        parts.append("\nHow often each rating was given:\n\n")
        parts += [f"    {count_command(name_table('ratings', each['slug']))}\n" for each in rules["passes"]]
    parts.append("\nMake a data set that can be hosted as a task:\n\n    scorer dataset . --out dataset\n")
    check = f"scorer assignments check plan-1.json campaign answers.jsonl --round {of_round.slug}"
    parts.append(f"\nCheck that the plan and the answers keep the rules of the round:\n\n    {check}\n")
    return "".join(parts)
