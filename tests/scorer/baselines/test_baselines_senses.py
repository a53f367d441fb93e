"""A task's own table of senses."""

from pathlib import Path

import pytest

from scorer.baselines import open_senses, parse_senses
from scorer.baselines.senses import parse_sense
from scorer.errors import DataError

GOOD = "bank#n#2\ta financial institution\nbank#n#1\tsloping land\nCalm#s#1\tnot agitated\n"


def test_senses_are_ordered_by_their_numbers() -> None:
    assert parse_senses(GOOD.encode(), "t.tsv").glosses("bank", "n") == (
        "sloping land",
        "a financial institution",
    )


def test_words_are_looked_up_in_lower_case_and_s_is_a() -> None:
    table = parse_senses(GOOD.encode(), "t.tsv")
    assert table.glosses("CALM", "a") == table.glosses("calm", "s") == ("not agitated",)


def test_sense_is_found_by_number_or_is_none() -> None:
    table = parse_senses(b"bank#n#7\tseventh\n", "t.tsv")
    assert table.find_gloss("bank", "n", 7) == "seventh"
    assert table.find_gloss("bank", "n", 1) is None
    assert table.find_gloss("bank", "v", 7) is None
    assert table.glosses("shore", "n") == ()


@pytest.mark.parametrize(
    "data", [GOOD.replace("\n", "\r"), GOOD.replace("\n", "\r\n"), "\ufeff" + GOOD, GOOD.removesuffix("\n")]
)
def test_line_ends_and_a_byte_order_mark_do_not_matter(data: str) -> None:
    assert parse_senses(data.encode(), "t.tsv").glosses("calm", "a") == ("not agitated",)


def test_every_bad_line_is_reported_at_once() -> None:
    bad = "bank#n#1\tone\nbank#n#1\ttwo\n\nbank#x#1\tthree\nbank#n\tfour\nbank#n#2\nbank#n#3\t \na\tb\tc\n"
    with pytest.raises(DataError) as caught:
        parse_senses(bad.encode(), "t.tsv")
    assert str(caught.value).splitlines() == [
        't.tsv:2: sense "bank#n#1" stands here for the second time; keep one of its lines',
        "t.tsv:3: empty line; every line is one sense",
        't.tsv:4: "bank#x#1" names no sense; write word#pos#n, with pos one of n, v, a, r; '
        '1 more line like this: 5 "bank#n"',
        "t.tsv:6: 1 column instead of 2; write word#pos#n, a tab and the gloss",
        't.tsv:7: sense "bank#n#3" has no gloss; write it behind the tab',
        "t.tsv:8: 3 columns instead of 2; write word#pos#n, a tab and the gloss",
    ]
    assert caught.value.problems[1].text == ""


def test_repeated_sense_with_the_same_gloss_is_rejected_too() -> None:
    with pytest.raises(DataError, match=r"t.tsv:2: .*second time"):
        parse_senses(b"bank#n#1\tx\nbank#n#1\tx\n", "t.tsv")


def test_empty_sense_table_is_rejected() -> None:
    with pytest.raises(DataError, match=r"t.tsv: the file is empty; is it the right one\?"):
        parse_senses(b"", "t.tsv")


def test_other_encoding_is_rejected_with_its_line() -> None:
    with pytest.raises(
        DataError, match=r"t.tsv:2: byte 0xFC at column 10 \(ü in Windows-1252\) is not UTF-8"
    ):
        parse_senses("bank#n#1\tone\nbank#n#2\tübel\n".encode("latin-1"), "t.tsv")


def test_open_senses_reads_a_file_as_a_table(tmp_path: Path) -> None:
    path = tmp_path / "senses.tsv"
    path.write_text(GOOD, encoding="utf-8")
    senses = open_senses(str(path))
    assert senses.name == str(path)
    assert senses.find_gloss("bank", "n", 1) == "sloping land"


@pytest.mark.parametrize(
    ("text", "sense"),
    [
        ("inform#v#1", ("inform", "v", 1)),
        ("c#_sharp#n#12", ("c#_sharp", "n", 12)),
        ("inform#1", None),
        ("inform#v", None),
        ("inform#v#-1", None),
        ("inform#v#１", None),
        ("#v#1", None),
        ("", None),
    ],
)
def test_sense_names_are_parsed(text: str, sense: tuple[str, str, int] | None) -> None:
    assert parse_sense(text) == sense
