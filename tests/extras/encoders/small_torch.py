"""Tiny models of transformers with random weights, and items whose gold is a share of equal words."""

from pathlib import Path
from random import Random
from typing import Any

import torch
from transformers import BertConfig, BertForSequenceClassification, BertModel

from tests.extras.encoders.tiny_bert import LENGTH, VOCABULARY, make_tokenizer, write_json

TWENTY = [f"w{n}" for n in range(20)]
MODULES = ("Transformer", "Pooling", "Normalize")


def write_bert(folder: Path, *, cross: bool = False, pooling: Any = "mean", **config: Any) -> Path:
    """Save a BERT as sentence-transformers does, with the words of `tiny_bert` and of `write_pairs`."""
    vocabulary = VOCABULARY | {word: len(VOCABULARY) + n for n, word in enumerate(TWENTY)}
    sizes = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64}
    torch.manual_seed(1)
    rules = {"max_position_embeddings": LENGTH, "initializer_range": 0.3} | sizes | config
    kind = BertForSequenceClassification if cross else BertModel
    model = kind(BertConfig(vocab_size=len(vocabulary), num_labels=1, **rules))
    model.save_pretrained(folder)
    make_tokenizer(vocabulary).save(str(folder / "tokenizer.json"))
    if not cross:
        paths = ["", "1_Pooling", "2_Normalize"]
        modules = zip(MODULES, paths, strict=True)
        write_json(folder / "modules.json", [{"type": f"x.{kind}", "path": path} for kind, path in modules])
        write_json(folder / "1_Pooling" / "config.json", {"pooling_mode": pooling})
    return folder


def write_pairs(folder: Path, name: str, n: int, seed: int) -> tuple[Path, Path]:
    """Write n pairs of five words out of twenty, and the share of equal words on a scale from 0 to 4."""
    random, pairs, gold = Random(seed), [], []  # noqa: S311  (no secret)
    for place in range(n):
        words = random.sample(TWENTY, 10)
        equal = random.randrange(6)
        right = random.sample([*words[:equal], *words[5 : 10 - equal]], 5)
        pairs.append(f"{' '.join(words[:5])}\t{' '.join(right)}\tT-{place}\n")
        gold.append(f"{4 * equal / 5}\n")
    items, values = folder / f"{name}.tsv", folder / f"{name}.gold.tsv"
    items.write_text("".join(pairs), encoding="utf-8")
    values.write_text("".join(gold), encoding="utf-8")
    return items, values
