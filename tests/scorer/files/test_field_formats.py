"""SICK, STS and SemRel as they are unpacked, with the task.toml of each: board, check and score."""

import json
from collections.abc import Callable
from pathlib import Path
from shutil import copyfile

import pytest
from click.testing import CliRunner, Result

from scorer.bundles.checks import check_bundle
from scorer.bundles.reader import read_bundle
from scorer.cli.__main__ import cli
from scorer.errors import BundleError
from tests.field_formats import EMPTY, FAMILIES, GOOD, IDS, PACKAGES, SHARES, TASKS, Package, write_package

SICK_ITEMS = ["--columns", "id=pair_ID,left=sentence_A,right=sentence_B"]
SICK = ["--id", "pair_ID", "--score", "relatedness_score"]
SEMREL_ITEMS = ["--columns", "id=PairID,pair=Text", "--items-delimiter", "comma"]
SEMREL = ["--id", "PairID", "--score", "Pred_Score"]


def scorer(*arguments: object) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments])


def board(package: Package) -> Result:
    return scorer("board", package.folder, "--config", package.config, "--format", "json")


def test_every_task_that_is_shipped_is_tested() -> None:
    assert {path.stem for path in TASKS.glob("*.toml")} == {*PACKAGES, "clss-2014"}


@pytest.mark.parametrize("name", PACKAGES)
def test_board_of_an_unchanged_package_equals_scipy(tmp_path: Path, name: str) -> None:
    stats = pytest.importorskip("scipy.stats")
    values = json.loads(board(write_package(tmp_path, name)).stdout)
    keyed = not name.startswith("sts")
    places = [place for place in range(len(IDS)) if keyed or place != EMPTY]
    for row, shares in zip(sorted(values["official"], key=lambda row: row["team"]), GOOD, strict=True):
        gold, pred = [SHARES[place] for place in places], [shares[place] for place in places]
        for cells in row["levels"].values():
            assert cells["pearson"]["value"] == pytest.approx(stats.pearsonr(gold, pred)[0], abs=1e-14)
            assert cells["pearson"]["n"] == len(places)
    assert len(values["baselines"]) == 1
    assert len(values["levels"]) == len(list(values["official"][0]["levels"]))


def test_each_task_has_the_official_metric_and_total_of_its_year() -> None:
    official = {}
    for name in PACKAGES:
        values = Package(TASKS, TASKS / f"{name}.toml").values
        official[name] = (values["task"]["metrics"][0], values["board"]["total"])
    weighted = dict.fromkeys([name for name in PACKAGES if name.startswith("sts")], ("pearson", "weighted"))
    assert official == {
        **weighted,
        "sts-2017": ("pearson", "mean"),
        "sick-2014": ("pearson", "none"),
        "semrel-2024": ("spearman", "none"),
    }


def damage(package: Package, level: str, fix: Callable[[bytes], bytes]) -> Path:
    path = package.folder / "runs" / "elm" / "one" / f"{level}.{package.run_ending}"
    path.write_bytes(fix(path.read_bytes()))
    return path


def na(data: bytes) -> bytes:
    """A SICK run that leaves relatedness out."""
    header, *rows = data.decode().split("\r\n")[:-1]
    cells = (row.split("\t") for row in rows)
    return "".join(f"{row}\r\n" for row in (header, *(f"{a}\tNA\t{b}" for a, _, b in cells))).encode()


def test_sick_run_with_only_na_is_not_entered(tmp_path: Path) -> None:
    package = write_package(tmp_path, "sick-2014")
    run = damage(package, "relatedness", na)
    sentence = f"{run}: every score is NA: the run does not enter this level, and there is nothing to score; "
    items = package.folder / "SICK_test_annotated.txt"
    for result in (
        scorer("check", items, run, *SICK_ITEMS, *SICK),
        scorer("score", items, run, *SICK),
    ):
        assert (result.exit_code, result.stdout) == (1, "")
        assert result.stderr == sentence + "leave the file out, or write numbers\n"
    printed = board(package)
    assert printed.exit_code == 0, printed.stderr
    assert [row["team"] for row in json.loads(printed.stdout)["official"]] == ["birch"]


def test_sts_run_without_a_level_has_a_dash_there_and_no_total(tmp_path: Path) -> None:
    package = write_package(tmp_path, "sts-2015")
    damage(package, "belief", lambda _: b"NA\n" * len(IDS))
    rows = {row["team"]: row for row in json.loads(board(package).stdout)["official"]}
    assert rows["elm"]["levels"]["belief"]["pearson"]["undefined"]["code"] == "not_entered"
    assert rows["elm"]["total"]["pearson"]["undefined"]["code"] == "not_all_levels"
    assert rows["birch"]["total"]["pearson"]["rank"] == 1


def test_na_among_numbers_is_a_problem_with_its_lines(tmp_path: Path) -> None:
    package = write_package(tmp_path, "sick-2014")
    damage(package, "relatedness", lambda data: data.replace(b"2.5", b"NA"))
    result = board(package)
    assert result.exit_code == 1
    assert (
        'relatedness.txt:5: score "NA" is not a number, and every item needs a score; write one number from'
        in (result.stderr)
    )


def test_confidence_is_at_most_one_hundred(tmp_path: Path) -> None:
    package = write_package(tmp_path, "sts-2016")
    run = damage(package, "headlines", lambda data: data.replace(b"\t98", b"\t101"))
    sentence = ':3: confidence "101" is out of range; write one number from 0 to 100\n'
    assert board(package).stderr.endswith(sentence)
    items = package.folder / "STS2016.input.headlines.txt"
    options = ["--columns", "left,right,...", "--confidence-max", "100"]
    assert scorer("check", items, run, *options).stderr.endswith(sentence)
    assert scorer("score", package.folder / "STS2016.gs.headlines.txt", run, *options[2:]).stderr.endswith(
        sentence
    )


def test_an_empty_line_of_a_sts_run_says_that_every_item_needs_a_score(tmp_path: Path) -> None:
    package = write_package(tmp_path, "sts-2015")
    damage(package, "images", lambda data: data.replace(data.split(b"\n")[EMPTY], b""))
    assert "images.txt:4: empty line; every item needs a score\n" in (board(package).stderr)


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("AMH-test-4,", "AMH-test-5,", 'amh.csv:2: there is no item "AMH-test-5"; use the ids of the items'),
        ("Pred_Score", "Score", 'amh.csv:1: the header has no column "Pred_Score"; it has "PairID", "Score"'),
        ("PairID,", "PairID;", 'amh.csv:1: the header has no column "PairID"'),
        ("PairID,", "sep=,\nPairID,", "amh.csv:1: this line is one that Excel adds for itself; remove it"),
        ("-4,0.125", '-4,"0,125"', 'amh.csv:2: score "0,125" has a decimal comma; write 0.125'),
        ("-4,0.125", "-4,0,125", "amh.csv:2: 3 columns and the header has 2"),
    ],
)
def test_invalid_semrel_run_has_a_specific_message(tmp_path: Path, old: str, new: str, sentence: str) -> None:
    package = write_package(tmp_path, "semrel-2024")
    damage(package, "amh", lambda data: data.replace(old.encode(), new.encode()))
    assert sentence in board(package).stderr


def test_lines_of_a_semrel_file_are_those_of_the_file(tmp_path: Path) -> None:
    """A pair takes two lines of the file, and quoted text in a run may too."""
    package = write_package(tmp_path, "semrel-2024")
    items = package.folder / "Track A" / "eng" / "eng_test.csv"
    items.write_bytes(items.read_bytes().replace(b"\ngulls on masts", b" gulls on masts"))
    run = package.folder / "run.csv"
    rows = "".join(f'ENG-test-{key},"a\nb",{"x" if key == "103" else 0.5}\n' for key in IDS)
    run.write_text("PairID,Text,Pred_Score\n" + rows, encoding="utf-8")
    found = scorer("check", items, run, *SEMREL_ITEMS, *SEMREL).stderr
    assert found.startswith(f"{items}:10: the pair is one line; write its two sides on a line each")
    items.write_bytes(items.read_bytes().replace(b" gulls on masts", b"\ngulls on masts"))
    found = scorer("check", items, run, *SEMREL_ITEMS, *SEMREL).stderr
    assert found.startswith(f'{run}:8: score "x" is not a number')


@pytest.mark.parametrize("name", FAMILIES)
def test_check_and_score_read_the_files_of_the_package(tmp_path: Path, name: str) -> None:
    package = write_package(tmp_path, name)
    level, _, files = list(package.splits())[-1]
    items, gold = package.folder / files["items"], package.folder / files["gold"]
    run = package.folder / "runs" / "birch" / "one" / f"{level}.{package.run_ending}"
    options, more = {
        "sick-2014": ([*SICK_ITEMS, *SICK], []),
        "sts-2015": (["--columns", "left,right,...", "--confidence-max", "100"], []),
        "semrel-2024": ([*SEMREL_ITEMS, *SEMREL], ["--gold-score", "Score"]),
    }[name]
    checked = scorer("check", items, run, *options)
    assert checked.stdout.startswith(f"{run}: good; 6 scores"), checked.stderr
    scored = scorer("score", gold, run, "--items", items, "--format", "json", *options, *more)
    assert scored.exit_code == 0, scored.stderr
    values = {result["metric"]: result["value"] for result in json.loads(scored.stdout)["results"]}
    (row,) = [row for row in json.loads(board(package).stdout)["official"] if row["team"] == "birch"]
    assert {metric: row["levels"][level][metric]["value"] for metric in values} == values


@pytest.mark.parametrize("name", ["sick-2014", "semrel-2024"])
def test_hidden_gold_in_the_items_is_rejected(tmp_path: Path, name: str) -> None:
    package = write_package(tmp_path / "package", name)
    config = tmp_path / "task.toml"
    toml = package.config.read_text(encoding="utf-8")
    if name == "sick-2014":
        config.write_text(toml.replace("public_gold = true\n\n[[phase]]", "\n[[phase]]", 1), encoding="utf-8")
        sentence = (
            "SICK_test_annotated.txt: is the gold of relatedness too, "
            "and everyone can download the items: name a"
        )
    else:
        config.write_text(toml.replace("eng_test.csv", "eng_test_with_labels.csv"), encoding="utf-8")
        sentence = "eng_test_with_labels.csv: is the gold of eng too, and everyone can download the items"
    with pytest.raises(BundleError) as caught:
        check_bundle(read_bundle(package.folder, config))
    assert sentence in str(caught.value)
    if name == "sick-2014":
        copyfile(package.folder / "SICK_train.txt", package.folder / "SICK_test_annotated.txt")
        (package.folder / "gold.txt").write_bytes(package.run_file())
        config.write_text(config.read_text().replace('gold = "SICK_test_annotated.txt"', 'gold = "gold.txt"'))
        with pytest.raises(BundleError, match=r':1: has the column "relatedness_score", the gold of rel'):
            check_bundle(read_bundle(package.folder, config))
