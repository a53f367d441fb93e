"""`scorer filter`: keep pairs whose rating is near what their choice leads to expect."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from scorer.cli._options import StrictCommand, label, no_header_option, table_options
from scorer.cli.annotation._shared import refuse_existing, sheet_format
from scorer.errors import RequestError
from scorer.files.reading import read_bytes

if TYPE_CHECKING:
    from scorer.annotation.choice_filter import FilterRules
    from scorer.annotation.choices_reader import Choices
    from scorer.files.tables import Quotes

_FILE = click.Path(path_type=Path, dir_okay=False)


@click.command("filter", cls=StrictCommand, short_help="Keep pairs whose rating is near the expected one.")
@click.argument("train")
@click.option(
    "--neighbourhood",
    "neighbourhoods",
    type=float,
    multiple=True,
    default=(1.0, 2.0),
    show_default="1 2",
    metavar="N",
    help="Keep pairs whose rating is at most N from the expected one; repeat it for more.",
)
@click.option(
    "--choice", default="choice", show_default=True, metavar="COLUMN", help="As what the pair was chosen."
)
@click.option(
    "--rating", default="rating", show_default=True, metavar="COLUMN", help="How the pair was rated."
)
@click.option(
    "--expected",
    default="A=6,B=3,C=0",
    show_default=True,
    metavar="CHOICE=NUMBER,...",
    help="The rating that each choice leads to expect.",
)
@click.option(
    "--second",
    metavar="COLUMN",
    help="Another round's rating: how close the first is to it, kept pairs and controls. May be empty.",
)
@click.option("--id", "id_", metavar="COLUMN", help="The pair's name, for --ids.")
@no_header_option
@table_options
@click.option(
    "--repeats", type=int, default=5, show_default=True, metavar="R", help="Random controls of each."
)
@click.option("--seed", type=int, default=0, show_default=True, help="Of the controls.")
@click.option("--out", type=_FILE, metavar="FILE", help="Write the kept lines there, as they were.")
@click.option("--controls", metavar="PREFIX", help="Write the lines of control 1 to PREFIX1.tsv, and so on.")
@click.option(
    "--ids", type=_FILE, metavar="FILE", help="Write the names of the kept pairs there, one a line."
)
@click.option("--force", is_flag=True, help="Replace files that are there.")
@sheet_format
def command(
    *,
    train: str,
    neighbourhoods: tuple[float, ...],
    choice: str,
    rating: str,
    expected: str,
    second: str | None,
    id_: str | None,
    no_header: bool,
    delimiter: str | None,
    quotes: "Quotes | None",
    repeats: int,
    seed: int,
    out: Path | None,
    controls: str | None,
    ids: Path | None,
    force: bool,
    format_: str,
) -> None:
    """Keep the pairs of TRAIN whose rating is near what their choice leads to expect.

    TRAIN has a row a pair: as what somebody chose it (A the most similar, B in the middle, C the least
    similar) and how they rated it. The kept pairs are counted beside random pairs of the same number.

    \b
    Example:  scorer filter train.tsv --neighbourhood 1 --seed 7 --out kept.tsv
              scorer filter train.tsv --expected green=4,red=0 --second round2 --repeats 20
    Exit:     0 good, 1 bad data, 2 usage
    """
    from scorer.annotation.choice_filter import FilterRules, filter_report
    from scorer.annotation.choices_reader import ChoicesLayout, parse_choices, parse_expected_ratings
    from scorer.reports.table_report import render_table_report

    rules = FilterRules(tuple(dict.fromkeys(neighbourhoods)), repeats, seed)
    expected_ratings = parse_expected_ratings(expected)
    layout = ChoicesLayout(
        choice,
        rating,
        expected_ratings,
        id_,
        second,
        header=not no_header,
        delimiter=delimiter,
        quotes=quotes,
    )
    _check_options(rules, out, controls, ids, id_)
    data = read_bytes(train)
    choices = parse_choices(data, label(train), layout)
    sheet = render_table_report(filter_report(choices, rules), format_)
    files = _output_files(choices, data, rules, Path(train).suffix or ".tsv", out, controls, ids)
    refuse_existing([path for path in (out, ids) if path], [train], force=force)
    refuse_existing(list(files), [train], force=force)
    for path, content in files.items():
        path.write_bytes(content)
    click.echo(sheet, nl=False)


def _check_options(
    rules: "FilterRules", out: Path | None, controls: str | None, ids: Path | None, id_: str | None
) -> None:
    if (out or controls is not None or ids) and len(rules.neighbourhoods) != 1:
        raise RequestError("files are written of one neighbourhood: name it with --neighbourhood N")
    if controls is not None and not rules.repeats:
        raise RequestError("there are no controls to write: give --repeats R above 0")
    if ids and id_ is None:
        raise RequestError("--ids needs the column with the pair's name: --id COLUMN")


def _output_files(
    choices: "Choices",
    data: bytes,
    rules: "FilterRules",
    ending: str,
    out: Path | None,
    controls: str | None,
    ids: Path | None,
) -> dict[Path, bytes]:
    from scorer.annotation.choice_filter import neighbourhood, random_control, select_file_rows

    width, *_ = rules.neighbourhoods
    places = neighbourhood(choices, width)
    files: dict[Path, bytes] = {}
    if out is not None:
        files[out] = select_file_rows(data, choices, places)
    if ids is not None and choices.ids is not None:
        files[ids] = "".join(f"{choices.ids[place]}\n" for place in places.tolist()).encode()
    for number in range(1, rules.repeats + 1) if controls is not None else ():
        drawn = random_control(choices, width, len(places), rules.seed, number)
        files[Path(f"{controls}{number}{ending}")] = select_file_rows(data, choices, drawn)
    return files
