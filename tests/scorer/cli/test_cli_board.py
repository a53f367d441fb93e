import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from scorer.cli.__main__ import cli
from tests.scorer.small_bundle import TASK, write_bundle

GOLDEN = Path(__file__).parents[2] / "golden" / "board"
ROOT = Path(__file__).parents[3]


def board(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["board", *arguments])


@pytest.mark.parametrize("format_", ["text", "tsv", "csv", "json", "markdown", "latex"])
def test_board_command_prints_the_recorded_board(tmp_path: Path, format_: str) -> None:
    result = board(str(write_bundle(tmp_path)), "--format", format_)
    assert result.exit_code == 0
    assert result.stdout_bytes.decode("utf-8") == (GOLDEN / f"small.{format_}").read_bytes().decode("utf-8")


def test_board_values_equal_manual_calculation(tmp_path: Path) -> None:
    values = json.loads(board(str(write_bundle(tmp_path)), "--format", "json").stdout)
    # gold 4 3 0 and ash 4 2 1: deviations (5 2 -7)/3 and (5 -1 -4)/3, r = 51 / sqrt(78 * 42)
    ash, birch = values["official"]
    assert ash["levels"]["p2s"]["pearson"]["value"] == pytest.approx(51 / (78 * 42) ** 0.5, abs=1e-15)
    assert ash["levels"]["p2s"]["spearman"]["value"] == 1.0
    assert (ash["total"]["pearson"]["rank"], birch["total"]["pearson"]["rank"]) == (1, 2)
    assert birch["levels"]["s2p"]["pearson"]["undefined"]["code"] == "not_entered"
    (late,) = values["late"]
    assert late["levels"]["s2p"]["pearson"]["undefined"]["code"] == "constant_run"


def test_baseline_that_a_bundle_names_is_shown_and_changes_no_other_row(tmp_path: Path) -> None:
    tfidf = '[[run]]\nteam = "organizers"\nname = "TF-IDF"\nbaseline = "tfidf"\n'
    without = json.loads(board(str(write_bundle(tmp_path)), "--format", "json").stdout)
    values = json.loads(board(str(write_bundle(tmp_path, TASK + tfidf)), "--format", "json").stdout)
    rows = {row["run"]: row for row in values.pop("baselines")}
    assert (sorted(rows), without.pop("baselines")) == (["LCS", "TF-IDF"], [rows["LCS"]])
    assert values == without
    # The first pair is equal. The second shares 9 of 10 and 15 n-grams, the third none.
    assert rows["TF-IDF"]["levels"]["p2s"]["spearman"]["value"] == 1.0


def test_baseline_with_files_of_its_own_is_read_and_never_computed(tmp_path: Path) -> None:
    own = '[[run]]\nteam = "organizers"\nname = "GloVe"\nbaseline = "own"\nfiles = { p2s = "glove.tsv" }\n'
    folder = write_bundle(tmp_path, TASK + own)
    (folder / "glove.tsv").write_text("3\n4\n1\n", encoding="utf-8")
    values = json.loads(board(str(folder), "--format", "json").stdout)
    rows = {row["run"]: row for row in values["baselines"]}
    assert sorted(rows) == ["GloVe", "LCS"]
    assert rows["GloVe"]["levels"]["p2s"]["spearman"]["value"] == 0.5
    assert rows["GloVe"]["levels"]["s2p"]["spearman"]["undefined"]["code"] == "not_entered"
    (folder / "glove.tsv").write_text("3\n4\nhigh\n", encoding="utf-8")
    assert 'glove.tsv:3: score "high" is not a number' in board(str(folder)).stderr


def test_invalid_file_is_rejected_with_its_line(tmp_path: Path) -> None:
    folder = write_bundle(tmp_path)
    (folder / "runs/ash/a_b/p2s.tsv").write_text("4\nn/a\n1\n", encoding="utf-8")
    result = board(str(folder))
    assert (result.exit_code, result.stdout) == (1, "")
    assert 'runs/ash/a_b/p2s.tsv:2: score "n/a" is not a number' in result.stderr


def test_a_split_without_items_is_a_usage_error(tmp_path: Path) -> None:
    result = board(str(write_bundle(tmp_path)), "--split", "trial")
    assert result.exit_code == 2
    assert 'no level of this bundle lists a split "trial"' in result.stderr


def test_a_run_may_have_an_official_and_a_late_file_at_one_level(tmp_path: Path) -> None:
    task = TASK.replace('late = ["s2p"]', 'late_files = { p2s = "elsewhere/birch.tsv" }')
    values = json.loads(board(str(write_bundle(tmp_path, task)), "--format", "json").stdout)
    ash, birch = values["official"]
    (late,) = values["late"]
    assert (ash["run"], late["run"]) == ("a_b", "a_b")
    assert ash["levels"]["p2s"]["pearson"]["value"] == pytest.approx(51 / (78 * 42) ** 0.5, abs=1e-15)
    assert late["levels"]["p2s"]["pearson"]["value"] == birch["levels"]["p2s"]["pearson"]["value"]
    assert late["levels"]["s2p"]["pearson"]["undefined"]["code"] == "not_entered"


AFTERWARDS = """
[[phase]]
slug = "afterwards"
split = "test"

[[run]]
team = "birch"
name = "two"
phase = "afterwards"
files = { p2s = "gold.tsv" }
"""


def test_two_phases_on_one_split_have_a_board_each(tmp_path: Path) -> None:
    folder = str(write_bundle(tmp_path, TASK + AFTERWARDS))
    main = board(folder, "--format", "json").stdout
    assert main == board(folder, "--format", "json", "--split", "test").stdout
    assert {row["run"] for row in json.loads(main)["official"]} == {"a_b", "one"}
    other = board(folder, "--format", "json", "--phase", "afterwards").stdout
    assert {row["run"] for row in json.loads(other)["official"]} == {"two"}
    assert [row["run"] for row in json.loads(other)["baselines"]] == ["LCS"]


def test_unknown_phase_is_a_usage_error(tmp_path: Path) -> None:
    result = board(str(write_bundle(tmp_path)), "--phase", "afterwards")
    assert result.exit_code == 2
    assert 'no phase "afterwards"; it has evaluation' in result.stderr
    result = board(str(write_bundle(tmp_path)), "--phase", "evaluation", "--split", "trial")
    assert result.exit_code == 2
    assert '"evaluation" is on the test split' in result.stderr


def test_description_outside_the_package_can_be_used(tmp_path: Path) -> None:
    folder = write_bundle(tmp_path / "package")
    (folder / "task.toml").unlink()
    config = tmp_path / "mine.toml"
    config.write_text(TASK, encoding="utf-8")
    assert board(str(folder), "--config", str(config)).exit_code == 0
    assert board(str(folder)).exit_code == 1


def write_runs(folder: Path, *names: str, text: str = "4\n3\n0\n") -> str:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return str(folder)


def test_added_runs_are_ranked_beside_those_of_the_bundle(tmp_path: Path) -> None:
    folder = str(write_bundle(tmp_path / "package"))
    runs = write_runs(
        tmp_path / "runs", "cedar/run2/sys.p2s.csv", "elm/p2s.tsv", "README.txt", "elm/README.md"
    )
    values = json.loads(board(folder, "--runs", runs, "--format", "json").stdout)
    rows = {(row["team"], row["run"]): row["total"]["pearson"] for row in values["official"]}
    assert rows.keys() == {("ash", "a_b"), ("birch", "one"), ("cedar", "run2"), ("elm", "run1")}
    assert [(rows[key]["value"], rows[key]["rank"]) for key in (("cedar", "run2"), ("elm", "run1"))] == [
        (pytest.approx(1.0), 1),
        (pytest.approx(1.0), 1),
    ]


def test_added_runs_are_on_the_board_of_the_phase_that_is_asked_for(tmp_path: Path) -> None:
    folder = str(write_bundle(tmp_path / "package", TASK + AFTERWARDS))
    runs = write_runs(tmp_path / "runs", "birch/one/p2s.tsv")
    values = json.loads(board(folder, "--phase", "afterwards", "--runs", runs, "--format", "json").stdout)
    assert {(row["team"], row["run"]) for row in values["official"]} == {("birch", "one"), ("birch", "two")}


def test_added_run_already_in_the_bundle_is_rejected_naming_both(tmp_path: Path) -> None:
    folder = str(write_bundle(tmp_path / "package"))
    runs = write_runs(tmp_path / "runs", "birch/one/p2s.tsv", "organizers/LCS/p2s.tsv")
    result = board(folder, "--runs", runs)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == (
        f'{runs}/birch/one/p2s.tsv: the run "birch/one" is also in the bundle (elsewhere/birch.tsv); '
        f"rename its folder\n"
        f'{runs}/organizers/LCS/p2s.tsv: the run "organizers/LCS" is also in the bundle (the baseline lcs); '
        f"rename its folder\n"
    )


def test_unexpected_run_folder_layout_is_rejected_with_the_expected_one(tmp_path: Path) -> None:
    folder = str(write_bundle(tmp_path / "package"))
    layout = "name run files TEAM/RUN/LEVEL.tsv, or TEAM/LEVEL.tsv if a team has one run"
    empty = write_runs(tmp_path / "empty", "README.md")
    assert board(folder, "--runs", empty).stderr == f"{empty}: has no runs; {layout}\n"
    flat = write_runs(tmp_path / "flat", "p2s.tsv", "elm/p2s.tsv")
    assert (
        board(folder, "--runs", flat).stderr == f"{flat}/p2s.tsv: is not in the folder of a team; {layout}\n"
    )
    other = write_runs(tmp_path / "other", "elm/one/x.tsv", "elm/two/p2s.tsv", "elm/two/p2s.test.tsv")
    refused = board(folder, "--runs", other).stderr
    assert f"{other}/elm/one/x.tsv: its name contains no level; move it away, or put one of these" in refused
    assert f"{other}/elm/two/p2s.test.tsv" in refused
    assert f"{other}/elm/two/p2s.tsv: is not the only file for p2s; keep one, and give other runs " in refused
    assert board(folder, "--runs", str(tmp_path / "nowhere")).exit_code == 2


def test_added_run_with_a_bad_line_is_rejected_with_the_line(tmp_path: Path) -> None:
    folder = str(write_bundle(tmp_path / "package"))
    runs = write_runs(tmp_path / "runs", "elm/p2s.tsv", text="4\nx\n0\n")
    result = board(folder, "--runs", runs)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith(f'{runs}/elm/p2s.tsv:2: score "x" is not a number')


@pytest.mark.parametrize("command", ["board", "bundle check"])
def test_runs_with_line_numbers_are_rejected_unless_the_first_column_has_the_scores(
    tmp_path: Path, command: str
) -> None:
    folder = write_bundle(tmp_path)
    (folder / "elsewhere/birch.tsv").write_text("1\t0.5\n2\t0.2\n3\t0.9\n", encoding="utf-8")
    found = CliRunner().invoke(cli, [*command.split(), str(folder)])
    assert found.exit_code == 1
    assert "elsewhere/birch.tsv: the first column counts the lines from 1, as ids do" in found.stderr
    assert "note: to confirm that the first column has the scores, add --first-is-score" in found.stderr
    found = CliRunner().invoke(cli, [*command.split(), str(folder), "--first-is-score"])
    assert found.exit_code == 0, found.output


def test_a_level_without_gold_is_named(tmp_path: Path) -> None:
    task = TASK.replace('gold = "gold.tsv" }', "}", 1).replace('"items.tsv", }', '"items.tsv" }')
    result = board(str(write_bundle(tmp_path, task)))
    assert result.exit_code == 1
    assert "level[p2s].test.gold: is missing" in result.stderr


def official_board(shared: Path, *arguments: str) -> Result:
    """What the README's command prints for the official CLSS package."""
    config = ROOT / "deploy" / "tasks" / "clss-2014.toml"
    package = str(shared / "data" / "clss")
    result = board(package, "--config", str(config), "--format", "json", *arguments)
    if "WordNet" in result.stderr:
        pytest.skip("missed: the word2sense baselines; apt-get install wordnet-base")
    return result


def test_official_package_has_only_baselines_and_says_how_to_add_runs(shared: Path) -> None:
    result = official_board(shared)
    assert result.exit_code == 0
    values = json.loads(result.stdout)
    assert values["official"] == []
    assert [row["run"] for row in values["baselines"]] == ["GST", "LCS"]
    assert "No run of this bundle answers the training split" in result.stderr
    assert result.stderr.endswith("Add runs with --runs FOLDER.\n")


def test_official_package_matches_the_official_figures(shared: Path) -> None:
    """LCS and GST as baselines.md gives them, the four teams as the official scorer printed them."""
    result = official_board(shared, "--runs", str(shared / "data" / "clss" / "runs"))
    assert result.stderr == ""
    values = json.loads(result.stdout)
    assert [(row["team"], row["total"]["pearson"]["rank"]) for row in values["official"]] == [
        ("ash", 1),
        ("birch", 2),
        ("cedar", 3),
        ("dogwood", 4),
    ]
    gst, lcs = values["baselines"]
    assert f"{lcs['levels']['paragraph2sentence']['pearson']['value']:.6f}" == "0.498940"
    assert f"{gst['levels']['sentence2phrase']['spearman']['value']:.6f}" == "0.631407"
    oracle = (shared / "data" / "clss" / "oracle.tsv").read_text(encoding="utf-8").splitlines()[1:]
    rows = {row["team"]: row for row in values["official"]}
    compared = 0
    for line in oracle:
        run, _, options, pearson, spearman = line.split("\t")
        if run.startswith("runs/") and not options:
            _, team, name = run.split("/")
            cells = rows[team]["levels"][name.removesuffix(".train.tsv")]
            assert f"{cells['pearson']['value']:.6f}" == pearson
            assert f"{cells['spearman']['value']:.6f}" == spearman
            compared += 1
    assert compared == 14


def test_official_example_of_a_trial_run_matches_the_official_figures(shared: Path, tmp_path: Path) -> None:
    """No phase of the task is on the trial split; runs that are added are on its board all the same."""
    clss = shared / "data" / "clss"
    (tmp_path / "example").symlink_to(clss / "keys" / "trial" / "example")
    values = json.loads(official_board(shared, "--split", "trial", "--runs", str(tmp_path)).stdout)
    (row,) = values["official"]
    compared = 0
    for line in (clss / "oracle.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        run, _, _, *figures = line.split("\t")
        if run.startswith("keys/trial/example/"):
            cells = row["levels"][Path(run).name.removesuffix(".trial.output.tsv")]
            assert [f"{cells[name]['value']:.6f}" for name in ("pearson", "spearman")] == figures
            compared += 1
    assert compared == 4


PUBLIC = """
[[phase]]
slug = "evaluation"
split = "test"
feedback = "public-part"
"""


def test_a_public_part_does_not_decide_the_board(tmp_path: Path) -> None:
    task = TASK.replace('gold = "gold.tsv" }', 'gold = "gold.tsv", public_items = "public.txt" }')
    task = task.replace('[[phase]]\nslug = "evaluation"\nsplit = "test"\n', PUBLIC)
    folder = write_bundle(tmp_path, task)
    for name, more in (("items.tsv", "salt\tpepper\ty-4\n"), ("gold.tsv", "2\n")):
        with (folder / name).open("a", encoding="utf-8") as file:
            file.write(more)
    for path in [*folder.glob("runs/ash/a_b/*"), folder / "elsewhere/birch.tsv"]:
        path.write_text("4\n2\n1\n3\n", encoding="utf-8")
    (folder / "public.txt").write_text("y-4\nx-2\n", encoding="utf-8")
    ash = json.loads(board(str(folder), "--format", "json").stdout)["official"][0]["levels"]["p2s"]
    # of gold 4 3 0 2 and run 4 2 1 3 the first and the third decide: 4 0 against 4 1
    assert (ash["pearson"]["value"], ash["pearson"]["n"]) == (1.0, 2)
    assert "|part:rest|" in ash["pearson"]["signature"]
