"""Split items at random into trial, training and test items, or into a sample of each genre and the rest."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import floor
from typing import Literal

from scorer.errors import ItemsError, RequestError
from scorer.files.reading import Gold, Item, Items
from scorer.files.text import Problems, count_noun, shorten
from scorer.items.word_counts import mean_sd
from scorer.reports.table_report import ReportTable, TableCell, TableReport
from scorer.statistics.random_streams import draw_order, open_stream

SCHEMA = "assay.split/1"
SplitPart = Literal["trial", "training", "test", "sample", "rest"]
SPLIT_PARTS: tuple[SplitPart, ...] = ("trial", "training", "test")
_HALF = Fraction(1, 2)
PartSizes = Mapping[SplitPart, int]


@dataclass(frozen=True, slots=True)
class ItemsSplit:
    """The part of each item, and the options of the split.

    Parameters
    ----------
    items : Items
        The items.
    parts : (n,) tuple of "trial", "training" or "test", or of "sample" or "rest"
        The part of each item.
    sizes : mapping of part to int
        The requested number of items of each part, in the order of the parts. With groups, the actual number
        can differ.
    held_out : tuple of str
        The genres that are only in the test part.
    seed : int
        The seed of the split.
    points : (n,) tuple of int or None, optional
        The gold of each item, rounded to a whole number, if a sample is balanced over it.
    """

    items: Items
    parts: tuple[SplitPart, ...]
    sizes: PartSizes
    held_out: tuple[str, ...]
    seed: int
    points: tuple[int | None, ...] | None = None

    def places(self, part: SplitPart) -> tuple[int, ...]:
        """Return the indices of a part's items, in the order of the file."""
        return tuple(place for place, item_part in enumerate(self.parts) if item_part == part)


def part_sizes(n: int, trial: str | None, training: str | None, test: str | None) -> dict[SplitPart, int]:
    """Compute how many of n items each part gets.

    Parameters
    ----------
    n : int
        The number of items, at least 1.
    trial, training, test : str, optional
        The size of a part: a whole number of items, or a share of all items such as "20%", "0.2" or "1/5".
        Cumulative sums of shares are rounded half up to whole items, so that shares that add up to 1 cover
        all items. By default there are no trial items. If training or test is omitted, it gets the remaining
        items; if both are omitted, each gets half of them.

    Returns
    -------
    dict
        The number of items of each part. The numbers add up to n.

    Raises
    ------
    RequestError
        If a size is not a number or share, or the sizes do not add up to n.

    Examples
    --------
    >>> part_sizes(1036, "36", None, None), part_sizes(10, None, "70%", None)
    ({'trial': 36, 'training': 500, 'test': 500}, {'trial': 0, 'training': 7, 'test': 3})
    """
    named = zip(SPLIT_PARTS, (trial or "0", training, test), strict=True)
    amounts = {part: _amount(part, text, n) for part, text in named if text is not None}
    sizes, total, taken = dict[SplitPart, int](), Fraction(0), 0
    for part, amount in amounts.items():
        total += amount
        sizes[part] = floor(total + _HALF) - taken
        taken += sizes[part]
    rest = n - sum(sizes.values())
    if "training" not in sizes:
        sizes["training"] = rest if "test" in sizes else rest // 2
    sizes.setdefault("test", n - sum(sizes.values()))
    if sum(sizes.values()) != n or min(sizes.values()) < 0:
        parts = ", ".join(f"{part} {sizes[part]}" for part in SPLIT_PARTS)
        hint = "leave out --training or --test, and that part gets all other items"
        raise RequestError(f"{parts} do not add up to {n} items; {hint}")
    return {part: sizes[part] for part in SPLIT_PARTS}


def _amount(part: str, text: str, n: int) -> Fraction:
    shown, percent = text.strip(), text.strip().endswith("%")
    try:
        value = Fraction(shown.removesuffix("%"))
    except (ValueError, ZeroDivisionError):
        value = Fraction(-1)
    is_share = percent or not shown.isdecimal()
    share = value / 100 if percent else value
    if value < 0 or (is_share and share > 1):
        advice = "write a whole number of items, or a share such as 20%"
        raise RequestError(f"--{part} {shorten(text)} is not a size; {advice}")
    return share * n if is_share else value


def split_items(items: Items, sizes: PartSizes, held_out: Collection[str], seed: int) -> ItemsSplit:
    """Assign the items to trial, training and test at random.

    Parameters
    ----------
    items : Items
        The items. Items of one group stay together; an item without a group is a group of its own.
    sizes : mapping of part to int
        The sizes, as `part_sizes` returns them. They add up to the number of items.
    held_out : collection of str
        The genres whose items are all in the test part.
    seed : int
        The seed, at least 0.

    Returns
    -------
    ItemsSplit

    Raises
    ------
    RequestError
        If no item is of a held-out genre, or the held-out genres have more items than the test part.
    ItemsError
        If a group has items of held-out genres and of other genres. The error lists all such items.

    Notes
    -----
    The items of each other genre are divided proportionally: first the trial items, then the training items
    among the rest, by the largest-remainder method. So the number of a genre's items in a part differs from
    its exact share by less than 1 in the trial part and by less than 2 in the other parts. The order within a
    genre is random, from a stream for the seed and the name of the genre. Therefore levels without groups
    whose genres have the same numbers of items are split in the same way. The groups of a genre, in random
    order, each go to the part that lacks the most items, and a surplus of a part is subtracted from its share
    of the next genre.

    References
    ----------
    Jurgens, Pilehvar & Navigli (2014), SemEval-2014 Task 3: Cross-Level Semantic Similarity,
    doi:10.3115/v1/S14-2003, whose test set has genres that are not in the training set.

    Examples
    --------
    >>> from scorer.files.reading import parse_items
    >>> lines = "".join(f"a\\tb\\tSEA-{i}\\n" for i in range(4)) + "a\\tb\\tTOWN-1\\n"
    >>> items = parse_items(lines.encode(), "items.tsv")
    >>> split_items(items, part_sizes(5, None, "2", None), ["TOWN"], seed=7).parts
    ('test', 'training', 'test', 'training', 'test')
    """
    _check(items, sizes, held_out)
    parts: list[SplitPart] = ["test"] * len(items)
    genres = _units_by_genre(items, held_out)
    targets = _targets([sum(map(len, units)) for units in genres.values()], sizes)
    over: dict[SplitPart, int] = dict.fromkeys(SPLIT_PARTS, 0)
    for (genre, units), target in zip(genres.items(), targets, strict=True):
        lacking = {part: target[part] - over[part] for part in SPLIT_PARTS}
        for place in draw_order(open_stream(seed, [], f"split {genre}"), len(units)).tolist():
            part = max(SPLIT_PARTS, key=lacking.__getitem__)
            lacking[part] -= len(units[place])
            for item in units[place]:
                parts[item] = part
        over = {part: -lacking[part] for part in SPLIT_PARTS}
    return ItemsSplit(items, tuple(parts), sizes, tuple(dict.fromkeys(held_out)), seed)


def sample_items(items: Items, per_genre: int, seed: int, gold: Gold | None = None) -> ItemsSplit:
    """Draw the same number of items from each genre, for example to have them rated again.

    Parameters
    ----------
    items : Items
        The items. Groups are ignored.
    per_genre : int
        The number of items to draw from each genre, at least 1.
    seed : int
        The seed, at least 0.
    gold : Gold, optional
        The gold of the items. If it is given, the items drawn from a genre are balanced over it.

    Returns
    -------
    ItemsSplit
        The part of an item is "sample" or "rest".

    Raises
    ------
    RequestError
        If a genre has fewer items, or fewer items with gold if gold is given.

    Notes
    -----
    The order within a genre is random, from a stream for the seed and the name of the genre, and the first
    items are drawn. To balance them, gold is rounded half up to whole numbers (points). The first item of
    each point is drawn, then the second item of each, and so on. So two points have numbers of drawn items
    that differ by at most 1, unless a point has no more items. Items without gold are not drawn.

    References
    ----------
    Jurgens, Pilehvar & Navigli (2016), Cross level semantic similarity: an evaluation framework for universal
    measures of similarity, Language Resources and Evaluation 50, section 4.7, doi:10.1007/s10579-015-9318-3:
    a crowd rated 15 items of each genre, balanced over the ratings.

    Examples
    --------
    >>> from scorer.files.reading import parse_items
    >>> items = parse_items(b"".join(b"a\\tb\\tSEA-%d\\n" % i for i in range(5)), "items.tsv")
    >>> sample_items(items, 2, 7, Gold((4, 0.5, 0.75, 1.25, None))).parts
    ('sample', 'rest', 'sample', 'rest', 'rest')
    """
    parts: list[SplitPart] = ["rest"] * len(items)
    points = None if gold is None else tuple(None if g is None else floor(g + 0.5) for g in gold.values)
    places_by_genre: dict[str, list[int]] = {genre: [] for genre in items.genre_names}
    for place, genre in enumerate(items.genres):
        if points is None or points[place] is not None:
            places_by_genre[genre].append(place)
    for genre, places in places_by_genre.items():
        if len(places) < per_genre:
            count = count_noun(len(places), "item") + ("" if points is None else " with gold")
            message = f"the genre {shorten(genre)} has {count}, fewer than {per_genre}"
            raise RequestError(f"{message}; draw fewer per genre (--per-genre)")
        order = draw_order(open_stream(seed, [], f"sample {genre}"), len(places)).tolist()
        for place in _alternate_points([places[index] for index in order], points)[:per_genre]:
            parts[place] = "sample"
    sampled = per_genre * len(places_by_genre)
    return ItemsSplit(
        items, tuple(parts), {"sample": sampled, "rest": len(items) - sampled}, (), seed, points
    )


def _alternate_points(places: Sequence[int], points: Sequence[int | None] | None) -> list[int]:
    """Order places so that the first of each point come first, then the second of each, and so on."""
    if points is None:
        return [*places]
    counts, turn = Counter[int | None](), dict[int, int]()
    for place in places:
        turn[place] = counts[points[place]]
        counts[points[place]] += 1
    return sorted(places, key=turn.__getitem__)


def _check(items: Items, sizes: PartSizes, held_out: Collection[str]) -> None:
    for genre in held_out:
        if genre not in items.genre_names:
            names = ", ".join(name or "(none)" for name in items.genre_names)
            raise RequestError(f"no item has the genre {shorten(genre)}; the genres are {names}")
    held_count = sum(genre in held_out for genre in items.genres)
    if held_count > sizes["test"]:
        message = f"the held-out genres have {held_count} items, but the test part only {sizes['test']}"
        raise RequestError(f"{message}; make it larger, or hold out fewer genres")
    problems, first = Problems(items.source), dict[str, Item]()
    for item, group in zip(items.items, items.groups or [None] * len(items), strict=True):
        other = first.setdefault(group, item) if group is not None else item
        if (item.genre in held_out) != (other.genre in held_out):
            message = (
                f"group {shorten(group or '')} has {shorten(other.genre)} on line {other.line} and "
                f"{shorten(item.genre)} here, of which one is held out; split the group, or hold out both"
            )
            problems.add(item.line, "mixed_group", message)
    problems.raise_as(ItemsError)


def _units_by_genre(items: Items, held_out: Collection[str]) -> dict[str, list[list[int]]]:
    """Return the groups (lists of item indices) by the genre of their first item, except held-out genres."""
    genres: dict[str, list[list[int]]] = {genre: [] for genre in items.genre_names if genre not in held_out}
    unit_by_group: dict[str, list[int]] = {}
    groups = items.groups or [None] * len(items)
    for place, (item, group) in enumerate(zip(items.items, groups, strict=True)):
        if item.genre in held_out:
            continue
        if group in unit_by_group:
            unit_by_group[group].append(place)
            continue
        unit = [place]
        genres[item.genre].append(unit)
        if group is not None:
            unit_by_group[group] = unit
    return genres


def _targets(counts: Sequence[int], sizes: PartSizes) -> list[dict[SplitPart, int]]:
    """Compute the number of items of each genre in each part. The test part gets the remaining items."""
    trial = _shares(counts, sizes["trial"])
    rests = [count - number for count, number in zip(counts, trial, strict=True)]
    training = _shares(rests, sizes["training"])
    rows = zip(rests, trial, training, strict=True)
    return [{"trial": first, "training": second, "test": rest - second} for rest, first, second in rows]


def _shares(counts: Sequence[int], size: int) -> list[int]:
    """Divide `size` in proportion to `counts` by the largest-remainder method; ties go to earlier counts."""
    total = sum(counts) or 1
    numbers = [count * size // total for count in counts]
    remainders = [count * size % total for count in counts]
    order = sorted(range(len(counts)), key=lambda place: -remainders[place])
    for place in order[: size - sum(numbers)]:
        numbers[place] += 1
    return numbers


def split_report(split: ItemsSplit, gold: Gold | None = None) -> TableReport:
    """Create the report of `scorer split`: items by genre and part, gold, and texts in several parts."""
    items = split.items
    counts = Counter(zip(items.genres, split.parts, strict=True))
    rows: list[list[TableCell]] = []
    for genre in items.genre_names:
        numbers = [counts[genre, part] for part in split.sizes]
        rows.append([genre, *numbers, sum(numbers), "held out" if genre in split.held_out else ""])
    totals = [split.parts.count(part) for part in split.sizes]
    rows.append(["all", *totals, len(items), ""])
    head = ("genre", *split.sizes, "all", "note")
    size_text = "|".join(f"{part}:{split.sizes[part]}" for part in split.sizes)
    held_out_text = f"|held-out:{','.join(split.held_out)}" if split.held_out else ""
    balanced_text = "" if split.points is None else "|balanced:gold"
    signature = f"split|n:{len(items)}|{size_text}{held_out_text}{balanced_text}|seed:{split.seed}"
    about: dict[str, TableCell] = {"n": len(items), "seed": split.seed}
    about |= {part: split.sizes[part] for part in split.sizes}
    title = f"Items of {items.source} by genre and part"
    table = ReportTable("genres", title, head, rows, words=("genre", "note"))
    tables = [table] if gold is None else [table, _gold_table(split, gold)]
    if split.points is not None:
        tables.append(_points_table(split, split.points))
    return TableReport(SCHEMA, signature, tuple(tables), about, tuple(_notes(split, totals)))


def _points_table(split: ItemsSplit, points: Sequence[int | None]) -> ReportTable:
    """Count the items of each genre and point, and those in the sample."""
    kinds = [kind for kind in zip(split.items.genres, points, strict=True) if kind[1] is not None]
    counts, order = Counter(kinds), split.items.genre_names.index
    sampled = Counter((split.items.genres[place], points[place]) for place in split.places("sample"))
    rows: list[list[TableCell]] = [
        [genre, point, sampled[genre, point], counts[genre, point]]
        for genre, point in sorted(counts, key=lambda kind: (order(kind[0]), kind[1]))
    ]
    title = "Items of the sample by genre and gold, rounded to whole numbers"
    return ReportTable("points", title, ("genre", "gold", "sample", "all"), rows, words=("genre",))


def _gold_table(split: ItemsSplit, gold: Gold) -> ReportTable:
    rows: list[list[TableCell]] = []
    for part in (*split.sizes, "all"):
        pairs = zip(split.parts, gold.values, strict=True)
        values = [value for item_part, value in pairs if part in (item_part, "all") and value is not None]
        rows.append([part, len(values), *mean_sd(values)])
    head = ("part", "gold", "mean", "sd")
    return ReportTable("gold", "Gold of each part", head, rows, words=("part",))


def _notes(split: ItemsSplit, totals: Sequence[int]) -> list[str]:
    notes = []
    off = [
        f"{part} has {total} instead of {split.sizes[part]}"
        for part, total in zip(split.sizes, totals, strict=True)
        if total != split.sizes[part]
    ]
    if off:
        notes.append(f"Items of a group stay in the same part. Therefore {', '.join(off)}.")
    for side in ("left", "right"):
        parts_by_text: dict[str, set[SplitPart]] = {}
        for item, part in zip(split.items.items, split.parts, strict=True):
            parts_by_text.setdefault(getattr(item, side), set()).add(part)
        shared = sum(len(text_parts) > 1 for text_parts in parts_by_text.values())
        if shared:
            texts = count_noun(shared, f"text of the {side} side is", f"texts of the {side} side are")
            notes.append(f"{texts} in several parts. To keep such items together, give them a group.")
    return notes
