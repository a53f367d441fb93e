"""`scorer bundle check` lists all problems of a bundle, or says what a site would host."""

import json
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from scorer.bundles.example_bundles import EXAMPLES, example_files, write_example
from scorer.bundles.placeholders import find_placeholders
from scorer.bundles.reader import read_bundle
from scorer.bundles.recompute import recompute_board
from scorer.cli.__main__ import cli
from scorer.errors import BundleError, RequestError
from tests.scorer.small_bundle import TASK, write_bundle


def check(folder: Path, *options: str) -> Result:
    return CliRunner().invoke(cli, ["bundle", "check", str(folder), *options])


@pytest.mark.parametrize("name", EXAMPLES)
def test_each_example_is_valid_complete_and_has_a_board(name: str, tmp_path: Path) -> None:
    write_example(name, tmp_path / name)
    result = check(tmp_path / name, "--format", "json")
    assert result.exit_code == 0
    report = json.loads(result.stdout)
    assert (report["good"], report["to_do"], report["notes"], report["runs"]) == (True, [], [], 1)
    assert {split["gold"] for split in report["levels"]} == {"public", "hidden"}
    board = recompute_board(read_bundle(tmp_path / name))
    assert (len(board.official), len(board.baselines)) == (1, 1)


def test_examples_have_the_same_files_in_the_same_order_each_time() -> None:
    for name in EXAMPLES:
        paths = [path for path, _ in example_files(name)]
        assert paths == sorted(paths)
        assert "task.toml" in paths


def test_example_overwrites_nothing(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(BundleError, match="is not empty, and nothing is overwritten; name a new folder"):
        write_example("keyed", tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
    with pytest.raises(RequestError, match="choose one of aligned, keyed, word-to-sense"):
        write_example("other", tmp_path / "new")


def test_check_says_what_would_be_hosted(tmp_path: Path) -> None:
    result = check(write_bundle(tmp_path))
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.splitlines() == [
        "task.toml and all files are valid. A site would host:",
        "",
        "Small & simple (small)",
        "Scale: 0 to 4. Runs: aligned.",
        "Total: the sum over the levels.",
        "",
        "Level  Split  N  Genres  Scored  Gold    Metric",
        "p2s    test   3       2       3  hidden  pearson",
        "s2p    test   3       2       3  hidden  pearson",
        "",
        "Phase       Split  Opens                 Closes                Feedback  Leaderboard",
        "evaluation  test   2026-03-01 00:00 UTC  2026-03-15 10:00 UTC  hidden    released",
        "",
        "Runs in the bundle: 2 of 2 teams. Baselines: LCS.",
        "",
        "There are no organizers, or no contact; a site needs both to publish the task.",
    ]


def test_each_baseline_is_named_once_with_its_phases_unless_it_is_in_all(tmp_path: Path) -> None:
    baseline = '\n[[run]]\nteam = "organizers"\nname = "{}"\nbaseline = "{}"\nphase = "{}"\n'
    phase = '\n[[phase]]\nslug = "post"\n'
    gst = [baseline.format("GST", "gst", slug) for slug in ("evaluation", "post")]
    lcs = baseline.format("early", "lcs", "evaluation")
    result = check(write_bundle(tmp_path, TASK + phase + "".join([*gst, lcs])))
    assert result.exit_code == 0, result.stderr
    assert "Baselines: LCS, GST, early (evaluation)." in result.stdout


def test_check_lists_the_problems_of_all_files(tmp_path: Path) -> None:
    folder = write_bundle(tmp_path)
    (folder / "gold.tsv").write_text("4\n9\n0\n", encoding="utf-8")
    (folder / "elsewhere" / "birch.tsv").write_text("1\nnan\n3\n", encoding="utf-8")
    result = check(folder)
    assert (result.exit_code, result.stdout) == (1, "")
    assert "gold.tsv: item x-2 has the gold label 9, which is outside the scale" in result.stderr
    assert "elsewhere/birch.tsv:2: " in result.stderr
    report = json.loads(check(folder, "--format", "json").stdout)
    assert {problem["file"] for problem in report["problems"]} == {"gold.tsv", "elsewhere/birch.tsv"}
    lines = check(folder, "--format", "tsv").stdout.splitlines()
    assert lines[0].startswith("severity\tfile\tline")
    assert {line.split("\t")[1] for line in lines[1:]} == {"gold.tsv", "elsewhere/birch.tsv"}


def test_check_lists_all_problems_of_the_task_file_first(tmp_path: Path) -> None:
    task = TASK.replace("[board]", "[bord]").replace('slug = "evaluation"', 'slug = "Evaluation!"')
    result = check(write_bundle(tmp_path, task))
    assert (result.exit_code, result.stdout) == (1, "")
    assert 'bord: unknown key; did you mean "board"?' in result.stderr
    assert 'phase[Evaluation!].slug: "Evaluation!" is not a short name' in result.stderr
    assert "the files are checked only when task.toml has no errors" in result.stderr


def test_check_says_that_gold_is_read_after_the_items(tmp_path: Path) -> None:
    folder = write_bundle(tmp_path)
    (folder / "gold.tsv").write_text("4\n9\n0\n", encoding="utf-8")
    note = "gold and runs of a split are checked only when its items have no errors"
    assert note not in check(folder).stderr
    (folder / "items.tsv").write_text("one text only\n", encoding="utf-8")
    result = check(folder)
    assert result.exit_code == 1
    assert "items.tsv:1: " in result.stderr
    assert note in result.stderr


def test_columns_that_no_file_can_have_are_a_problem_of_their_level(tmp_path: Path) -> None:
    line = 'slug = "p2s"\ngenre = "kind"\ncolumns = { left = "a", right = "b", genre = "c" }'
    result = check(write_bundle(tmp_path, TASK.replace('slug = "p2s"', line)))
    assert result.exit_code == 1
    assert "items.tsv:1: the header has no column" in result.stderr
    named = 'slug = "p2s"\ncolumns = { left = "a" }'
    result = check(write_bundle(tmp_path, TASK.replace('slug = "p2s"', named)))
    assert (result.exit_code, result.stdout) == (1, "")
    assert 'task.toml: level[p2s].columns: must name "right" once' in result.stderr


def test_check_names_placeholders_and_accepts_them(tmp_path: Path) -> None:
    task = TASK.replace('title = "Small & simple"', 'title = "TODO: a title"').replace(
        "2026-03-15", "2999-03-15"
    )
    result = check(write_bundle(tmp_path, task))
    assert result.exit_code == 0
    assert result.stdout.endswith("\n\nStill to do in task.toml:\n  task.title\n  phase[evaluation].closes\n")
    assert json.loads(check(tmp_path, "--format", "json").stdout)["to_do"] == [
        "task.title",
        "phase[evaluation].closes",
    ]
    assert find_placeholders({"run": [{"links": ["x", "TODO"]}]}) == ["run[1].links[2]"]


def test_check_names_gold_off_the_steps_of_the_scale(tmp_path: Path) -> None:
    folder = write_bundle(tmp_path, TASK.replace("max = 4", "max = 4, step = 0.5"))
    (folder / "gold.tsv").write_text("4\n0.3\n1.5\n", encoding="utf-8")
    result = check(folder)
    assert result.exit_code == 0
    assert "p2s (test): 1 gold value is not in steps of 0.5 from 0: line 2." in result.stdout
    (folder / "gold.tsv").write_text("gold\tn\n4\t2\n0.3\t2\n1.5\t2\n", encoding="utf-8")
    assert "1 gold value is not in steps of 0.5 from 0: line 3." in check(folder).stdout


def test_check_says_what_a_site_still_needs(tmp_path: Path) -> None:
    task = TASK.partition("[[phase]]")[0].replace(', gold = "gold.tsv"', "", 1)
    result = check(write_bundle(tmp_path, task))
    assert result.exit_code == 0
    assert "There is no [[phase]]; a site needs at least one" in result.stdout
    assert "No gold for p2s (test): files are rejected there until you add it." in result.stdout


def test_check_reads_the_dictionary_of_a_level(tmp_path: Path) -> None:
    write_example("word-to-sense", tmp_path / "bundle")
    (tmp_path / "bundle" / "senses.tsv").write_text("ship\n", encoding="utf-8")
    result = check(tmp_path / "bundle")
    assert result.exit_code == 1
    assert result.stderr.startswith("senses.tsv:1: ")


def test_check_reads_a_zip_and_a_task_file_elsewhere(tmp_path: Path) -> None:
    folder = write_bundle(tmp_path / "bundle")
    with zipfile.ZipFile(tmp_path / "task.zip", "w") as archive:
        for path in folder.rglob("*.*"):
            archive.write(path, path.relative_to(folder))
    assert check(tmp_path / "task.zip").stdout == check(folder).stdout
    config = (folder / "task.toml").rename(tmp_path / "other.toml")
    config.write_text(TASK.replace("Small", "TODO: small"), encoding="utf-8")
    text = check(folder, "--config", str(config)).stdout
    assert text.startswith("other.toml and all files are valid")
    assert text.endswith("Still to do in other.toml:\n  task.title\n")


def test_check_without_a_task_file_says_how_to_get_one(tmp_path: Path) -> None:
    result = check(tmp_path)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == (
        "task.toml: there is no such file at the top of the bundle; `scorer bundle new FOLDER` writes one\n"
    )
    assert (
        "there is no such folder" in check(tmp_path / "none").stderr
        or check(tmp_path / "none").exit_code == 1
    )


def test_check_says_that_gold_ends_before_the_items(tmp_path: Path) -> None:
    write_example("aligned", tmp_path / "task")
    toml, gold = tmp_path / "task" / "task.toml", tmp_path / "task" / "gold" / "test" / "sentence2phrase.tsv"
    *labels, _last = gold.read_text(encoding="utf-8").splitlines(keepends=True)
    gold.write_text("".join(labels), encoding="utf-8")
    text = toml.read_text(encoding="utf-8")
    toml.write_text(
        text.replace("[level.test]\n", f"[level.test]\nscored = {len(labels)}\n"), encoding="utf-8"
    )
    (note,) = json.loads(check(tmp_path / "task", "--format", "json").stdout)["notes"]
    assert (
        note == f"sentence2phrase (test): only the first {len(labels)} items are scored; see the key scored."
    )


def test_check_warns_of_numbers_beside_the_items_of_a_hidden_split(tmp_path: Path) -> None:
    write_example("keyed", tmp_path / "task")
    (level,) = read_bundle(tmp_path / "task").levels
    for split in level.splits.values():
        path = tmp_path / "task" / split.items
        header, *lines = path.read_text(encoding="utf-8").splitlines()
        numbers = [f'{line},"{place % 4},5"' for place, line in enumerate(lines)]
        path.write_text("\n".join([header + ",gold_score", *numbers]) + "\n", encoding="utf-8")
    (note,) = json.loads(check(tmp_path / "task", "--format", "json").stdout)["notes"]
    assert note.startswith(f"{level.splits['test'].items} has numbers in gold_score. If these are labels")


@pytest.mark.parametrize("name", ["keyed", "aligned"])
def test_hidden_gold_in_a_column_that_is_not_used_is_rejected(tmp_path: Path, name: str) -> None:
    write_example(name, tmp_path)
    bundle = read_bundle(tmp_path)
    level = next(level for level in bundle.levels if "test" in level.splits)
    path = tmp_path / level.splits["test"].items
    between = "," if level.layout.delimiter == "comma" else "\t"
    lines = path.read_text(encoding="utf-8").splitlines()
    values = bundle.gold(level, "test", bundle.items(level, "test")).values
    labels = [*(["score"] if level.layout.has_header else []), *map(str, values)]
    path.write_text("".join(f"{line}{between}{label}\n" for line, label in zip(lines, labels, strict=True)))
    if name == "aligned":
        toml = tmp_path / "task.toml"
        text = toml.read_text(encoding="utf-8").replace('"right", "id"]', '"right", "id", "..."]')
        toml.write_text(text, encoding="utf-8")
    result = check(tmp_path)
    assert result.exit_code == 1
    place = len(lines[-1].split(between)) + 1
    assert (
        f"has the gold of {level.slug} in column {place}, and everyone can download the items"
        in result.stderr
    )


@pytest.mark.parametrize("missing", ["organizers", "contact"])
def test_check_says_that_a_site_needs_a_contact(tmp_path: Path, missing: str) -> None:
    write_example("keyed", tmp_path / "task")
    toml = tmp_path / "task" / "task.toml"
    lines = toml.read_text(encoding="utf-8").splitlines(keepends=True)
    toml.write_text("".join(line for line in lines if not line.startswith(missing)), encoding="utf-8")
    notes = json.loads(check(tmp_path / "task", "--format", "json").stdout)["notes"]
    assert notes == ["There are no organizers, or no contact; a site needs both to publish the task."]


def test_label_outside_the_scale_is_a_problem(tmp_path: Path) -> None:
    write_example("aligned", tmp_path / "task")
    toml = tmp_path / "task" / "task.toml"
    text = toml.read_text(encoding="utf-8")
    toml.write_text(text.replace('"4" = "the same meaning"', '"7" = "the same meaning"'), encoding="utf-8")
    result = check(tmp_path / "task")
    assert result.exit_code == 1
    assert "task.labels.7: is outside the scale from 0 to 4" in result.stderr
