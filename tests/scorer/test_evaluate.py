"""Which items count, the signature, and undefined values in a report."""

import pytest

from scorer import __version__
from scorer.errors import RequestError
from scorer.evaluate import Report, Result, Undefined, evaluate
from scorer.io import Gold, Run

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


def test_a_constant_run_is_undefined_with_a_reason() -> None:
    (result,) = evaluate(GOLD, Run((1.0,) * 5, (None,) * 5), ["pearson"]).results
    assert isinstance(result.value, Undefined)
    assert (result.value.code, result.n) == ("constant_run", 4)


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(RequestError, match='no metric "kappa"'):
        evaluate(GOLD, RUN, ["kappa"])
    with pytest.raises(RequestError, match="gold has 5 items and the run has 1 scores"):
        evaluate(GOLD, Run((1.0,), (None,)), ["mse"])
    with pytest.raises(RequestError, match="gold has 5 items and there are 1 genres"):
        evaluate(GOLD, RUN, ["mse"], genres=["a"])
