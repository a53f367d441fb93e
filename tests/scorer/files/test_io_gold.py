"""Gold: aligned and keyed."""

import pytest

from scorer.errors import GoldError
from scorer.files.reading import Gold, KeyedFormat, parse_gold

SICK = KeyedFormat("pair_ID", "relatedness_score")


def refusal(data: bytes, **options: object) -> str:
    with pytest.raises(GoldError) as caught:
        parse_gold(data, "gold.tsv", **options)  # type: ignore[arg-type]  # of several kinds
    return str(caught.value)


def test_an_empty_line_is_an_item_that_is_not_scored() -> None:
    assert parse_gold(b"0.25\n\n4\r\n \n", "gold.tsv", n=4) == Gold((0.25, None, 4.0, None))
    assert parse_gold(b"1\n\n", "gold.tsv") == Gold((1.0, None))


@pytest.mark.parametrize(
    ("data", "n", "sentence"),
    [
        (b"1\nx\n", 2, 'gold.tsv:2: gold value "x" is not a number; write one number, such as 2.5'),
        (b"1\nNaN\n", 2, 'gold.tsv:2: gold value "NaN" is not a number; leave it empty where the item'),
        (b"1\t1\n2\n", 2, "gold.tsv:1: 2 columns; gold has one value per line"),
        (b"1,0.5\n7,2\n", 2, 'gold.tsv:1: gold value "1,0.5" looks like two columns; gold has one value per'),
        (b"1,4\n2,3\n3,1\n", 3, "gold.tsv: the first column counts the lines from 1, as ids do: remove it"),
        (b"1\n2\n", 3, "gold.tsv: the gold has 2 lines, but there are 3 items: 1 line is missing"),
        (b"1\n2\n3\n", 2, "gold.tsv:3: the gold has 3 lines, but there are 2 items: line 3 is too many"),
        (b"1\n2\n\n", 2, "gold.tsv:3: blank line at the end; remove it"),
        (
            b"gold\n1\n2\n",
            2,
            "gold.tsv:1: looks like a header; a file with one line for each item has none: remove the line",
        ),
        (b"", None, "gold.tsv: the file is empty"),
    ],
)
def test_invalid_gold_has_its_line(data: bytes, n: int | None, sentence: str) -> None:
    assert refusal(data, n=n).startswith(sentence)


def test_keyed_gold_keeps_its_order_and_has_ids() -> None:
    data = b'pair_ID\trelatedness_score\ttext\n7\t3.5\t"odd\n2\t\tb\n'
    assert parse_gold(data, "gold.tsv", keyed=SICK) == Gold((3.5, None), ("7", "2"))


def test_gold_may_have_columns_of_the_number_and_the_spread_of_ratings() -> None:
    data = b"gold\tn\tsd\r\n3.5\t5\t0.84\r\n\r\n\t1\t\r\n2\t2\t0\r\n"
    values = (3.5, None, None, 2.0)
    assert parse_gold(data, "gold.tsv", n=4) == Gold(values)
    assert parse_gold(data, "gold.tsv", n=4, with_sds=True) == Gold(values, sds=(0.84, None, None, 0.0))
    assert parse_gold(b"mean\tsd\n1\t.5", "gold.tsv", with_sds=True).sds == (0.5,)
    keyed = b"sd,pair_ID,relatedness_score,n\n0.5,b,4,3\n,a,,1\n"
    assert parse_gold(keyed, "gold.csv", ids=["a", "b"], keyed=SICK, with_sds=True).sds == (None, 0.5)
    assert parse_gold(keyed, "gold.csv", ids=["a", "b"], keyed=SICK).sds is None


NO_SD = "there is no sd, the standard deviation of the ratings; "


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"1\n2\n", f"gold.tsv: {NO_SD}begin the gold with a header such as gold, n and sd, with tabs"),
        (b"gold\tn\n1\t5\n2\t5\n", f"gold.tsv:2: {NO_SD}write it, or leave the gold value empty if there is"),
        (
            b"gold\tsd\n1\t0\n2\t\n",
            f"gold.tsv:3: {NO_SD}write it, or leave the gold value empty if there is only",
        ),
        (b"gold\tsd\n1\t-0.5\n2\t1\n", 'gold.tsv:2: sd "-0.5" is below 0; write the standard deviation'),
        (b"gold\tsd\n1\tNA\n2\t1\n", 'gold.tsv:2: sd "NA" is not a number'),
        (b"gold\tsd\n1\t0,5\n2\t1\n", 'gold.tsv:2: sd "0,5" has a decimal comma; write 0.5'),
        (b"gold\tn\tsd\n1\t1\n2\t5\t1\n", "gold.tsv:2: 2 columns and the header has 3; put one tab"),
        (b"gold\tsd\nx\t1\n2\t1\n", 'gold.tsv:2: gold value "x" is not a number'),
        (b"gold\tsd\n1\t1\n", "gold.tsv: without its first line, which has no value, the gold has 1 line"),
        (b"gold\tsd\n1\t1\n2\t1\n3\t1\n", "gold.tsv:4: without its first line"),
    ],
)
def test_missing_and_invalid_sds_have_their_lines(data: bytes, sentence: str) -> None:
    assert refusal(data, n=2, with_sds=True).startswith(sentence)


@pytest.mark.parametrize("n", ["-5", "2.5", "many"])
def test_number_of_ratings_is_a_whole_number(n: str) -> None:
    sentence = f'2: n "{n}" is not a number of ratings'
    assert sentence in refusal(f"gold\tn\tsd\n2\t{n}\t1\n".encode(), with_sds=True)
    assert sentence in refusal(f"gold\tn\n2\t{n}\n".encode())
    assert sentence in refusal(
        f"pair_ID,gold,n,sd\na,2,{n},1\n".encode(), keyed=KeyedFormat("pair_ID", "gold"), with_sds=True
    )


def test_item_that_nobody_rated_has_no_value() -> None:
    assert parse_gold(b"gold\tn\tsd\n2\t3\t1\n\t0\t\n", "gold.tsv", with_sds=True).values == (2, None)


def test_keyed_gold_without_the_column_sd_is_refused_where_it_is_needed() -> None:
    data = b"pair_ID,relatedness_score\n7,3.5\n"
    assert 'the header has no column "sd"' in refusal(data, keyed=SICK, with_sds=True)


def test_keyed_gold_is_reordered_to_match_the_items() -> None:
    data = b"relatedness_score,pair_ID\n1,a\n2,b\n"
    assert parse_gold(data, "gold.csv", ids=["b", "a"], keyed=SICK).values == (2.0, 1.0)
    assert '1 of 3 items has no row: "c"; write one row' in refusal(data, ids=["b", "c", "a"], keyed=SICK)
