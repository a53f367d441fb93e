"""Held-out genres against the rest: by hand, against scores of the parts, at the edges, as written."""

import json
from collections.abc import Sequence

import pytest
from hypothesis import given, strategies as st

from scorer.errors import RequestError
from scorer.files.reading import Gold, Run
from scorer.reports.scores import render_report
from scorer.scoring.evaluate import Report, evaluate
from scorer.scoring.held_out import evaluate_held_out
from scorer.values import Undefined

GOLD, RUN = Gold((0.0, 1.0, 2.0, 3.0, 1.0, 2.0)), Run((0.0, 1.5, 2.0, 2.5, 3.0, 0.0), (None,) * 6)
GENRES = ["seen", "seen", "also", "also", "new", "new"]


def test_held_out_difference_equals_manual_calculation() -> None:
    report = evaluate_held_out(GOLD, RUN, ["mae"], GENRES, ["new"])
    held_out, rest = report.results
    assert (held_out.genre, held_out.value, held_out.n) == ("held-out", 2.0, 2)
    assert (rest.genre, rest.value, rest.n) == ("rest", 0.25, 4)
    assert "|genre:held-out(new)|" in held_out.signature
    assert "|genre:rest(new)|" in rest.signature
    assert report.differences[0].value == (0.25 - 2) / 0.25


@given(st.lists(st.tuples(st.floats(-4, 4), st.sampled_from("abc")), min_size=2, max_size=9))
def test_held_out_scores_equal_scores_of_the_parts(rows: list[tuple[float, str]]) -> None:
    errors, genres = [row[0] for row in rows], [*(row[1] for row in rows[2:]), "a", "b"]
    report = evaluate_held_out(
        Gold((0.0,) * len(rows)),
        Run(tuple(errors), (None,) * len(rows)),
        ["mse"],
        genres,
        ["a", "c"][: 1 + ("c" in genres)],
    )
    for result, wanted in zip(report.results, ("ac", "b" if "c" in genres else "bc"), strict=True):
        part = [error for error, genre in zip(errors, genres, strict=True) if genre in wanted]
        (alone,) = evaluate(Gold((0.0,) * len(part)), Run(tuple(part), (None,) * len(part)), ["mse"]).results
        assert (result.value, result.n) == (alone.value, len(part))
    held_out, rest = (result.value for result in report.results)
    assert isinstance(held_out, float)
    assert isinstance(rest, float)
    value = report.differences[0].value
    assert isinstance(value, Undefined) or value == (rest - held_out) / rest


def differences(gold: Sequence[float], pred: Sequence[float], metric: str) -> float | Undefined:
    run = Run(tuple(pred), (None,) * 6)
    return evaluate_held_out(Gold(tuple(gold)), run, [metric], GENRES, ["new"]).differences[0].value


def test_loss_is_positive_even_if_the_rest_is_negative() -> None:
    # rest r = -0.8 on four items in this order, held-out r = -1
    assert differences([1, 2, 3, 4, 1, 2], [4, 2, 3, 1, 1, 0], "pearson") == pytest.approx(0.25)


def test_undefined_difference_has_a_reason() -> None:
    zero = differences([1, 2, 3, 4, 1, 2], [1, 2, 3, 4, 0, 0], "mae")
    assert zero == Undefined(
        "rest_is_zero", "the value of the rest is 0 or nearly so; nothing is relative to it"
    )
    constant = differences([1, 2, 3, 4, 1, 2], [1, 2, 3, 4, 5, 5], "pearson")
    assert isinstance(constant, Undefined)
    assert constant.code == "constant_run"


def test_genres_that_do_not_split_the_items_are_rejected() -> None:
    with pytest.raises(RequestError, match='no item is of the genre "slang"; there are seen, also, new'):
        evaluate_held_out(GOLD, RUN, ["mae"], GENRES, ["slang"])
    with pytest.raises(
        RequestError,
        match="the held-out genres must be some of the genres of the items, not none and not all",
    ):
        evaluate_held_out(GOLD, RUN, ["mae"], GENRES, ["seen", "also", "new"])


def test_every_format_explains_the_difference() -> None:
    beside = evaluate_held_out(GOLD, RUN, ["mae", "pearson"], GENRES, ["new"])
    whole = evaluate(GOLD, RUN, ["mae", "pearson"])
    report = Report((*whole.results, *beside.results), beside.differences)
    text = render_report(report, "text").splitlines()
    assert text[1].split()[:2] == ["all", "mae"]
    # pearson: 4 / sqrt(5 * 3.5) on the rest, -1 held out
    assert text[-1] == "(rest - held-out) / |rest|: mae -7.0000, pearson 2.0458"
    assert render_report(report, "latex").splitlines()[-7] == f"% {text[-1]}"
    table = [line.split(" & ") for line in render_report(report, "latex").splitlines() if " & " in line]
    assert [row[-1] for row in table][:6] == [
        *("relative difference \\\\", " \\\\", " \\\\"),
        *("$-$7.0000 \\\\", "2.0458 \\\\", " \\\\"),
    ]
    rows = [line.split("\t") for line in render_report(report, "tsv").splitlines()]
    assert [(row[0], row[-1]) for row in rows][:4] == [
        ("genre", "relative_difference"),
        ("", ""),
        ("", ""),
        ("held-out", "-7.0"),
    ]
    assert json.loads(render_report(report, "json"))["relative_difference"] == {
        "definition": "(rest - held-out) / |rest|",
        "metrics": [
            {"metric": each.metric, "value": each.value, "undefined": None} for each in report.differences
        ],
    }
