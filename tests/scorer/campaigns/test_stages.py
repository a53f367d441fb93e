"""Rounds in which annotators choose sentences of reports, write texts, or choose senses: files and plans."""

import re
from itertools import pairwise
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given, strategies as st

from scorer.campaigns import size
from scorer.campaigns.assignments import plan_assignments, plan_repair, plan_round
from scorer.campaigns.config import Candidate, Grouping, PlanRules, StepOrder, Unit
from scorer.campaigns.plan_checks import check_plan
from scorer.campaigns.reader import read_campaign
from scorer.campaigns.workload import estimate_workload
from scorer.errors import BundleError, RequestError
from tests.scorer.small_campaign import problems_of
from tests.scorer.stages_campaign import STAGES, STAGES_FILES, write_stages


def test_rounds_have_what_they_ask_about(tmp_path: Path) -> None:
    choose, write, senses = read_campaign(write_stages(tmp_path)).rounds
    assert [sentence.key for sentence in choose.sentences][:4] == [
        "a-first1",
        "a-first2",
        "a-first3",
        "a-second1",
    ]
    assert choose.sentences[0].texts == {
        "report": "first",
        "sentence": "The ferry went down, said the first report.",
    }
    assert (choose.groups, choose.columns, choose.highlight) == ("together", ("left",), True)
    assert choose.question["en"].startswith("Choose the most similar sentence (A)")
    assert [unit.texts["wanted"] for unit in write.units] == ["3", "1", "4", "2"]
    assert (write.noun, write.words, write.columns) == ({"en": "word"}, (1, 1), ("left",))
    assert write.examples == {"en": {3.0: "for “a hired car”: taxi"}}
    assert senses.units[1].candidates[1] == Candidate("lake#n#1", "a body of water")
    assert senses.noun == {"en": "text"}
    assert choose.files == ["summaries.tsv", "reports.tsv"]
    assert senses.files == ["words.tsv", "senses.tsv"]


def test_sentences_of_reports_are_no_units_but_have_cells(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write_stages(tmp_path)
    monkeypatch.setattr(size, "MAX_UNITS", 16)  # 6 summary sentences, 4 phrases, 2 words and 4 senses
    read_campaign(folder)
    monkeypatch.setattr(size, "MAX_CELLS", 95)  # 24 of the summary sentences, and 72 of 18 report sentences
    with pytest.raises(BundleError, match=r"reports\.tsv: the campaign has 96 cells \(rows times columns\)"):
        read_campaign(folder)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "answers = 1",
            "answers = 2",
            r"choose\].answers: must be 1, because one annotator gets all of a group",
        ),
        ('reports = "reports.tsv"', "", r"choose\].reports: is missing; name the table of the reports"),
        (
            "assignment = 2",
            'assignment = 2\ngroups = "free"',
            r"groups: is not used in a round of kind choose",
        ),
        ('noun.en = "word"', 'question.en = "Why?"', r"question: is not used in a round of kind write"),
        ("words = [1, 1]", "words = [2, 1]", r"words: must be two numbers, such as \[1, 3\]"),
        ('{ "3" = "for', '{ "9" = "for', r"examples.en.9: is not a point of the scale from 0 to 4"),
        ("min = 0", "min = 2", 'units: the wanted rating of "p2" is "1", which is not a point of the scale'),
        (
            'senses = "senses.tsv"',
            'senses = "senses.tsv"\n[gold]\nround = "write"\nrule = "mean"',
            '"write" is a round of kind write, which gives no gold; its pairs are rated in another campaign',
        ),
    ],
)
def test_bad_value_is_refused_by_its_key(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in STAGES
    assert re.search(message, problems_of(write_stages(tmp_path, annotation=STAGES.replace(old, new, 1))))


@pytest.mark.parametrize(
    ("name", "old", "new", "message"),
    [
        ("summaries", "a1\ta\t", "a1\t\t", 'units: the unit "a1" has no group'),
        (
            "summaries",
            "c1\tc\t",
            "c1\td\t",
            'reports: has 0 sentences of the group "d"; an annotator chooses three',
        ),
        ("reports", "\treport\t", "\tnews\t", 'reports.tsv:1: the header has no column "report"'),
        ("phrases", "\twanted", "\tgiven", 'phrases.tsv:1: the header has no column "wanted"'),
        (
            "senses",
            "w1\tport#n#1",
            "w1\tharbour#n#1",
            'senses.tsv:3: the sense "harbour#n#1" of "w1" is there already',
        ),
        (
            "senses",
            "a town with ships",
            "",
            "senses.tsv:3: a column is empty; write unit, sense and definition",
        ),
        ("senses", "w2\t", "w1\t", 'senses: has no sense for the unit "w2"'),
    ],
)
def test_bad_table_is_refused_by_its_place(
    tmp_path: Path, name: str, old: str, new: str, message: str
) -> None:
    text = STAGES_FILES[f"{name}.tsv"]
    assert old in text
    assert message in problems_of(write_stages(tmp_path, **{name: text.replace(old, new)}))


def test_campaign_says_how_much_work_it_is(tmp_path: Path) -> None:
    choose = estimate_workload(read_campaign(write_stages(tmp_path)).rounds[0], 30)
    assert (choose.units, choose.groups, choose.assignments, choose.most_units) == (6, 3, 2, 4)


@given(
    sizes=st.lists(st.integers(1, 5), min_size=1, max_size=12),
    assignment=st.integers(1, 6),
    order=st.sampled_from(get_args(StepOrder)),
    seed=st.integers(1, 99),
)
def test_groups_that_are_together_are_dealt_whole_and_once(
    sizes: list[int], assignment: int, order: StepOrder, seed: int
) -> None:
    keys = [f"g{group}-{n}" for group, size in enumerate(sizes) for n in range(size)]
    units = [Unit(key, key.split("-")[0], None, {}) for key in keys]
    groups: Grouping = "together"
    plan = plan_assignments(
        "r", units, PlanRules(answers=1, assignment=assignment, groups=groups, order=order, seed=seed)
    )
    assert check_plan(plan, units, PlanRules(answers=1, assignment=assignment, groups=groups)) == []
    for planned in plan.assignments:
        names = [step.unit.split("-")[0] for step in planned.steps]
        if order == "shuffled":  # one incident after the other
            assert len({*names}) == 1 + sum(first != second for first, second in pairwise(names))
        first = [step.unit for step in planned.steps if step.unit.startswith(f"{names[0]}-")]
        assert first == sorted(first)
    missing = [step for planned in plan.assignments for step in planned.steps if step.unit.endswith("-0")]
    group_of = {unit.key: unit.group for unit in units}
    repair = plan_repair(
        plan,
        group_of,
        missing,
        PlanRules(answers=plan.answers, assignment=assignment, groups=groups),
        number=2,
    )
    assert sorted(step for planned in repair.assignments for step in planned.steps) == sorted(missing)


def test_a_group_in_two_assignments_is_named(tmp_path: Path) -> None:
    round_ = read_campaign(write_stages(tmp_path)).rounds[0]
    plan = plan_round(round_)
    assert [len(planned.steps) for planned in plan.assignments] == [2, 4]
    broken = check_plan(plan, round_.units, PlanRules(answers=1, assignment=1, groups="together"))
    assert broken == ["1 assignment has more than 1 groups: 2 (2)."]
    split = plan_assignments("choose", round_.units, PlanRules(answers=1, assignment=3, groups="apart"))
    found = check_plan(split, round_.units, PlanRules(answers=1, assignment=3, groups="together"))
    assert '3 groups are in several assignments: "a", "b", "c".' in found


def test_groups_that_are_together_have_one_answer() -> None:
    with pytest.raises(RequestError, match="1 answer for each unit"):
        plan_assignments(
            "r", [Unit("u", "g", None, {})], PlanRules(answers=2, assignment=1, groups="together")
        )
