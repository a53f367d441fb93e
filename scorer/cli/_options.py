"""Options that several commands share, and groups of options that a command receives as one value."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from inspect import signature
from pathlib import Path
from typing import Any, get_args

import click

from scorer.errors import RequestError
from scorer.files.reading import ItemsLayout, KeyedFormat, NumberedFormat
from scorer.files.tables import Delimiter

STDIN = "<stdin>"
Command = Callable[..., None]
Decorator = Callable[[Command], Command]
_DELIMITERS = click.Choice(get_args(Delimiter))


class StrictCommand(click.Command):
    """A command that rejects an option given twice; click would silently use the last value."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        *_, params = self.make_parser(ctx).parse_args(args=list(args))
        for param, times in Counter(params).items():
            if times > 1 and isinstance(param, click.Option) and not param.multiple and not param.is_flag:
                raise RequestError(f"{max(param.opts, key=len)} is given {times} times; give it once")
        return super().parse_args(ctx, args)


def option_group(
    name: str, make: Callable[..., object], *options: Decorator, passed_on: Sequence[str] = ()
) -> Decorator:
    """Combine options: the command gets the result of calling `make` with their values as `name`.

    `make` is called with the option values that are named like its own parameters. If it accepts any keyword,
    `passed_on` names the further values that it gets.
    """
    own_parameters = signature(make).parameters.values()
    names = (
        *(parameter.name for parameter in own_parameters if parameter.kind != parameter.VAR_KEYWORD),
        *passed_on,
    )

    def add_options(function: Command) -> Command:
        @wraps(function)
        def with_group(**values: Any) -> None:
            group_values = {option: values.pop(option) for option in names if option in values}
            function(**{name: make(**group_values)}, **values)

        command: Command = with_group
        for option in reversed(options):
            command = option(command)
        return command

    return add_options


@dataclass(frozen=True, slots=True)
class KeyedOptions:
    """The columns of a keyed run as the user named them; all None for an aligned run."""

    id_: str | None
    score: str | None
    confidence: str | None
    delimiter: Delimiter | None
    no_header: bool

    def __post_init__(self) -> None:
        if self.no_header and self.id_ is None:
            raise RequestError(
                "--no-header is for keyed files: give their columns by number, as in --id 1 --score 4"
            )

    def format_of(self, id_: str, score: str, confidence: str | None) -> KeyedFormat:
        """Return the format of a file with these columns: names of its header, or numbers without one."""
        kind = NumberedFormat if self.no_header else KeyedFormat
        return kind(id_, score, confidence, self.delimiter)

    def run_format(self) -> KeyedFormat | None:
        """Return the format of a keyed run, or None for an aligned run."""
        if self.id_ is None and self.score is None and self.confidence is None:
            return None
        if self.id_ is None or self.score is None:
            missing = "--id" if self.id_ is None else "--score"
            raise RequestError(f"a keyed run needs --id COLUMN and --score COLUMN; {missing} is missing")
        return self.format_of(self.id_, self.score, self.confidence)


def value_option(option: str, metavar: str, description: str, *parameter: str, **settings: Any) -> Decorator:
    """Return an option with a value; `parameter` is its name in the command, if another."""
    return click.option(option, *parameter, metavar=metavar, help=description, **settings)


def file_option(option: str, description: str, *parameter: str, **settings: Any) -> Decorator:
    """Return an option that names a file to read; `parameter` is its name in the command, if another."""
    return click.option(option, *parameter, metavar="FILE", help=description, **settings)


def flag_option(option: str, description: str, *parameter: str) -> Decorator:
    """Return an option without a value; `parameter` is its name in the command, if another."""
    return click.option(option, *parameter, is_flag=True, help=description)


def bootstrap_option(description: str) -> Decorator:
    """Return the option for the number of bootstrap resamples, which is `b` in the command."""
    return value_option("--bootstrap", "B", description, "b", type=int)


def column_option(option: str, description: str, *parameter: str, **settings: Any) -> Decorator:
    """Return an option that names a column of a table; `parameter` is its name in the command, if another."""
    return click.option(option, *parameter, metavar="COLUMN", help=description, **settings)


no_header_option = flag_option(
    "--no-header", "The first line is data, not a header. Give columns by number, from 1."
)
keyed_options = option_group(
    "keyed",
    KeyedOptions,
    column_option(
        "--id",
        "The column of the item id, for keyed files: tables whose rows are matched by their id.",
        "id_",
    ),
    column_option("--score", "Keyed run: the column of the score."),
    column_option("--confidence", "Keyed run: the column of the confidence."),
    click.option(
        "--delimiter",
        type=_DELIMITERS,
        help="Keyed files: what separates the columns. By default tab if the first line has one, else comma.",
    ),
    no_header_option,
)
gold_score_option = column_option(
    "--gold-score",
    "Keyed gold: the column of the gold value. By default the same as --score. With "
    "--no-header, a number, or a name if the gold has a header.",
)
gold_id_option = column_option(
    "--gold-id", "Keyed gold: the column of the item id, likewise. By default the same as --id."
)


def _items_layout(columns: str | None, header: bool, genre: str, items_delimiter: Delimiter) -> ItemsLayout:
    """Parse --columns, which lists columns by position or pairs each with its name in the header."""
    parts = [part.partition("=") for part in columns.split(",")] if columns is not None else []
    named = tuple((ours.strip(), theirs.strip()) for ours, equals, theirs in parts if equals)
    if named and len(named) < len(parts):
        raise RequestError("--columns must be all by position, or all by name, as in id=pair_ID")
    by_position = tuple(ours.strip() for ours, _, _ in parts)
    return ItemsLayout(named or by_position or None, header, genre, items_delimiter)


layout_options = option_group(
    "layout",
    _items_layout,
    value_option(
        "--columns",
        "NAMES",
        "Items: the columns by position, such as left,right,id,genre, or by their names in the header, "
        "such as id=pair_ID,left=sentence_A,right=sentence_B. By default left,right or left,right,id or "
        "left,sense_key,right,id, depending on the number of columns.",
    ),
    flag_option("--header", "Items: the first line names the columns."),
    column_option(
        "--genre",
        "Items: the column of the genre. id-prefix takes the part of the id before its last hyphen.",
        default="id-prefix",
    ),
    click.option(
        "--items-delimiter", type=_DELIMITERS, default="tab", help="Items: what separates the columns."
    ),
)


def _delimiter_sign(_ctx: click.Context, _param: click.Parameter, delimiter: str | None) -> str | None:
    return "\t" if delimiter == "tab" else delimiter


def table_options(function: Command) -> Command:
    """Add the options on the format of a table of annotations: `delimiter` and `quotes`."""
    delimiter = value_option(
        "--delimiter",
        "SIGN",
        'What separates the columns: one character, or "tab". By default a tab if the first line has '
        "one, and otherwise the most frequent of ; , | in that line.",
        callback=_delimiter_sign,
    )
    quotes = click.option(
        "--quotes",
        type=click.Choice(("plain", "csv")),
        help="plain: a quotation mark is an ordinary character, except that a pair around a whole field is "
        "removed. csv: a quoted field may contain delimiters and line breaks. By default plain for "
        "tab-separated files, csv for others.",
    )
    return delimiter(quotes(function))


def _check_scale(
    _ctx: click.Context, _param: click.Parameter, scale: tuple[float, float] | None
) -> tuple[float, float] | None:
    """Raise BadParameter unless the first end of the scale is below the second; NaN never is."""
    if scale is not None and not scale[0] < scale[1]:
        raise click.BadParameter(f"the first number must be below the second, not {scale[0]:g} {scale[1]:g}")
    return scale


def scale_option(description: str) -> Decorator:
    """Add the option for the ends of a rating scale; the command gets it as `scale`."""
    return value_option("--scale", "MIN MAX", description, type=float, nargs=2, callback=_check_scale)


def _check_confidence_max(_ctx: click.Context, _param: click.Parameter, value: float) -> float:
    if not value > 0:
        raise click.BadParameter("it must be above 0")
    return value


confidence_option = value_option(
    "--confidence-max",
    "X",
    "The highest possible confidence; 100 in the STS tasks. It must be above 0; the default is 1.",
    type=float,
    default=1.0,
    show_default=False,
    callback=_check_confidence_max,
)


first_is_score_option = flag_option(
    "--first-is-score",
    "The first column of each run has the scores, even if it looks like ids or line numbers.",
)


interval_option = click.option(
    "--interval",
    type=click.Choice(("bca", "percentile")),
    default="bca",
    help="The kind of bootstrap interval.",
)


def _split_level_files(
    _ctx: click.Context, _param: click.Parameter, values: Sequence[str]
) -> dict[str, Path]:
    """Return the files by level."""
    files: dict[str, Path] = {}
    for value in values:
        level, equals, file = value.partition("=")
        if not (level and equals and file):
            raise click.BadParameter(f'"{value}" is not LEVEL=FILE, such as phrase2word=run.tsv')
        if level in files:
            raise click.BadParameter(f"{level} has two files; give one")
        files[level] = Path(file)
    return files


def level_files_option(option: str, description: str) -> Decorator:
    """Return an option with a file for each level; the command gets them as `level_files`."""
    return click.option(
        option,
        "level_files",
        multiple=True,
        metavar="LEVEL=FILE",
        callback=_split_level_files,
        help=description,
    )


def format_option(formats: Sequence[str], description: str, default: str = "text") -> Decorator:
    """Add the option for the output format; the command gets it as `format_`."""
    return click.option("--format", "format_", type=click.Choice(formats), default=default, help=description)


def label(path: str) -> str:
    """Return the name of a file for messages."""
    return STDIN if path == "-" else path
