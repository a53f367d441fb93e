"""The tables of a data set: UTF-8, with a header and tabs between the columns."""

from collections.abc import Iterable, Sequence

PASSES = ("free", "dep")
"""The names of the two passes in files and columns: without context, and with context."""
SINGLE = "rating"
"""The column of the ratings if there was one pass, whose files have no name of a pass."""
TEST_RATINGS = "test-ratings.tsv"
TRAIN = "train.tsv"
DECISION = "decision"
"""The column with what the organizers decided, which test files have only if there are decisions."""
ANSWERS = "answers.tsv"
"""The answers of best-worst scaling."""


def name_test_file(name: str) -> str:
    """Return the name of the file with the test pairs of a pass."""
    return "test.tsv" if name == SINGLE else f"test-{name}.tsv"


def write_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> bytes:
    """Write rows of cells that have no tab and no line break.

    Examples
    --------
    >>> write_table(["id", "left"], [["1", "a boat"]])
    b'id\\tleft\\n1\\ta boat\\n'
    """
    return "".join("\t".join(row) + "\n" for row in (head, *rows)).encode()


def format_number(value: float | None) -> str:
    """Write a number with all its digits, and a whole number without a point; None is an empty cell.

    Examples
    --------
    >>> format_number(3.0), format_number(1 / 3), format_number(None)
    ('3', '0.3333333333333333', '')
    """
    return "" if value is None else repr(value).removesuffix(".0")


def count_rows(files: Iterable[tuple[str, bytes]]) -> dict[str, int]:
    """Return the number of rows below the header of each file."""
    return {name: data.count(b"\n") - 1 for name, data in files}
