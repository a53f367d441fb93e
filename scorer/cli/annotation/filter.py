"""`scorer filter`: keeps pairs whose rating is close to the rating that their choice suggests."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from scorer.cli._options import (
    StrictCommand,
    column_option,
    flag_option,
    label,
    no_header_option,
    option_group,
    table_options,
    value_option,
)
from scorer.cli._output import progress, write_output
from scorer.cli.annotation._shared import output_option, print_report, refuse_existing, report_format
from scorer.errors import RequestError
from scorer.files.reading import read_bytes

if TYPE_CHECKING:
    from scorer.annotation.choice_filter import FilterRules
    from scorer.annotation.choices_reader import Choices


@dataclass(frozen=True, slots=True)
class OutputFiles:
    """The files to which the kept pairs and the random controls are written."""

    out: Path | None
    controls: str | None
    ids: Path | None

    def check(self, rules: "FilterRules", id_: str | None) -> None:
        """Raise RequestError if the rules or the columns do not allow these files to be written."""
        if (self.out or self.controls is not None or self.ids) and len(rules.neighbourhoods) != 1:
            raise RequestError(
                "files can be written for one neighbourhood only; choose it with --neighbourhood N"
            )
        if self.controls is not None and not rules.repeats:
            raise RequestError("there are no controls to write; set --repeats to more than 0")
        if self.ids and id_ is None:
            raise RequestError("--ids needs --id COLUMN, the column of the name of the pair")

    def contents(
        self, choices: "Choices", data: bytes, rules: "FilterRules", ending: str
    ) -> dict[Path, bytes]:
        """Return the content of each file to write."""
        from scorer.annotation.choice_filter import neighbourhood, random_control, select_file_rows

        width, *_ = rules.neighbourhoods
        places = neighbourhood(choices, width)
        files: dict[Path, bytes] = {}
        if self.out is not None:
            files[self.out] = select_file_rows(data, choices, places)
        if self.ids is not None and choices.ids is not None:
            files[self.ids] = "".join(f"{choices.ids[place]}\n" for place in places.tolist()).encode()
        for number in range(1, rules.repeats + 1) if self.controls is not None else ():
            drawn = random_control(choices, width, len(places), rules.seed, number)
            files[Path(f"{self.controls}{number}{ending}")] = select_file_rows(data, choices, drawn)
        return files


_output_options = option_group(
    "files",
    OutputFiles,
    output_option("--out", "Write the kept lines to FILE, unchanged."),
    value_option(
        "--controls", "PREFIX", "Write the lines of the first random control to PREFIX1.tsv, and so on."
    ),
    output_option("--ids", "Write the names of the kept pairs to FILE, one per line."),
)


@click.command("filter", cls=StrictCommand)
@click.argument("train")
@value_option(
    "--neighbourhood",
    "N",
    "Keep pairs whose rating differs from the expected one by at most N. Repeatable.",
    "neighbourhoods",
    type=float,
    multiple=True,
    default=(1.0, 2.0),
)
@column_option("--choice", "The column of the choice.", default="choice")
@column_option("--rating", "The column of the rating.", default="rating")
@value_option("--expected", "CHOICE=NUMBER,...", "The expected rating of each choice.", default="A=6,B=3,C=0")
@column_option(
    "--second",
    "The column of the rating in another round. Cells may be empty. The output then shows how close the "
    "two ratings are, for the kept pairs and for the controls.",
)
@column_option("--id", "The column of the name of the pair, for --ids.", "id_")
@no_header_option
@table_options
@value_option("--repeats", "R", "Number of random controls per neighbourhood.", default=5)
@click.option("--seed", default=0, help="Random seed of the controls.")
@_output_options
@flag_option("--force", "Replace existing files.")
@report_format
def command(
    *,
    train: str,
    neighbourhoods: tuple[float, ...],
    repeats: int,
    seed: int,
    expected: str,
    id_: str | None,
    no_header: bool,
    files: OutputFiles,
    force: bool,
    format_: str,
    **columns: Any,
) -> None:
    """Keep pairs whose rating is close to the expected one.

    TRAIN has one row per pair of texts, with a choice and a rating. The choice says whether an annotator
    found the pair the most similar of several pairs (A), in between (B) or the least similar (C). Each choice
    has an expected rating (--expected).

    The command keeps the pairs whose rating is close to the expected one. The output compares them with
    controls, which are random sets of the same number of pairs.

    \b
    Examples:
      scorer filter train.tsv --neighbourhood 1 --seed 7 --out kept.tsv
      scorer filter train.tsv --expected green=4,red=0 --second round2 --repeats 20

    \b
    Exit codes:
      0  success
      1  bad data
      2  usage error
    """
    from scorer.annotation.choice_filter import FilterRules, filter_report
    from scorer.annotation.choices_reader import ChoicesLayout, parse_choices, parse_expected_ratings

    rules = FilterRules(tuple(dict.fromkeys(neighbourhoods)), repeats, seed)
    layout = ChoicesLayout(expected=parse_expected_ratings(expected), id=id_, header=not no_header, **columns)
    files.check(rules, id_)
    data = read_bytes(train)
    choices = parse_choices(data, label(train), layout)
    with progress("Comparing"):
        report = filter_report(choices, rules)
    contents = files.contents(choices, data, rules, Path(train).suffix or ".tsv")
    refuse_existing([path for path in (files.out, files.ids) if path], [train], force=force)
    refuse_existing(list(contents), [train], force=force)
    for path, content in contents.items():
        write_output(path, content)
    print_report(report, format_)
