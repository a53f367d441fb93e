"""What the annotation commands share: options for ratings, keyed gold and the format, and named files."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from os.path import realpath
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from scorer.cli._options import (
    Decorator,
    format_option,
    label,
    no_header_option,
    option_group,
    scale_option,
    table_options,
)
from scorer.errors import RatingsError, RequestError
from scorer.files.reading import KeyedFormat, read_bytes
from scorer.files.text import BLANKS, Problems, decode_lines, shorten

if TYPE_CHECKING:
    from scorer.annotation.ratings import Ratings
    from scorer.reports.table_report import TableReport

OUTPUT_FILE = click.Path(path_type=Path, dir_okay=False)
report_format = format_option(
    ("text", "tsv", "json", "latex"), "text and latex round; tsv and json have ten decimals."
)


def print_report(report: "TableReport", format_: str) -> None:
    """Print the tables of a command in the format that was asked for."""
    from scorer.reports.table_report import render_table_report

    click.echo(render_table_report(report, format_), nl=False)


def split_names(names: str) -> tuple[str, ...]:
    """What stands between commas."""
    return tuple(each.strip() for each in names.split(","))


def _ratings_reader(*, annotators: str | None, no_header: bool, **layout: Any) -> "Callable[..., Ratings]":
    """What reads a file of ratings that is written so; the columns with ratings may be others each time."""

    def read(path: str, *, words: bool = False, columns: str | None = None) -> "Ratings":
        from scorer.annotation.ratings_reader import RatingsLayout, parse_ratings

        named = (annotators or None) if columns is None else columns
        names = () if named is None else split_names(named)
        its = RatingsLayout(annotators=names, header=not no_header, words=words, **layout)
        return parse_ratings(read_bytes(path), label(path), its)

    return read


_RATINGS_LAYOUT = (
    "unit", "ignore", "annotator", "rating", "time", "seconds", "genre", "across", "scale", "decimal",
    "delimiter", "quotes",
)  # fmt: skip
ratings_options = option_group(
    "read",
    _ratings_reader,
    click.option(
        "--unit",
        metavar="COLUMN",
        multiple=True,
        help="The column that names the unit; repeat it if several do. By default the first; without a "
        "header the number of the line.",
    ),
    click.option(
        "--annotators",
        metavar="NAMES",
        help="A row a unit: the columns with ratings, between commas; by default all others.",
    ),
    click.option(
        "--ignore", metavar="COLUMN", multiple=True, help="A column without ratings, such as a mean."
    ),
    click.option("--annotator", metavar="COLUMN", help="A row a rating: the column that says who rated."),
    click.option("--rating", metavar="COLUMN", help="A row a rating: the column with the rating."),
    click.option(
        "--time",
        metavar="COLUMN",
        help="A row a rating: when it was given, as ISO 8601 or a number of seconds.",
    ),
    click.option("--seconds", metavar="COLUMN", help="A row a rating: how long it took."),
    click.option(
        "--genre",
        metavar="COLUMN",
        help="The column with the unit's genre, or id-prefix: what stands before the last - of its name.",
    ),
    no_header_option,
    click.option(
        "--across",
        is_flag=True,
        help="A row is an annotator and a column a unit, as reliability data often is.",
    ),
    table_options,
    click.option(
        "--decimal",
        type=click.Choice((".", ",")),
        default=".",
        help="What stands before the decimals of a rating.",
    ),
    scale_option("Refuse ratings outside this range."),
    passed_on=_RATINGS_LAYOUT,
)
"""How a file of ratings is written; the command gets `read`, which reads one."""


def _rounds_reader(
    read: "Callable[..., Ratings]", columns: tuple[str, ...], *, same_people: bool
) -> "Callable[[Sequence[str]], list[Ratings]]":
    """What reads the files of several rounds, each with its columns if they are named."""

    def read_rounds(paths: Sequence[str]) -> "list[Ratings]":
        if columns and len(columns) != len(paths):
            raise RequestError(
                f"--columns is given {len(columns)} times for {len(paths)} files; once for each"
            )
        if same_people and len({len(split_names(each)) for each in columns}) != 1:
            raise RequestError("--same-people needs --columns for each file, with as many names in each")
        named = columns or (None,) * len(paths)
        rounds = [read(path, columns=each) for path, each in zip(paths, named, strict=True)]
        return [replace(each, annotators=rounds[0].annotators) for each in rounds] if same_people else rounds

    return read_rounds


rounds_options = option_group(
    "read_rounds",
    _rounds_reader,
    click.option(
        "--columns",
        metavar="NAMES",
        multiple=True,
        help="Once for each file, in their order: its columns with ratings, between commas. So one file with "
        "all rounds can be named several times.",
    ),
    click.option(
        "--same-people",
        is_flag=True,
        help="The columns in the same place of --columns are the same annotator's, whatever their names.",
    ),
    ratings_options,
)
"""How the files of several rounds are written; the command gets `read_rounds`, which reads them."""


def _gold_format(id_: str | None, gold_score: str | None) -> KeyedFormat | None:
    if (id_ is None) != (gold_score is None):
        raise RequestError("keyed gold needs both --id COLUMN and --gold-score COLUMN")
    return KeyedFormat(id_, gold_score) if id_ is not None and gold_score is not None else None


gold_options = option_group(
    "gold_format",
    _gold_format,
    click.option("--id", "id_", metavar="COLUMN", help="Keyed gold: the column with the item's id."),
    click.option("--gold-score", metavar="COLUMN", help="Keyed gold: the column with the gold."),
)


def strong_option(what: str) -> Decorator:
    """The option for the share of equal ratings from which on `what` agree strongly."""
    words = f"{what} agree strongly: .8 is four of five."
    share = click.FloatRange(0, 1, min_open=True)
    return click.option("--strong", type=share, default=0.8, metavar="SHARE", help=words)


def genres_apart(ratings: "Ratings", *, by_genre: bool) -> Sequence[str]:
    """The genres to report on apart, if that was asked for."""
    if by_genre and ratings.genres is None:
        raise RequestError("--by-genre needs --genre COLUMN, or --genre id-prefix")
    return ratings.genre_names() if by_genre else ()


def read_unit_names(path: str, rounds: "Sequence[Ratings]") -> set[str]:
    """The units that a file names, one a line; each was rated in one of the rounds at least."""
    problems, units = Problems(label(path)), {unit for each in rounds for unit in each.units}
    sources = " or ".join(each.source for each in rounds)
    lines = decode_lines(read_bytes(path), problems)
    named = [(number, line.strip(BLANKS)) for number, line in enumerate(lines, start=1) if line is not None]
    for number, unit in named:
        if unit and unit not in units:
            message = f"nobody rated {shorten(unit)}; use the names of {sources}"
            problems.add(number, "unknown_id", message, unit)
    problems.raise_as(RatingsError)
    return {unit for _, unit in named if unit}


def refuse_existing(paths: Sequence[Path], inputs: Iterable[str | None], *, force: bool) -> None:
    """Refuse to replace a file, before anything is written; one that is read even with `force`."""
    read = {realpath(path) for path in inputs if path not in (None, "-")}
    for place, path in enumerate(paths):
        if realpath(path) in read:
            raise RequestError(f"{path} is read, so it cannot be written; name another file")
        if realpath(path) in map(realpath, paths[:place]):
            raise RequestError(f"{path} is named for two outputs; name two files")
        if path.exists() and not force:
            raise RequestError(f"{path} is there already; name another file, or replace it with --force")
