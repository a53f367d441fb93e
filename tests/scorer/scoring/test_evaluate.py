"""Which items count, the signature, and undefined values in a report."""

import pytest

from scorer import __version__
from scorer.errors import RequestError
from scorer.files.reading import Gold, Run, parse_run
from scorer.metrics import weighted_pearson
from scorer.scoring.evaluate import Report, Result, evaluate
from scorer.statistics.intervals import Resampling, bootstrap_intervals
from scorer.values import Undefined

GOLD = Gold((0.0, 1.0, None, 3.0, 4.0))
RUN = Run((0.1, 0.3, 0.9, 0.2, 0.4), (1.0, 0.2, 1.0, None, 0.5))
V = f"v:{__version__}"


def test_items_without_gold_are_left_out() -> None:
    # ranks 1 2 3 4 and 1 3 2 4
    assert evaluate(GOLD, RUN, ["spearman"]) == Report((Result("spearman", 0.8, 4, f"spearman|n:4|{V}"),))


def test_items_below_the_confidence_are_left_out_and_those_without_one_stay() -> None:
    (result,) = evaluate(GOLD, RUN, ["spearman"], min_confidence=0.5).results
    assert result == Result("spearman", 1.0, 3, f"spearman|n:3|min_confidence:0.5|{V}")


def test_results_keep_the_order_of_the_metrics() -> None:
    report = evaluate(GOLD, RUN, ["mae", "pearson"])
    assert [result.metric for result in report.results] == ["mae", "pearson"]


def test_genres_come_in_order_of_appearance_each_on_its_own_items() -> None:
    genres = ["web", "news", "news", "web", "web"]
    report = evaluate(GOLD, RUN, ["spearman", "mse"], genres=genres)
    assert [(result.genre, result.metric, result.n) for result in report.results] == [
        ("web", "spearman", 3),
        ("web", "mse", 3),
        ("news", "spearman", 1),
        ("news", "mse", 1),
    ]
    assert report.results[0].signature == f"spearman|n:3|genre:web|{V}"
    assert report.results[2].value == Undefined("too_few_items", "1 item to score; this needs at least 2")


def test_a_genre_without_gold_is_undefined_and_stays_in_the_report() -> None:
    report = evaluate(
        Gold((None, 1.0, 2.0)), Run((1.0, 2.0, 3.0), (None,) * 3), ["mse"], genres=["a", "b", "b"]
    )
    assert report.results[0].value == Undefined("too_few_items", "0 items to score; this needs at least 1")


def test_choices_are_counted_within_groups_with_their_standard_error() -> None:
    gold = Gold((0.0, 1.0, 2.0, 0.0, None, 3.0), groups=("a", "a", "b", "b", "b", None))
    run = Run((1.0, 2.0, 2.0, 5.0, 9.0, 0.0), (None,) * 6)
    (result,) = evaluate(gold, run, ["choice_accuracy"]).results
    assert (result.value, result.n, result.standard_error) == (0.5, 5, 0.5)
    assert result.signature == f"choice_accuracy|n:5|choices:2|{V}"
    one = evaluate(gold, run, ["choice_accuracy"], groups=["a"] * 6).results[0]
    assert one.standard_error == Undefined(
        "too_few_groups", "1 group with a choice; a standard error needs 2"
    )
    (none,) = evaluate(gold, run, ["choice_accuracy"], groups=[None] * 6).results
    assert isinstance(none.value, Undefined)
    assert none.standard_error == none.value
    with pytest.raises(RequestError, match="choice_accuracy needs the group of each item"):
        evaluate(GOLD, RUN, ["choice_accuracy"])
    with pytest.raises(RequestError, match="gold has 5 items and there are 1 groups"):
        evaluate(GOLD, RUN, ["mse"], groups=["a"])


def test_a_line_without_a_confidence_weighs_as_the_highest_one() -> None:
    gold = Gold((0.0, 1.0, 4.0, 2.0))
    run = parse_run(b"1\t50\n2\n3\t100\n0\t0\n", "run.tsv", confidence_max=100)
    (result,) = evaluate(gold, run, ["weighted_pearson"]).results
    assert result.value == weighted_pearson([0, 1, 4, 2], [1, 2, 3, 0], [50, 100, 100, 0])
    without = Run(RUN.scores, (None,) * 5)
    plain, weighted = evaluate(GOLD, without, ["pearson", "weighted_pearson"]).results
    assert plain.value == weighted.value


def test_intervals_are_those_of_the_resampling_and_signed() -> None:
    gold = Gold(tuple(float(k % 7) for k in range(40)), groups=tuple(str(k // 4) for k in range(40)))
    run = Run(tuple(k % 7 + k % 3 for k in range(40)), tuple(None if k % 2 else 0.5 for k in range(40)))
    chosen, resampling = ["spearman", "weighted_pearson"], Resampling(100, seed=3, level=0.9)
    weights = [0.5 if k % 2 == 0 else 1.0 for k in range(40)]
    for metric, confidences, result in zip(
        chosen, (None, [weights]), evaluate(gold, run, chosen, resampling=resampling).results, strict=True
    ):
        assert [result.interval] == bootstrap_intervals(
            list(map(float, gold.values)),
            [run.scores],
            metric,
            resampling,
            groups=gold.groups,
            confidences=confidences,
        )
        assert result.signature == f"{metric}|n:40|ci:bca|level:0.9|b:100|seed:3|groups:10|{V}"
    alone = evaluate(gold, run, ["mae"], groups=[None] * 40, resampling=Resampling(100)).results[0]
    assert alone.signature == f"mae|n:40|ci:bca|b:100|seed:0|{V}"


def test_a_constant_run_is_undefined_with_a_reason() -> None:
    (result,) = evaluate(GOLD, Run((1.0,) * 5, (None,) * 5), ["pearson"]).results
    assert isinstance(result.value, Undefined)
    assert (result.value.code, result.n) == ("constant_run", 4)


def test_mismatched_gold_and_run_are_rejected() -> None:
    with pytest.raises(RequestError, match='no metric "kappa"'):
        evaluate(GOLD, RUN, ["kappa"])
    with pytest.raises(RequestError, match="gold has 5 items and the run has 1 scores"):
        evaluate(GOLD, Run((1.0,), (None,)), ["mse"])
    with pytest.raises(RequestError, match="gold has 5 items and there are 1 genres"):
        evaluate(GOLD, RUN, ["mse"], genres=["a"])
