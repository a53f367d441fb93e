"""The options that several commands share: the columns of keyed files and of items, and the scale."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, Literal

import click

from scorer.errors import RequestError
from scorer.files.reading import ItemsLayout, KeyedFormat, NumberedFormat

STDIN = "<stdin>"
Delimiter = Literal["tab", "comma"]
Command = Callable[..., None]
_DELIMITERS = click.Choice(("tab", "comma"))


@dataclass(frozen=True, slots=True)
class KeyedOptions:
    """The columns that were named; all None for an aligned run."""

    id: str | None
    score: str | None
    confidence: str | None
    delimiter: Delimiter | None
    has_header: bool = True

    def format_of(self, id_: str, score: str, confidence: str | None) -> KeyedFormat:
        """The format of a file with these columns: names in its header, or numbers where it has none."""
        kind = KeyedFormat if self.has_header else NumberedFormat
        return kind(id_, score, confidence, self.delimiter)

    def run_format(self) -> KeyedFormat | None:
        """The format of a keyed run; None for an aligned one."""
        if self.id is None and self.score is None and self.confidence is None:
            return None
        if self.id is None or self.score is None:
            missing = "--id" if self.id is None else "--score"
            raise RequestError(f"a keyed run needs --id COLUMN and --score COLUMN; {missing} is missing")
        return self.format_of(self.id, self.score, self.confidence)


class StrictCommand(click.Command):
    """A command that refuses an option given twice, where click would take the last in silence."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        *_, params = self.make_parser(ctx).parse_args(args=list(args))
        for param, times in Counter(params).items():
            if times > 1 and isinstance(param, click.Option) and not param.multiple and not param.is_flag:
                raise RequestError(f"{max(param.opts, key=len)} is given {times} times; give it once")
        return super().parse_args(ctx, args)


def keyed_options(function: Command) -> Command:
    """Add the options that name the columns of a keyed run; the command gets them as `keyed`."""

    @click.option("--id", "id_", metavar="COLUMN", help="Keyed files: the column with the item's id.")
    @click.option("--score", metavar="COLUMN", help="Keyed run: the column with the score.")
    @click.option("--confidence", metavar="COLUMN", help="Keyed run: the column with the confidence.")
    @click.option(
        "--delimiter",
        type=_DELIMITERS,
        help="Keyed files: what separates columns; by default tab if the first line has one, else comma.",
    )
    @no_header_option
    @wraps(function)
    def with_keyed(
        id_: str | None,
        score: str | None,
        confidence: str | None,
        delimiter: Delimiter | None,
        no_header: bool,
        **rest: Any,
    ) -> None:
        if no_header and id_ is None:
            raise RequestError(
                "--no-header is for keyed files: call their columns by number, as in --id 1 --score 4"
            )
        function(keyed=KeyedOptions(id_, score, confidence, delimiter, not no_header), **rest)

    return with_keyed


def layout_options(function: Command) -> Command:
    """Add the options that say what the columns of an items file are; the command gets a `layout`."""

    @click.option(
        "--columns",
        metavar="NAMES",
        help="Items: the columns by position, such as left,right,id,genre, or a header's by their names, "
        "such as id=pair_ID,left=sentence_A,right=sentence_B; by default left,right, left,right,id or "
        "left,sense_key,right,id.",
    )
    @click.option("--header", is_flag=True, help="Items: the first line names the columns.")
    @click.option(
        "--genre",
        metavar="COLUMN",
        default="id-prefix",
        show_default=True,
        help="Items: the column with the genre; id-prefix is what stands before the last - of the id.",
    )
    @click.option(
        "--items-delimiter",
        type=_DELIMITERS,
        default="tab",
        show_default=True,
        help="Items: what separates the columns.",
    )
    @wraps(function)
    def with_layout(
        columns: str | None, header: bool, genre: str, items_delimiter: Delimiter, **rest: Any
    ) -> None:
        names = None if columns is None else _parse_columns(columns)
        function(layout=ItemsLayout(names, header, genre, items_delimiter), **rest)

    return with_layout


def no_header_option(function: Command) -> Command:
    """Add the option for tables without a header; the command gets it as `no_header`."""
    return click.option(
        "--no-header",
        is_flag=True,
        help="The first line is data; columns are called by number, from 1.",
    )(function)


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


def scale_option(function: Command) -> Command:
    """Add the option for the scale; the command gets it as `scale`."""
    return click.option(
        "--scale",
        type=float,
        nargs=2,
        metavar="MIN MAX",
        callback=check_scale,
        help="Warn of scores outside this range; they are scored all the same.",
    )(function)


def confidence_option(function: Command) -> Command:
    """Add the option for the highest confidence; the command gets it as `confidence_max`."""
    return click.option(
        "--confidence-max",
        type=click.FloatRange(0, min_open=True),
        default=1.0,
        show_default="1",
        metavar="X",
        help="Confidences go from 0 to this: 100 in the STS tasks.",
    )(function)


def label(path: str) -> str:
    """What messages call a file."""
    return STDIN if path == "-" else path


def _parse_columns(text: str) -> tuple[str, ...] | tuple[tuple[str, str], ...]:
    """Columns by position, or each with its name in the header."""
    parts = [part.partition("=") for part in text.split(",")]
    named = tuple((ours.strip(), theirs.strip()) for ours, equals, theirs in parts if equals)
    if named and len(named) < len(parts):
        raise RequestError("--columns are all by position, or all by name, as in id=pair_ID")
    return named or tuple(ours.strip() for ours, _, _ in parts)


def _delimiter_sign(_ctx: click.Context, _param: click.Parameter, delimiter: str | None) -> str | None:
    return "\t" if delimiter == "tab" else delimiter


def check_scale(
    _ctx: click.Context, _param: click.Parameter, scale: tuple[float, float] | None
) -> tuple[float, float] | None:
    """Refuse a scale whose ends are the wrong way round, or no numbers."""
    if scale is not None and not scale[0] < scale[1]:
        raise click.BadParameter(f"the first number must be below the second, not {scale[0]:g} {scale[1]:g}")
    return scale
