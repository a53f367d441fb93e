"""`scorer split`: splits items into trial, training and test, or draws a sample of each genre."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from scorer.cli._inputs import refuse_second_stdin
from scorer.cli._options import StrictCommand, file_option, flag_option, label, layout_options, value_option
from scorer.cli._output import write_output
from scorer.cli.annotation._shared import gold_options, print_report, refuse_existing, report_format
from scorer.errors import RequestError
from scorer.files.reading import Items, ItemsLayout, KeyedFormat, parse_gold, parse_items, read_bytes

if TYPE_CHECKING:
    from scorer.items.splitting import ItemsSplit

_SIZE = "SIZE"


@click.command("split", cls=StrictCommand)
@click.argument("items")
@value_option("--held-out", "GENRE", "A genre that is only in the test part. Repeatable.", multiple=True)
@click.option("--seed", type=click.IntRange(0), default=0, help="Random seed.")
@value_option("--trial", _SIZE, "Number of trial items, or a share such as 5%. By default none.")
@value_option(
    "--training",
    _SIZE,
    "Number or share of training items. By default the rest. Without --training and --test, each gets "
    "half of the rest.",
)
@value_option(
    "--test", _SIZE, "Number or share of test items, including those of held-out genres. By default the rest."
)
@value_option(
    "--per-genre",
    "N",
    "Draw N items of each genre instead, as the part sample. All others are the part rest.",
    type=click.IntRange(1),
)
@flag_option(
    "--balance-gold",
    "With --per-genre and --gold: draw equally many items of each gold value, rounded to a whole "
    "number. Items without gold are not drawn.",
)
@file_option("--gold", "The gold file, one value per line or keyed, which is split in the same way.")
@value_option(
    "--out",
    "DIR",
    "Write the parts to DIR as trial.tsv, trial.gold.tsv and so on, with the extensions of the input files.",
    type=click.Path(path_type=Path, file_okay=False),
)
@flag_option("--force", "Replace existing files.")
@gold_options
@layout_options
@report_format
def command(
    *,
    items: str,
    held_out: tuple[str, ...],
    seed: int,
    per_genre: int | None,
    balance_gold: bool,
    gold: str | None,
    out: Path | None,
    force: bool,
    gold_format: KeyedFormat | None,
    layout: ItemsLayout,
    format_: str,
    **sizes: str | None,
) -> None:
    """Split items into trial, training and test, or draw a sample.

    ITEMS are split at random, stratified by genre. Held-out genres are only in the test part. Items of the
    same group stay in the same part. Lines are written unchanged, and each part gets the header. Without
    --out, no files are written and the command only prints the table of sizes by genre.

    \b
    Examples:
      scorer split items.tsv --held-out Scientific --trial 36 --training 500 --test 500 --seed 7
      scorer split items.tsv --gold gold.tsv --training 60% --seed 7 --out parts --format latex
      scorer split items.tsv --gold gold.tsv --per-genre 15 --balance-gold --seed 7 --out again

    \b
    Exit codes:
      0  success
      1  bad data
      2  usage error
    """
    from scorer.items.splitting import part_sizes, sample_items, split_items, split_report

    refuse_second_stdin(items, gold)
    if per_genre is not None and (held_out or any(sizes.values())):
        raise RequestError("--per-genre draws a sample; leave out --held-out, --trial, --training and --test")
    if balance_gold and (per_genre is None or gold is None):
        raise RequestError("--balance-gold needs --per-genre N and --gold FILE")
    data = read_bytes(items)
    parsed_items = parse_items(data, label(items), layout)
    golds, gold_data = None, b""
    if gold is not None:
        gold_data = read_bytes(gold)
        golds = parse_gold(gold_data, label(gold), ids=parsed_items.ids, keyed=gold_format)
    if per_genre is None:
        split = split_items(parsed_items, part_sizes(len(parsed_items), **sizes), held_out, seed)
    else:
        split = sample_items(parsed_items, per_genre, seed, golds if balance_gold else None)
    files = _part_files(split, *_items_lines(parsed_items, data), "", _file_ending(items))
    if gold is not None:
        head, lines = _gold_lines(parsed_items, gold_data, label(gold), gold_format)
        files |= _part_files(split, head, lines, ".gold", _file_ending(gold))
    if out is not None:
        refuse_existing([out / name for name in files], [items, gold], force=force)
        _write(out, files)
    print_report(split_report(split, golds), format_)


def _lines_with_ends(data: bytes) -> list[bytes]:
    """Split a file into lines with line ends; adds a missing last one, as lines may follow in a part."""
    lines = data.removeprefix(b"\xef\xbb\xbf").splitlines(keepends=True)
    if lines and not lines[-1].endswith((b"\n", b"\r")):
        lines[-1] += b"\n"
    return lines


def _items_lines(items: Items, data: bytes) -> tuple[bytes, list[bytes]]:
    """Return what is before the first item, and the lines of each item, which may be several if quoted."""
    return _split_at(_lines_with_ends(data), [item.line - 1 for item in items.items])


def _gold_lines(
    items: Items, data: bytes, source: str, keyed: KeyedFormat | None
) -> tuple[bytes, list[bytes]]:
    """Return what is before the first gold value, and the lines of each item."""
    from scorer.files.aligned import has_gold_header
    from scorer.files.keyed import read_keyed
    from scorer.files.text import Problems, decode_lines

    problems = Problems(source)
    decoded = decode_lines(data, problems)
    if keyed is None:
        lines, head = _lines_with_ends(data), int(has_gold_header(decoded))
        return b"".join(lines[:head]), lines[head:]
    rows = read_keyed(decoded, problems, (keyed.id, keyed.gold_column, None), None, items.ids)
    return _split_at(_lines_with_ends(data), [rows[name][0] - 1 for name in items.ids])


def _split_at(lines: list[bytes], starts: list[int]) -> tuple[bytes, list[bytes]]:
    """Split lines at their starts: return what is before the first start, and the lines of each start."""
    ordered = sorted(starts)
    ends = dict(zip(ordered, [*ordered[1:], len(lines)], strict=True))
    return b"".join(lines[: ordered[0]]), [b"".join(lines[start : ends[start]]) for start in starts]


def _part_files(
    split: "ItemsSplit", head: bytes, lines: list[bytes], kind: str, ending: str
) -> dict[str, bytes]:
    named = {part: split.places(part) for part in split.sizes}
    return {
        f"{part}{kind}{ending}": head + b"".join(lines[place] for place in places) if places else b""
        for part, places in named.items()
    }


def _file_ending(path: str) -> str:
    return Path(path).suffix or ".tsv"


def _write(out: Path, files: dict[str, bytes]) -> None:
    """Write all files except those of empty parts, which are deleted if they exist."""
    out.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        if content:
            write_output(out / name, content)
        else:
            (out / name).unlink(missing_ok=True)
