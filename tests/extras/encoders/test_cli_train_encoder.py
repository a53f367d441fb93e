"""`scorer train cross`, `encoder` and `export` without PyTorch: what they need, and what they refuse."""

import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from scorer.cli.train import command
from scorer.errors import GoldError, RequestError
from tests.extras.encoders.tiny_bert import make_tokenizer, write_json, write_model


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(command, [str(argument) for argument in arguments])


@pytest.fixture
def model(tmp_path: Path) -> Path:
    folder = tmp_path / "base"
    write_json(folder / "config.json", {"architectures": ["BertModel"]})
    (folder / "model.safetensors").write_bytes(b"weights")
    make_tokenizer().save(str(folder / "tokenizer.json"))
    return folder


@pytest.fixture
def pairs(tmp_path: Path) -> tuple[Path, Path]:
    items, gold = tmp_path / "items.tsv", tmp_path / "gold.tsv"
    items.write_text("the old mill\tmill\tNews-1\nboat\tpier\tNews-2\n", encoding="utf-8")
    gold.write_text("3\n1\n", encoding="utf-8")
    return items, gold


@pytest.mark.parametrize("kind", ["cross", "encoder", "export"])
def test_a_missing_package_is_one_sentence_with_the_command(
    model: Path, pairs: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    training = (*pairs, "--dev", *pairs, "--model", model)
    refused = run(kind, *((model, tmp_path / "new") if kind == "export" else training)).exception
    assert isinstance(refused, RequestError)
    expected = "training needs the package torch: install it with pip install onnxruntime onnxscript torch"
    assert str(refused) == f"{expected} transformers"


def test_weights_that_can_run_code_are_not_read(model: Path, pairs: tuple[Path, Path]) -> None:
    (model / "model.safetensors").rename(model / "pytorch_model.bin")
    refused = run("cross", *pairs, "--dev", *pairs, "--model", model).exception
    assert isinstance(refused, RequestError)
    assert str(refused).startswith(f"{model}: there is no model; it needs one of model.safetensors, ")


def test_a_folder_with_weights_alone_says_how_to_make_the_model(
    model: Path, pairs: tuple[Path, Path]
) -> None:
    refused = run("ridge", *pairs, "--model", model).exception
    assert isinstance(refused, RequestError)
    assert str(refused).endswith("; make it from the weights with scorer train export")


def test_runs_that_cannot_be_written_are_refused_before_training(
    model: Path, pairs: tuple[Path, Path], tmp_path: Path
) -> None:
    dev = tmp_path / "dev.seed2.tsv"
    dev.write_bytes(pairs[0].read_bytes())
    training = "cross", *pairs, "--dev", dev, pairs[1], "--model", model, "--seeds", "2"
    missing = run(*training, "--predict", dev, tmp_path / "nowhere" / "run.tsv").exception
    assert isinstance(missing, RequestError)
    assert str(missing).startswith(f"{tmp_path}/nowhere/run.seed1.tsv: cannot be written: there is no folder")
    refused = run(*training, "--predict", pairs[0], tmp_path / "dev.tsv").exception
    assert isinstance(refused, RequestError)
    assert str(refused).startswith(f"{dev} is an input file, so it cannot be an output file")


def test_the_dev_items_are_checked_before_training(
    model: Path, pairs: tuple[Path, Path], tmp_path: Path
) -> None:
    with pytest.raises(GoldError, match="3 is not on the scale from 0 to 2"):
        raise run("cross", *pairs, "--dev", *pairs, "--model", model, "--scale", "2").exception or ValueError
    same = tmp_path / "same.tsv"
    same.write_text("2\n2\n", encoding="utf-8")
    with pytest.raises(GoldError, match=r"same.tsv: every item has the same value"):
        raise run("cross", *pairs, "--dev", pairs[0], same, "--model", model).exception or ValueError
    assert "Missing option '--dev'" in run("cross", *pairs, "--model", model).stderr


def test_nothing_is_overwritten(model: Path, pairs: tuple[Path, Path]) -> None:
    for arguments in (
        ("cross", *pairs, "--dev", *pairs, "--save", model, "--model", model),
        ("export", model, model),
    ):
        with pytest.raises(RequestError, match="is not empty, and nothing is overwritten"):
            raise run(*arguments).exception or ValueError


def test_an_encoder_is_a_feature_of_a_regression_and_says_what_it_cut(
    pairs: tuple[Path, Path], tmp_path: Path
) -> None:
    write_model(tmp_path / "short", length=4)
    words = ["the old mill", "boat", "old boat", "pier"]
    pairs[0].write_text("".join(f"{word} {n}\tmill\tT-{n}\n" for n, word in enumerate(words * 3)), "utf-8")
    pairs[1].write_text("".join(f"{n % 4}\n" for n in range(12)), encoding="utf-8")
    result = run("ridge", *pairs, "--model", tmp_path / "short", "--format", "tsv")
    assert result.exception is None
    assert "weights\tencoder\t" in result.stdout
    assert result.stderr.endswith(", at most 4 tokens; 6 texts were longer and cut at the end\n")
