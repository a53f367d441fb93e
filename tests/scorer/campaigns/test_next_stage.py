"""`scorer campaign next`: pairs of what annotators chose and wrote, in a campaign that is ready to check."""

import re
import zipfile
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from scorer.campaigns.assignments import plan_round
from scorer.campaigns.config import CampaignConfig, RoundConfig, Unit
from scorer.campaigns.drafts.next_stage import NextOptions, draft_next
from scorer.campaigns.reader import read_campaign
from scorer.cli.__main__ import cli
from scorer.errors import BundleError, RequestError
from tests.scorer.small_campaign import write_campaign
from tests.scorer.small_stages import (
    chosen_rows,
    write_choices,
    write_senses,
    write_texts,
    write_tuples,
)

USUAL = NextOptions()
THREE = NextOptions(first=3)


def prepare(folder: Path, export: Path, options: NextOptions) -> CampaignConfig:
    """Write the next stage of an export to a folder and read it."""
    folder.mkdir()
    for name, data in draft_next(export, options).files.items():
        (folder / name).write_bytes(data)
    return read_campaign(folder)


def rate_round(tmp_path: Path, export: Path, options: NextOptions = USUAL) -> RoundConfig:
    (round_,) = prepare(tmp_path / "next", export, options).rounds
    assert round_.kind == "rate"
    return round_


def scorer(*arguments: str | Path) -> Result:
    return CliRunner().invoke(cli, ["campaign", *map(str, arguments)])


def test_next_campaign_takes_over_what_the_one_before_says(tmp_path: Path) -> None:
    export = write_choices(tmp_path / "export", chosen_rows())
    before = read_campaign(export / "campaign")
    after = prepare(tmp_path / "next", export, THREE)
    for name in ("title", "contact", "languages", "text_language", "consent", "level", "split"):
        assert getattr(after, name) == getattr(before, name), name
    assert after.slug == "harbour-rate"
    assert after.guide == {}  # those of before explain other work
    assert len(prepare(tmp_path / "all", export, NextOptions()).rounds[0].units) == len(chosen_rows())
    assert prepare(tmp_path / "guided", export, replace(THREE, guide="Rate.")).guide["cs"] == "Rate."
    assert after.rounds[0].scale == before.rounds[0].scale
    assert after.rounds[0].labels == before.rounds[0].labels


def test_chosen_pairs_are_rated_twice_by_nine_people_who_see_one_pair_of_a_sentence(tmp_path: Path) -> None:
    campaign = prepare(tmp_path / "next", write_choices(tmp_path / "export", chosen_rows()), THREE)
    (round_,) = campaign.rounds
    assert (round_.answers, round_.assignment, round_.groups, round_.order) == (9, 3, "apart", "given")
    assert [(each.slug, each.show, each.after_hours) for each in round_.passes] == [
        ("free", ("left", "right"), 0),
        ("dependent", ("left_context", "right_context"), 72),
    ]
    assert campaign.gold is not None
    assert (campaign.gold.pass_slug, campaign.gold.rule, campaign.gold.at_least) == ("free", "mean", 7)
    # 9 summary sentences x 3 pairs x 9 answers are so many whole assignments of 3 pairs, as in the paper.
    plan = plan_round(round_)
    assert [len(each.steps) for each in plan.assignments] == [3] * 81
    groups = {unit.key: unit.group for unit in round_.units}
    assert all(len({groups[step.unit] for step in each.steps}) == 3 for each in plan.assignments)


def test_pairs_are_three_sequences_that_share_no_pair(tmp_path: Path) -> None:
    pairs = rate_round(tmp_path, write_choices(tmp_path / "export", chosen_rows()), THREE).units
    rows = {row["id"]: row for row in chosen_rows()}
    sentences = [f"s{incident}-{number}" for incident in (1, 2, 3) for number in (1, 2, 3)]
    sequences = [pairs[start::3] for start in range(3)]
    for start, sequence in enumerate(sequences):
        assert [unit.group for unit in sequence] == sentences
        assert [rows[unit.key]["choice"] for unit in sequence] == ["ABC"[(start + n) % 3] for n in range(9)]
    assert {unit.key for unit in pairs} == {row for row in rows if not row[:-2].endswith("4")}
    assert len(pairs) == 27
    for unit in pairs:
        assert unit.texts["left"] == rows[unit.key]["left"]
        assert unit.texts["right"] == rows[unit.key]["right"]


@pytest.mark.parametrize(
    ("pair", "context", "left", "right"),
    [
        ("s1-2-B", 0, "<sent>Summary 1 says 2.</sent>", "<sent>Report b of 1 says 3.</sent>"),
        (
            "s1-2-B",
            1,
            "Summary 1 says 1. <sent>Summary 1 says 2.</sent> Summary 1 says 3.",
            "Report b of 1 says 2. <sent>Report b of 1 says 3.</sent> Report b of 1 says 4.",
        ),
        (
            "s1-4-C",
            2,
            "Summary 1 says 2. Summary 1 says 3. <sent>Summary 1 says 4.</sent>",
            "Report a of 1 says 4. Report a of 1 says 5. <sent>Report a of 1 says 6.</sent>",
        ),
        (
            "s1-2-B",
            None,
            "Summary 1 says 1. <sent>Summary 1 says 2.</sent> Summary 1 says 3. Summary 1 says 4.",
            "Report b of 1 says 1. Report b of 1 says 2. <sent>Report b of 1 says 3.</sent> "
            "Report b of 1 says 4. Report b of 1 says 5.",
        ),
    ],
)
def test_context_is_of_the_same_summary_and_of_the_same_report(
    tmp_path: Path, pair: str, context: int | None, left: str, right: str
) -> None:
    export = write_choices(tmp_path / "export", chosen_rows())
    options = NextOptions(first=4, context=context)
    pairs = {unit.key: unit for unit in rate_round(tmp_path, export, options).units}
    assert pairs[pair].texts["left_context"] == left
    assert pairs[pair].texts["right_context"] == right


def test_incomplete_assignments_are_left_out_and_named(tmp_path: Path) -> None:
    rows = [row for row in chosen_rows() if row["assignment"] != "1" or row["unit"] in ("s1-1", "s1-4")]
    rows = [row for row in rows if row["assignment"] != "2"]
    rows += [row | {"plan": "2", "assignment": "1"} for row in chosen_rows() if row["assignment"] == "2"]
    export = write_choices(tmp_path / "export", rows)
    stage = draft_next(export, THREE)
    assert stage.notes == (
        "assignment 1/1 is left out: 2 of 3 sentences have choices",
        "assignment 1/2 is left out: 0 of 3 sentences have choices",
    )
    keys = re.findall(r"^(s\d)-", stage.files["pairs.tsv"].decode(), re.MULTILINE)
    assert Counter(keys) == {"s3": 9, "s2": 9}
    first = draft_next(export, replace(THREE, assignments=1)).files["pairs.tsv"].decode()
    assert {key[0] for key in re.findall(r"^s(\d-\d)-", first, re.MULTILINE)} == {"3"}
    with pytest.raises(
        RequestError,
        match=r"2 assignments with choices for 3 sentences; lower first .*; assignment 1/1 is left",
    ):
        draft_next(export, replace(THREE, assignments=3))


def test_sentence_without_three_choices_is_passed_over(tmp_path: Path) -> None:
    rows = [row for row in chosen_rows() if row["id"] != "s1-2-B"]
    pairs = rate_round(tmp_path, write_choices(tmp_path / "export", rows), THREE).units
    assert [unit.group for unit in pairs[:9:3]] == ["s1-1", "s1-3", "s1-4"]


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("sentence", "r9", 'choices.tsv: "r9" is not in the campaign of the export'),
        ("unit", "s9", 'choices.tsv: "s9" is not in the campaign of the export'),
        ("plan", "9" * 9, 'choices.tsv: "999999999" is not the number of a plan or an assignment'),
        ("assignment", "one", 'choices.tsv: "one" is not the number of a plan or an assignment'),
    ],
)
def test_choices_that_do_not_fit_the_campaign_are_refused(
    tmp_path: Path, field: str, value: str, message: str
) -> None:
    rows = chosen_rows()
    rows[0] |= {field: value}
    with pytest.raises(BundleError, match=re.escape(message)):
        draft_next(write_choices(tmp_path / "export", rows), THREE)


def test_written_texts_are_rated_by_the_same_two_people(tmp_path: Path) -> None:
    campaign = prepare(tmp_path / "next", write_texts(tmp_path / "export"), USUAL)
    (round_,) = campaign.rounds
    assert (round_.answers, round_.assignment, round_.groups, round_.people) == (2, 50, "free", "same")
    assert round_.passes[0].show == ("left", "right")
    assert campaign.entries[0].assignments_each == 0


def is_zero(unit: Unit) -> bool:
    return re.sub(r"\D", "", unit.texts["left"]) != re.sub(r"\D", "", unit.texts["right"])


def test_a_share_of_the_pairs_is_random(tmp_path: Path) -> None:
    pairs = rate_round(tmp_path, write_texts(tmp_path / "export")).units
    zeros = [unit for unit in pairs if is_zero(unit)]
    assert (len(pairs), len(zeros)) == (50, 10)
    assert Counter(unit.genre for unit in zeros) == {"news": 5, "slang": 5}
    assert len({unit.texts["left"] for unit in zeros}) == 10
    assert len({unit.texts["right"] for unit in zeros}) == 10
    for unit in zeros:
        left, right = (int(re.sub(r"\D", "", unit.texts[side])) for side in ("left", "right"))
        assert left % 2 == right % 2, "the genre"
        assert left // 2 % 2 != right // 2 % 2, "the person who wrote"


def test_keys_and_order_do_not_tell_random_pairs(tmp_path: Path) -> None:
    export = write_texts(tmp_path / "export", n=400)
    pairs = rate_round(tmp_path, export).units
    assert [unit.key for unit in pairs] == [f"p{number:03}" for number in range(1, 501)]
    zeros = [is_zero(unit) for unit in pairs]
    assert all(10 <= sum(zeros[start : start + 100]) <= 31 for start in range(0, 500, 100))
    numbers = [int(re.sub(r"\D", "", unit.texts["left"])) for unit in pairs if not is_zero(unit)]
    assert numbers != sorted(numbers)


def test_wanted_rating_is_in_no_file(tmp_path: Path) -> None:
    for write in (write_texts, write_senses):
        export = write(tmp_path / write.__name__)
        with (export / "campaign" / "annotation.toml").open("a") as config:
            config.write('show = ["left", "wanted"]\n')
        files = draft_next(export, USUAL).files
        assert not [name for name, data in files.items() if b"wanted" in data]
        rows = [line.split("\t") for line in files["pairs.tsv"].decode().splitlines()]
        assert not any(field in {"1", "2", "3", "4"} for row in rows for field in row)


def test_text_is_never_paired_with_one_like_its_own(tmp_path: Path) -> None:
    export = write_texts(tmp_path / "export", n=40)
    header, *lines = (export / "written.tsv").read_text(encoding="utf-8").splitlines()
    # From the ninth on, all texts are one word.
    for number in range(8, 40):
        lines[number] = re.sub(r"dinghy.*", ("Dinghy", " dinghy", "DINGHY")[number % 3], lines[number])
    (export / "written.tsv").write_text("\n".join([header, *lines, ""]), encoding="utf-8")
    stage = draft_next(export, NextOptions(zeros=0.4))
    texts: dict[str, list[str]] = {}
    for line in stage.files["pairs.tsv"].decode().splitlines()[1:]:
        _key, _genre, left, right = line.split("\t")
        texts.setdefault(left, []).append(right.strip().casefold())
    zeros = [each for each in texts.values() if len(each) == 2]
    assert 8 <= len(zeros) <= 16
    assert all(len({*each}) == 2 for each in zeros)
    assert "of the genre news instead of 13: too few texts were written by other people" in stage.notes[0]


def test_without_other_writers_there_are_no_random_pairs_and_it_says_so(tmp_path: Path) -> None:
    stage = draft_next(write_texts(tmp_path / "export", people=1), USUAL)
    assert stage.files["pairs.tsv"].count(b"\n") == 41
    assert [note.partition(":")[0] for note in stage.notes] == [
        "0 random pairs of the genre news instead of 5",
        "0 random pairs of the genre slang instead of 5",
    ]


def test_seed_decides_which_pairs_are_random(tmp_path: Path) -> None:
    export = write_texts(tmp_path / "export")
    files = [draft_next(export, NextOptions(seed=seed)).files["pairs.tsv"] for seed in (1, 1, 2)]
    assert files[0] == files[1] != files[2]


def test_pairs_are_the_same_on_every_machine(tmp_path: Path) -> None:
    data = draft_next(write_texts(tmp_path / "export", n=8), NextOptions(seed=7)).files["pairs.tsv"].decode()
    rows = [line.split("\t") for line in data.splitlines()[1:]]
    numbers = [[re.sub(r"\D", "", text) for text in row[2:]] for row in rows]
    assert " ".join(map("-".join, numbers)) == "7-7 2-2 1-1 0-0 4-4 3-3 4-2 5-5 6-6 3-1"


def test_senses_are_shown_by_their_definitions(tmp_path: Path) -> None:
    round_ = rate_round(tmp_path, write_senses(tmp_path / "export"), NextOptions(zeros=0.4))
    assert round_.passes[0].show == ("left", "definition")
    assert len(round_.units) == 10
    for unit in round_.units:
        number = re.sub(r"\D", "", unit.texts["right"].partition("#")[0])
        assert unit.texts["definition"] == f"a ferry with {number} decks"


def test_items_of_tuples_are_checked_by_an_expert(tmp_path: Path) -> None:
    campaign = prepare(tmp_path / "next", write_tuples(tmp_path / "export"), USUAL)
    (round_,) = campaign.rounds
    assert [unit.key for unit in round_.units] == ["d1", "d2", "d3", "d4"]
    assert round_.passes[0].show == ("turn1", "left", "right")
    assert (round_.answers, round_.order, round_.groups) == (1, "shuffled", "free")
    assert (round_.scale.min, round_.scale.max, round_.scale.step) == (0, 1, 1)
    assert round_.labels["en"] == {0: "rather different", 1: "rather similar"}
    assert set(round_.labels) == {"en", "cs"}
    assert (campaign.gold, campaign.level, campaign.slug) == (None, None, "harbour-check")


def test_option_of_another_kind_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="zeros does not fit an export of a round of kind choose"):
        draft_next(write_choices(tmp_path / "choose", chosen_rows()), NextOptions(zeros=0.2))
    with pytest.raises(RequestError, match="first does not fit an export of a round of kind write"):
        draft_next(write_texts(tmp_path / "write"), THREE)


def test_round_of_ratings_has_no_next_stage(tmp_path: Path) -> None:
    write_campaign(tmp_path)
    with pytest.raises(RequestError, match="kind rate; a next stage needs one of choose, write, bws"):
        draft_next(tmp_path, USUAL)


def test_nothing_written_is_refused(tmp_path: Path) -> None:
    export = write_texts(tmp_path / "export")
    header = (export / "written.tsv").read_text().partition("\n")[0]
    (export / "written.tsv").write_text(f"{header}\n")
    with pytest.raises(RequestError, match=r"written\.tsv has no texts"):
        draft_next(export, USUAL)
    (export / "written.tsv").write_text("id\tright\nu0\tdinghy\n")
    with pytest.raises(BundleError, match='the header has no column "annotator"'):
        draft_next(export, USUAL)


def test_command_reads_a_zip_and_writes_a_campaign_that_passes_its_check(tmp_path: Path) -> None:
    export = write_choices(tmp_path / "export", chosen_rows())
    with zipfile.ZipFile(tmp_path / "export.zip", "w") as archive:
        for path in sorted(export.rglob("*.*")):
            archive.write(path, path.relative_to(export))
    out = tmp_path / "RATE"
    done = scorer("next", tmp_path / "export.zip", "--out", out, "--first", "4", "--assignments", "2")
    assert done.exit_code == 0, done.output
    assert f"{out / 'pairs.tsv'}, 24 rows\n" in done.stdout
    assert done.stderr == f"Read the files, then run: scorer campaign check {out}\n"
    checked = scorer("check", out)
    assert checked.exit_code == 0, checked.output
    again = scorer("next", export, "--out", out, "--first", "4")
    assert (again.exit_code, "is not empty, and nothing is overwritten" in again.stderr) == (2, True)


def test_export_without_its_table_is_refused(tmp_path: Path) -> None:
    export = write_choices(tmp_path / "export", chosen_rows())
    (export / "choices.tsv").unlink()
    done = scorer("next", export, "--out", tmp_path / "RATE")
    assert done.exit_code == 1
    assert "choices.tsv" in done.stderr
    assert not (tmp_path / "RATE").exists()
