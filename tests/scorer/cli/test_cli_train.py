"""`scorer train ridge`: its report and runs, groups, and errors."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from scorer.cli.train import command
from scorer.errors import GoldError, RequestError, UndefinedError
from scorer.metrics import pearson

LEVEL = "paragraph2sentence"


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(command, ["ridge", *(str(argument) for argument in arguments)])


def values(path: Path) -> list[float]:
    return [float(line.split("\t")[0]) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def halves(shared: Path, tmp_path: Path) -> list[Path]:
    """The items and the gold of the even official training pairs, and those of the odd ones."""
    folder, paths = shared / "data" / "clss", []
    for half in (0, 1):
        for part in ("data/training/{}.train.input.tsv", "keys/training/{}.train.gs.tsv"):
            lines = (folder / part.format(LEVEL)).read_text(encoding="utf-8").splitlines(keepends=True)
            paths.append(tmp_path / f"{part.partition('/')[0]}{half}.tsv")
            paths[-1].write_text("".join(lines[half::2]), encoding="utf-8")
    return paths


@pytest.fixture
def training(tmp_path: Path) -> tuple[Path, Path]:
    words = ["the old mill", "boat", "the pier", "harbour left", "old boat", "the mill left", "pier", "old"]
    pairs = [f"{words[n % 8]}\t{words[n // 8]}\tNews-{n}\n" for n in range(40)]
    items, gold = tmp_path / "items.tsv", tmp_path / "gold.tsv"
    items.write_text("".join(pairs), encoding="utf-8")
    gold.write_text("".join(f"{n % 4}\n" for n in range(40)), encoding="utf-8")
    return items, gold


def test_a_regression_predicts_other_items_better_than_its_best_feature(
    halves: list[Path], tmp_path: Path
) -> None:
    items, gold, others, other_gold = halves
    files = tmp_path / "run.tsv", tmp_path / "own.tsv"
    options = ["--predict", others, files[0], "--cross-validated", files[1]]
    result = run(items, gold, *options, "--format", "json")
    assert result.exception is None
    report = json.loads(result.stdout)
    alone = max(row["alone"] for row in report["tables"]["weights"])
    r = pearson(values(other_gold), values(files[0]))
    assert r > alone + 0.01
    assert r == pytest.approx(0.7436, abs=0.0005)
    found = report["tables"]["scores"][0]["value"]
    assert found == pytest.approx(pearson(values(gold), values(files[1])), abs=1e-6)
    assert 0 <= min(values(files[0])) < max(values(files[0])) <= 4


def test_the_table_explains_the_weights(training: tuple[Path, Path]) -> None:
    result = run(*training)
    assert run(*training).stdout == result.stdout
    assert "feature             weight" in result.stdout
    assert "Each of 40 items was predicted" in result.stdout
    assert "8 groups of items are in 5 folds, and no group is in two." in result.stdout
    assert "|groups:8|folds:5|penalty:" in result.stdout


@pytest.mark.parametrize(
    ("options", "groups"),
    [
        (("--columns", "left,right,id,group"), 4),
        (("--columns", "left,right,id,part", "--genre", "part"), 4),
        ((), 8),
    ],
)
def test_a_group_or_genre_column_says_what_stays_together(
    training: tuple[Path, Path], options: tuple[str, ...], groups: int
) -> None:
    lines = training[0].read_text(encoding="utf-8").splitlines()
    grouped = (f"{line}\tg{n // 10}\n" if options else f"{line}\n" for n, line in enumerate(lines))
    training[0].write_text("".join(grouped), encoding="utf-8")
    assert f"|groups:{groups}|" in run(*training, *options).stdout


def test_items_without_gold_are_left_out(training: tuple[Path, Path], tmp_path: Path) -> None:
    items, gold = training
    gold.write_text("\n\n" + gold.read_text(encoding="utf-8").split("\n", 2)[2], encoding="utf-8")
    result = run(items, gold, "--predict", items, tmp_path / "run.tsv")
    assert "Each of 38 items" in result.stdout
    assert len(values(tmp_path / "run.tsv")) == 40
    refused = run(items, gold, "--cross-validated", tmp_path / "own.tsv").exception
    assert isinstance(refused, RequestError)
    assert (
        str(refused) == f"{gold}: --cross-validated needs a gold value for each item, and 2 of 40 have none"
    )


def test_confidences_of_word2sense_stay(tmp_path: Path) -> None:
    senses, items, gold = tmp_path / "senses", tmp_path / "items", tmp_path / "gold"
    senses.write_text("bank#n#1\tsloping land\nshore#n#1\tthe land\n", encoding="utf-8")
    words = ["bank", "shore", "sea", "lake"]
    lines = [f"{words[n % 4]}#n\t-\t{words[n // 4 % 2]}#n#1\tw2s-{n}\n" for n in range(16)]
    items.write_text("".join(lines), encoding="utf-8")
    gold.write_text("".join(f"{n % 3}\n" for n in range(16)), encoding="utf-8")
    result = run(items, gold, "--wordnet", senses, "--predict", items, tmp_path / "run")
    assert result.exception is None
    rests = [line.split("\t")[1] for line in (tmp_path / "run").read_text(encoding="utf-8").splitlines()]
    assert rests == ["1", "1", "0", "0"] * 4


def test_word_vectors_are_a_feature(training: tuple[Path, Path], tmp_path: Path) -> None:
    vectors = tmp_path / "vectors.txt"
    vectors.write_text("boat 1 0\nmill 0 1\nold 1 1\npier 1 -1\n", encoding="utf-8")
    result = run(*training, "--vectors", vectors, "--format", "tsv")
    assert "weights\tvectors\t" in result.stdout
    assert "have no vector" in result.stderr


def test_runs_that_cannot_be_written_are_refused_before_the_training(
    training: tuple[Path, Path], tmp_path: Path
) -> None:
    items, gold = training
    texts, vectors = items.read_bytes(), tmp_path / "vectors.txt"
    vectors.write_text("precious\n", encoding="utf-8")
    new, nowhere = tmp_path / "new.tsv", tmp_path / "nowhere" / "run.tsv"
    cases = [
        (("--predict", items, items), f"{items} is an input file, so it cannot be an output file"),
        (("--predict", items, gold), f"{gold} is an input file, so it cannot be an output file"),
        (("--vectors", vectors, "--predict", items, vectors), f"{vectors} is an input file"),
        (("--cross-validated", items), f"{items} is an input file"),
        (("--predict", items, new, "--cross-validated", new), f"{new} is named for two outputs"),
        (
            ("--predict", items, nowhere),
            f"{nowhere}: cannot be written: there is no folder {nowhere.parent}; ",
        ),
        (
            ("--predict", items, tmp_path),
            f"{tmp_path}: cannot be written: this is a folder; name another file",
        ),
    ]
    for arguments, message in cases:
        refused = run(*training, *arguments).exception
        assert isinstance(refused, RequestError)
        assert str(refused).startswith(message)
    assert (items.read_bytes(), vectors.read_text(encoding="utf-8")) == (texts, "precious\n")
    assert not new.exists()


def test_gold_outside_the_scale_is_refused(training: tuple[Path, Path]) -> None:
    with pytest.raises(
        GoldError, match=r"gold.tsv:4: 3 is not on the scale from 0 to 2; correct it, or give"
    ):
        raise run(*training, "--scale", "2").exception or AssertionError


def test_gold_without_different_values_is_refused(training: tuple[Path, Path]) -> None:
    training[1].write_text("2\n" * 40, encoding="utf-8")
    with pytest.raises(
        GoldError, match=r"gold.tsv: every item has the same value, so nothing can be learned"
    ):
        raise run(*training).exception or AssertionError


def test_one_group_is_refused(training: tuple[Path, Path], tmp_path: Path) -> None:
    items = tmp_path / "one.tsv"
    items.write_text("a\tb\n" * 40, encoding="utf-8")
    with pytest.raises(UndefinedError, match="at least 3 groups of items, and there are 1"):
        raise run(items, training[1]).exception or AssertionError
