"""The README.md of a round's export: what its files are, and the command of each figure."""

from collections.abc import Sequence
from shlex import join

from server.annotation.models import AnnotationRound
from server.annotation.results.commands import RATING_OPTIONS, count_command, list_commands
from server.annotation.results.tables import name_table

_TITLES = {
    "agreement": "Agreement between annotators, by genre, and each annotator compared with the others",
    "intra": "Agreement of annotators with themselves (the rows “an annotator's first with their second "
    "rating”)",
    "increase": "Effect of the context: the increase from the first pass to the second, by a paired test",
    "passes": "Correlation of the passes; how close ratings are to the other pass, by thinking time and by "
    "position in the annotator's work (the calibration curve); time between the passes",
    "rounds": "Correlation of the mean ratings with those of another round",
    "reliability": "Split-half reliability of the scores, and agreement",
    "scores": "Scores of the items",
    "expert": "The expert's judgments compared with the scores",
}
_RATINGS = """## Ratings

Each `ratings` file has the answers that count in one pass. Each line is one answer:

- `at`: when the answer arrived.
- `seconds`: the time for the answer: `visible` if it is known, otherwise `elapsed`. The column `clock` says
  which.
- `turn`: the position of the unit in the annotator's assignment, from 1.
- `since`: the time since the annotator's previous answer in the round, with breaks and waiting. It is empty
  for the first answer.
- `elapsed`: the time from sending the page to receiving the answer, by the server's clock.
- `visible`: how long the page was visible on the screen, as its script measured it. It is empty if the
  browser ran no script.
"""
_CALIBRATION = """
`calibration` files have the same columns, for the calibration units. Every annotator answers these units
first, and the answers do not count. The units are in `calibration.tsv`.
"""
_INTRA = """
`intra` files have the same columns, for units that an annotator rated twice. Each such unit has two lines:
the earlier rating, which can be from an earlier round, and then the repeat.
"""
_ROUNDS = """
`rounds` has a folder for each other round about the same units, with the ratings that count in that round.
The README.md of that round's export explains the columns.
"""
_TUPLES = """## Tuples

Each `bws` file has the answers that count in one pass. Each line is one answer. `Item1` and so on are the
keys of the tuple's items. `shown` says in which order the page showed the items: `3 1 2` means that `Item3`
came first. The texts of the items are in `items.tsv`.
"""
_HEAD = """# Campaign {campaign}, round {round}

`answers.jsonl` has every answer, except the answers of annotators who withdrew their consent. The field
`outcome` says whether the answer counts:

- `counted`
- `superseded`: the annotator changed the answer later.
- `surplus`: the unit had enough answers already.
- `excluded`: an organizer excluded the annotator's answers.
- `late`: the answer arrived after the round was closed, or after the annotator's pass was over.
- `no value`: the annotator could not judge the unit.
- `calibration`, `repeat`: answers to calibration units and repeats do not count.

Other fields of `answers.jsonl`:

- `plan`, `assignment`, `turn`: the plan, the assignment and the position in it.
- `block`: `main`, `calibration` or `repeat`.
- `step`: the number of the step, which is one unit in an assignment, in one pass. If an annotator changed an
  answer, both answers have the same number.
- `slot`: which of the answers that the unit needs this is (1, 2, 3 …). It is 0 for calibration units and
  repeats.
- `late`: whether the answer arrived after the round was closed, or after its pass was done.

Times are in UTC, and durations in seconds. Annotators appear under their pseudonyms.

- `units.tsv`: the units, which are what annotators answered about.
- `campaign/`: the files from which the campaign was made.
- `plan-1.json` and so on: the plans, which list the units of each assignment.
- `gold.tsv`: the gold label of each row of `{items}`, in the same order. A line is empty if there were too
  few answers. Only the round that makes the gold standard has this file.
- `manifest.json`: the SHA-256 of each file, and why annotators were excluded.

"""

_DATA_SET = """
Make a data set that can be hosted as a task. If people sorted and rated pairs before the campaign, put a
`choices.tsv` into this folder, and the data set also has training pairs:

    scorer dataset . --out dataset
"""
_FIRST_ROUND = """
## Compare with earlier ratings

If people sorted and rated the same units before the campaign, put a `choices.tsv` into this folder: a
tab-separated table with the columns `id` (the unit) and `rating`, among others. This command makes a file of
ratings from it:

    {command}
"""
_FIRST_TABLE = "first.tsv"
_FIRST_COMMAND = (
    "awk -F '\\t' -v OFS='\\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; "
    'print "unit", "annotator", "rating", "turn", "since", "visible"; next } '
    '{ print $at["id"], "first", $at["rating"], NR, "", "" }\' choices.tsv > first.tsv'
)
_FIRST_OPTIONS = "--unit unit --annotator annotator --rating rating --time turn --curve --step 10"
_CLOCKS = ("since", "visible")


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
    parts.append(_DATA_SET)
    check = f"scorer assignments check plan-1.json campaign/ answers.jsonl --round {of_round.slug}"
    parts.append(f"\nCheck that the plan and the answers keep the rules of the round:\n\n    {check}\n")
    if not is_bws and of_round.n_passes > 1:
        slugs = of_round.pass_slugs
        parts += [_write_joined_intra(*slugs)] if rules["repeats"] else []
        parts.append(_FIRST_ROUND.format(command=_FIRST_COMMAND))
        parts += map(_write_first_commands, slugs)
    return "".join(parts)


def _write_joined_intra(first: str, second: str) -> str:
    """Write the commands for the repeats of both passes: a unit is another one in the second pass."""
    names, joined = [name_table("intra", slug) for slug in (first, second)], "intra-joined.csv"
    command = f"(cat {names[0]}; tail -n +2 {names[1]} | sed 's/^/{second}:/') > {joined}"
    agree = join(("scorer", "agree", joined, *RATING_OPTIONS))
    title = "Agreement of annotators with themselves, both passes joined"
    return f"\n{title}:\n\n    {command}\n    {agree}\n"


def _write_first_commands(pass_slug: str) -> str:
    """Write the commands that compare a pass with the earlier ratings by thinking time and by position."""
    files = f"{_FIRST_TABLE} {name_table('ratings', pass_slug)}"
    commands = (
        f"    scorer rounds {files} {_FIRST_OPTIONS} --bucket 1 --seconds {clock}\n" for clock in _CLOCKS
    )
    title = (
        "How close ratings are to the earlier ratings, by position and by thinking time in seconds (once "
        "with `since`, once with `visible`)"
    )
    return f"\n{title}, pass {pass_slug}:\n\n{''.join(commands)}"
