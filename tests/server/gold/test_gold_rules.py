"""Which texts contain gold: lists, columns, rows with ids, whole or in part; and what is an accident."""

import json
import random

import pytest

from server.gold.rules import GoldLabels

RANDOM = random.Random(12345)  # noqa: S311  (labels are no secrets)
FINE = [RANDOM.randrange(51) / 10 for _ in range(400)]
WHOLE = [float(RANDOM.randrange(6)) for _ in range(400)]
RARE = [float(RANDOM.random() < 0.1) for _ in range(400)]
IDS = [f"News-{number}" for number in range(400)]
KINDS = pytest.mark.parametrize("values", [FINE, WHOLE, RARE], ids=["decimals", "whole numbers", "rare ones"])


def column(values: list[float], row: str = "{value}", start: int = 0) -> str:
    return "".join(
        row.format(value=value, id=IDS[place]) + "\r\n" for place, value in enumerate(values, start)
    )


@KINDS
def test_labels_are_found_in_any_form_that_keeps_their_order(values: list[float]) -> None:
    labels = GoldLabels([None, *values])
    for text in (
        "score\n" + column(values),
        column(values, "{id}\tat 7, said he;\t{value}\tmore"),
        column(values, '{id},"at 7, said he",{value}'),
        column(values, "{value:.3f};at 7"),
        column(values[200:], "{id}\t{value}", 200),
        "gold = " + json.dumps(values),
        "[" + " ".join(map(str, values)) + "]",
        column(values, '{{"id": "{id}", "text": "at, 7", "gold": {value}}}'),
        json.dumps({"cells": [{"source": column(values, "{id}\t{value}").splitlines()}]}, indent=1),
    ):
        assert labels.are_in(text), text[:60]


@KINDS
def test_labels_are_found_beside_ids_in_any_order(values: list[float]) -> None:
    lines = column(values, "{id}\tat 7\t{value}").splitlines()
    RANDOM.shuffle(lines)
    text = "\n".join(lines)
    assert GoldLabels(values, IDS).are_in(text)
    assert not GoldLabels(values).are_in(text)
    assert not GoldLabels(values, [f"Other-{id_}" for id_ in IDS]).are_in(text)


@KINDS
def test_other_labels_with_the_same_distribution_are_no_gold(values: list[float]) -> None:
    other = RANDOM.sample(values, len(values))
    for text in (
        column(other),
        column(other, "{id}\t{value}"),
        json.dumps(other * 20),
        "",
        "No numbers; none,\tat all.",
    ):
        assert not GoldLabels(values, IDS).are_in(text)


def test_few_labels_are_found_if_they_are_all_and_differ() -> None:
    assert GoldLabels([1.5, None, 3.0, 2.0]).are_in("x = 1.5, 3, 2")
    assert not GoldLabels([1.5, 3.0]).are_in("1.5\n3\n")
    assert not GoldLabels([2.0, 2.0, 2.0]).are_in("2\n2\n2\n")
    assert not GoldLabels([]).are_in("2\n")
    assert not GoldLabels(FINE).are_in(column(FINE[:5]))


def test_unclosed_quotation_mark_hides_no_labels() -> None:
    assert GoldLabels(FINE).are_in('id,"text\n' + "x" * 200_000 + "\n" + column(FINE, "{id},{value}"))
