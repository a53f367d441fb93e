"""`scorer bundle new` writes a task.toml that `check` accepts and that gives the board of one by hand."""

import json
import re
import subprocess
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from scorer.bundles.example_bundles import EXAMPLES, write_example
from scorer.cli.__main__ import cli
from tests.field_formats import PACKAGES, write_package
from tests.official_layouts import write_official
from tests.scorer.terminal import scorer_in_terminal

ROOT = Path(__file__).parents[3]
TASKS = ROOT / "deploy" / "tasks"
TO_DO = {"title", "description", "licence", "organizers", "contact"}
"""The texts that nothing in a folder tells."""


def scorer(*arguments: object) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments])


def new(folder: Path, *options: object) -> Result:
    return scorer("bundle", "new", folder, *options)


def task(folder: Path) -> dict[str, Any]:
    return tomllib.loads((folder / "task.toml").read_text(encoding="utf-8"))


def write(folder: Path, files: Mapping[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def pairs(*ids: str) -> str:
    return "".join(f"a text of {place}\tanother {place}\t{name}\n" for place, name in enumerate(ids))


def board(folder: Path, config: Path, split: str, runs: Path | None) -> dict[str, Any]:
    more = [] if runs is None else ["--runs", runs]
    result = scorer("board", folder, "--config", config, "--split", split, "--format", "json", *more)
    assert result.exit_code == 0, result.stderr
    values: dict[str, Any] = json.loads(result.stdout)
    return values


def comparable(values: dict[str, Any], levels: set[str]) -> dict[str, Any]:
    """The rules, and each system's rank, total and scores, but not titles, nor SICK's third metric."""
    kept = {name: [_without_mse(row) for row in values[name]] for name in ("official", "late")}
    slugs = {level["slug"]: level["metrics"][0] for level in values["levels"] if level["slug"] in levels}
    return {"rules": values["rules"], "levels": slugs, **kept}


def _without_mse(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_mse(inner) for name, inner in value.items() if name != "mse"}
    return [_without_mse(inner) for inner in value] if isinstance(value, list) else value


@pytest.mark.parametrize("name", ["clss-2014", *PACKAGES])
def test_official_package_gets_the_board_of_the_task_file_by_hand(name: str, tmp_path: Path) -> None:
    package = write_official(tmp_path, name)
    config = tmp_path / "guess.toml"
    done = new(package.folder, "--config", config)
    assert (done.exit_code, done.stdout) == (0, f"{config}\n"), done.stderr
    assert not (package.folder / "task.toml").exists()
    result = scorer("bundle", "check", package.folder, "--config", config, "--format", "json")
    assert result.exit_code == 0
    missing = {path.split(".")[1] for path in json.loads(result.stdout)["to_do"]}
    assert missing <= TO_DO | {"labels", "opens", "closes"}
    split = "training" if name == "clss-2014" else "test"
    guessed, by_hand = (
        board(package.folder, toml, split, package.runs) for toml in (config, TASKS / f"{name}.toml")
    )
    levels = {level["slug"] for level in by_hand["levels"]}
    assert len(guessed["official"]) == 2
    assert comparable(guessed, levels) == comparable(by_hand, levels)


@pytest.mark.parametrize("name", PACKAGES)
def test_small_package_with_runs_in_it_needs_no_correction(name: str, tmp_path: Path) -> None:
    package = write_package(tmp_path / "package", name)
    assert new(package.folder).exit_code == 0
    split = {"split": "test"}
    guessed = board(package.folder, package.folder / "task.toml", **split, runs=None)
    by_hand = board(package.folder, package.config, **split, runs=None)
    assert [(row["team"], row["run"]) for row in guessed["official"]] == [
        (row["team"], row["run"]) for row in by_hand["official"]
    ]


@pytest.mark.parametrize("name", EXAMPLES)
def test_guess_for_an_example_equals_the_example(name: str, tmp_path: Path) -> None:
    write_example(name, tmp_path)
    (tmp_path / "task.toml").rename(tmp_path.with_suffix(".toml"))
    assert new(tmp_path).exit_code == 0
    guessed, by_hand = task(tmp_path), tomllib.loads(tmp_path.with_suffix(".toml").read_text("utf-8"))
    assert guessed["level"] == by_hand["level"]
    assert guessed["task"]["scale"]["max"] == by_hand["task"]["scale"]["max"]
    assert guessed["task"].get("keyed") == by_hand["task"].get("keyed")
    assert guessed["task"]["description"] == "description.md"
    assert [phase["split"] for phase in guessed["phase"]] == ["trial", "test"]
    baselines = [("LCS", "lcs"), ("GST", "gst"), ("TF-IDF", "tfidf")]
    assert [(run["name"], run["baseline"]) for run in guessed["run"]] == baselines


def test_existing_task_file_is_never_replaced(tmp_path: Path) -> None:
    write(tmp_path, {"items.tsv": pairs("x-1", "x-2"), "task.toml": "mine"})
    done = new(tmp_path)
    assert (done.exit_code, done.stdout) == (1, "")
    assert "task.toml: exists, and is never replaced. Check it with `scorer bundle check`" in done.stderr
    assert (tmp_path / "task.toml").read_text(encoding="utf-8") == "mine"
    done = new(tmp_path, "--config", tmp_path / "none" / "task.toml")
    assert (done.exit_code, "does not exist; make it first" in done.stderr) == (1, True)


def test_folder_without_items_is_an_error_with_the_reason_for_each_file(tmp_path: Path) -> None:
    done = new(tmp_path)
    assert (done.exit_code, done.stdout) == (1, "")
    assert "no file here has items: two columns of texts, with a tab between them" in done.stderr
    assert "`scorer bundle new --example aligned NEW_FOLDER` writes an example" in done.stderr
    write(
        tmp_path,
        {
            "gold.tsv": "1\n2\n",
            "prose.txt": "Some words, and some more\nwithout any columns\n",
            "semi.csv": "a;b\nc;d\n",
            "empty.tsv": "",
            "notes.md": "# Notes",
        },
    )
    (tmp_path / "binary.tsv").write_bytes(bytes(range(256)))
    lines = new(tmp_path).stderr.splitlines()[1:]
    assert [line.split(": ")[0] for line in lines] == [
        "binary.tsv",
        "empty.tsv",
        "prose.txt",
        "semi.csv",
        "gold.tsv",
    ]
    assert "semi.csv: has columns with semicolons between them; write tabs or commas" in lines
    assert "gold.tsv: has scores, and no items to which they belong" in lines
    assert not (tmp_path / "task.toml").exists()
    assert (
        "gold.tsv: is a file; unpack it if it is an archive, and name a folder"
        in new(tmp_path / "gold.tsv").stderr
    )
    missing = new(tmp_path / "none")
    assert (missing.exit_code, "there is no such folder" in missing.stderr) == (1, True)


def test_items_alone_are_a_task_whose_gold_comes_later(tmp_path: Path) -> None:
    write(tmp_path, {"items.tsv": pairs("x-1", "x-2")})
    assert new(tmp_path).exit_code == 0
    assert task(tmp_path)["level"][0]["test"] == {"items": "items.tsv"}
    assert "there is no gold: correct this" in (tmp_path / "task.toml").read_text(encoding="utf-8")
    result = scorer("bundle", "check", tmp_path)
    assert "No gold for" in result.stdout
    assert "phase[evaluation].closes" in result.stdout
    assert "evaluation  test   to do  to do" in result.stdout


@pytest.mark.parametrize(
    ("items", "columns"),
    [
        ("a boat\tvessel\n", ["left", "right"]),
        ("boat#n\tship%1:06:00::\tship#n#1\tw2s-1\nlamp#n\tlight%1:06:00::\tlight#n#2\tw2s-2\n", None),
        ("7\ta boat\tvessel\n8\ta lamp\tlight\n", ["id", "left", "right"]),
        ("a boat\tvessel\tnote\na lamp\tlight\n", ["left", "right", "..."]),
        ("a boat\tvessel\t0.25\na lamp\tlight\t3\n", ["left", "right", "..."]),
        ("q1\ta boat\tvessel\t3.75\nq2\ta lamp\tlight\t1.5\n", ["id", "left", "right", "..."]),
        ("a boat\tvessel\tv1.5\na lamp\tlight\tv1.6\n", ["left", "right", "id"]),
        ("".join(f"a boat {k}\ta lamp {k}\t{'news' if k % 2 else 'web'}\tq{k}\n" for k in range(12)),
         ["left", "right", "genre", "id"]),
    ],
)  # fmt: skip
def test_columns_without_a_header_are_found_by_content(
    items: str, columns: list[str] | None, tmp_path: Path
) -> None:
    write(tmp_path, {"items.tsv": items})
    assert new(tmp_path).exit_code == 0
    (level,) = task(tmp_path)["level"]
    assert level["columns"] == (columns or ["left", "sense_key", "right", "id"])
    assert level.get("genre") == ("genre" if columns and "genre" in columns else None)


@pytest.mark.parametrize(
    ("header", "columns"),
    [
        (
            "id,premise,hypothesis,genre",
            {"id": "id", "left": "premise", "right": "hypothesis", "genre": "genre"},
        ),
        ("text_a,text_b,item_id", {"id": "item_id", "left": "text_a", "right": "text_b"}),
    ],
)
def test_columns_with_a_header_are_found_by_name_and_content(
    header: str, columns: dict[str, str], tmp_path: Path
) -> None:
    values = {"id": "k{}", "item_id": "k{}", "genre": "news"}
    rows = [
        ",".join(values.get(name, f"{name} text {{}}").format(k) for name in header.split(","))
        for k in range(5)
    ]
    write(tmp_path, {"items.csv": "\n".join([header, *rows, ""])})
    assert new(tmp_path).exit_code == 0
    (level,) = task(tmp_path)["level"]
    assert (level["columns"], level["delimiter"]) == (columns, "comma")
    assert list(level["columns"]) == [name for name in ("id", "left", "right", "genre") if name in columns]


def test_gold_that_does_not_fit_is_left_out_and_named(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "news.items.tsv": pairs("x-1", "x-2", "x-3"),
            "news.gold.tsv": "1\n2\n3\n",
            "web.items.tsv": pairs("y-1", "y-2"),
            "web.gold.tsv": "1\n2\n3\n4\n",
            "other.gold.tsv": "1\n",
        },
    )
    done = new(tmp_path)
    assert done.exit_code == 0
    assert [level["slug"] for level in task(tmp_path)["level"]] == ["news"]
    text = (tmp_path / "task.toml").read_text(encoding="utf-8")
    assert "# - has 4 labels, and web.items.tsv has 2 items:\n#       web.gold.tsv\n" in text
    assert "#       other.gold.tsv\n" in text
    assert "not used: web.items.tsv: has items whose gold was not found" in done.stderr


def test_labels_beside_texts_without_ids_get_a_note(tmp_path: Path) -> None:
    rows = "".join(f"a text {k}\tanother {k}\t{k}.5\n" for k in range(4))
    write(tmp_path, {"train.tsv": f"sentence1\tsentence2\tscore\n{rows}"})
    done = new(tmp_path)
    assert done.exit_code == 0
    assert (
        "note: train.tsv has labels in its column score, and no column of ids. Write the labels to a"
        in done.stderr
    )
    assert "# NOTE: train.tsv has labels" in (tmp_path / "task.toml").read_text(encoding="utf-8")


def test_labels_that_everyone_could_download_with_the_test_items_are_named(tmp_path: Path) -> None:
    rows = [f"x{k},a text {k},another {k},{k}.5" for k in range(4)]
    write(tmp_path / "a", {"test.csv": "\n".join(["id,sentence1,sentence2,score", *rows, ""])})
    notes = new(tmp_path / "a").stderr
    assert "note: test.csv: the test items are in one file with their gold. The task.toml makes this" in notes
    assert task(tmp_path / "a")["level"][0]["test"]["public_gold"] is True
    assert (
        "Everyone can download the gold of the test split" in scorer("bundle", "check", tmp_path / "a").stdout
    )
    rows = [f"a text of {k}\tanother {k}\t{k % 3}.5" for k in range(9)]
    write(tmp_path / "b", {"test.tsv": "\n".join([*rows, ""]), "gold.tsv": "1\n" * 9})
    assert "test.tsv has numbers in column 3. If these are labels, remove them" in new(tmp_path / "b").stderr
    write(tmp_path / "c", {"test.tsv": "\n".join(["left\tright\tscore", *rows, ""]), "gold.tsv": "1\n" * 9})
    assert "test.tsv has numbers in score. If these are labels, remove them" in new(tmp_path / "c").stderr


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        (
            "gold.tsv",
            "score\n1\n2\n",
            "begins with a header; a list of labels has none, so remove the first line",
        ),
        (
            "gold.tsv",
            "x-1\t1\nx-2\t2\n",
            "has two columns and no header; write a first line with their names",
        ),
        (
            "gold.csv",
            "id;score\nx-1;1,5\nx-2;2,5\n",
            "has columns with semicolons between them; write tabs or commas",
        ),
        ("gold.json", '[{"id": "x-1"}]\n', "is JSON; write tab-separated text or CSV"),
        ("gold.tsv", "1\n2\n3\n", "has 3 labels, and items.tsv has 2 items"),
    ],
)
def test_gold_in_a_wrong_form_is_named_with_the_fix(
    name: str, text: str, reason: str, tmp_path: Path
) -> None:
    write(tmp_path, {"items.tsv": pairs("x-1", "x-2"), name: text})
    done = new(tmp_path)
    assert done.exit_code == 0
    assert f"not used: {name}: {reason}" in done.stderr


def test_gold_with_the_spread_of_ratings_is_recognized_and_scored(tmp_path: Path) -> None:
    gold = "gold\tn\tsd\n1.5\t4\t0.58\n3.25\t4\t1.26\n"
    write(tmp_path, {"items.tsv": pairs("x-1", "x-2"), "gold.tsv": gold, "runs/birch/one.tsv": "2.5\n4.5\n"})
    assert "not used" not in new(tmp_path).stderr
    draft = (tmp_path / "task.toml").read_text(encoding="utf-8")
    config = re.sub(r"^metrics = .*$", 'metrics = ["within_sd"]', draft, flags=re.MULTILINE)
    (tmp_path / "task.toml").write_text(config, encoding="utf-8")
    (row,) = board(tmp_path, tmp_path / "task.toml", "test", None)["official"]
    (cells,) = row["levels"].values()
    assert cells["within_sd"]["value"] == 0.5  # 1 away is too far; 1.25 is within 1.26


def test_levels_without_ids_are_left_out_of_a_keyed_task(tmp_path: Path) -> None:
    files = {
        "news.test.tsv": pairs("x-1", "x-2"),
        "news.gold.csv": "id,score\nx-2,1\nx-1,2\n",
        "web.test.tsv": "a boat\tvessel\na lamp\tlight\n",
        "web.gold.tsv": "1\n2\n",
    }
    done = new(write(tmp_path, files))
    assert done.exit_code == 0, done.stderr
    assert [level["slug"] for level in task(tmp_path)["level"]] == ["news"]
    assert task(tmp_path)["task"]["keyed"] == {"id": "id", "score": "score"}
    assert "web.test.tsv: has no ids, and the runs of other levels are keyed" in done.stderr


def test_same_data_sets_of_several_years_get_names_with_their_folders(tmp_path: Path) -> None:
    files = {}
    for year in ("STS2013-gold", "STS2014-gold"):
        for name in ("headlines", "OnWN"):
            files[f"{year}/STS.input.{name}.txt"] = "a boat\tvessel\na lamp\tlight\n"
            files[f"{year}/STS.gs.{name}.txt"] = "1\n2\n"
    assert new(write(tmp_path, files)).exit_code == 0
    levels = {level["slug"]: level["test"]["gold"] for level in task(tmp_path)["level"]}
    assert levels == {
        "STS2013-headlines": "STS2013-gold/STS.gs.headlines.txt",
        "STS2013-OnWN": "STS2013-gold/STS.gs.OnWN.txt",
        "STS2014-headlines": "STS2014-gold/STS.gs.headlines.txt",
        "STS2014-OnWN": "STS2014-gold/STS.gs.OnWN.txt",
    }


def test_runs_in_other_layouts_get_entries_and_confidences_a_maximum(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "data/train/p2s.tsv": pairs("x-1", "x-2", "x-3"),
            "gold/train/p2s.tsv": "1\n2\n3\n",
            "data/test/p2s.tsv": pairs("y-1", "y-2"),
            "gold/test/p2s.tsv": "1\n2\n",
            "runs/birch/p2s.train.tsv": "1\t90\n2\t80\n2.5\t100\n",
            "runs/elm/first/p2s.tsv": "1\n2\n",
            "runs/ash/one/p2s.test.tsv": "2\n1\n",
            "runs/oak/one/p2s.test.tsv": "2\n",
            "data/trial/p2s.tsv": pairs("z-1", "z-2"),
            "gold/trial/p2s.tsv": "1\n2\n",
            "runs/oak/one/p2s.trial.tsv": "2\n1\n",
        },
    )
    done = new(tmp_path)
    assert done.exit_code == 0, done.stderr
    values = task(tmp_path)
    assert values["task"]["confidence"] == 100
    assert values["run"][3:] == [
        {"team": "ash", "name": "one", "files": {"p2s": "runs/ash/one/p2s.test.tsv"}},
        {"team": "birch", "name": "run1", "phase": "practice", "files": {"p2s": "runs/birch/p2s.train.tsv"}},
    ]
    assert [phase["split"] for phase in values["phase"]] == ["training", "test"]
    assert "not used: runs/oak/one/p2s.test.tsv: is a run, and does not fit the 2 items" in done.stderr
    assert "p2s.trial.tsv: is a run for trial items, and there is no phase on them" in done.stderr
    report = json.loads(scorer("bundle", "check", tmp_path, "--format", "json").stdout)
    assert report["runs"] == 3


def test_data_with_bad_lines_is_described_and_its_problems_are_listed(tmp_path: Path) -> None:
    items = pairs(*(f"x-{k}" for k in range(9)))
    write(tmp_path, {"test.tsv": f"{items}only one column\n", "test.gold.tsv": "1\n" * 9 + "bad\n"})
    done = new(tmp_path)
    assert done.exit_code == 1
    assert "task.toml was written, and these files have problems:" in done.stderr
    assert "test.tsv:10: " in done.stderr
    assert task(tmp_path)["level"][0]["test"]["gold"] == "test.gold.tsv"


def test_names_with_quotes_and_a_title_from_the_folder_are_valid_toml(tmp_path: Path) -> None:
    folder = tmp_path / 'My "Task" 2026'
    write(folder, {'it"s \\ items.tsv': pairs("x-1", "x-2")})
    assert new(folder).exit_code == 0
    assert task(folder)["task"]["slug"] == "my-task-2026"
    assert scorer("bundle", "check", folder).exit_code == 0


def test_example_is_written_to_a_new_folder(tmp_path: Path) -> None:
    done = new(tmp_path / "mine", "--example", "keyed")
    assert (done.exit_code, done.stdout) == (0, "")
    assert scorer("bundle", "check", tmp_path / "mine").exit_code == 0
    again = new(tmp_path / "mine", "--example", "keyed")
    assert (again.exit_code, "is not empty, and nothing is overwritten" in again.stderr) == (1, True)
    assert new(tmp_path / "other", "--example", "nothing").exit_code == 2


def in_terminal(folder: Path, typed: str) -> subprocess.CompletedProcess[str]:
    return scorer_in_terminal("bundle", "new", folder, typed=typed)


FILES = {
    "phrase2word.test.tsv": pairs("x-1", "x-2", "x-3"),
    "phrase2word.test.gold.tsv": "0\n2\n4\n",
    "word2sense.test.tsv": pairs("y-1", "y-2", "y-3"),
    "word2sense.test.gold.tsv": "0\n1\n4\n",
}


def test_pressing_enter_all_the_way_gives_what_is_written_without_a_terminal(tmp_path: Path) -> None:
    asked, silent = (write(tmp_path / name / "task", FILES) for name in ("asked", "silent"))
    done = in_terminal(asked, "\n" * 10)
    assert (done.returncode, done.stdout) == (0, f"{asked / 'task.toml'}\n"), done.stderr
    assert "Official metric" in done.stderr
    assert new(silent).exit_code == 0
    assert (asked / "task.toml").read_bytes() == (silent / "task.toml").read_bytes()


def test_answers_in_a_terminal_are_written(tmp_path: Path) -> None:
    typed = "A “title”\n5\n1\n1\n5\nspearman\nmean\nsoon\n2026-03-02\n2026-02-01\n2026-03-02\n2026-03-15\n"
    done = in_terminal(write(tmp_path / "task", FILES), typed)
    assert done.returncode == 1  # the gold has labels below 1
    assert "the lowest rating must be below the highest" in done.stderr
    assert '"soon" is not a date such as 2026-03-15' in done.stderr
    assert "the evaluation must close after it opens" in done.stderr
    values = task(tmp_path / "task")
    assert values["task"]["title"] == "A “title”"
    assert values["task"]["scale"] == {"min": 1, "max": 5}
    assert values["task"]["metrics"] == ["spearman", "pearson"]
    assert values["board"]["total"] == "mean"
    (phase,) = values["phase"]
    assert phase["opens"].isoformat() == "2026-03-02T00:00:00+00:00"
    assert phase["closes"].isoformat() == "2026-03-15T23:59:59-12:00"


def test_every_official_metric_can_be_chosen_with_any_total(tmp_path: Path) -> None:
    folder = write(tmp_path / "task", FILES)
    for metric in ("mse", "kendall"):
        (folder / "task.toml").unlink(missing_ok=True)
        done = in_terminal(folder, f"\n\n\n{metric}\nsum\n\n\n")
        assert done.returncode == 0, done.stderr
        assert task(folder)["task"]["metrics"][0] == metric


def test_gold_that_ends_before_the_items_is_pointed_out(tmp_path: Path) -> None:
    files = {"data/test/p2s.tsv": pairs("A-1", "A-2", "B-3", "B-4"), "gold/test/p2s.tsv": "1\n2\n3\n"}
    result = new(write(tmp_path, files))
    assert task(tmp_path)["level"][0]["test"]["scored"] == 3
    said = " ".join(result.stderr.split())
    assert "gold/test/p2s.tsv has 3 labels, and data/test/p2s.tsv has 4 items." in said
    assert "only the first 3 items are scored" in said
