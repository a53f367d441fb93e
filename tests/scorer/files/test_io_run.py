"""Aligned runs: what is accepted, and the sentence for each thing that is not."""

from collections.abc import Iterable
from time import perf_counter

import pytest
from hypothesis import given, strategies as st

from scorer.errors import MAX_PROBLEMS, NotEntered, Problem, RequestError, RunError
from scorer.files.reading import KeyedFormat, Run, parse_run


def refusal(data: bytes, n: int | None = None, **options: object) -> RunError:
    with pytest.raises(RunError) as caught:
        parse_run(data, "run.tsv", n=n, **options)  # type: ignore[arg-type]  # of several kinds
    return caught.value


@pytest.mark.parametrize(
    ("data", "scores"),
    [
        (b"1\r\n2\r\n", (1.0, 2.0)),
        (b"1\r2\r", (1.0, 2.0)),
        (b"1\r\n2\r3\n4", (1.0, 2.0, 3.0, 4.0)),
        (b"1\n2", (1.0, 2.0)),
        (b"  1 \n\x0b2\t\n3\t\t\n", (1.0, 2.0, 3.0)),
        (b"+0.5\n1e3\n1.\n.5\n-2E-1\n007\n", (0.5, 1000.0, 1.0, 0.5, -0.2, 7.0)),
        (b"\xef\xbb\xbf0.5\n", (0.5,)),
        (b"1e-400\n", (0.0,)),
    ],
)
def test_formats_of_the_official_scorer_are_accepted(data: bytes, scores: tuple[float, ...]) -> None:
    assert parse_run(data, "run.tsv", n=len(scores)).scores == scores


def test_confidences_may_be_missing_on_some_lines() -> None:
    assert parse_run(b"1\t0\n2\n3 \t 1.0 \n4\t\n", "run.tsv") == Run(
        (1.0, 2.0, 3.0, 4.0), (0.0, None, 1.0, None)
    )


@pytest.mark.parametrize(
    ("line", "code", "sentence"),
    [
        (
            "n/a",
            "no_number",
            'score "n/a" is not a number, and every item needs a score; write one number from 0',
        ),
        ("nan", "no_number", 'score "nan" is not a number, and every item needs a score'),
        ("NaN", "no_number", 'score "NaN" is not a number, and every item needs a score'),
        ("-inf", "no_number", 'score "-inf" is not a number'),
        ("Infinity", "no_number", "is not a number"),
        ("1e400", "not_finite", 'score "1e400" is too large, not finite; write one number from 0 to 4'),
        ("0,5", "decimal_comma", 'score "0,5" has a decimal comma; write 0.5'),
        ("50%", "percent_sign", 'score "50%" has a percent sign; write one number from 0 to 4'),
        ("1_0", "underscore", 'score "1_0" has an underscore; write 10'),
        ("1.5f", "literal", 'score "1.5f" has a letter at its end; write 1.5'),
        ("1d", "literal", 'score "1d" has a letter at its end; write 1'),
        ("0x1p3", "literal", 'score "0x1p3" is hexadecimal'),
        ("０.５", "other_digits", "has digits other than 0 to 9"),
        ("٣", "other_digits", "has digits other than 0 to 9"),
        ("½", "other_digits", "has digits other than 0 to 9"),
        ("−0.5", "other_minus", r"starts with U\+2212; write the minus as a hyphen"),
        ('"0.5"', "quotes", "score '\"0.5\"' is in quotes; write 0.5"),
        ("“0.5”", "quotes", "is in quotes; write 0.5"),
        ("'1'", "quotes", "is in quotes; write 1"),
        ("# my run", "comment", "is a comment; remove the line"),
        ("0.5 0.9", "no_tab", "looks like two columns; put one tab between score and confidence"),
        ("0.5;0.9", "no_tab", "put one tab between score and confidence"),
        ("0.5,0.9", "no_tab", "put one tab between score and confidence"),
        ("1,234,5", "comma", "has a comma; write one number from 0 to 4 without it"),
        ("0.5\u00a0", "invisible_character", r"has an invisible character, U\+00A0; remove it"),
        ("\u200b1", "invisible_character", r"U\+200B"),
        ("high", "not_a_number", 'score "high" is not a number; write one number from 0 to 4'),
        ("1.2.3", "not_a_number", "is not a number"),
        ("True", "not_a_number", "is not a number"),
        ("1e", "not_a_number", "is not a number"),
        (".", "not_a_number", "is not a number"),
        ("\t0.5", "missing", "there is no score; write one number from 0 to 4"),
        ("1\t2", "confidence_range", 'confidence "2" is out of range; write one number from 0 to 1'),
        ("1\t-0.1", "confidence_range", 'confidence "-0.1" is out of range'),
        ("1\thigh", "not_a_number", 'confidence "high" is not a number; write one number from 0 to 1'),
        ("1\t50%", "percent_sign", 'confidence "50%" has a percent sign; write one number from 0 to 1'),
        ("1\t0.5\t7", "too_many_columns", "3 columns; write a score, or a score, one tab and a confidence"),
        ("1\t\t0.5", "too_many_columns", "3 columns"),
        ("", "empty_line", "empty line; every item needs a score"),
        ("\t ", "empty_line", "empty line"),
    ],
)
def test_each_bad_line_has_a_specific_message(line: str, code: str, sentence: str) -> None:
    data = f"1\n{line}\n2\n".encode()
    with pytest.raises(RunError, match=rf"^run\.tsv:2: .*{sentence}") as caught:
        parse_run(data, "run.tsv", n=3, scale=(0, 4))
    (problem,) = caught.value.problems
    assert (problem.line, problem.code, problem.text) == (2, code, line)


def test_every_bad_line_is_reported_at_once_in_order() -> None:
    error = refusal(b"x\n1\n0,5\n1\t9\n\n2\n\xff\n\n", n=7)
    assert [(problem.line, problem.code) for problem in error.problems] == [
        (1, "not_a_number"),
        (3, "decimal_comma"),
        (4, "confidence_range"),
        (5, "empty_line"),
        (7, "not_utf8"),
    ]


def test_score_and_confidence_problems_of_one_line_are_both_reported() -> None:
    assert [problem.code for problem in refusal(b"1\t1\nx\ty\n").problems] == ["not_a_number", "not_a_number"]


def test_equal_problems_are_grouped_with_their_count_and_first_lines() -> None:
    error = refusal(b"x\n1\t9\n" + b"y\n" * 250, n=252, scale=(0, 4))
    assert error.count == 252
    score, confidence = error.problems
    assert (score.line, score.count, [other.line for other in score.others]) == (1, 251, [3, 4, 5, 6])
    assert score.others[0].text == "y"
    assert score.others[0].message == 'score "y" is not a number; write one number from 0 to 4'
    assert (confidence.line, confidence.count, confidence.others) == (2, 1, ())
    assert str(error).splitlines() == [
        'run.tsv:1: score "x" is not a number; write one number from 0 to 4; '
        '250 more lines like this: 3 "y", 4 "y", 5 "y", 6 "y", …',
        'run.tsv:2: confidence "9" is out of range; write one number from 0 to 1',
    ]


def test_a_file_in_another_encoding_is_one_problem() -> None:
    data = "".join(f"{'ä' if line % 2 else 'xé'}{line}\n" for line in range(50)).encode("latin-1")
    (problem,) = refusal(data, n=50).problems
    assert (problem.line, problem.code, problem.count) == (1, "not_utf8", 50)


def test_first_ten_thousand_problems_are_examined_and_all_are_counted() -> None:
    error = refusal(b"x\n" * 10_250, n=10_250)
    assert [problem.count for problem in error.problems] == [10_000]
    assert error.count == 10_250
    assert str(error).endswith("run.tsv: and 250 more problems")


def test_problems_of_different_causes_are_listed_up_to_the_hundredth() -> None:
    error = RunError([Problem("run.tsv", None, "code", f"cause {number}") for number in range(130)])
    assert (len(error.problems), error.count) == (MAX_PROBLEMS, 130)
    assert str(error).endswith("run.tsv: and 30 more problems")


def test_each_of_several_bad_files_is_named() -> None:
    first = [Problem("a", line, f"code{line}", "cause") for line in range(1, 121)]
    rest = [Problem(source, line, f"code{line}", "cause") for source in ("b", "c") for line in (1, 2, 3)]
    error = RunError([*first, *rest])
    listed = [(problem.source, problem.line) for problem in error.problems]
    assert listed == [*(("a", line) for line in range(1, 99)), ("b", 1), ("c", 1)]
    assert str(error).endswith("\nand 26 more problems")
    many = RunError([Problem(f"run{number}", 1, "code", "cause") for number in range(130)])
    assert (len(many.problems), many.count) == (MAX_PROBLEMS, 130)


@pytest.mark.parametrize(
    ("data", "n", "sentence"),
    [
        (
            b"1\n2\n",
            3,
            "run.tsv: the file has 2 lines, but there are 3 items: 1 line is missing; the scorer cannot tell",
        ),
        (b"1\n", 4, "run.tsv: the file has 1 line, but there are 4 items: 3 lines are missing"),
        (b"1\n2\n", 1, "run.tsv:2: the file has 2 lines, but there is 1 item: line 2 is too many"),
        (
            b"1\n2\n3\n4\n",
            2,
            "run.tsv:3: the file has 4 lines, but there are 2 items: lines 3 to 4 are too many",
        ),
        (b"1\n\n", 2, "run.tsv:2: empty line; every item needs a score"),
        (b"", 2, "run.tsv: the file is empty"),
        (b"\xef\xbb\xbf", 2, "run.tsv: the file has nothing but blank lines"),
        (b"\n\r\n \n", 2, "run.tsv: the file has nothing but blank lines"),
    ],
)
def test_wrong_number_of_lines_states_expected_and_actual(data: bytes, n: int | None, sentence: str) -> None:
    assert str(refusal(data, n)).startswith(sentence)


@pytest.mark.parametrize(
    ("data", "n", "sentence"),
    [
        (
            b"score\n1\n2\n",
            2,
            "run.tsv:1: looks like a header; a file with one line for each item has none: remove the line",
        ),
        (
            b"score\tconfidence\n1\t1\n2\t1\n",
            2,
            "run.tsv:1: looks like a header; a file with one line for each item has none",
        ),
        (b"mymodel\n1\n2\n", 2, "run.tsv:1: looks like a header"),
        (
            b"PairID,Pred_Score\nA-1,1\nA-2,2\n",
            2,
            "run.tsv:1: looks like the header of a table; write one va",
        ),
        (b"pair_ID\tentail\tsim\n1\tNEUTRAL\t3\n", 1, "run.tsv:1: looks like the header of a table"),
    ],
)
def test_header_is_reported_once(data: bytes, n: int, sentence: str) -> None:
    error = refusal(data, n)
    assert str(error).startswith(sentence)
    assert [problem.code for problem in error.problems] == [
        "keyed_file" if "table" in sentence else "header_line"
    ]


def test_lines_below_a_header_are_checked_and_counted() -> None:
    error = refusal(b"score\n1\nx\n", n=3)
    assert [problem.code for problem in error.problems] == ["too_few_lines", "header_line", "not_a_number"]
    assert "without its first line, which has no value, the file has 2 lines, but there are 3" in str(error)


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ("1\n2\n".encode("utf-16"), "this is UTF-16; save it as UTF-8"),
        ("1\n2\n".encode("utf-16-le"), "this is UTF-16; save it as UTF-8"),
        ("1.5\n2.5\n".encode("utf-16-be"), "this is UTF-16; save it as UTF-8"),
        ("1\n2\n".encode("utf-32"), "this is UTF-32; save it as UTF-8"),
        ("1\n2\n".encode("utf-32-be"), "this is UTF-32; save it as UTF-8"),
        (b"\x1f\x8b\x08\x00", "this is a gzip archive; unpack it first"),
        (b"PK\x03\x04\x14", "this is a zip archive; unpack it first"),
        (b"PK\x03\x04\x14xl/workbook.xml", "this is an Excel workbook; save it as tab-separated text"),
        (b"PK\x03\x04\x14word/document.xml", "this is a Word document; save it as plain text in UTF-8"),
        (b"%PDF-1.4\n", "this is a PDF document; export it as plain text"),
        (b"\n<!DOCTYPE html>\n<html>", "this is a web page; download the file itself, not the page"),
        (b"\x00\x01\x02\x00\x00", "this is not text; export it as plain text in UTF-8"),
    ],
)
def test_file_that_is_not_text_is_identified(data: bytes, sentence: str) -> None:
    error = refusal(data, n=2)
    assert sentence in str(error)
    assert [problem.line for problem in error.problems] == [None]


def test_null_character_and_invalid_byte_have_their_lines() -> None:
    error = refusal(b"1\n2\0\n0.5\xe9\n", n=3)
    assert [(problem.line, problem.code) for problem in error.problems] == [(2, "nul"), (3, "not_utf8")]
    assert "byte 0xE9 at column 4 (é in Windows-1252) is not UTF-8; save the file as UTF-8" in str(error)


def test_windows_quotes_are_reported_with_their_byte() -> None:
    error = refusal(b"\x930.5\x94\n1\n", n=2)
    assert "run.tsv:1: byte 0x93 at column 1 (“ in Windows-1252) is not UTF-8" in str(error)


@pytest.mark.parametrize("line", [b"sep=,", b"sep=;", b'"sep=\t"', b"SEP="])
def test_line_added_by_excel_is_the_only_problem(line: bytes) -> None:
    (problem,) = refusal(line + b"\n1\n2\n", n=2).problems
    assert (problem.line, problem.code) == (1, "separator_line")
    assert problem.message == "this line is one that Excel adds for itself; remove it"


def test_empty_lines_that_make_a_run_too_long_are_the_ones_to_remove() -> None:
    error = refusal(b"1\n\n2\n3\n", n=3)
    assert str(error) == "run.tsv:2: empty line; remove it: without the empty lines the run has its 3 lines"
    assert "every item needs a score" in str(refusal(b"1\n\n3\n", n=3))
    assert [problem.code for problem in refusal(b"1\n\n2\n3\n4\n", n=3).problems] == [
        "empty_line",
        "too_many_lines",
    ]


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"A-1\t2\nA-2\t3\nB-1\t4\n", "the first column holds the ids of the items, which an aligned run"),
        (b"2\tA-1\n3\tA-2\n4\tB-1\n", "the second column holds the ids of the items"),
        (
            b"A-1\t2\nB-1\t3\nA-2\t4\n",
            'remove it; line 2 has "B-1" where "A-2" is expected, so fix the order too',
        ),
    ],
)
def test_column_of_ids_is_reported_once(data: bytes, sentence: str) -> None:
    (problem,) = refusal(data, ids=["A-1", "A-2", "B-1"]).problems
    assert (problem.line, problem.code) == (None, "ids_column")
    assert sentence in problem.message


def test_scores_beside_a_column_of_ids_are_still_checked() -> None:
    error = refusal(b"A-1\t2\nA-2\tx\n", ids=["A-1", "A-2", "B-1"])
    assert [problem.code for problem in error.problems] == ["too_few_lines", "ids_column", "not_a_number"]
    error = refusal(b"A-1\t2\nA-2\tx\nB-1\t1\n", ids=["A-1", "A-2", "B-1"])
    assert [problem.code for problem in error.problems] == ["ids_column", "not_a_number"]


SCORES = 0.85, 0.2, 0.55, 0.4, 0.8, 0.1
COUNTS, RISES, IDS = "counts the lines from", "has whole numbers that rise", "holds the ids of the items"


def beside(firsts: Iterable[object], separator: str = "\t", end: str = "\n") -> bytes:
    lines = [f"{first}{separator}{score}" for first, score in zip(firsts, SCORES, strict=False)]
    return "".join(line + end for line in lines).encode()


@pytest.mark.parametrize(
    ("data", "ids", "likeness"),
    [
        (beside(range(6)), None, COUNTS),
        (beside(range(1, 7), end="\r\n"), None, COUNTS),
        (beside(range(3)), None, COUNTS),
        (beside(range(6), " "), None, COUNTS),
        (beside(range(6), ","), None, COUNTS),
        (beside(range(6), ", "), None, COUNTS),
        (beside(range(6), ";").replace(b".", b","), None, COUNTS),
        (b"1,4\n2,3\n3,1\n4,2\n", None, COUNTS),
        (b"score\n" + beside(range(6)), None, COUNTS),
        (b",score\n" + beside(range(6), ","), None, COUNTS),
        (b'"1","0.85"\n"2","0.2"\n"3","0.55"\n', None, COUNTS),
        (b"001\t3\n002\t4\n003\t\n004\t1\n005\t2\n006\t2\n", None, COUNTS),
        (beside((101, 205, 206, 300, 301, 302)), None, RISES),
        (beside((302, 301, 300, 206, 205, 101)), None, "has whole numbers that fall"),
        (beside((3, 1, 2, 5, 0, 4)), None, "has each number from 0 to 5 once"),
        (beside((40, 10, 30)), ["40", "10", "30"], IDS),
        (beside((6, 5, 4, 3, 2, 1)), ["1", "2", "3", "4", "5", "6"], 'line 1 has "6" where "1" is expected'),
        (beside((1.1, 1.2, 2.1)), ["1.1", "1.2", "2.1"], IDS),
    ],
)
def test_id_or_line_number_in_front_is_not_read_as_the_score(
    data: bytes, ids: list[str] | None, likeness: str
) -> None:
    problems = refusal(data, ids=ids, n=len(data.splitlines()) - (b"score" in data)).problems
    (problem,) = [problem for problem in problems if problem.code == "numeric_ids"]
    assert likeness in problem.message
    assert {other.code for other in problems} <= {
        "numeric_ids", "header_line", "decimal_comma", "quotes", "missing",
    }  # fmt: skip


def test_first_column_that_has_the_scores_is_read_if_that_is_confirmed() -> None:
    run = parse_run(beside(range(3)), "run.tsv", first_is_score=True)
    assert (run.scores, run.confidences) == ((0, 1, 2), SCORES[:3])


@pytest.mark.parametrize(
    ("data", "ids"),
    [
        (b"0\t0.5\n1\t0.4\n", ["0", "1"]),
        (b"1\t0.5\n2\n3\n", ["1", "2", "3"]),
        (b"1\n2\n3\n", ["1", "2", "3"]),
        (beside((3, 1, 2)), ["1", "2", "3"]),
        (beside((2, 0, 4, 1, 3, 3)), ["1", "2", "3", "4", "5", "6"]),
        (b"2\t0.1\n3\t0.2\n4\t0.3\n", None),
        (b"1\t1\n2\t1\n4\t1\n", None),
        (beside((0.5, 1.5, 2.5)), None),
        (beside((1, 2, 2)), None),
    ],
)
def test_whole_scores_with_confidences_are_accepted(data: bytes, ids: list[str] | None) -> None:
    assert len(parse_run(data, "run.tsv", ids=ids).scores) == len(data.splitlines())


def test_swapped_looking_scores_and_confidences_cause_a_question() -> None:
    error = refusal(b"0.5\t4\n1\t2\n", n=2, scale=(0, 4))
    assert [problem.code for problem in error.problems] == [
        "swapped_columns",
        "confidence_range",
    ]
    assert "are they swapped? the score comes first" in error.problems[0].message
    assert "swapped" not in str(refusal(b"3\t4\n1\t2\n", n=2, scale=(0, 4)))


@pytest.mark.parametrize("word", ["NA", "na", "N/A"])
def test_a_run_that_is_na_throughout_does_not_enter_the_level(word: str) -> None:
    with pytest.raises(NotEntered) as caught:
        parse_run(f"{word}\r\n{word}\r\n".encode(), "run.tsv", n=2)
    (problem,) = caught.value.problems
    assert (problem.line, problem.code) == (None, "not_entered")
    assert problem.message.startswith("every score is NA: the run does not enter this level, and there is")


def test_na_among_numbers_and_na_in_a_file_with_other_faults_are_faults() -> None:
    error = refusal(b"NA\n1\nNA\n", n=3)
    assert str(error).endswith("; 1 more line like this: 3")
    assert [(problem.line, problem.code, problem.count) for problem in error.problems] == [
        (1, "no_number", 2)
    ]
    error = refusal(b"NA\nNA\n", n=3)
    assert not isinstance(error, NotEntered)
    assert [problem.code for problem in error.problems] == ["too_few_lines", "not_entered"]


def test_only_lf_cr_and_crlf_end_a_line() -> None:
    assert refusal("1\u20282\n3\u0085\n".encode(), n=2).count == 2


def test_scores_outside_the_scale_are_warnings() -> None:
    run = parse_run(b"4.5\n4\n-1\n0\n", "run.tsv", n=4, scale=(0, 4))
    assert run.scores == (4.5, 4.0, -1.0, 0.0)
    assert [str(warning) for warning in run.warnings] == [
        'run.tsv:1: score "4.5" is outside the scale; scores go from 0 to 4; 1 more line like this: 3 "-1"',
    ]


def test_warnings_beyond_the_limit_are_summarized() -> None:
    run = parse_run(b"9\n" * 10_030, "run.tsv", scale=(0.5, 4))
    assert [warning.code for warning in run.warnings] == ["constant_run", "outside_scale", "outside_scale"]
    assert run.warnings[1].count == 10_000
    assert str(run.warnings[-1]) == "run.tsv: and 30 more warnings"


def test_empty_lines_at_the_end_are_skipped_with_a_warning() -> None:
    for n in (2, None):
        run = parse_run(b"1\t0.5\n2\n\n \n", "run.tsv", n=n)
        assert (run.scores, run.confidences) == ((1.0, 2.0), (0.5, None))
        assert [str(warning) for warning in run.warnings] == [
            "run.tsv:3: blank line at the end; it was skipped; 1 more line like this: 4"
        ]
    error = refusal(b"1\n\n2\n\n", n=3)
    assert [(problem.line, problem.code) for problem in error.problems] == [(2, "empty_line")]


def test_confidence_scale_can_be_changed() -> None:
    assert parse_run(b"1\t80\n", "run.tsv", confidence_max=100).confidences == (80.0,)


def test_long_line_is_shortened_and_escape_codes_are_escaped_in_the_message() -> None:
    error = refusal(b"1\n" + b"x" * 64_000 + b"\n\x1b[31mred\n", n=3)
    first, second = str(error).splitlines()
    assert len(first) < 150
    assert r'score "\u001b[31mred"' in second
    assert error.problems[0].text == "x" * 64_000


@pytest.mark.parametrize(
    "line",
    [
        b"9" * 64_000,
        b"1" + b"_" * 64_000 + b"x",
        b"1," * 32_000,
        b" 1" * 32_000,
        b"." * 64_000,
        b"\t" * 64_000,
    ],
)
def test_hostile_line_is_rejected_quickly(line: bytes) -> None:
    start = perf_counter()
    refusal(b"1\n" + line + b"\n2\n", n=3)
    assert perf_counter() - start < 1  # a quadratic pattern takes minutes


def test_a_keyed_run_needs_ids() -> None:
    with pytest.raises(RequestError, match="only with the ids of the items"):
        parse_run(b"id,s\n1,2\n", "run.csv", keyed=KeyedFormat("id", "s"))


@given(
    st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1),
    st.sampled_from(["\n", "\r\n", "\r"]),
)
def test_what_python_prints_is_read_back_exactly(scores: list[float], end: str) -> None:
    data = "".join(f"{score!r}{end}" for score in scores).encode()
    assert parse_run(data, "run.tsv", n=len(scores)).scores == tuple(scores)


@given(st.binary(max_size=300), st.integers(0, 10))
def test_any_bytes_give_a_run_or_a_list_of_problems(data: bytes, n: int) -> None:
    try:
        found = len(parse_run(data, "run.tsv", n=n).scores)
    except RunError as caught:
        error: RunError | None = caught
    else:
        error = None
    if error is None:
        assert found == n
    else:
        assert error.count >= len(error.problems) > 0
        assert all(problem.code and problem.message for problem in error.problems)


@given(st.text("0123456789.,+-eE_xfdNna%\"'# \t\n\r;", max_size=60))
def test_accepted_numbers_have_the_value_of_python_float(text: str) -> None:
    try:
        run = parse_run(text.encode(), "run.tsv")
    except RunError:
        return
    lines = text.replace("\r\n", "\n").replace("\r", "\n").rstrip(" \t\n").split("\n")
    assert run.scores == tuple(float(line.split("\t")[0]) for line in lines)
