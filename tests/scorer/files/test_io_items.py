"""Items: layouts, genres, and rejected files."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from scorer.errors import DataError, ItemsError, RequestError
from scorer.files.items import read_plain_ids
from scorer.files.reading import Item, ItemsLayout, parse_item_ids, parse_items


def refusal(data: bytes, layout: ItemsLayout | None = None) -> ItemsError:
    with pytest.raises(ItemsError) as caught:
        parse_items(data, "items.tsv", layout)
    return caught.value


def test_three_columns_are_left_right_id() -> None:
    items = parse_items(b"a b\tc\tCQA-1\nd\te\tweb-log-17\n", "items.tsv")
    assert items.items == (Item("CQA-1", "a b", "c", "CQA", 1), Item("web-log-17", "d", "e", "web-log", 2))
    assert (items.ids, items.genres, len(items)) == (("CQA-1", "web-log-17"), ("CQA", "web-log"), 2)


def test_four_columns_are_those_of_word2sense() -> None:
    (item,) = parse_items(b"access#v\ttop%2:38:04::\ttop#v#6\tw2s-2\n", "items.tsv").items
    assert item == Item("w2s-2", "access#v", "top#v#6", "w2s", 1, sense_key="top%2:38:04::")


def test_tab_separated_fields_are_read_raw() -> None:
    (item,) = parse_items(b'\xef\xbb\xbf "x, \tsay ""y"" \xc2\xa0\t A-1 \r\n', "items.tsv").items
    assert (item.left, item.right, item.id) == (' "x, ', 'say ""y"" \u00a0', "A-1")


def test_unusual_line_ends_inside_a_field_are_kept() -> None:
    (item,) = parse_items("a\u2028b\tc\u0085\tA-1\n".encode(), "items.tsv").items
    assert (item.left, item.right) == ("a\u2028b", "c\u0085")


def test_columns_by_position_with_some_that_are_ignored() -> None:
    layout = ItemsLayout(columns=("id", "kind", "right", "left", "context", "group"), genre="kind")
    (item,) = parse_items(b"7\tnews\tR\tL\tC\tG\n", "items.tsv", layout).items
    assert item == Item("7", "L", "R", "news", 1, context="C", group="G")


def test_columns_by_name_in_a_comma_separated_file() -> None:
    layout = ItemsLayout(header=True, genre="kind", delimiter="comma")
    data = b'kind,id,left,right,more\nnews,1,"a,\nb",c,\nweb,2,d,e,x\n'
    items = parse_items(data, "items.csv", layout)
    assert [(item.left, item.genre, item.line) for item in items.items] == [
        ("a,\nb", "news", 2),
        ("d", "web", 4),
    ]
    assert items.genre_names == ("news", "web")


def test_a_header_may_be_renamed_by_position() -> None:
    layout = ItemsLayout(columns=("left", "right", "id"), header=True)
    (item,) = parse_items(b"sentence_A\tsentence_B\tpair\na\tb\t1\n", "items.tsv", layout).items
    assert (item.id, item.left, item.right, item.genre, item.line) == ("1", "a", "b", "", 2)


SICK = ItemsLayout(columns=(("id", "pair_ID"), ("left", "sentence_A"), ("right", "sentence_B")))
SEMEVAL = ItemsLayout(columns=(("id", "PairID"), ("pair", "Text")), delimiter="comma")


@pytest.mark.parametrize(
    "data",
    [
        b"pair_ID\tsentence_A\tsentence_B\r\n7\ta b\tc\r\n12\td\te\r\n",
        b"sentence_B\tscore\tpair_ID\tsentence_A\nc\t3.5\t7\ta b\ne\t1\t12\td\n",
    ],
)
def test_columns_of_a_header_are_found_by_their_names_in_any_order(data: bytes) -> None:
    items = parse_items(data, "SICK.txt", SICK).items
    assert items == (Item("7", "a b", "c", "", 2), Item("12", "d", "e", "", 3))


def test_a_named_header_may_have_the_genre_in_a_column_of_its_own() -> None:
    layout = ItemsLayout(columns=SICK.columns, genre="origin")
    (item,) = parse_items(b"origin\tpair_ID\tsentence_A\tsentence_B\nnews\t1\ta\tb\n", "a", layout).items
    assert item == Item("1", "a", "b", "news", 2)
    error = refusal(b"pair_ID\tsentence_A\tsentence_B\n1\ta\tb\n", layout)
    assert 'items.tsv:1: the header has no column "origin"' in str(error)


def test_missing_named_column_is_reported_by_its_name_in_the_file() -> None:
    error = refusal(b"pair_id\tsentence_A\tsentence_B\n1\ta\tb\n", SICK)
    assert 'no column "pair_ID"; it has "pair_id", and names are compared letter by letter' in str(error)


def test_a_pair_in_one_quoted_field_is_split_at_its_line_end() -> None:
    data = b'PairID,Text,Score\r\nE-1,"a, b\r\nsay ""c""",0.5\r\nE-2,"d\ne\n",1\r\n'
    items = parse_items(data, "eng.csv", SEMEVAL).items
    assert items == (Item("E-1", "a, b", 'say "c"', "E", 2), Item("E-2", "d", "e", "E", 4))


def test_pair_of_one_line_is_rejected_with_the_first_line_of_its_row() -> None:
    (problem,) = refusal(b'PairID,Text\nE-1,"a\nb"\nE-2,c d\n', SEMEVAL).problems
    assert (problem.line, problem.code) == (4, "single_side")
    assert "write its two sides on a line each, in one quoted field" in problem.message


def test_two_columns_are_left_and_right_and_the_items_are_numbered() -> None:
    items = parse_items(b"a b\tc\r\nd\te\r\n", "STS.input.txt")
    assert items.items == (Item("1", "a b", "c", "", 1), Item("2", "d", "e", "", 2))


def test_fields_after_the_last_named_column_can_be_ignored() -> None:
    layout = ItemsLayout(columns=("left", "right", "..."))
    items = parse_items(b"a\tb\nc\td\tnote\te\t \n", "STS.input.txt", layout)
    assert [(item.id, item.left, item.right) for item in items.items] == [("1", "a", "b"), ("2", "c", "d")]
    assert "1 column instead of 2; write left, right" in str(refusal(b"a\tb\nc\n", layout))


@pytest.mark.parametrize(
    ("data", "place", "code", "sentence"),
    [
        (b"a\tb\tA-1\nc\td\n", 2, "wrong_columns", "2 columns instead of 3; write left, right, id"),
        (
            b"a\tk\tb\tA-1\na\tk\tb\tA-2\nc\td\tA-3\n",
            3,
            "wrong_columns",
            "3 columns instead of 4; write left, sense",
        ),
        (b"a\t \tA-1\n", 1, "empty_field", 'the column "right" is empty; every item needs it'),
        (b"a\tb\t\n", 1, "empty_field", 'the column "id" is empty'),
        (
            b"a\tb\tA-1\nc\td\tA-2\ne\tf\tA-1\n",
            3,
            "duplicate_id",
            'id "A-1" is on line 1 already; give each item its',
        ),
        (b"a\tb\tA-1\n\nc\td\tA-2\n", 2, "empty_line", "empty line; every line is one item"),
        (b"a\tb\tA-1\n\n", 2, "blank_last_line", "blank line at the end; remove it"),
        (
            b"left\tright\tid\na\tb\tA-1\n",
            1,
            "header_line",
            r"looks like a header; say so (header = true, or --header)",
        ),
        (b"a\tb\xff\tA-1\n", 1, "not_utf8", "byte 0xFF at column 4 (ÿ in Windows-1252) is not UTF-8"),
        (b"", None, "empty_file", "the file is empty; is it the right one?"),
        (b"a,b,A-1\n", 1, "wrong_columns", "1 column instead of 3; write left, right, id with a tab between"),
        (b"sep=\t\na\tb\tA-1\n", 1, "separator_line", "this line is one that Excel adds for itself; remove"),
    ],
)
def test_each_bad_line_has_a_specific_message(
    data: bytes, place: int | None, code: str, sentence: str
) -> None:
    (problem,) = refusal(data).problems
    assert (problem.line, problem.code) == (place, code)
    assert sentence in problem.message


def test_every_problem_is_reported_at_once() -> None:
    error = refusal(b"\t\tA-1\nx\nc\td\tA-1\ne\tf\tA-1\n")
    assert [(problem.line, problem.code) for problem in error.problems] == [
        (1, "empty_field"),
        (1, "empty_field"),
        (2, "wrong_columns"),
        (4, "duplicate_id"),
    ]


def test_header_without_a_required_column_lists_its_columns() -> None:
    error = refusal(b"id\tLeft\tright\n1\ta\tb\n", ItemsLayout(header=True))
    assert 'items.tsv:1: the header has no column "left"; it has "Left"' in str(error)


def test_header_without_items_is_rejected() -> None:
    assert "a header and no items" in str(refusal(b"id\tleft\tright\n", ItemsLayout(header=True)))


@pytest.mark.parametrize(
    ("layout", "sentence"),
    [
        (ItemsLayout(columns=("left", "id")), 'the column "right" is not among the columns left, id'),
        (ItemsLayout(columns=("pair", "left", "id")), 'a "pair" has both sides; name either "pair" or'),
        (ItemsLayout(columns=(("id", "pair_ID"),)), 'the column "left" is not among the columns id'),
        (ItemsLayout(columns=("left", "right", "id", "id")), 'the column "id" is named more than once'),
        (ItemsLayout(columns=("left", "right", "id"), genre="kind"), 'the genre column "kind" is not among'),
        (ItemsLayout(genre="kind"), 'the genre column "kind" is not among the columns left, right, id'),
    ],
)
def test_impossible_layout_is_a_request_error(layout: ItemsLayout, sentence: str) -> None:
    with pytest.raises(RequestError, match=sentence):
        parse_items(b"a\tb\tA-1\n", "items.tsv", layout)


def test_the_official_files_are_read(shared: Path) -> None:
    folder = shared / "data" / "clss" / "data" / "training"
    genres = {}
    for path in sorted(folder.glob("*.input.tsv")):
        items = parse_items(path.read_bytes(), path.name)
        assert len(items) == 500
        genres[path.name.partition(".")[0]] = len(items.genre_names)
    assert genres == {"paragraph2sentence": 5, "phrase2word": 5, "sentence2phrase": 4, "word2sense": 1}


def test_items_whose_header_has_more_names_than_their_rows_have_fields_are_one_problem() -> None:
    names = (("id", "pair_ID"), ("left", "sentence_A"), ("right", "sentence_B"))
    layout = ItemsLayout(names)
    rows = "".join(f"{number}\tA man sings\tA dog runs\n" for number in range(1, 4928))
    header = "pair_ID\tsentence_A\tsentence_B"
    with pytest.raises(ItemsError) as caught:
        parse_items(f"{header}\trelatedness_score\tentailment_judgment\n{rows}".encode(), "SICK", layout)
    (problem,) = caught.value.problems
    assert (problem.line, problem.count) == (2, 4927)
    assert problem.message == (
        "3 fields and the header has 5 names; remove from the header the 2 names that have no field in the "
        'rows, such as "relatedness_score", "entailment_judgment"'
    )
    assert len(parse_items(f"{header}\n{rows}".encode(), "SICK", layout)) == 4927


FIELDS = st.sampled_from(
    ("a boat", "3", " b ", "id", "ID", "é", "\ufeff", "x\u2028y", "<html>", "PK\x03\x04", '"q"')
)
ODD_FIELDS = st.sampled_from(("", " ", "\v\f", "\x00", "a\rb", "a\nb", "\udcff", "sep=,"))
ROW = st.lists(FIELDS, min_size=3, max_size=3) | st.lists(FIELDS | ODD_FIELDS, max_size=5)
PLAIN_ROW = st.tuples(FIELDS, FIELDS, st.integers(0, 99).map("N-{}".format)).map(list)


@given(
    rows=st.lists(PLAIN_ROW, max_size=5, unique_by=lambda row: row[2]) | st.lists(ROW, max_size=5),
    end=st.sampled_from(("\n", "\r\n", "\r")),
    bom=st.booleans(),
    cut=st.booleans(),
)
def test_ids_alone_are_those_of_the_items(rows: list[list[str]], end: str, bom: bool, cut: bool) -> None:
    lines = "".join("\t".join(row) + end for row in rows).encode(errors="surrogateescape")
    data = b"\xef\xbb\xbf" * bom + (lines[:-1] if cut else lines)

    def outcome(read: Callable[[], tuple[str, ...]]) -> tuple[str, ...] | str:
        try:
            return read()
        except DataError as error:
            return f"{error.count} {error}"

    ids = outcome(lambda: parse_item_ids(data, "items.tsv", ItemsLayout()))
    assert ids == outcome(lambda: parse_items(data, "items.tsv").ids)


def test_ids_of_items_without_problems_are_read_at_once() -> None:
    data = "\n".join(f"text {k}\tfragment é\tNews-{k}" for k in range(500)).encode()
    assert read_plain_ids(data) == tuple(f"News-{k}" for k in range(500))
    odd = [b"", data + b"\n\n", data.replace(b"News-7\n", b"News-8\n"), data.replace("é".encode(), b"\xe9")]
    assert [read_plain_ids(one) for one in odd] == [None] * len(odd)
    assert read_plain_ids(b"a\tb\n" * 100_000) is None


def test_ids_in_other_columns_are_read_row_by_row() -> None:
    data = b"id-1\ta\tb\nid-2\tc\td\n"
    layout = ItemsLayout(columns=("id", "left", "right"))
    assert parse_item_ids(data, "items.tsv", layout) == ("id-1", "id-2")
