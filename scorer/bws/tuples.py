"""Tuples of items to ask about, for best-worst scaling, within groups where there are some."""

import csv
from collections import Counter
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from io import StringIO
from math import comb, floor

from scorer._version import __version__
from scorer.bws.answers import MIN_TUPLE_SIZE
from scorer.bws.designs import Design, make_design, pair_counts, shuffled
from scorer.errors import ItemsError, RequestError
from scorer.files.tables import Quotes, TableRow, find_columns, read_annotations
from scorer.files.text import BLANKS, Problems, count_content_lines, decode_lines, shorten
from scorer.reports.table_report import ReportTable, TableCell, TableReport
from scorer.statistics.random_streams import RandomIntegers, open_stream

MAX_FACTOR = 1000
_ALL_TUPLES_FACTOR = 1.5
"""Below so many times the items, all tuples are taken (GiCCS; NRC: 1.5 to 2 N tuples are enough)."""


@dataclass(frozen=True, slots=True)
class ItemList:
    """Items to make tuples of, in the order of the file.

    Parameters
    ----------
    source : str
        What messages call the file.
    groups : tuple of (str or None, tuple of str)
        Each group with its items; a single one without a name where the file has no groups.
    group_column : str, optional
        What the column of groups is called.
    """

    source: str
    groups: tuple[tuple[str | None, tuple[str, ...]], ...]
    group_column: str | None = None


@dataclass(frozen=True, slots=True)
class TupleRules:
    """What `scorer bws tuples` is asked: m items a tuple, factor times as many tuples as items."""

    size: int = 4
    factor: float = 2.0
    seed: int = 0

    def count(self, n: int) -> int:
        """How many tuples of n items: all there are, if that is fewer than 1.5 n or than was asked for."""
        every, target = comb(n, self.size), floor(self.factor * n + 0.5)
        return every if every < _ALL_TUPLES_FACTOR * n else min(every, target)


@dataclass(frozen=True, slots=True)
class TupleBalance:
    """How evenly tuples show items and pairs of them.

    Parameters
    ----------
    items, tuples : int
    fewest, most : int
        In how many tuples an item is.
    pairs, met : int
        Pairs of items, and how many are together in a tuple.
    most_met : int
        In how many tuples a pair is together, at most.
    every : bool
        These are all tuples there are.
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
    """Tuples by group, each group with its balance."""

    groups: tuple[tuple[str | None, tuple[tuple[str, ...], ...], TupleBalance], ...]
    group_column: str | None
    rules: TupleRules

    @property
    def rows(self) -> list[tuple[str, ...]]:
        """A row a tuple; the group stands first, where there are groups."""
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
        """Of all groups together."""
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
    """Read items, one a line, or a column of a table with a header.

    Parameters
    ----------
    data : bytes
        The file, in UTF-8.
    source : str
        What to call it in messages.
    item, group : str, optional
        Columns. Without an item column, each line is an item, as it is.
    delimiter : str, optional
        One character; by default a tab if the first line has one, else that of semicolon, comma and "|" which
        it has most of.
    quotes : "plain" or "csv", optional
        Whether a quotation mark is a character like any other, but around a whole field, or a field in quotes
        may hold delimiters and line ends; by default "plain" between tabs, "csv" between others.

    Returns
    -------
    ItemList

    Raises
    ------
    ItemsError
        With every problem: empty items, items that are there twice.
    RequestError
        If there is a group, a delimiter or quotes, and no item column.

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
    for number, fields in rows[1:]:
        if len(fields) != len(rows[0][1]):
            message = f"{len(fields)} fields, where there are {len(rows[0][1])} columns"
            problems.add_line(number, "wrong_columns", f"{message}; write one field for each")
            continue
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
    """Make tuples of items, in each group on its own.

    Parameters
    ----------
    items : ItemList
    rules : TupleRules
        `factor` times n tuples are made, rounded; all C(n, m) where these are fewer than that, or than 1.5 n.

    Returns
    -------
    TupleSet
        No tuple twice; items in numbers that differ by one at most. Tuples, and the items of each, are in
        random order. Groups of one size share a design, each with its items at random places of it.

    Raises
    ------
    ItemsError
        If a group has fewer items than a tuple.
    RequestError
        If size, factor or seed are out of range, or so few tuples would leave items out.

    Notes
    -----
    That no pair is left unmet is sought, and what became of it is reported. Where each pair can meet exactly
    once, small designs are found, such as 50 tuples of 4 of 25; not all that exist, such as 30 of 5 of 25.

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
    """How evenly tuples show n items."""
    shown = Counter(item for items in tuples for item in items)
    times = [shown[item] for item in range(n)]
    met = pair_counts(tuples)
    every = len(tuples) == comb(n, len(tuples[0]))
    counts = (len(tuples), min(times), max(times), comb(n, 2), len(met), max(met.values()))
    return TupleBalance(n, *counts, every)


def balance_sentence(found: TupleSet) -> str:
    """How evenly items and pairs are shown, for people."""
    whole, size = found.whole, found.rules.size
    within = f" in {len(found.groups)} groups" if found.group_column else ""
    times = str(whole.most) if whole.fewest == whole.most else f"{whole.fewest} to {whole.most}"
    every = ", all there are" if whole.every else ""
    room = sum(min(b.pairs, b.tuples * comb(size, 2)) for _, _, b in found.groups)
    most = "" if whole.met == whole.pairs or whole.met < room else ", as many as so few tuples can"
    return (
        f"{whole.tuples} tuples of {size}{every}, of {whole.items} items{within}; each item is in {times}. "
        f"{whole.met} of {whole.pairs} pairs meet{most}, none more than {_times_words(whole.most_met)}."
    )


def _times_words(many: int) -> str:
    return {1: "once", 2: "twice"}.get(many, f"{many} times")


def tuples_report(found: TupleSet) -> TableReport:
    """The tuples, and the balance of each group."""
    grouped = found.group_column is not None
    rows: list[list[TableCell]] = []
    for name, _, balance in found.groups:
        *numbers, every = astuple(balance)
        rows.append([*([name] if grouped else []), *numbers, "yes" if every else "no"])
    counts = ("items", "tuples", "fewest", "most", "pairs", "met", "most met")
    head = (*(["group"] if grouped else []), *counts, "all")
    title = "How often items are shown, and pairs meet"
    rules, whole = found.rules, found.whole
    signature = f"bws-tuples|n:{whole.items}|size:{rules.size}|factor:{rules.factor!r}|seed:{rules.seed}"
    return TableReport(
        "assay.bws.tuples/1",
        f"{signature}|tuples:{whole.tuples}|v:{__version__}",
        (
            ReportTable("balance", title, head, rows, words=("group", "all")),
            ReportTable("tuples", "Tuples", found.head, found.rows, words=found.head),
        ),
        {"n": whole.items, "size": rules.size, "tuples": whole.tuples, "unmet": whole.pairs - whole.met},
        (balance_sentence(found),),
    )


def render_tuples(found: TupleSet, delimiter: str) -> str:
    """The tuples alone, as annotation tools take them: a header, then a row a tuple.

    Raises
    ------
    RequestError
        If an item has a tab or a line end, which tools do not find between tabs.
    """
    if delimiter == "\t" and any(set(cell) & set("\t\r\n") for row in found.rows for cell in row):
        raise RequestError("an item has a tab or a line end; use --format csv")
    file = StringIO()
    writer = csv.writer(file, delimiter=delimiter, lineterminator="\n")
    writer.writerows([found.head, *found.rows])
    return file.getvalue()
