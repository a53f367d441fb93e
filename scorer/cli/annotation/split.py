"""`scorer split`: trial, training and test."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from scorer.cli._inputs import refuse_second_stdin
from scorer.cli._options import StrictCommand, label, layout_options
from scorer.cli.annotation._shared import gold_options, print_report, refuse_existing, report_format
from scorer.files.reading import Items, ItemsLayout, KeyedFormat, parse_gold, parse_items, read_bytes

if TYPE_CHECKING:
    from scorer.items.splitting import ItemsSplit

_SIZE = "SIZE"


@click.command("split", cls=StrictCommand, short_help="Part items into trial, training and test.")
@click.argument("items")
@click.option(
    "--held-out", multiple=True, metavar="GENRE", help="In the test part alone; repeat it for more genres."
)
@click.option("--seed", type=click.IntRange(0), default=0, help="Of the draw.")
@click.option("--trial", metavar=_SIZE, help="Items, or a share of all such as 5%; none by default.")
@click.option("--training", metavar=_SIZE, help="The same; by default what is left, or half of it.")
@click.option("--test", metavar=_SIZE, help="The same, held-out genres among them; by default what is left.")
@click.option("--gold", metavar="FILE", help="Gold, a value a line or keyed, which is parted alike.")
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Write the parts there: trial.tsv, trial.gold.tsv and so on, with the endings of the files given.",
)
@click.option("--force", is_flag=True, help="Replace the files of an earlier split.")
@gold_options
@layout_options
@report_format
def command(
    *,
    items: str,
    held_out: tuple[str, ...],
    seed: int,
    gold: str | None,
    out: Path | None,
    force: bool,
    gold_format: KeyedFormat | None,
    layout: ItemsLayout,
    format_: str,
    **sizes: str | None,
) -> None:
    """Draw which of ITEMS are for trial, training and test, each genre in nearly equal shares.

    Genres that are held out are in the test part alone. Items with the same group stay together. Lines are
    written as they are, with the header in each part; without --out the table by genre is all that comes.

    \b
    Example:  scorer split items.tsv --held-out Scientific --trial 36 --training 500 --test 500 --seed 7
              scorer split items.tsv --gold gold.tsv --training 60% --seed 7 --out parts --format latex
    Exit:     0 good, 1 bad data, 2 usage
    """
    from scorer.items.splitting import part_sizes, split_items, split_report

    refuse_second_stdin(items, gold)
    data = read_bytes(items)
    parsed_items = parse_items(data, label(items), layout)
    split = split_items(parsed_items, part_sizes(len(parsed_items), **sizes), held_out, seed)
    golds = None
    files = _part_files(split, *_items_lines(parsed_items, data), "", _file_ending(items))
    if gold is not None:
        gold_data = read_bytes(gold)
        golds = parse_gold(gold_data, label(gold), ids=parsed_items.ids, keyed=gold_format)
        head, lines = _gold_lines(parsed_items, gold_data, label(gold), gold_format)
        files |= _part_files(split, head, lines, ".gold", _file_ending(gold))
    if out is not None:
        refuse_existing([out / name for name in files], [items, gold], force=force)
        _write(out, files)
    print_report(split_report(split, golds), format_)


def _lines_with_ends(data: bytes) -> list[bytes]:
    """Lines with their ends; the last one gets an end too, for others may follow it in a part."""
    lines = data.removeprefix(b"\xef\xbb\xbf").splitlines(keepends=True)
    if lines and not lines[-1].endswith((b"\n", b"\r")):
        lines[-1] += b"\n"
    return lines


def _items_lines(items: Items, data: bytes) -> tuple[bytes, list[bytes]]:
    """What stands before the first item, and the lines of each: a quoted field may hold line ends."""
    return _split_at(_lines_with_ends(data), [item.line - 1 for item in items.items])


def _gold_lines(
    items: Items, data: bytes, source: str, keyed: KeyedFormat | None
) -> tuple[bytes, list[bytes]]:
    """What stands before the gold, and the lines of each item."""
    if keyed is None:
        return b"", _lines_with_ends(data)
    from scorer.files.keyed import read_keyed
    from scorer.files.text import Problems, decode_lines

    problems, columns = Problems(source), (keyed.id, keyed.gold_column, None)
    rows = read_keyed(decode_lines(data, problems), problems, columns, None, items.ids)
    return _split_at(_lines_with_ends(data), [rows[name][0] - 1 for name in items.ids])


def _split_at(lines: list[bytes], starts: list[int]) -> tuple[bytes, list[bytes]]:
    """What stands before all of the places, and what stands from each to the next."""
    ordered = sorted(starts)
    ends = dict(zip(ordered, [*ordered[1:], len(lines)], strict=True))
    return b"".join(lines[: ordered[0]]), [b"".join(lines[start : ends[start]]) for start in starts]


def _part_files(
    split: "ItemsSplit", head: bytes, lines: list[bytes], kind: str, ending: str
) -> dict[str, bytes]:
    from scorer.items.splitting import SPLIT_PARTS

    named = {part: split.places(part) for part in SPLIT_PARTS}
    return {
        f"{part}{kind}{ending}": head + b"".join(lines[place] for place in places) if places else b""
        for part, places in named.items()
    }


def _file_ending(path: str) -> str:
    return Path(path).suffix or ".tsv"


def _write(out: Path, files: dict[str, bytes]) -> None:
    """Write all files but those of empty parts."""
    out.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        if content:
            (out / name).write_bytes(content)
        else:
            (out / name).unlink(missing_ok=True)
