"""Create the tuples of items that annotators compare in best-worst scaling, separately for each group."""

import csv
from collections import Counter
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from io import StringIO
from math import comb, floor

from scorer.bws.answers import MIN_TUPLE_SIZE
from scorer.bws.designs import Design, make_design, pair_counts, shuffled
from scorer.errors import ItemsError, RequestError
from scorer.files.tables import Quotes, TableRow, find_columns, read_annotations, strip_rows
from scorer.files.text import BLANKS, Problems, count_content_lines, decode_lines, shorten
from scorer.reports.table_report import ReportTable, TableCell, TableReport
from scorer.statistics.random_streams import RandomIntegers, open_stream

MAX_FACTOR = 1000
_ALL_TUPLES_FACTOR = 1.5
_HEADINGS = {
    "fewest": "min per item",
    "most": "max per item",
    "met": "pairs together",
    "most met": "most often",
    "all": "all possible tuples",
}
"""If there are fewer possible tuples than this factor times the number of items, all of them are used.

GiCCS does so, and the NRC says that 1.5 N to 2 N tuples are enough.
"""


@dataclass(frozen=True, slots=True)
class ItemList:
    """The items from which tuples are made, in the order of the file.

    Parameters
    ----------
    source : str
        The name of the file in messages.
    groups : tuple of (str or None, tuple of str)
        The name and the items of each group. If the file has no groups, there is one group without a name.
    group_column : str, optional
        The name of the column of groups.
    """

    source: str
    groups: tuple[tuple[str | None, tuple[str, ...]], ...]
    group_column: str | None = None


@dataclass(frozen=True, slots=True)
class TupleRules:
    """The options of `scorer bws tuples`."""

    size: int = 4
    """The number of items in a tuple."""
    factor: float = 2.0
    """The number of tuples divided by the number of items."""
    seed: int = 0

    def count(self, n: int) -> int:
        """Return the number of tuples for n items: all possible tuples if these are few, else factor * n."""
        every, target = comb(n, self.size), floor(self.factor * n + 0.5)
        return every if every < _ALL_TUPLES_FACTOR * n else min(every, target)


@dataclass(frozen=True, slots=True)
class TupleBalance:
    """The balance of a set of tuples: how evenly items and pairs of items are distributed over them.

    Parameters
    ----------
    items, tuples : int
        The numbers of items and tuples.
    fewest, most : int
        The minimum and maximum number of tuples that contain an item.
    pairs, met : int
        The number of pairs of items, and the number of pairs that are together in a tuple.
    most_met : int
        The maximum number of tuples that contain a pair.
    every : bool
        Whether these are all possible tuples.
    """

    items: int
    tuples: int
    fewest: int
    most: int
    pairs: int
    met: int
    most_met: int
    every: bool


@dataclass(frozen=True, slots=True)
class TupleSet:
    """The tuples of all groups."""

    groups: tuple[tuple[str | None, tuple[tuple[str, ...], ...], TupleBalance], ...]
    """The name, the tuples and the balance of each group."""
    group_column: str | None
    rules: TupleRules

    @property
    def rows(self) -> list[tuple[str, ...]]:
        """A row for each tuple. If there are groups, the first field is the group."""
        return [
            items if self.group_column is None else (str(name), *items)
            for name, tuples, _ in self.groups
            for items in tuples
        ]

    @property
    def head(self) -> list[str]:
        """The names of the columns of `rows`."""
        items = [f"Item{place}" for place in range(1, self.rules.size + 1)]
        return items if self.group_column is None else [self.group_column, *items]

    @property
    def whole(self) -> TupleBalance:
        """The balance of all groups together."""
        balances = [balance for _, _, balance in self.groups]
        return TupleBalance(
            sum(b.items for b in balances), sum(b.tuples for b in balances), min(b.fewest for b in balances),
            max(b.most for b in balances), sum(b.pairs for b in balances), sum(b.met for b in balances),
            max(b.most_met for b in balances), all(b.every for b in balances),
        )  # fmt: skip


def parse_item_list(
    data: bytes,
    source: str,
    item: str | None = None,
    group: str | None = None,
    delimiter: str | None = None,
    quotes: Quotes | None = None,
) -> ItemList:
    """Parse a list of items with one item per line, or a table with a header and a column of items.

    Parameters
    ----------
    data : bytes
        The contents of the file, in UTF-8.
    source : str
        The name of the file in messages.
    item, group : str, optional
        The columns of items and groups. Without an item column, each line is an item.
    delimiter : str, optional
        One character. By default it is a tab if the first line has one, else the most frequent of semicolon,
        comma and "|" in the first line.
    quotes : "plain" or "csv", optional
        With "plain", quotation marks have no meaning unless they enclose a whole field. With "csv", a quoted
        field may contain delimiters and line ends. The default is "plain" for tabs and "csv" for other
        delimiters.

    Returns
    -------
    ItemList

    Raises
    ------
    ItemsError
        If there are problems, such as empty or repeated items. The error lists all of them.
    RequestError
        If a group column, a delimiter or quotes are given without an item column.

    Examples
    --------
    >>> parse_item_list(b"quay\\nreef\\nisle\\n", "items.txt").groups
    ((None, ('quay', 'reef', 'isle')),)
    """
    if item is None and (group, delimiter, quotes) != (None, None, None):
        message = "groups, delimiters and quotes are those of a table: name its column of items with --item"
        raise RequestError(message)
    problems = Problems(source)
    lines = decode_lines(data, problems)
    if item is None:
        content_lines = lines[: count_content_lines(lines)]
        rows = [(number, "", line) for number, line in enumerate(content_lines, start=1) if line is not None]
    else:
        table = list(read_annotations(lines, problems, "every row is an item", delimiter, quotes))
        rows = _item_column(table, (item, group), problems)
    items_by_group: dict[str, dict[str, int]] = {}
    for number, name, text in rows:
        _add_item(items_by_group.setdefault(name.strip(BLANKS), {}), number, text.strip(BLANKS), problems)
    if not rows and not problems.count:
        problems.add(None, "no_items", "the file has a header and no items")
    problems.raise_as(ItemsError)
    groups = tuple((name if group else None, tuple(items)) for name, items in items_by_group.items())
    return ItemList(source, groups, group)


def _item_column(
    rows: Sequence[TableRow], names: tuple[str, str | None], problems: Problems
) -> list[tuple[int, str, str]]:
    problems.raise_as(ItemsError)
    places = find_columns(rows[0], [name for name in names if name is not None], problems)
    problems.raise_as(ItemsError)
    item_rows = []
    for number, fields in strip_rows(rows[1:], len(rows[0][1]), problems):
        item, group = ("" if name is None else fields[places[name]] for name in names)
        item_rows.append((number, group, item))
    return item_rows


def _add_item(items: dict[str, int], number: int, item: str, problems: Problems) -> None:
    if not item:
        problems.add(number, "empty_item", "there is no item; write one, or remove the line", item)
    elif item in items:
        message = f"{shorten(item)} is on line {items[item]} already; keep one of them"
        problems.add(number, "duplicate_item", message, item)
    items.setdefault(item, number)


def make_tuples(items: ItemList, rules: TupleRules) -> TupleSet:
    """Make tuples of items, separately for each group.

    Parameters
    ----------
    items : ItemList
        The items.
    rules : TupleRules
        The options. For n items, there are `factor` times n tuples, rounded; or all C(n, m) tuples if there
        are fewer than that, or fewer than 1.5 n.

    Returns
    -------
    TupleSet
        The tuples. No tuple is repeated, and the numbers of tuples of two items differ by at most one. The
        tuples, and the items in each tuple, are in random order. Groups of the same size share a design, to
        which their items are assigned at random.

    Raises
    ------
    ItemsError
        If a group has fewer items than a tuple.
    RequestError
        If size, factor or seed is out of range, or if there would be so few tuples that items are left out.

    Notes
    -----
    The search tries to put every pair of items together in a tuple, and the report says how many pairs are.
    For some designs in which each pair is together exactly once, the search finds a solution, such as 50
    tuples of 4 of 25 items; for others, such as 30 tuples of 5 of 25 items, it does not.

    References
    ----------
    Kiritchenko & Mohammad (2016), Capturing Reliable Fine-Grained Sentiment Associations by Crowdsourcing and
    Best-Worst Scaling, NAACL-HLT, doi:10.18653/v1/N16-1095. Asaadi, Kolagar, Liebel & Zarcone (2022), GiCCS:
    A German in-Context Conversational Similarity Benchmark, GEM, doi:10.18653/v1/2022.gem-1.30.

    Examples
    --------
    >>> items = parse_item_list(b"a\\nb\\nc\\nd\\ne\\n", "items.txt")
    >>> make_tuples(items, TupleRules(3, 2)).whole.tuples
    10
    """
    _check(items, rules)
    picks = RandomIntegers(open_stream(rules.seed, [], "best-worst tuples"))
    designs: dict[int, Design] = {}
    groups = []
    for name, group in items.groups:
        n = len(group)
        if n not in designs:
            designs[n] = make_design(n, rules.size, rules.count(n), picks)
        labels = shuffled(range(n), picks)
        order = shuffled(range(len(designs[n])), picks)
        chosen = [shuffled([labels[item] for item in designs[n][place]], picks) for place in order]
        tuples = tuple(tuple(group[item] for item in members) for members in chosen)
        groups.append((name, tuples, measure_balance(chosen, n)))
    return TupleSet(tuple(groups), items.group_column, rules)


def _check(items: ItemList, rules: TupleRules) -> None:
    if rules.size < MIN_TUPLE_SIZE or rules.seed < 0 or not 0 < rules.factor <= MAX_FACTOR:
        request = f"size {rules.size}, factor {rules.factor:g}, seed {rules.seed}"
        bounds = f"a size of 2 or more, a factor above 0 and at most {MAX_FACTOR}, a seed of 0 or more"
        raise RequestError(f"{request}: use {bounds}")
    problems = Problems(items.source)
    for name, group in items.groups:
        if len(group) < rules.size:
            where = "there are" if name is None else f"the group {shorten(name)} has"
            many = "1 item" if len(group) == 1 else f"{len(group)} items"
            message = f"{where} {many}, too few for a tuple of {rules.size}; add some, or use smaller tuples"
            problems.add(None, "too_few_items", message)
        elif rules.count(len(group)) * rules.size < len(group):
            least = f"a factor of 1 / {rules.size} or more"
            raise RequestError(f"a factor of {rules.factor:g} leaves items out of all tuples; use {least}")
    problems.raise_as(ItemsError)


def measure_balance(tuples: Sequence[Sequence[int]], n: int) -> TupleBalance:
    """Measure how evenly tuples contain n items."""
    shown = Counter(item for items in tuples for item in items)
    times = [shown[item] for item in range(n)]
    met = pair_counts(tuples)
    every = len(tuples) == comb(n, len(tuples[0]))
    counts = (len(tuples), min(times), max(times), comb(n, 2), len(met), max(met.values()))
    return TupleBalance(n, *counts, every)


def balance_sentence(tuple_set: TupleSet) -> str:
    """Describe the balance of the tuples in a sentence."""
    whole, size = tuple_set.whole, tuple_set.rules.size
    within = f" in {len(tuple_set.groups)} groups" if tuple_set.group_column else ""
    times = str(whole.most) if whole.fewest == whole.most else f"{whole.fewest} to {whole.most}"
    every = " (all possible tuples)" if whole.every else ""
    room = sum(min(b.pairs, b.tuples * comb(size, 2)) for _, _, b in tuple_set.groups)
    most = "" if whole.met == whole.pairs or whole.met < room else " (more are not possible)"
    return (
        f"{whole.tuples} tuples of {size} items{every}, from {whole.items} items{within}. "
        f"Each item is in {times} tuple{'' if times == '1' else 's'}. "
        f"{whole.met} of {whole.pairs} pairs of items occur together{most}, each at most "
        f"{_times_words(whole.most_met)}."
    )


def _times_words(many: int) -> str:
    return {1: "once", 2: "twice"}.get(many, f"{many} times")


def tuples_report(tuple_set: TupleSet) -> TableReport:
    """Create a report with the tuples and the balance of each group."""
    grouped = tuple_set.group_column is not None
    rows: list[list[TableCell]] = []
    for name, _, balance in tuple_set.groups:
        *numbers, every = astuple(balance)
        rows.append([*([name] if grouped else []), *numbers, "yes" if every else "no"])
    counts = ("items", "tuples", "fewest", "most", "pairs", "met", "most met")
    head = (*(["group"] if grouped else []), *counts, "all")
    title = "How often each item and each pair of items is in a tuple"
    rules, whole = tuple_set.rules, tuple_set.whole
    signature = f"bws-tuples|n:{whole.items}|size:{rules.size}|factor:{rules.factor!r}|seed:{rules.seed}"
    return TableReport(
        "assay.bws.tuples/1",
        f"{signature}|tuples:{whole.tuples}",
        (
            ReportTable("balance", title, head, rows, ("group", "all"), headings=_HEADINGS),
            ReportTable("tuples", "Tuples", tuple_set.head, tuple_set.rows, words=tuple_set.head),
        ),
        {"n": whole.items, "size": rules.size, "tuples": whole.tuples, "unmet": whole.pairs - whole.met},
        (balance_sentence(tuple_set),),
    )


def render_tuples(tuple_set: TupleSet, delimiter: str) -> str:
    """Write only the tuples, with a header and a row for each tuple, as input for annotation tools.

    Raises
    ------
    RequestError
        If an item has a tab or a line end and the delimiter is a tab.
    """
    if delimiter == "\t" and any(set(cell) & set("\t\r\n") for row in tuple_set.rows for cell in row):
        raise RequestError("an item has a tab or a line end; use --format csv")
    file = StringIO()
    writer = csv.writer(file, delimiter=delimiter, lineterminator="\n")
    writer.writerows([tuple_set.head, *tuple_set.rows])
    return file.getvalue()
