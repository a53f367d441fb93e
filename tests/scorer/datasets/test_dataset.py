"""`scorer dataset`: the files of a data set, their figures, and what they do not reveal."""

import hashlib
import json
import re
import shlex
import shutil
from collections import Counter, defaultdict
from itertools import combinations
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import given, strategies as st

from scorer.bundles.checks import check_bundle
from scorer.bundles.reader import read_bundle
from scorer.cli.__main__ import cli
from scorer.datasets.passages import explain_context, limit_context
from tests.scorer import small_export
from tests.scorer.small_campaign import write_chain
from tests.scorer.small_stages import write_texts


def run(*arguments: object) -> Result:
    return CliRunner().invoke(cli, [*map(str, arguments)])


def make(export: Path, out: Path, *options: object) -> dict[str, str]:
    result = run("dataset", export, "--out", out, *options)
    assert result.exit_code == 0, result.output
    files = (path for path in out.rglob("*") if path.is_file())
    return {path.relative_to(out).as_posix(): path.read_text(encoding="utf-8") for path in files}


def rows_of(text: str) -> list[dict[str, str]]:
    head, *lines = (line.split("\t") for line in text.splitlines())
    return [dict(zip(head, line, strict=True)) for line in lines]


@pytest.fixture(scope="module")
def export(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_export.write_export(tmp_path_factory.mktemp("export") / "round")


@pytest.fixture(scope="module")
def dataset(export: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("dataset") / "out"
    make(export, out)
    return out


def table(folder: Path, name: str) -> list[dict[str, str]]:
    return rows_of((folder / name).read_text(encoding="utf-8"))


def test_test_files_have_the_ratings_of_the_export(export: Path, dataset: Path) -> None:
    given_ratings: dict[str, list[float]] = defaultdict(list)
    head, *lines = (export / "ratings-dependent.csv").read_text().splitlines()
    for line in lines:
        row = dict(zip(head.split(","), line.split(","), strict=True))
        given_ratings[row["unit"]].append(float(row["rating"]))
    units = {(row["left"], row["right"]): row["key"] for row in small_export.units()}
    keys = {row["id"]: units[row["left"], row["right"]] for row in table(dataset, "test-free.tsv")}
    assert len(keys) == len(units)
    for row in table(dataset, "test-dep.tsv"):
        ratings = given_ratings[keys[row["id"]]]
        assert [float(value) for value in row["ratings"].split()] == ratings
        assert (float(row["mean"]), int(row["n"])) == (fmean(ratings), len(ratings))


def test_training_pairs_are_those_of_the_first_round_that_are_no_test_pairs(dataset: Path) -> None:
    training = {(row["left"], row["right"]) for row in table(dataset, "train.tsv")}
    test = {(row["left"], row["right"]) for row in table(dataset, "test-free.tsv")}
    assert (len(training), len(test), training & test) == (12, 24, set())
    first = {
        row["left"] + row["right"]: row["rating"]
        for row in rows_of(small_export.choices(small_export.units()))
    }
    assert all(row["first"] == first[row["left"] + row["right"]] for row in table(dataset, "test-free.tsv"))


def test_answers_of_other_blocks_are_left_out(export: Path, dataset: Path, tmp_path: Path) -> None:
    """A calibration unit need not be among the units, and no earlier answer replaces the main one."""
    other = tmp_path / "export"
    shutil.copytree(export, other)
    for name in ("ratings-free.csv", "ratings-dependent.csv"):
        head, *lines = (other / name).read_text(encoding="utf-8").splitlines()
        key, annotator, rating, *rest = lines[0].split(",")
        changed = "6" if float(rating) < 3 else "0"
        calibration = [
            ",".join((unit, annotator, changed, *rest)).replace(",main,", ",calibration,")
            for unit in ("warm-up", key)
        ]
        (other / name).write_text("\n".join([head, *calibration, *lines, ""]), encoding="utf-8")
    make(other, tmp_path / "dataset")
    for name in ("test-free.tsv", "test-dep.tsv"):
        assert (tmp_path / "dataset" / name).read_bytes() == (dataset / name).read_bytes()


def test_first_round_is_matched_by_key_or_by_texts(export: Path, tmp_path: Path) -> None:
    folder = tmp_path / "keyed"
    shutil.copytree(export, folder)
    first, second, *_ = small_export.units()
    rows = [
        {"id": first["key"], "left": "An older text.", "right": "Another.", "choice": "A", "rating": "5.5"},
        {"id": "r1-2", "left": second["left"], "right": second["right"], "choice": "C", "rating": "0.5"},
        {"id": "r1-3", "left": second["left"], "right": "A third text.", "choice": "B", "rating": "3"},
    ]
    (folder / "choices.tsv").write_text(small_export.write_table(rows))
    files = make(folder, tmp_path / "out")
    found = {row["right"]: row["first"] for row in rows_of(files["test-free.tsv"]) if row["first"]}
    assert found == {first["right"]: "5.5", second["right"]: "0.5"}
    assert [row["right"] for row in rows_of(files["train.tsv"])] == ["A third text."]


def require_figures(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """The figures of a data set, which the command of its README prints."""
    (command,) = re.findall(r"^    (scorer figures .*)$", (folder / "README.md").read_text(), re.MULTILINE)
    figures = (folder / "figures.json").read_text(encoding="utf-8")
    result = run(*shlex.split(command.replace(" .", f" {folder}"))[1:], "--format", "json")
    assert (result.exit_code, result.stdout) == (0, figures)
    tables: dict[str, list[dict[str, Any]]] = json.loads(figures)["tables"]
    return tables


def test_command_of_the_readme_prints_the_figures(dataset: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tables = require_figures(dataset)
    assert set(tables) == {
        *(
            "alpha",
            "closeness",
            "expected_mse",
            "annotators",
            "values",
            "significance",
            "untested",
            "increase",
        ),
        *("quantiles", "histogram", "correlation", "first", "partial", "kept", "second", "sorted"),
    }
    monkeypatch.chdir(dataset)
    rounds = ("test-free.tsv", "test-free.tsv", "test-dep.tsv", "--unit", "id")
    columns = ("--columns", "first", "--columns", "mean", "--columns", "mean", "--format", "json")
    offline = json.loads(run("rounds", *rounds, *columns).stdout)["tables"]
    ours = [row for row in (*tables["first"], *tables["correlation"]) if "genre" not in row["code"]]
    assert [row["pearson"] for row in ours] == [row["pearson"] for row in offline["correlation"]]
    ours = [row for row in tables["partial"] if "genre" not in row["code"]]
    assert [row["pearson"] for row in ours] == [row["pearson"] for row in offline["partial"]]
    for name, options in (("train", ()), ("test-dep", ("--rating", "first", "--second", "mean"))):
        offline = json.loads(run("filter", f"{name}.tsv", *options, "--format", "json").stdout)["tables"]
        for figure in offline:
            rows = [row for row in tables[figure] if row["file"] == name]
            assert [{key: row[key] for key in offline[figure][0]} for row in rows] == offline[figure]
    counts = Counter((row["choice"], float(row["rating"])) for row in table(dataset, "train.tsv"))
    rows = [row for row in tables["sorted"] if row["file"] == "train"]
    found = {(choice, row["rating"]): row[f"pairs {choice}"] for row in rows for choice in "ABC"}
    assert {place: n for place, n in found.items() if n} == counts


def test_files_whose_pairs_have_different_choices_are_in_one_table_of_figures(
    export: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "choices"
    shutil.copytree(export, folder)
    head, *lines = (folder / "choices.tsv").read_text().splitlines()
    lines[24:] = [line.replace("\tB\t", "\tA\t") for line in lines[24:]]
    (folder / "choices.tsv").write_text("\n".join([head, *lines]) + "\n")
    make(folder, tmp_path / "out")
    counts = {
        row["code"]: (row["A pairs"], row["B pairs"]) for row in require_figures(tmp_path / "out")["kept"]
    }
    assert (counts["kept.train"], counts["kept.test-free"]) == ((8, None), (8, 8))


def test_subsets_are_those_of_the_commands(
    dataset: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(dataset)
    for width in ("1", "2"):
        kept = tmp_path / f"kept{width}.tsv"
        run("filter", "train.tsv", "--neighbourhood", width, "--out", kept)
        assert kept.read_bytes() == Path(f"train-N{width}.tsv").read_bytes()
    columns = ("--unit", "id", "--annotator", "annotator", "--columns", "free", "--columns", "dep")
    run("context", "test-ratings.tsv", "test-ratings.tsv", *columns, "--ids", tmp_path / "ids.txt")
    significant = (tmp_path / "ids.txt").read_text().split()
    assert 0 < len(significant) < 24
    for name in ("free", "dep"):
        rows = table(dataset, f"test-sig-{name}.tsv")
        assert rows == [row for row in table(dataset, f"test-{name}.tsv") if row["id"] in significant]


def test_folder_is_a_bundle(dataset: Path) -> None:
    bundle = read_bundle(dataset)
    check_bundle(bundle)
    splits = [
        (level.slug, name, split.public_gold)
        for level in bundle.levels
        for name, split in level.splits.items()
    ]
    assert sorted(splits) == [("dep", "test", False), ("free", "test", False), ("free", "training", True)]
    assert set(table(dataset, "items/test-dep.tsv")[0]) == {"id", "left", "right"}


def test_no_column_joins_two_pairs_of_a_group_except_the_left_text(dataset: Path) -> None:
    group_of = {row["right"]: row["group"] for row in small_export.units()}
    groups = {row["id"]: group_of[row["right"]] for row in table(dataset, "test-free.tsv")}
    statistics = {"mean", "n", "ratings", "first", "free", "dep", "choice", "rating", "genre"}
    for path in sorted(dataset.rglob("test*.tsv")):
        by_value: dict[tuple[str, str], set[str]] = defaultdict(set)
        for row in table(dataset, path.relative_to(dataset).as_posix()):
            for column in row.keys() - statistics - {"id", "left"}:
                by_value[column, row[column]].add(row["id"])
            assert row["id"] in groups
        for (column, _), ids in by_value.items():
            assert not any(groups[a] == groups[b] for a, b in combinations(ids, 2)), (path, column)


def test_order_and_names_depend_on_texts_and_ratings_alone(
    export: Path, dataset: Path, tmp_path: Path
) -> None:
    """Nobody can undo the order to find neighbours in the export, not even with the seed."""
    other = tmp_path / "other"
    (other / "campaign").mkdir(parents=True)
    names = {f"A{number:03}": f"P{997 - number:03}" for number in range(1, 13)}
    for path in export.rglob("*.*"):
        text = path.read_text(encoding="utf-8")
        for old, new in names.items() if path.suffix == ".csv" else ():
            text = text.replace(f",{old},", f",{new},")
        if path.suffix == ".tsv":
            head, *lines = text.splitlines(keepends=True)
            text = head + "".join(sorted(lines, key=lambda line: line[::-1]))
        (other / path.relative_to(export)).write_text(text, encoding="utf-8")
    before = {path.relative_to(dataset).as_posix(): path.read_text() for path in dataset.rglob("*.*")}
    assert make(other, tmp_path / "same") == before
    drawn = make(export, tmp_path / "drawn", "--seed", "1")
    assert drawn["test-free.tsv"] != before["test-free.tsv"]
    assert sorted(row["right"] for row in rows_of(drawn["test-free.tsv"])) == sorted(
        row["right"] for row in rows_of(before["test-free.tsv"])
    )


def test_one_pass_without_a_first_round_has_no_context_and_no_training(export: Path, tmp_path: Path) -> None:
    single = tmp_path / "single"
    single.mkdir()
    for name in ("units.tsv", "pairs.tsv"):
        (single / name).write_bytes((export / "units.tsv").read_bytes())
    (single / "annotation.toml").write_text(small_export.ANNOTATION.partition("passes = [")[0])
    lines = (export / "ratings-free.csv").read_text().splitlines(keepends=True)
    (single / "ratings.csv").write_text("".join(lines[:1] + lines[2:]))
    files = make(single, tmp_path / "out", "--at-least", "4")
    assert {name for name in files if name.endswith(".tsv")} == {
        "items/test.tsv", "test.tsv", "test-ratings.tsv",
    }  # fmt: skip
    assert len(rows_of(files["test.tsv"])) == 23
    assert rows_of(files["test-ratings.tsv"])[0].keys() == {"id", "annotator", "rating", "genre"}
    assert {row["genre"] for row in rows_of(files["items/test.tsv"]) + rows_of(files["test.tsv"])} == {"news"}
    assert not any("context" in files[name] for name in ("README.md", "data-card.md", "task.toml"))
    assert "12 annotators gave" in files["data-card.md"]
    assert "because they have fewer than 4 ratings: 1." in files["data-card.md"]
    check_bundle(read_bundle(tmp_path / "out"))

    assert "`choice`, `first`: empty, because no pair was sorted" in files["README.md"]


def test_decision_is_the_gold_of_its_pair_even_without_enough_ratings(export: Path, tmp_path: Path) -> None:
    folder = write_variant(export, tmp_path / "decided", "", "")
    keys = {row["right"]: row["key"] for row in small_export.units()}
    (folder / "decisions-free.csv").write_text("unit,decision\ng0-0,2.5\ng0-1,1\n")
    (folder / "decisions-dependent.csv").write_text("unit,decision\ng0-0,3\n")
    files = make(folder, tmp_path / "out", "--at-least", 4)
    rows = {keys[row["right"]]: row for row in rows_of(files["test-free.tsv"])}
    assert len(rows) == 24
    assert [(rows[key]["decision"], rows[key]["gold"]) for key in ("g0-0", "g0-1")] == [
        ("2.5", "2.5"), ("1", "1"),
    ]  # fmt: skip
    assert all(row["gold"] == row["mean"] for row in rows.values() if not row["decision"])
    assert "or the decision of the organizers (3)." in files["data-card.md"]
    tables = require_figures(tmp_path / "out")
    units = {row["code"]: row["units"] for row in tables["alpha"]}
    assert (units["alpha.free"], units["alpha.free.undecided"], units["alpha.dep.undecided"]) == (24, 22, 23)
    assert 'gold = "gold" }' in files["task.toml"]
    check_bundle(read_bundle(tmp_path / "out"))


def write_variant(export: Path, folder: Path, old: str, new: str) -> Path:
    """The export with another annotation.toml, and without the first rating of its first unit."""
    shutil.copytree(export, folder)
    path = folder / "campaign" / "annotation.toml"
    path.write_text(small_export.ANNOTATION.replace(old, new), encoding="utf-8")
    for name in ("ratings-free.csv", "ratings-dependent.csv"):
        head, _first, *lines = (folder / name).read_text(encoding="utf-8").splitlines(keepends=True)
        (folder / name).write_text("".join([head, *lines]), encoding="utf-8")
    return folder


def test_pairs_need_as_many_ratings_as_the_gold_standard_of_the_campaign(
    export: Path, tmp_path: Path
) -> None:
    gold = '[gold]\nround = "rate"\nrule = "mean"\nat_least = 4\n'
    folder = write_variant(export, tmp_path / "gold", "[entry.students]", f"{gold}[entry.students]")
    assert len(rows_of(make(folder, tmp_path / "by-rule")["test-free.tsv"])) == 23
    assert len(rows_of(make(folder, tmp_path / "all", "--at-least", 1)["test-free.tsv"])) == 24
    folder = write_variant(export, tmp_path / "no-gold", "", "")
    assert len(rows_of(make(folder, tmp_path / "no-rule")["test-free.tsv"])) == 24


def test_expected_ratings_are_the_ends_and_the_middle_of_the_scale(export: Path, tmp_path: Path) -> None:
    wide = "scale = { min = 0, max = 8, step = 1 }"
    folder = write_variant(export, tmp_path / "wide", "scale = { min = 0, max = 6, step = 1 }", wide)
    files = make(folder, tmp_path / "out")
    assert "scorer figures . --expected A=8,B=4,C=0\n" in files["README.md"]
    require_figures(tmp_path / "out")
    assert files == make(folder, tmp_path / "given", "--expected", "A=8,B=4,C=0")


@pytest.mark.parametrize(
    ("name", "old", "new", "message"),
    [
        (
            "units.tsv",
            "\tThe buoy of day 1 is",
            "\tThe <sent> of day 1 is",
            'units.tsv:2: the column "right" has <sent>',
        ),
        (
            "units.tsv",
            "<sent>The gull",
            "The gull",
            'column "right_context" needs one <sent>',
        ),
        ("units.tsv", "<sent>The gull", "<sent>A gull", 'column "right_context" has another text between'),
        (
            "choices.tsv",
            "The mast of day 700",
            "The </sent> of day 700",
            'choices.tsv:26: the column "right" has the mark',
        ),
        (
            "ratings-free.csv",
            "g0-0,A002",
            "nowhere,A002",
            'ratings-free.csv:3: the unit "nowhere" is not in units.tsv',
        ),
        ("campaign/annotation.toml", "scale", "scales", "annotation.toml: campaign.scales: unknown key"),
        (
            "campaign/annotation.toml",
            '"left_context", "right_context"',
            '"left"',
            "needs a pass without context, and may",
        ),
    ],
)
def test_faults_are_refused_by_line(
    export: Path, tmp_path: Path, name: str, old: str, new: str, message: str
) -> None:
    folder = tmp_path / "broken"
    shutil.copytree(export, folder)
    text = (folder / name).read_text(encoding="utf-8")
    assert old in text
    (folder / name).write_text(text.replace(old, new, 1), encoding="utf-8")
    result = run("dataset", folder, "--out", tmp_path / "out")
    assert result.exit_code == 1
    assert message in result.stderr
    assert not (tmp_path / "out").exists()


def test_folder_with_files_is_not_overwritten(export: Path, dataset: Path) -> None:
    result = run("dataset", export, "--out", dataset)
    assert result.exit_code == 2
    assert "nothing is overwritten" in result.stderr


SENTENCES = st.lists(st.sampled_from(["Fog fell.", "It rained!", "“Who?” he asked.", "A gull…"]), max_size=5)


@given(SENTENCES, SENTENCES, st.integers(0, 6))
def test_context_has_at_most_so_many_sentences_on_each_side(
    before: list[str], after: list[str], n: int
) -> None:
    key = "<sent>A boat. It left.</sent>"
    passage = " ".join([*before, key, *after])
    assert explain_context(passage, "A boat. It left.") is None
    assert limit_context(passage, n) == " ".join(
        [*before[len(before) - min(n, len(before)) :], key, *after[:n]]
    )


def write_bws_export(folder: Path) -> Path:
    """The best-worst round of the chain, answered by three annotators."""
    campaign = folder / "campaign"
    campaign.mkdir(parents=True)
    write_chain(campaign)
    (folder / "manifest.json").write_text('{"round": "bws"}')
    lines = ["tuple,group,genre,annotator,Item1,Item2,Item3,BestItem,WorstItem,shown"]
    tuples = [line.split("\t") for line in (campaign / "tuples.tsv").read_text().splitlines()[1:]]
    for number, (group, *keys) in enumerate(tuples, start=1):
        for who in range(3):
            best, worst = keys[(who * number) % 3], keys[(who * number + 1 + who % 2) % 3]
            lines.append(",".join([f"t{number}", group, "", f"A00{who + 1}", *keys, best, worst, ""]))
    (folder / "bws.csv").write_text("\n".join(lines) + "\n")
    return folder


def test_best_worst_data_set_has_scores_and_answers(tmp_path: Path) -> None:
    export = write_bws_export(tmp_path / "export")
    files = make(export, tmp_path / "out")
    tables = require_figures(tmp_path / "out")
    assert set(tables) == {"reliability", "choices", "scores"}
    assert sum(row["n"] for row in tables["scores"]) == len(rows_of(files["test.tsv"]))
    offline = run(
        "bws", "score", export / "bws.csv", "--annotator", "annotator", "--tuple", "tuple", "--format", "json"
    )
    expected = sorted(row["scaled"] for row in json.loads(offline.stdout)["tables"]["scores"])
    assert sorted(round(float(row["scaled"]), 10) for row in rows_of(files["test.tsv"])) == expected
    assert rows_of(files["items/test.tsv"])[0]["context"] == "A: Where is the ferry?"
    assert "A001" not in "".join(files.values())
    check_bundle(read_bundle(tmp_path / "out"))


def test_best_worst_answer_about_an_unknown_item_is_refused(tmp_path: Path) -> None:
    export = write_bws_export(tmp_path / "export")
    text = (export / "bws.csv").read_text()
    (export / "bws.csv").write_text(text.replace("d1", "d9"))
    result = run("dataset", export, "--out", tmp_path / "out")
    assert result.exit_code == 1
    assert 'bws.csv:2: the item "d9" is not a key of dialogues.tsv' in result.stderr


def test_files_that_are_not_those_of_the_manifest_are_refused_by_name(export: Path, tmp_path: Path) -> None:
    folder = tmp_path / "export"
    shutil.copytree(export, folder)
    names = ("units.tsv", "ratings-dependent.csv")
    hashes = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in names}
    manifest = {"round": "rate", "files": {**hashes, "gold.tsv": "0"}}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    with (folder / "ratings-dependent.csv").open("a") as file:
        file.write("\n")
    for command in (("dataset", folder, "--out", tmp_path / "out"), ("figures", folder)):
        refused = run(*command)
        assert refused.exit_code == 1
        for name in ("ratings-dependent.csv", "gold.tsv"):
            assert f"{name}: not the file that was exported, as manifest.json shows" in refused.stderr
        assert "units.tsv" not in refused.stderr


def test_task_has_the_contact_of_the_campaign(dataset: Path) -> None:
    assert 'contact = "organizers@example.org"' in (dataset / "task.toml").read_text(encoding="utf-8")


def test_round_in_which_annotators_wrote_makes_no_data_set(tmp_path: Path) -> None:
    done = CliRunner().invoke(
        cli, ["dataset", str(write_texts(tmp_path / "export")), "--out", str(tmp_path / "o")]
    )
    assert done.exit_code == 1
    assert (
        "one of kind write; make the campaign in which its pairs are rated (`scorer campaign next`)"
        in done.output
    )
