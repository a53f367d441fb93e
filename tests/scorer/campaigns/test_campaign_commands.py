"""`scorer campaign check` and `scorer assignments`: folders, zips, output files and exit codes."""

import csv
import json
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from scorer.campaigns.assignments import Plan
from scorer.cli.__main__ import cli
from tests.scorer.small_campaign import CAMPAIGN, write_campaign, write_chain


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "campaign").mkdir()
    return write_campaign(tmp_path / "campaign")


def test_zip_of_the_folder_is_the_same_campaign(folder: Path, tmp_path: Path) -> None:
    for name, inside in (("flat.zip", ""), ("nested.zip", "harbour/")):
        with zipfile.ZipFile(tmp_path / name, "w") as archive:
            for path in folder.iterdir():
                archive.write(path, f"{inside}{path.name}")
        assert run("assignments", "plan", tmp_path / name).stdout == run("assignments", "plan", folder).stdout
        assert run("campaign", "check", tmp_path / name).exit_code == 0


def test_check_counts_the_work_for_programs(folder: Path) -> None:
    values = json.loads(run("campaign", "check", folder, "--seconds", "60", "--format", "json").stdout)
    (round_,) = values["rounds"]
    counted = {name: round_[name] for name in ("units", "groups", "answers", "assignments", "hours")}
    assert counted == {"units": 6, "groups": 3, "answers": 12, "assignments": 4, "hours": 0.2}
    (row,) = csv.DictReader(
        run("campaign", "check", folder, "--format", "tsv").stdout.splitlines(), delimiter="\t"
    )
    assert (row["units"], row["most_units"], row["equal_stacks"]) == ("6", "3", str(round_["equal_stacks"]))


@pytest.mark.parametrize(
    ("old", "new", "note"),
    [
        (
            "assignment = 3",
            "assignment = 5",
            "note: assignments have fewer than 5 units, because nobody gets two units of a group, so the "
            "largest group (2 units with 2 answers each) needs 4 annotators",
        ),
        (
            "assignment = 3",
            'assignment = 8\ngroups = "free"',
            "note: assignments have fewer than 8 units, because the round has only 6 units",
        ),
        (
            "assignment = 3",
            'assignment = 3\ngroups = "free"',
            "an annotator can get several units of a group",
        ),
        (
            "assignment = 3",
            'assignment = 3\ngroups = "free"\npeople = "same"',
            "note: nobody can answer all units, because assignments_each is 1; write assignments_each = 0",
        ),
        ("labels.en", "labels.en", ""),
    ],
)
def test_check_notes_what_may_be_a_mistake(folder: Path, old: str, new: str, note: str) -> None:
    (folder / "annotation.toml").write_text(CAMPAIGN.replace(old, new), encoding="utf-8")
    output = run("campaign", "check", folder).output
    assert note in output if note else "note:" not in output


def test_check_says_how_many_assignments_one_person_can_do(folder: Path) -> None:
    config = CAMPAIGN.replace("assignment = 3", 'assignment = 2\ngroups = "free"')
    config = config.replace('"personal"', '"personal"\nassignments_each = 0')
    (folder / "annotation.toml").write_text(config, encoding="utf-8")
    assert "each person  can do at most 2 assignments" in run("campaign", "check", folder).output
    (folder / "annotation.toml").write_text(config.replace("seed", 'people = "same"\nseed'), encoding="utf-8")
    assert "each person  can do at most 3 assignments" in run("campaign", "check", folder).output


def test_assignments_that_the_answers_do_not_fill_are_not_noted(folder: Path) -> None:
    config = CAMPAIGN.replace("assignment = 3", 'assignment = 5\ngroups = "free"')
    (folder / "annotation.toml").write_text(config, encoding="utf-8")
    output = run("campaign", "check", folder).output
    assert "assignments  3 of 4 units each" in output
    assert "fewer than" not in output


def test_notes_on_a_best_worst_round_are_about_tuples(tmp_path: Path) -> None:
    output = run("campaign", "check", write_chain(tmp_path)).output
    assert (
        "note: assignments have fewer than 4 tuples, because nobody gets two tuples of a group, so the "
        "largest group (4 tuples with 2 answers each) needs 8 annotators"
    ) in output


def test_problems_are_printed_for_programs(folder: Path) -> None:
    (folder / "annotation.toml").write_text(CAMPAIGN.replace("seed", "sed"), encoding="utf-8")
    as_json = run("campaign", "check", folder, "--format", "json")
    assert as_json.exit_code == 1
    assert [problem["code"] for problem in json.loads(as_json.stdout)["problems"]] == ["unknown_key"]
    as_tsv = run("campaign", "check", folder, "--format", "tsv")
    assert as_tsv.exit_code == 1
    assert "unknown_key" in as_tsv.stdout


def test_each_round_of_a_campaign_is_described_and_planned(tmp_path: Path) -> None:
    folder = write_chain(tmp_path)
    output = run("campaign", "check", folder, "--seconds", "30").output
    assert (
        "workload     up to 10 answers in an assignment: 3 units in each pass, 1 calibration unit, up to 1 "
        "repeat in each pass" in output
    )
    assert "tuples       4, in 1 group" in output
    assert output.count("each person  can do at most 1 assignment\n") == 4
    assert (
        "gold         the mean of the ratings of units with at least 2 answers in the pass dependent"
        in output
    )
    ambiguous = run("assignments", "plan", folder)
    assert ambiguous.exit_code == 2
    assert "the campaign has the rounds pilot, rate, bws, expert; name one with --round" in ambiguous.output
    planned = Plan.from_json(run("assignments", "plan", folder, "--round", "bws").stdout.encode())
    assert {len(assignment.steps) for assignment in planned.assignments} == {1}, "tuples of one dialogue"


@pytest.mark.parametrize("seconds", ["0", "-3"])
def test_seconds_must_be_positive(folder: Path, seconds: str) -> None:
    assert run("campaign", "check", folder, "--seconds", seconds).exit_code == 2


def test_plan_is_written_to_a_file_and_replaced_only_by_force(folder: Path, tmp_path: Path) -> None:
    target = tmp_path / "plan.json"
    written = run("assignments", "plan", folder, "--output", target)
    assert written.exit_code == 0
    assert "4 assignments of 3 units" in written.stdout
    assert target.read_text("utf-8") == run("assignments", "plan", folder).stdout
    assert Plan.from_json(target.read_bytes()).answers == 2
    again = run("assignments", "plan", folder, "--output", target)
    assert again.exit_code == 2
    assert "--force" in again.output
    assert run("assignments", "plan", folder, "--output", target, "--force").exit_code == 0
    assert run("assignments", "check", target, folder).stdout.startswith(f"{target}: good; 4 assignments")


def test_check_of_a_plan_reads_it_from_standard_input(folder: Path) -> None:
    plan = run("assignments", "plan", folder).stdout
    checked = CliRunner().invoke(cli, ["assignments", "check", "-", str(folder)], input=plan)
    assert checked.stdout.startswith("<stdin>: good")


def test_plan_of_other_units_is_refused(folder: Path, tmp_path: Path) -> None:
    target = tmp_path / "plan.json"
    run("assignments", "plan", folder, "--output", target)
    table = folder / "pairs.tsv"
    table.write_text(table.read_text("utf-8").replace("gulls", "terns"), encoding="utf-8")
    checked = run("assignments", "check", target, folder)
    assert checked.exit_code == 1
    assert "The units are not those of the plan" in checked.output


def test_files_that_do_not_exist_are_named(folder: Path, tmp_path: Path) -> None:
    assert "there is no such file" in run("campaign", "check", tmp_path / "none").output
    assert run("assignments", "plan", tmp_path / "none").exit_code == 1
    assert run("assignments", "check", tmp_path / "none.json", folder).exit_code == 1


def test_check_describes_the_gate(folder: Path) -> None:
    gate = 'seed = 7\ncalibration = { units = "gate.tsv", need = 1, within = 0.5, tries = 2 }'
    config = (folder / "annotation.toml").read_text(encoding="utf-8").replace("seed = 7", gate)
    (folder / "annotation.toml").write_text(config, encoding="utf-8")
    (folder / "gate.tsv").write_text("key\tleft\tright\tknown\nz\tA gate.\tA door.\t4\n", encoding="utf-8")
    line = "gate         1 of 1 ratings within 0.5 of the known ones, in 2 tries; the work of those"
    assert line in run("campaign", "check", folder).stdout
