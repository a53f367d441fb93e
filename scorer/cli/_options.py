"""The options that several commands share, and how those that belong together reach a command together."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from inspect import signature
from typing import Any, Literal

import click

from scorer.errors import RequestError
from scorer.files.reading import ItemsLayout, KeyedFormat, NumberedFormat

STDIN = "<stdin>"
Delimiter = Literal["tab", "comma"]
Command = Callable[..., None]
Decorator = Callable[[Command], Command]
_DELIMITERS = click.Choice(("tab", "comma"))


class StrictCommand(click.Command):
    """A command that refuses an option given twice, where click would take the last in silence."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        *_, params = self.make_parser(ctx).parse_args(args=list(args))
        for param, times in Counter(params).items():
            if times > 1 and isinstance(param, click.Option) and not param.multiple and not param.is_flag:
                raise RequestError(f"{max(param.opts, key=len)} is given {times} times; give it once")
        return super().parse_args(ctx, args)


def option_group(
    name: str, make: Callable[..., object], *options: Decorator, passed_on: Sequence[str] = ()
) -> Decorator:
    """Options that belong together: the command gets what `make` makes of their values as `name`.

    `make` takes values by the names that click gives them: those of its own parameters, as far as the options
    give them, and those that it takes as keywords of any name and has `passed_on`.
    """
    own_parameters = signature(make).parameters.values()
    taken = *(each.name for each in own_parameters if each.kind != each.VAR_KEYWORD), *passed_on

    def add_options(function: Command) -> Command:
        @wraps(function)
        def with_group(**values: Any) -> None:
            own = {each: values.pop(each) for each in taken if each in values}
            function(**{name: make(**own)}, **values)

        command: Command = with_group
        for option in reversed(options):
            command = option(command)
        return command

    return add_options


@dataclass(frozen=True, slots=True)
class KeyedOptions:
    """The columns of a keyed run that were named; all None for an aligned run."""

    id_: str | None
    score: str | None
    confidence: str | None
    delimiter: Delimiter | None
    no_header: bool

    def __post_init__(self) -> None:
        if self.no_header and self.id_ is None:
            raise RequestError(
                "--no-header is for keyed files: call their columns by number, as in --id 1 --score 4"
            )

    def format_of(self, id_: str, score: str, confidence: str | None) -> KeyedFormat:
        """The format of a file with these columns: names in its header, or numbers where it has none."""
        kind = NumberedFormat if self.no_header else KeyedFormat
        return kind(id_, score, confidence, self.delimiter)

    def run_format(self) -> KeyedFormat | None:
        """The format of a keyed run; None for an aligned one."""
        if self.id_ is None and self.score is None and self.confidence is None:
            return None
        if self.id_ is None or self.score is None:
            missing = "--id" if self.id_ is None else "--score"
            raise RequestError(f"a keyed run needs --id COLUMN and --score COLUMN; {missing} is missing")
        return self.format_of(self.id_, self.score, self.confidence)


no_header_option = click.option(
    "--no-header", is_flag=True, help="The first line is data; columns are called by number, from 1."
)
keyed_options = option_group(
    "keyed",
    KeyedOptions,
    click.option("--id", "id_", metavar="COLUMN", help="Keyed files: the column with the item's id."),
    click.option("--score", metavar="COLUMN", help="Keyed run: the column with the score."),
    click.option("--confidence", metavar="COLUMN", help="Keyed run: the column with the confidence."),
    click.option(
        "--delimiter",
        type=_DELIMITERS,
        help="Keyed files: what separates columns; by default tab if the first line has one, else comma.",
    ),
    no_header_option,
)
gold_score_option = click.option(
    "--gold-score", metavar="COLUMN", help="Keyed gold: the column with its value; default --score."
)


def _items_layout(columns: str | None, header: bool, genre: str, items_delimiter: Delimiter) -> ItemsLayout:
    """Columns by position, or each with its name in the header."""
    parts = [part.partition("=") for part in columns.split(",")] if columns is not None else []
    named = tuple((ours.strip(), theirs.strip()) for ours, equals, theirs in parts if equals)
    if named and len(named) < len(parts):
        raise RequestError("--columns are all by position, or all by name, as in id=pair_ID")
    by_position = tuple(ours.strip() for ours, _, _ in parts)
    return ItemsLayout(named or by_position or None, header, genre, items_delimiter)


layout_options = option_group(
    "layout",
    _items_layout,
    click.option(
        "--columns",
        metavar="NAMES",
        help="Items: the columns by position, such as left,right,id,genre, or a header's by their names, "
        "such as id=pair_ID,left=sentence_A,right=sentence_B; by default left,right, left,right,id or "
        "left,sense_key,right,id.",
    ),
    click.option("--header", is_flag=True, help="Items: the first line names the columns."),
    click.option(
        "--genre",
        metavar="COLUMN",
        default="id-prefix",
        help="Items: the column with the genre; id-prefix is what stands before the last - of the id.",
    ),
    click.option(
        "--items-delimiter", type=_DELIMITERS, default="tab", help="Items: what separates the columns."
    ),
)


def _delimiter_sign(_ctx: click.Context, _param: click.Parameter, delimiter: str | None) -> str | None:
    return "\t" if delimiter == "tab" else delimiter


def table_options(function: Command) -> Command:
    """Add the options that say how a table of annotations is written: `delimiter` and `quotes`."""
    delimiter = click.option(
        "--delimiter",
        metavar="SIGN",
        callback=_delimiter_sign,
        help='One character, or "tab"; by default tab if the first line has one, else that of ; , | of which '
        "it has most.",
    )
    quotes = click.option(
        "--quotes",
        type=click.Choice(("plain", "csv")),
        help="plain: a quotation mark is a character like any other, but a pair around a whole field is "
        "dropped. csv: a field in quotes may hold delimiters and line ends. By default plain between tabs, "
        "csv between others.",
    )
    return delimiter(quotes(function))


def _check_scale(
    _ctx: click.Context, _param: click.Parameter, scale: tuple[float, float] | None
) -> tuple[float, float] | None:
    """Refuse a scale whose ends are the wrong way round, or no numbers."""
    if scale is not None and not scale[0] < scale[1]:
        raise click.BadParameter(f"the first number must be below the second, not {scale[0]:g} {scale[1]:g}")
    return scale


def scale_option(words: str) -> Decorator:
    """The option for the ends of a scale, with its words; the command gets it as `scale`."""
    return click.option("--scale", type=float, nargs=2, metavar="MIN MAX", callback=_check_scale, help=words)


confidence_option = click.option(
    "--confidence-max",
    type=click.FloatRange(0, min_open=True),
    default=1.0,
    show_default="1",
    metavar="X",
    help="Confidences go from 0 to this: 100 in the STS tasks.",
)


def format_option(formats: Sequence[str], words: str, default: str = "text") -> Decorator:
    """The option for the format of what is printed, with its words; the command gets it as `format_`."""
    return click.option("--format", "format_", type=click.Choice(formats), default=default, help=words)


def label(path: str) -> str:
    """What messages call a file."""
    return STDIN if path == "-" else path
