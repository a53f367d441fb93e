"""Runs and gold that are read as a whole are read as they would be line by line."""

from collections.abc import Iterator
from contextlib import contextmanager
from math import inf, nan

import pytest
from hypothesis import example, given, strategies as st

from scorer.errors import DataError
from scorer.files import reading as io
from scorer.files.aligned import read_plain, read_plain_gold

NUMBERS = ("0", "4", "2.5", "+0.5", "-0", "1e0", "1.", ".5", "007", "1e-400")
ODD = (
    "5",
    "-1",
    "1e400",
    "nan",
    "0,5",
    "",
    " 1",
    "1\t",
    "1\t\t2",
    "1\v",
    "\x00",
    "score",
    "１",
    "1_0",
    "sep=,",
    "NA",
)
ENDS = ("\n", "\r\n", "\r", "\n\n", "")
LINE = st.tuples(
    st.sampled_from(NUMBERS) | st.sampled_from(ODD),
    st.sampled_from(("", "", "\t0.5", "\t1", "\t2", "\tx", "\t1e400", "\t")),
    st.sampled_from(("\n", "\n", "\r\n")) | st.sampled_from(ENDS),
)
GOOD = st.tuples(st.sampled_from(NUMBERS), st.sampled_from(("", "\t1")), st.sampled_from(("\n", "\r\n")))
SCALES = st.sampled_from((None, (0.0, 4.0), (0.0, inf), (-inf, inf), (4.0, 0.0), (nan, 4.0)))
MOST = st.sampled_from((1.0, 100.0, inf, nan))
FILE = st.lists(GOOD, min_size=1, max_size=8) | st.lists(LINE, max_size=8)


@contextmanager
def line_by_line() -> Iterator[None]:
    """Nothing is read as a whole."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(io, "read_plain", lambda *_: None)
        patch.setattr(io, "read_plain_gold", lambda *_: None)
        yield


def outcome(data: bytes, n: int | None, scale: io.Scale | None, most: float) -> io.Run | str:
    """The run, or every problem."""
    try:
        return io.parse_run(data, "run.tsv", n=n, scale=scale, confidence_max=most)
    except DataError as error:
        return f"{error.count} {error}"


@given(
    lines=FILE, bom=st.booleans(), cut=st.booleans(), n=st.none() | st.integers(0, 8), scale=SCALES, most=MOST
)
@example(lines=[("1e400", "", "\n"), ("2", "", "\n")], bom=False, cut=False, n=2, scale=None, most=1.0)
@example(lines=[("1e400", "", "\n"), ("2", "", "\n")], bom=False, cut=False, n=2, scale=(0, inf), most=1.0)
@example(lines=[("1", "\t1e400", "\n"), ("2", "", "\n")], bom=False, cut=False, n=2, scale=None, most=inf)
@example(lines=[("2", "", "\n"), ("2", "", "\n")], bom=False, cut=False, n=2, scale=(0, 4), most=1.0)
@example(lines=[("2", "", "\n")], bom=True, cut=True, n=1, scale=(0, 4), most=1.0)
def test_reading_at_once_and_line_by_line_gives_the_same(
    lines: list[tuple[str, str, str]],
    bom: bool,
    cut: bool,
    n: int | None,
    scale: io.Scale | None,
    most: float,
) -> None:
    data = b"\xef\xbb\xbf" * bom + "".join(map("".join, lines)).encode()
    asked = (data[:-1] if cut else data, n, scale, most)
    with line_by_line():
        slowly = outcome(*asked)
    assert outcome(*asked) == slowly


GOLD_LINE = st.tuples(
    st.sampled_from(("", *NUMBERS)) | st.sampled_from(ODD),
    st.sampled_from(("", "", "", "\t0.5", " ")),
    st.sampled_from(("\n", "\n", "\r\n")) | st.sampled_from(ENDS),
)
GOOD_GOLD = st.tuples(st.sampled_from(("", *NUMBERS)), st.just(""), st.sampled_from(("\n", "\r\n")))


def gold_outcome(data: bytes, n: int | None, ids: list[str] | None) -> io.Gold | str:
    """The gold, or every problem."""
    try:
        return io.parse_gold(data, "gold.tsv", n=n, ids=ids)
    except DataError as error:
        return f"{error.count} {error}"


@given(
    lines=st.lists(GOOD_GOLD, max_size=8) | st.lists(GOLD_LINE, max_size=8),
    bom=st.booleans(),
    cut=st.booleans(),
    n=st.none() | st.integers(0, 8),
    ids=st.none() | st.lists(st.sampled_from("123ab"), max_size=8),
)
@example(lines=[("1e400", "", "\n"), ("2", "", "\n")], bom=False, cut=False, n=2, ids=None)
@example(lines=[("", "", "\n"), ("", "", "\r\n")], bom=True, cut=False, n=2, ids=None)
@example(lines=[("2", "", "\n"), ("", "", "\n")], bom=False, cut=False, n=1, ids=None)
@example(lines=[("", "", "\n"), ("2", "", "\n")], bom=False, cut=True, n=None, ids=["1", "2"])
def test_reading_gold_at_once_and_line_by_line_gives_the_same(
    lines: list[tuple[str, str, str]], bom: bool, cut: bool, n: int | None, ids: list[str] | None
) -> None:
    data = b"\xef\xbb\xbf" * bom + "".join(map("".join, lines)).encode()
    asked = (data[:-1] if cut else data, n, ids)
    with line_by_line():
        slowly = gold_outcome(*asked)
    assert gold_outcome(*asked) == slowly


def test_valid_gold_is_read_at_once_and_unusual_gold_line_by_line() -> None:
    values = [None if k % 7 == 3 else k % 17 / 4 for k in range(500)]
    data = "\r\n".join("" if value is None else str(value) for value in values).encode()
    assert read_plain_gold(data, 500) == tuple(values)
    odd = [b"", b"\n", data + b" ", data.replace(b"3.75", b"3,75"), data.replace(b"2.5", b"2.5\t1")]
    assert [read_plain_gold(one, 500) for one in odd] == [None] * len(odd)
    assert read_plain_gold(data, 499) is None


def test_valid_file_is_read_at_once_and_an_unusual_one_line_by_line() -> None:
    lines = [f"{k % 40 / 10}\t{k % 2}" for k in range(500)]
    data = "\r\n".join(lines).encode()
    assert read_plain(data, 500, (0, 4), 1.0) == (
        tuple(k % 40 / 10 for k in range(500)),
        tuple(float(k % 2) for k in range(500)),
    )
    odd = [b"", data + b" ", data + b"\n\n", data.replace(b"3.9", b"4.1"), data.replace(b"\t0", b"\t2")]
    assert [read_plain(one, 500, (0, 4), 1.0) for one in odd] == [None] * len(odd)
    assert read_plain(data, 499, (0, 4), 1.0) is None
    mixed = data.replace(b"\t1", b"")
    confidences = tuple(None if k % 2 else 0.0 for k in range(500))
    assert read_plain(mixed, 500, (0, 4), 1.0) == (tuple(k % 40 / 10 for k in range(500)), confidences)


def test_reading_at_once_is_abandoned_after_one_pass() -> None:
    """The pattern never goes back: a megabyte of digits costs what it takes to read it."""
    assert read_plain(b"1" * 1_000_000 + b"x", None, None, 1.0) is None
    assert read_plain(b"1.5\n" * 250_000 + b"x", None, None, 1.0) is None
    assert read_plain_gold(b"\n" * 1_000_000 + b"x", None) is None
