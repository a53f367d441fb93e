"""Files of ratings: wide, long and across; any delimiter; every problem with its line."""

import numpy as np
import pytest

from scorer.annotation.ratings import ratings_of
from scorer.annotation.ratings_reader import RatingsLayout, parse_ratings
from scorer.errors import RatingsError, RequestError

WIDE = "pair,ada,bo,cy\nCQA-1,3,3.5,\nCQA-2,NA,2,4\nNEWS-1,0,0,0.25\n"
LONG = (
    "who\tpair\tsaid\twhen\ttook\n"
    "bo\tCQA-1\t2\t2026-03-02T10:00:00Z\t4.5\n"
    "ada\tCQA-1\t3\t2026-03-01T10:00:00Z\t\n"
    "bo\tCQA-1\t4\t2026-03-01T09:00:00+00:00\t2\n"
    "bo\tCQA-2\t\t2026-03-03T10:00:00Z\t2\n"
)
LONG_LAYOUT = RatingsLayout(unit=("pair",), annotator="who", rating="said", time="when", seconds="took")


@pytest.mark.parametrize("sign", [",", ";", "\t", "|"])
def test_one_row_per_unit_is_read_with_any_delimiter(sign: str) -> None:
    ratings = parse_ratings(WIDE.replace(",", sign).encode(), "r", RatingsLayout(genre="id-prefix"))
    assert (ratings.units, ratings.annotators) == (("CQA-1", "CQA-2", "NEWS-1"), ("ada", "bo", "cy"))
    nan = float("nan")
    np.testing.assert_array_equal(ratings.table(), [[3, 3.5, nan], [nan, 2, 4], [0, 0, 0.25]])
    assert (ratings.genres, ratings.genre_names()) == (("CQA", "CQA", "NEWS"), ("CQA", "NEWS"))
    assert ratings.of_genre("NEWS").value.tolist() == [0, 0, 0.25]
    assert ratings.line.tolist() == [2, 2, 3, 3, 4, 4, 4]


def test_one_row_per_rating_is_sorted_by_time() -> None:
    ratings = parse_ratings(LONG.encode(), "r", LONG_LAYOUT)
    assert ratings.value.tolist() == [4, 3, 2]
    assert ratings.line.tolist() == [4, 3, 2]
    assert ratings.is_first.tolist() == [True, True, False]
    assert ratings.units == ("CQA-1", "CQA-2")
    np.testing.assert_array_equal(ratings.seconds, [2, float("nan"), 4.5])
    assert ratings.of_units({"CQA-2"}).table().shape == (1, 2)


def test_one_row_per_annotator_is_the_transposed_table() -> None:
    across = parse_ratings(b"who,u1,u2\no1,1,\no2,2,3\n", "r", RatingsLayout(across=True))
    np.testing.assert_array_equal(across.table(), [[1, 2], [float("nan"), 3]])
    assert (across.units, across.annotators) == (("u1", "u2"), ("o1", "o2"))


def test_without_a_header_columns_have_numbers_and_units_have_line_numbers() -> None:
    bare = parse_ratings(b"1 2\n3 4\n", "r", RatingsLayout(header=False, delimiter=" "))
    assert (bare.units, bare.annotators) == (("1", "2"), ("1", "2"))
    named = parse_ratings(b"x,1,2\ny,3,4\n", "r", RatingsLayout(header=False, unit=("1",)))
    assert (named.units, named.annotators, named.value.tolist()) == (("x", "y"), ("2", "3"), [1, 2, 3, 4])


def test_several_columns_can_name_a_unit_and_columns_can_be_ignored() -> None:
    layout = RatingsLayout(unit=("a", "b"), ignore=("mean",), genre="kind")
    found = parse_ratings(b"a,b,mean,1,2,kind\nsea,shore,2.5,2,3,x\nsea,sand,1,1,1,y\n", "r", layout)
    assert found.units == ("sea / shore", "sea / sand")
    assert (found.annotators, found.genres) == (("1", "2"), ("x", "y"))
    chosen = parse_ratings(b"u,p,q,r\n1,2,3,no number\n", "r", RatingsLayout(annotators=("p", "q")))
    assert chosen.value.tolist() == [2, 3]


def test_words_are_read_as_categories() -> None:
    found = parse_ratings(b"u,p,q\n1,yes,no\n2,no,no\n", "r", RatingsLayout(words=True))
    assert (found.categories, found.value.tolist()) == (("yes", "no"), [0, 1, 1, 1])


@pytest.mark.parametrize(
    ("data", "layout", "messages"),
    [
        ("u,p\na,1\nb,x\nc,0,5\nd,7\n", RatingsLayout(scale=(0, 4)), [
            'r:3: rating "x" is not a number; write a number from 0 to 4, or leave the cell empty'
            "; scorer agree reads other marks with --missing, and names of categories with --words",
            "r:4: 3 fields, where there are 2 columns; write one field for each column",
            'r:5: rating "7" is outside the scale; write a number from 0 to 4',
        ]),
        ("u;p\na;0,5\n", RatingsLayout(), [
            'r:2: rating "0,5" has a decimal comma; write 0.5, or say that decimals follow a comma '
            "(--decimal ,)"
        ]),
        ("u;p\na;1.000\nb;0,5\nc;1.000,5\nd;x.y\n", RatingsLayout(decimal=","), [
            'r:2: rating "1.000" has a point, which could separate thousands or decimals; remove it, write a '
            "comma in its place, or leave out --decimal if decimals follow a point; 1 more line like this: 4 "
            '"1.000,5"',
            'r:5: rating "x.y" is not a number; write a number, or leave the cell empty; scorer agree '
            "reads other marks with --missing, and names of categories with --words",
        ]),
        ("u,p,p\na,1,2\n", RatingsLayout(), ['r:1: the header has 2 columns "p"; keep one of them']),
        ("u,p\na,1\n\nb,x1\n", RatingsLayout(), [
            "r:3: empty line; write the ratings of a unit, or remove it",
            'r:4: rating "x1" is not a number; write a number, or leave the cell empty; scorer agree '
            "reads other marks with --missing, and names of categories with --words",
        ]),
        ("u,p\n,1\n", RatingsLayout(), ["r:2: the row has no name; write which it is"]),
        ("u,p\n", RatingsLayout(), ["r: the file has a header and no ratings"]),
        ("u\na\n", RatingsLayout(), ["r:1: no column is left for ratings; name them, or the delimiter"]),
        ("u,p\na,1\n", RatingsLayout(unit=("v",)), ['r:1: the header has no column "v"; it has "u", "p"']),
        ("u,p,g\na,1,x\na,2,y\n", RatingsLayout(genre="g"), [
            'r:3: "a" has the genre "y" here and "x" on line 2; a unit has one'
        ]),
        ("u,w,s,t\na,,1,now\n", RatingsLayout(annotator="w", rating="s", time="t"), [
            "r:2: the row has no annotator; write who rated",
            'r:2: time "now" cannot be read; write a date and a time as 2026-03-14T09:30:00Z, or a number of '
            "seconds",
        ]),
        ("u,w,s,t\na,x,1,-2\n", RatingsLayout(annotator="w", rating="s", seconds="t"), [
            'r:2: "-2" is not a number of seconds; write how long it took, or leave it empty'
        ]),
        ("u,p1,p2\na,9,9\nb,8,1\nc,1,9\n", RatingsLayout(scale=(0, 4)), [
            'r:2: "p1": rating "9" is outside the scale; write a number from 0 to 4; 2 more lines like this: '
            '3 "p1", 4 "p2"',
            'r:2: "p2": rating "9" is outside the scale; write a number from 0 to 4',
        ]),
        ("", RatingsLayout(), ["r: the file is empty; is it the right one?"]),
    ],
)  # fmt: skip
def test_problems_are_reported_with_their_line(data: str, layout: RatingsLayout, messages: list[str]) -> None:
    with pytest.raises(RatingsError) as refused:
        parse_ratings(data.encode(), "r", layout)
    assert str(refused.value).splitlines() == messages


@pytest.mark.parametrize(
    ("layout", "message"),
    [
        (RatingsLayout(annotator="who"), "--rating is missing"),
        (RatingsLayout(annotator="who", rating="said", across=True), "not both"),
        (RatingsLayout(seconds="took"), "name its columns with --annotator"),
        (RatingsLayout(across=True, genre="kind"), "use --genre id-prefix"),
        (RatingsLayout(delimiter="ab"), "one character"),
    ],
)
def test_invalid_layouts_are_rejected(layout: RatingsLayout, message: str) -> None:
    with pytest.raises(RequestError, match=message):
        parse_ratings(WIDE.encode(), "r", layout)


def test_table_in_memory_is_read_like_its_file() -> None:
    made = ratings_of([[3, 3.5, None], [None, 2, 4], [0, 0, 0.25]], units=["CQA-1", "CQA-2", "NEWS-1"])
    read = parse_ratings(WIDE.encode(), "r")
    np.testing.assert_array_equal(made.table(), read.table())
    assert len(ratings_of([])) == 0
