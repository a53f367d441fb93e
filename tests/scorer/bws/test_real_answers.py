"""Best-worst answers as annotators give them: best and worst the same item, control items, positions."""

import json
from typing import Any

import pytest
from click.testing import CliRunner, Result

from scorer.bws.answers import AnswersLayout, parse_answers
from scorer.cli.__main__ import cli

HEAD = "Item1,Item2,Item3,Item4,BestItem,WorstItem\n"
GOOD = "quay,reef,isle,mole,quay,mole\nquay,reef,isle,mole,reef,mole\nreef,cape,isle,quay,reef,cape\n"
SAME = "quay,reef,isle,mole,quay,quay\nreef,cape,isle,quay,isle,isle\n" * 4
CONTROL = "check,check,isle,mole,check,mole\ncheck,reef,isle,cape,reef,isle\n"


def run(*arguments: str, said: str) -> Result:
    return CliRunner().invoke(cli, ["bws", *arguments[:1], "-", *arguments[1:]], input=said)


def found(*arguments: str, said: str) -> dict[str, Any]:
    result = run(*arguments, "--format", "json", said=said)
    assert result.exit_code == 0, result.output
    values: dict[str, Any] = json.loads(result.stdout)
    return values


def scores(values: dict[str, Any]) -> dict[str, tuple[int, int, int, float]]:
    rows = values["tables"]["scores"]
    return {row["item"]: (row["shown"], row["best"], row["worst"], row["score"]) for row in rows}


@pytest.mark.parametrize("command", ["score", "reliability"])
def test_same_item_as_best_and_worst_is_one_problem_that_names_the_option(command: str) -> None:
    refused = run(command, said=HEAD + GOOD + SAME)
    assert refused.exit_code == 1
    assert refused.stderr == (
        "<stdin>:5: best and worst are the same item in 8 answers (lines 5, 6, 7, 8, 9, …); leave such "
        "answers out with --same drop, or count them with --same count\n"
    )


@pytest.mark.parametrize("command", ["score", "reliability"])
def test_item_twice_in_a_tuple_is_one_problem_that_names_the_option(command: str) -> None:
    refused = run(command, said=HEAD + GOOD + CONTROL * 3)
    assert refused.exit_code == 1
    assert refused.stderr == (
        '<stdin>:5: an item is twice in the tuple of 3 answers (lines 5, 7, 9): "check"; if it is a control '
        "item, leave out the 6 answers to tuples with it (--control ITEM) or count them (--control ITEM "
        "--control-answers count); else correct the tuples\n"
    )
    assert found(command, "--control", "check", said=HEAD + GOOD + CONTROL * 3)["control_answers"] == 6


def test_same_drop_gives_the_scores_of_a_file_without_such_answers() -> None:
    values = found("score", "--same", "drop", said=HEAD + GOOD + SAME)
    assert scores(values) == scores(found("score", said=HEAD + GOOD))
    assert (values["answers"], values["same"], values["same_answers"]) == (3, "drop", 8)
    assert "Answers with the same item as best and worst (left out): 8." in values["notes"]


def test_same_count_shows_all_items_and_best_and_worst_cancel() -> None:
    values = found("score", "--same", "count", said=HEAD + GOOD + SAME)
    assert scores(values)["quay"] == (11, 5, 4, pytest.approx(1 / 11))
    assert scores(values)["isle"] == (11, 4, 4, 0)
    assert scores(values)["mole"] == (6, 0, 2, pytest.approx(-2 / 6))
    assert (values["answers"], values["same_answers"]) == (11, 8)
    assert "|same:count|" in values["signature"]
    assert "Answers with the same item as best and worst (counted): 8." in values["notes"]


def test_discarded_answer_does_not_count_as_a_repeat() -> None:
    said = "who,Item1,Item2,BestItem,WorstItem\nada,a,b,a,a\nada,a,b,a,b\n"
    values = found("score", "--annotator", "who", "--same", "drop", said=said)
    assert (values["answers"], values["repeats_left_out"], values["same_answers"]) == (1, 0, 1)


def test_tuples_with_a_control_item_are_excluded() -> None:
    values = found("score", "--control", "check", said=HEAD + GOOD + CONTROL * 2)
    assert scores(values) == scores(found("score", said=HEAD + GOOD))
    assert values["control_answers"] == 4
    assert "Answers to tuples with a control item (left out): 4." in values["notes"]


def test_answers_to_tuples_with_a_control_item_can_be_counted() -> None:
    said = (
        HEAD
        + "check,quay,reef,isle,quay,check\ncheck,quay,check,isle,quay,check\nquay,reef,isle,mole,quay,reef\n"
    )
    values = found("score", "--control", "check", "--control-answers", "count", said=said)
    assert scores(values) == {
        "quay": (3, 3, 0, 1),
        "isle": (3, 0, 0, 0),
        "mole": (1, 0, 0, 0),
        "reef": (2, 0, 1, -0.5),
        "check": (3, 0, 2, pytest.approx(-2 / 3)),
    }
    assert (values["answers"], values["control"], values["control_answers"]) == (3, "count", 2)
    assert "Answers to tuples with a control item (counted): 2." in values["notes"]
    assert "|control-answers:count|" in values["signature"]
    options = ("--control", "check", "--control-answers", "count", "--same", "drop")
    values = found("score", *options, said=said + "check,quay,check,isle,check,check\n")
    assert (values["answers"], values["control_answers"], values["same_answers"]) == (3, 2, 1)


HALF = HEAD + "quay,reef,isle,mole,quay,mole\nquay,reef,isle,mole,quay,NA\nquay,reef,isle,cape,,cape\n"


def test_incomplete_answers_are_one_problem_that_names_both_ways_out() -> None:
    refused = run("score", said=HALF)
    assert refused.exit_code == 1
    assert refused.stderr == (
        "<stdin>:3: BestItem or WorstItem is empty in 2 answers (lines 3, 4); leave such answers out with "
        "--incomplete drop, or count them with --incomplete count\n"
    )


def test_incomplete_answers_are_left_out_or_their_choice_counts() -> None:
    dropped, counted = (found("score", "--incomplete", rule, said=HALF) for rule in ("drop", "count"))
    assert scores(dropped) == scores(found("score", said=HEAD + "quay,reef,isle,mole,quay,mole\n"))
    assert scores(counted) == {
        "quay": (3, 2, 0, pytest.approx(2 / 3)),
        "isle": (3, 0, 0, 0),
        "reef": (3, 0, 0, 0),
        "mole": (2, 0, 1, -0.5),
        "cape": (1, 0, 1, -1),
    }
    assert [values["incomplete_answers"] for values in (dropped, counted)] == [2, 2]
    assert "Answers without a best or worst item (left out): 2." in dropped["notes"]
    assert "|answers:3|incomplete:count|" in counted["signature"]


def test_agreement_is_of_the_choices_that_incomplete_answers_have() -> None:
    said = HEAD + "quay,reef,isle,mole,quay,mole\n" + "quay,reef,isle,mole,quay,\nquay,reef,isle,mole,reef,\n"
    row = found("reliability", "--incomplete", "count", said=said)["tables"]["agreement"][1]
    assert (row["question"], row["answered twice"], row["alpha"]) == ("best", 1, 0)
    assert (
        found("reliability", "--incomplete", "count", said=said)["tables"]["agreement"][2]["answered twice"]
        == 0
    )


def test_reliability_excludes_the_same_answers() -> None:
    options = ("--same", "drop", "--control", "check")
    values = found("reliability", *options, said=HEAD + GOOD * 4 + SAME + CONTROL)
    clean = found("reliability", said=HEAD + GOOD * 4)
    assert values["tables"] == clean["tables"]
    assert (values["same_answers"], values["control_answers"]) == (8, 2)


@pytest.mark.parametrize("format_", ["text", "tsv", "latex"])
def test_every_format_counts_the_affected_answers(format_: str) -> None:
    said = HEAD + GOOD + SAME + CONTROL
    result = run("score", "--same", "drop", "--control", "check", "--format", format_, said=said)
    assert "Answers with the same item as best and worst (left out): 8." in result.output
    assert "Answers to tuples with a control item (left out): 2." in result.output
    assert format_ != "tsv" or result.stdout.splitlines()[0].startswith("item\t")


def test_unknown_control_item_is_rejected() -> None:
    refused = run("score", "--control", "chek", said=HEAD + GOOD)
    assert refused.stderr == '<stdin>: no tuple has the control item "chek"; is its name right?\n'


def test_file_with_only_excluded_answers_is_rejected() -> None:
    refused = run("score", "--same", "drop", said=HEAD + SAME)
    assert refused.stderr == "<stdin>: every answer was left out\n"


def test_answers_by_position_give_the_scores_of_answers_by_item() -> None:
    said = "Item1,Item2,Item3,Item4,Best,Worst\n"
    said += "quay,reef,isle,mole,1,4\nquay,reef,isle,mole,2,4\nreef,cape,isle,quay,1,2\n"
    values = found("score", said=said)
    assert scores(values) == scores(found("score", said=HEAD + GOOD))
    assert values["choices"] == "positions"


def test_positions_follow_the_order_of_their_own_row() -> None:
    said = "Item1,Item2,Best,Worst\na,b,1,2\nb,a,1,2\n"
    assert scores(found("score", said=said)) == {"a": (2, 1, 1, 0), "b": (2, 1, 1, 0)}


def test_same_position_for_best_and_worst_is_the_same_item() -> None:
    said = "Item1,Item2,Item3,Best,Worst\na,b,c,1,2\na,b,c,3,3\n"
    assert run("score", said=said).exit_code == 1
    assert found("score", "--same", "drop", said=said)["same_answers"] == 1


def test_items_that_are_numbers_are_read_as_items() -> None:
    answers = parse_answers(b"Item1,Item2,BestItem,WorstItem\n17,1,1,17\n2,1,2,1\n", "ids.csv")
    assert not answers.by_position
    assert [answers.items[place] for place in answers.best] == ["1", "2"]


def test_position_beyond_the_tuple_is_rejected_with_the_valid_positions() -> None:
    said = "Item1,Item2,Item3,Best,Worst\na,b,c,1,2\na,b,c,4,2\na,b,c,0,b\n"
    assert run("score", said=said).stderr.splitlines() == [
        '<stdin>:3: Best "4" is no position; write a number from 1 to 3; 1 more line like this: 4 "0"',
    ]


def test_named_columns_take_precedence_over_default_names() -> None:
    layout = AnswersLayout(best="BestItem", worst="WorstItem")
    file = b"Item1,Item2,Best,Worst,BestItem,WorstItem\na,b,a,b,b,a\n"
    assert parse_answers(file, "a.csv", layout).best.tolist() == [1]
    assert parse_answers(file, "a.csv").best.tolist() == [1]
