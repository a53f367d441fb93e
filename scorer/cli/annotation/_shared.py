"""Shared by the annotation commands: options for ratings, keyed gold and the output format; file checks."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from scorer.cli._options import (
    Decorator,
    column_option,
    flag_option,
    format_option,
    label,
    no_header_option,
    option_group,
    scale_option,
    table_options,
    value_option,
)
from scorer.cli._output import refuse_inputs, write_output
from scorer.errors import RatingsError, RequestError
from scorer.files.reading import KeyedFormat, read_bytes
from scorer.files.text import BLANKS, Problems, decode_lines, shorten
from scorer.files.values import MISSING_MARKS, MISSING_NUMBER_MARKS

if TYPE_CHECKING:
    from scorer.annotation.ratings import Ratings
    from scorer.reports.table_report import TableReport

OUTPUT_FILE = click.Path(path_type=Path, dir_okay=False)
report_format = format_option(
    ("text", "tsv", "json", "latex"), "text and latex round. tsv and json have ten decimal places."
)


def output_option(option: str, description: str, *parameter: str) -> Decorator:
    """Return an option that names a file to write; `parameter` is its name in the command, if another."""
    return click.option(option, *parameter, type=OUTPUT_FILE, metavar="FILE", help=description)


def new_folder_option(what: str, metavar: str) -> Decorator:
    """Return the option `--out` for the folder of what a command makes, as `refuse_full_folder` checks it."""
    folder = click.Path(path_type=Path, file_okay=False)
    description = f"The folder for the {what}. It is created, or has to be empty."
    return value_option("--out", metavar, description, type=folder, required=True)


def print_report(report: "TableReport", format_: str) -> None:
    """Print the tables of a command in the chosen format."""
    from scorer.reports.table_report import render_table_report

    click.echo(render_table_report(report, format_), nl=False)


def split_names(names: str) -> tuple[str, ...]:
    """Split comma-separated names."""
    return tuple(name.strip() for name in names.split(","))


def _ratings_reader(
    *, annotators: str | None, no_header: bool, missing: tuple[str, ...], **layout: Any
) -> "Callable[..., Ratings]":
    """Return a function that reads a file of ratings in this format; each call may choose other columns."""
    layout["missing"] = tuple(mark for marks in missing for mark in split_names(marks)) or None

    def read(
        path: str, *, words: bool = False, columns: str | None = None, ignore: str | None = None
    ) -> "Ratings":
        from scorer.annotation.ratings_reader import RatingsLayout, parse_ratings

        chosen = layout if ignore is None else layout | {"ignore": (*layout["ignore"], ignore)}
        named = annotators or None
        if columns is not None and layout["annotator"] is not None:
            chosen = chosen | {"rating": columns}
        elif columns is not None:
            named = columns
        names = () if named is None else split_names(named)
        ratings_layout = RatingsLayout(annotators=names, header=not no_header, words=words, **chosen)
        return parse_ratings(read_bytes(path), label(path), ratings_layout)

    return read


_RATINGS_LAYOUT = (
    "unit", "ignore", "annotator", "rating", "time", "seconds", "genre", "across", "scale", "decimal",
    "delimiter", "quotes",
)  # fmt: skip
ratings_options = option_group(
    "read",
    _ratings_reader,
    column_option(
        "--unit",
        "The column with the name of the unit. Repeat the option if several columns together name the "
        "unit. By default the first column or, without a header, the line number.",
        multiple=True,
    ),
    value_option(
        "--annotators",
        "NAMES",
        "With one row per unit: the columns with ratings, separated by commas. By default all other columns.",
    ),
    column_option("--ignore", "A column that is not a rating, such as a mean. Repeatable.", multiple=True),
    column_option("--annotator", "With one row per rating: the column of the annotator."),
    column_option("--rating", "With one row per rating: the column of the rating."),
    column_option(
        "--time",
        "With one row per rating: the column of the time of the rating, as ISO 8601 or a number of seconds.",
    ),
    column_option("--seconds", "With one row per rating: the column of its duration in seconds."),
    column_option(
        "--genre",
        "The column of the unit's genre. id-prefix takes the part of the unit's name before the last hyphen.",
    ),
    no_header_option,
    flag_option(
        "--across",
        "The file has one row per annotator and one column per unit, as reliability data often has.",
    ),
    table_options,
    click.option(
        "--decimal",
        type=click.Choice((".", ",")),
        default=".",
        help="The decimal separator of ratings. With a comma, a rating with a point is refused.",
    ),
    value_option(
        "--missing",
        "MARKS",
        "The cells that mean a missing rating, separated by commas. Repeatable. By default "
        f"{', '.join(MISSING_MARKS)} and, unless ratings are names of categories, "
        f"{' '.join(MISSING_NUMBER_MARKS[len(MISSING_MARKS) :])} too. An empty cell always means one.",
        multiple=True,
    ),
    scale_option("Reject ratings outside this range."),
    passed_on=_RATINGS_LAYOUT,
)
"""The options on the format of a file of ratings; the command gets `read`, which reads such a file."""


def _rounds_reader(
    read: "Callable[..., Ratings]", columns: tuple[str, ...], *, same_people: bool
) -> "Callable[[Sequence[str]], list[Ratings]]":
    """Return a function that reads the files of several rounds, each with its own columns if given."""

    def read_rounds(paths: Sequence[str]) -> "list[Ratings]":
        if columns and len(columns) != len(paths):
            raise RequestError(
                f"--columns is given {len(columns)} times for {len(paths)} files; give it once per file"
            )
        if same_people and len({len(split_names(names)) for names in columns}) != 1:
            raise RequestError("--same-people needs --columns for each file, with the same number of names")
        chosen = columns or (None,) * len(paths)
        rounds = [read(path, columns=names) for path, names in zip(paths, chosen, strict=True)]
        if not same_people:
            return rounds
        return [replace(ratings, annotators=rounds[0].annotators) for ratings in rounds]

    return read_rounds


rounds_options = option_group(
    "read_rounds",
    _rounds_reader,
    value_option(
        "--columns",
        "NAMES",
        "The columns with ratings, separated by commas. Give this option once for each file, in the "
        "order of the files. If all rounds are in one file, name that file several times. With "
        "--annotator, give the column of the rating.",
        multiple=True,
    ),
    flag_option(
        "--same-people",
        "Columns at the same position in --columns belong to the same annotator, whatever their names.",
    ),
    ratings_options,
)
"""The options on the format of several rounds; the command gets `read_rounds`, which reads their files."""


def _gold_format(id_: str | None, gold_score: str | None) -> KeyedFormat | None:
    if (id_ is None) != (gold_score is None):
        raise RequestError("keyed gold needs both --id COLUMN and --gold-score COLUMN")
    return KeyedFormat(id_, gold_score) if id_ is not None and gold_score is not None else None


gold_options = option_group(
    "gold_format",
    _gold_format,
    column_option(
        "--id",
        "The column of the item id, if the gold is keyed: a table whose rows are matched by id.",
        "id_",
    ),
    column_option("--gold-score", "Keyed gold: the column of the gold value."),
)


def strong_option(what: str) -> Decorator:
    """Add the option for the share of equal ratings from which `what` counts as strong agreement."""
    description = f"{what} count as strong agreement; 0.8 means four of five."
    share = click.FloatRange(0, 1, min_open=True)
    return value_option("--strong", "SHARE", description, type=share, default=0.8)


def genres_apart(ratings: "Ratings", *, by_genre: bool) -> Sequence[str]:
    """Return the genres to report on separately, if --by-genre is given."""
    if by_genre and ratings.genres is None:
        raise RequestError("--by-genre needs --genre COLUMN, or --genre id-prefix")
    return ratings.genre_names() if by_genre else ()


def read_unit_names(path: str, rounds: "Sequence[Ratings]") -> set[str]:
    """Read the names of units from a file, one per line; each unit must be rated in at least one round.

    The file may be empty: `scorer context --ids` writes it so if no unit is significant.
    """
    problems, units = Problems(label(path)), {unit for ratings in rounds for unit in ratings.units}
    sources = " or ".join(ratings.source for ratings in rounds)
    data = read_bytes(path)
    lines = decode_lines(data, problems) if data else []
    named = [(number, line.strip(BLANKS)) for number, line in enumerate(lines, start=1) if line is not None]
    for number, unit in named:
        if unit and unit not in units:
            message = f"nobody rated {shorten(unit)}; use the names of {sources}"
            problems.add(number, "unknown_id", message, unit)
    problems.raise_as(RatingsError)
    return {unit for _, unit in named if unit}


def refuse_existing(paths: Sequence[Path], inputs: Iterable[str | None], *, force: bool) -> None:
    """Raise RequestError if an output file exists without `force`, is also an input, or is named twice."""
    refuse_inputs(paths, inputs)
    for path in paths:
        if path.exists() and not force:
            raise RequestError(f"{path} already exists; name another file, or replace it with --force")


def print_or_write(data: bytes, out: Path | None, source: str, *, force: bool) -> None:
    """Print a result to standard output, or write it to a file that is not the `source`."""
    if out is None:
        click.echo(data, nl=False)
        return
    refuse_existing([out], [source], force=force)
    write_output(out, data)


def refuse_full_folder(out: Path) -> None:
    """Raise RequestError if a folder for output has files."""
    if out.exists() and any(out.iterdir()):
        raise RequestError(f"{out} is not empty, and nothing is overwritten; name a new folder")


def write_files(out: Path, files: Mapping[str, bytes]) -> None:
    """Write files to a folder, and print their names and the rows of tables."""
    for name, data in sorted(files.items()):
        path = out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        write_output(path, data)
        rows = f", {data.count(10) - 1} rows" if name.endswith(".tsv") else ""
        click.echo(f"{path}{rows}")
