"""Keyed runs: tables with a header, rows and columns in any order."""

import csv
import io
from random import Random

import pytest
from hypothesis import given, strategies as st

from scorer.errors import RunError
from scorer.files.reading import KeyedFormat, Run, parse_run

IDS = ["A-1", "A-2", "B-1"]
FORMAT = KeyedFormat("PairID", "Pred_Score")
CONFIDENT = KeyedFormat("PairID", "Pred_Score", "conf")


def read(data: str, keyed: KeyedFormat = FORMAT, ids: list[str] = IDS) -> Run:
    return parse_run(data.encode(), "run.csv", ids=ids, keyed=keyed, scale=(0, 1))


def refusal(data: str, keyed: KeyedFormat = FORMAT) -> RunError:
    with pytest.raises(RunError) as caught:
        read(data, keyed)
    return caught.value


@pytest.mark.parametrize(
    "data",
    [
        "PairID,Pred_Score\nA-1,.1\nA-2,.2\nB-1,.3\n",
        "PairID\tPred_Score\nB-1\t.3\nA-1\t.1\nA-2\t.2",
        '\ufeffPred_Score,note,PairID\r\n.3,x,B-1\r\n.2,,A-2\r\n.1,"a, b",A-1\r\n',
        '"PairID","Pred_Score"\n"A-2","0.2"\n"A-1","0.1"\n"B-1","0.3"\n',
        '"PairID"\t"Pred_Score"\n"A-2"\t"0.2"\n"A-1"\t"0.1"\n"B-1"\t"0.3"\n',
        'PairID,text,Pred_Score\nA-1,"two\nlines",.1\nA-2,"say ""x""",.2\nB-1,,.3\n',
        'PairID\ttext\tPred_Score\nA-1\t"odd\t.1\nA-2\tb"\t.2\nB-1\t"\t.3\n',
        "PairID\tPred_Score\n A-1 \t .1 \nA-2\t.2\t\nB-1\t.3\n",
    ],
)
def test_any_order_of_rows_and_columns_gives_the_order_of_the_items(data: str) -> None:
    assert read(data).scores == (0.1, 0.2, 0.3)


def test_optional_confidences_are_read() -> None:
    run = read("conf,PairID,Pred_Score\n1,B-1,0\n,A-1,0\n.5,A-2,0\n", CONFIDENT)
    assert run.confidences == (None, 0.5, 1.0)


def test_a_delimiter_can_be_named() -> None:
    keyed = KeyedFormat("id", "a\tb", delimiter="comma")
    assert read("id,a\tb\nA-1,1\nA-2,1\nB-1,1\n", keyed).scores == (1.0, 1.0, 1.0)


@pytest.mark.parametrize(
    ("data", "place", "code", "sentence"),
    [
        (
            "PairID,Pred_Score\nA-1,x\nA-2,0\nB-1,0\n",
            2,
            "not_a_number",
            'score "x" is not a number; write one',
        ),
        (
            "PairID,Pred_Score\nA-1,\nA-2,0\nB-1,0\n",
            2,
            "missing",
            "there is no score; write one number from 0 to 1",
        ),
        (
            "PairID,Pred_Score\nA-1,0\nA-2\nB-1,0\nA-2,0\n",
            3,
            "wrong_columns",
            "1 column and the header has 2",
        ),
        (
            "PairID\tPred_Score\nA-1\t0\t4\nA-1\t0\nA-2\t0\nB-1\t0\n",
            2,
            "wrong_columns",
            "3 columns and the header",
        ),
        ("PairID,Pred_Score\n,0\nA-1,0\nA-2,0\nB-1,0\n", 2, "missing_id", "the row has no id"),
        ("PairID,Pred_Score\nC-1,0\nA-1,0\nA-2,0\nB-1,0\n", 2, "unknown_id", 'no item "C-1"; use the ids of'),
        (
            "PairID,Pred_Score\nA-1,0\nA-2,0\nB-1,0\nA-1,1\n",
            5,
            "duplicate_id",
            'item "A-1" has a row already, on line 2; keep one of them',
        ),
        (
            "PairID,Pred_Score\nA-1,0\nB-1,0\n",
            None,
            "missing_ids",
            '1 of 3 items has no row: "A-2"; write one row',
        ),
        (
            "pairid,Pred_Score\nA-1,0\n",
            1,
            "missing_column",
            'no column "PairID"; it has "pairid", and names are',
        ),
        (
            "PairID,Pred_Score\nA-1,0,5\n",
            2,
            "wrong_columns",
            "into the header, and decimals with a point",
        ),
        (
            "PairID;Pred_Score\nA-1;0\n",
            1,
            "missing_column",
            "separated by semicolons: write tabs or commas instead",
        ),
        ("A-1,0.5\nA-2,0\n", 1, "no_header", 'header above it that names the columns "PairID", "Pred_'),
        ("PairID,PairID,Pred_Score\n", 1, "duplicate_column", '2 columns "PairID"; keep one of them'),
        ('PairID,Pred_Score\nA-1,"0\nA-2,0\n', 2, "broken_quote", "a quote opens here and is never closed"),
        (
            'PairID,Pred_Score\nA-1,"0"1\nA-1,0\nA-2,0\nB-1,0\n',
            2,
            "broken_quote",
            "text after a closing quote",
        ),
    ],
)
def test_each_bad_row_has_a_specific_message(data: str, place: int | None, code: str, sentence: str) -> None:
    problem = next(problem for problem in refusal(data).problems if problem.code == code)
    assert problem.line == place
    assert sentence in problem.message


def test_an_id_that_a_spreadsheet_made_a_decimal_is_recognized() -> None:
    with pytest.raises(RunError, match=r'no item "7\.0"; did you mean "7"\?'):
        read("PairID,Pred_Score\n7.0,0\n", ids=["7"])


def test_list_of_missing_ids_is_shortened() -> None:
    with pytest.raises(RunError, match=r'9 of 9 items have no row: "0", "1", "2", "3", "4" and 4 more'):
        read("PairID,Pred_Score\n", ids=[str(i) for i in range(9)])


def test_the_line_of_a_row_below_quoted_line_ends_is_right() -> None:
    data = 'PairID,text,Pred_Score\nA-1,"a\nb\nc",0\nA-2,,x\nB-1,,0\n'
    assert [(problem.line, problem.text) for problem in refusal(data).problems] == [(5, "A-2,,x")]


def test_an_undecodable_header_is_the_only_problem() -> None:
    with pytest.raises(RunError) as caught:
        parse_run(b"Pair\xffID,Pred_Score\nA-1,0\n", "run.csv", ids=IDS, keyed=FORMAT)
    assert [problem.code for problem in caught.value.problems] == ["not_utf8"]


def test_hostile_quote_is_rejected() -> None:
    assert [problem.code for problem in refusal('PairID,Pred_Score\nA-1,"' + "x" * 200_000).problems][
        -1:
    ] == ["broken_quote"]


@given(
    st.dictionaries(
        st.text(st.characters(exclude_characters="\0\r\ufeff", exclude_categories=["Cs"]), min_size=1).filter(
            lambda text: text == text.strip(" \t\v\f") and text.strip() and "\n" not in text
        ),
        st.floats(0, 1),
        min_size=1,
    ),
    st.randoms(use_true_random=False),
)
def test_what_the_csv_module_writes_is_read_back(values: dict[str, float], random: Random) -> None:
    rows = list(values.items())
    random.shuffle(rows)
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(("PairID", "Pred_Score"))
    writer.writerows(rows)
    assert read(file.getvalue(), ids=list(values)).scores == tuple(values.values())


@given(st.text('",\n\tabAP-1.0', max_size=80))
def test_any_table_is_read_or_rejected(body: str) -> None:
    for head in ("PairID,Pred_Score\n", "PairID\tPred_Score\n"):
        try:
            read(head + body, ids=["1"])
        except RunError as error:
            assert error.problems  # noqa: PT017  either outcome is good


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_an_empty_line_of_a_keyed_run_is_skipped_with_a_warning(end: str) -> None:
    for sign, empty in (("\t", "\t"), ("\t", ""), (",", "")):
        lines = [f"id{sign}s", f"b{sign}2", empty, f"a{sign}1", "", ""]
        run = parse_run(end.join(lines).encode(), "run", ids=["a", "b"], keyed=KeyedFormat("id", "s"))
        assert run.scores == (1.0, 2.0)
        assert [str(warning) for warning in run.warnings] == [
            "run:3: empty line; it is not an item and was skipped; 1 more line like this: 5"
        ]


def test_a_header_with_more_names_than_its_rows_have_fields_is_one_problem() -> None:
    rows = "".join(f"{number}\t2.5\r\n" for number in range(1, 61))
    ids, keyed = [str(number) for number in range(1, 61)], KeyedFormat("pair_ID", "score")
    with pytest.raises(RunError) as caught:
        parse_run(f"pair_ID\tscore\tjudgment\r\n{rows}".encode(), "run", ids=ids, keyed=keyed)
    assert str(caught.value) == (
        "run:2: 2 fields and the header has 3 names; remove from the header the name that has no field "
        'in the rows, such as "judgment"; 59 more lines like this: 3, 4, 5, 6, …'
    )
    assert caught.value.count == 60
    fixed = f"pair_ID\tscore\r\n{rows}".encode()
    assert parse_run(fixed, "run", ids=ids, keyed=keyed).scores == (2.5,) * 60


@pytest.mark.parametrize(
    ("rows", "hint"),
    [
        ("1\ta\t2\n2\tb\t3\n", "3 fields and the header has 2 names; write a name for each column into the"),
        ("a,2\nb,3\n", "1 field and the header has 2 names; separate the fields of each row as the header"),
    ],
)
def test_a_header_that_does_not_match_its_rows_says_how_to_fix_it(rows: str, hint: str) -> None:
    with pytest.raises(RunError) as caught:
        parse_run(f"id\ts\n{rows}".encode(), "run", ids=["a", "b"], keyed=KeyedFormat("id", "s"))
    (problem,) = caught.value.problems
    assert (problem.line, problem.count) == (2, 2)
    assert problem.message.startswith(hint)
