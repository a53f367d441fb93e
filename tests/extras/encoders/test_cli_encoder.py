"""`scorer baseline encoder`: its options, what it writes, and its errors."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from scorer.cli.baseline import command
from scorer.encoders import Encoder, EncoderOptions, encoder_run
from scorer.errors import RequestError
from scorer.files.reading import parse_items
from tests.extras.encoders.tiny_bert import write_model

PAIRS = "the old mill\tthe mill\tNews-1\nthe <sent> old boat </sent> left\tboat\tNews-2\n"


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(command, ["encoder", *(str(argument) for argument in arguments)])


@pytest.fixture
def items(tmp_path: Path) -> Path:
    path = tmp_path / "items.tsv"
    path.write_text(PAIRS, encoding="utf-8")
    return path


@pytest.fixture
def model(tmp_path: Path) -> Path:
    write_model(tmp_path / "tiny")
    return tmp_path / "tiny"


def test_run_has_the_values_of_the_library(items: Path, model: Path) -> None:
    result = run(items, "--model", model, "--scale", "1,5")
    expected = encoder_run(Encoder(model), parse_items(PAIRS.encode(), "items.tsv"), scale=(1, 5))
    assert (result.stdout, result.exit_code) == (expected, 0)
    assert result.stderr == f"{model}: sentence encoder, pooling mean_tokens, at most 64 tokens\n"


def test_options_reach_the_model(items: Path, model: Path, tmp_path: Path) -> None:
    options = EncoderOptions(context=True, prefix="query: ", threads=2)
    flags = ("--context", "--prefix", "query: ", "--threads", "2", "--cache", tmp_path / "cache")
    expected = encoder_run(Encoder(model, options), parse_items(PAIRS.encode(), "items.tsv"))
    for _ in range(2):
        assert run(items, "--model", model, *flags).stdout == expected
    assert len(list((tmp_path / "cache").iterdir())) == 1


@pytest.mark.parametrize(
    ("cross", "flags", "message"),
    [
        (False, (), "1 text was longer and cut at the end"),
        (False, ("--context",), "2 texts were longer and cut on both sides of the marked sentence"),
        (True, (), "2 pairs were longer and cut at the end"),
    ],
)
def test_cut_texts_are_counted(
    items: Path, tmp_path: Path, cross: bool, flags: tuple[str, ...], message: str
) -> None:
    write_model(tmp_path / "short", cross=cross, length=5 if cross else 4)
    assert run(items, "--model", tmp_path / "short", *flags).stderr.endswith(f" tokens; {message}\n")


def test_calibrated_values_are_on_the_scale_of_gold(items: Path, model: Path, tmp_path: Path) -> None:
    train, gold = tmp_path / "train.tsv", tmp_path / "gold.txt"
    words = ["the old mill", "boat", "the pier", "harbour left", "old boat", "the mill left", "pier", "old"]
    pairs = [f"{words[n % 8]}\t{words[(n * 3 + n // 8) % 8]}\tNews-{n}\n" for n in range(40)]
    train.write_text("".join(pairs), encoding="utf-8")
    values = encoder_run(Encoder(model), parse_items(train.read_bytes(), "train.tsv"), scale=1).split()
    gold.write_text("".join(f"{1 + 2 * float(value)}\n" for value in values), encoding="utf-8")
    plain, calibrated = (
        [float(line) for line in run(items, "--model", model, "--scale", "1,5", *flags).stdout.split()]
        for flags in ((), ("--calibrate", train, gold))
    )
    assert calibrated == pytest.approx([1 + (value - 1) / 2 for value in plain], abs=0.02)


def test_a_model_is_needed_and_its_faults_are_usage_errors(items: Path, tmp_path: Path) -> None:
    assert "Missing option '--model'" in run(items).stderr
    result = run(items, "--model", tmp_path / "none")
    assert isinstance(result.exception, RequestError)
    assert str(result.exception).endswith("there is no such folder; name the folder of a model")
