"""A tiny BERT with random weights: the folder of its ONNX file and tokenizer, and what it computes."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import WhitespaceSplit
from tokenizers.processors import TemplateProcessing

Floats = NDArray[np.float64]

WORDS = ["the", "old", "mill", "pier", "boat", "left", "harbour", "הסירה", "הישנה", "القارب"]
MARKS = ["<sent>", "</sent>", "query:"]
VOCABULARY = {token: n for n, token in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", *WORDS, *MARKS])}
WIDTH, HEADS, LENGTH = 8, 2, 64
TOKENS = "last_hidden_state"
MEAN = {"pooling_mode_mean_tokens": True}


def draw_weights(seed: int = 1, values: int = 1) -> dict[str, NDArray[np.float32]]:
    """Draw the weights of one layer and of a head that gives some values a pair."""
    rng = np.random.default_rng(seed)
    shapes: dict[str, tuple[int, ...]] = {
        "words": (len(VOCABULARY), WIDTH),
        "places": (LENGTH, WIDTH),
        "sides": (2, WIDTH),
        **dict.fromkeys(("query", "key", "value", "join", "inner", "outer"), (WIDTH, WIDTH)),
        "head": (WIDTH, values),
    }
    return {name: rng.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}


def compute_tokens(weights: dict[str, NDArray[np.float32]], ids: list[int], sides: list[int]) -> Floats:
    """Compute the vectors of the tokens of one text, without padding and in double precision."""
    w = {name: weight.astype(np.float64) for name, weight in weights.items()}
    x = _normalize(w["words"][ids] + w["places"][: len(ids)] + w["sides"][sides])
    size = WIDTH // HEADS
    heads = []
    for start in range(0, WIDTH, size):
        query, key, value = (x @ w[name][:, start : start + size] for name in ("query", "key", "value"))
        scores = np.exp(query @ key.T / np.sqrt(size))
        heads.append(scores / scores.sum(axis=1, keepdims=True) @ value)
    x = _normalize(x + np.concatenate(heads, axis=1) @ w["join"])
    return _normalize(x + np.maximum(x @ w["inner"], 0) @ w["outer"])


def _normalize(x: Floats) -> Floats:
    return (x - x.mean(axis=1, keepdims=True)) / np.sqrt(x.var(axis=1, keepdims=True) + 1e-5)


@dataclass
class Graph:
    """The nodes and constants of an ONNX graph that is being written."""

    nodes: list[Any]
    constants: dict[str, NDArray[Any]]

    def add(self, kind: str, *inputs: Any, output: str = "", **attributes: Any) -> str:
        """Add an operator, whose inputs are names or constants; return the name of its output."""
        names = [value if isinstance(value, str) else self._add_constant(value) for value in inputs]
        output = output or f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, names, [output], **attributes))
        return output

    def _add_constant(self, value: Any) -> str:
        name = f"c{len(self.constants)}"
        self.constants[name] = np.asarray(value)
        return name


def write_onnx(path: Path, weights: dict[str, NDArray[np.float32]], output: str = TOKENS) -> None:
    """Write the model with the vectors of the tokens as output, or with that of the head."""
    graph = Graph([], dict(weights))
    length = graph.add("Gather", graph.add("Shape", "input_ids"), np.array([1]))
    places = graph.add("Slice", "places", np.array([0]), length, np.array([0]))
    embedded = graph.add("Gather", "words", "input_ids"), graph.add("Gather", "sides", "token_type_ids")
    x = _normalize_in(graph, graph.add("Add", graph.add("Add", *embedded), places))
    hidden = graph.add("Cast", "attention_mask", to=TensorProto.FLOAT)
    hidden = graph.add("Mul", graph.add("Sub", np.float32(1), hidden), np.float32(-1e9))
    hidden = graph.add("Unsqueeze", hidden, np.array([1, 2]))
    size = WIDTH // HEADS
    query, key, value = (
        graph.add(
            "Transpose",
            graph.add("Reshape", graph.add("MatMul", x, name), np.array([0, 0, HEADS, size])),
            perm=order,
        )
        for name, order in (("query", [0, 2, 1, 3]), ("key", [0, 2, 3, 1]), ("value", [0, 2, 1, 3]))
    )
    scores = graph.add("Mul", graph.add("MatMul", query, key), np.float32(1 / np.sqrt(size)))
    shares = graph.add("Softmax", graph.add("Add", scores, hidden), axis=-1)
    joined = graph.add("Transpose", graph.add("MatMul", shares, value), perm=[0, 2, 1, 3])
    joined = graph.add("MatMul", graph.add("Reshape", joined, np.array([0, 0, WIDTH])), "join")
    x = _normalize_in(graph, graph.add("Add", x, joined))
    inner = graph.add("MatMul", graph.add("Relu", graph.add("MatMul", x, "inner")), "outer")
    x = _normalize_in(graph, graph.add("Add", x, inner))
    if output == TOKENS:
        graph.add("Identity", x, output=output)
    else:
        graph.add("MatMul", graph.add("Gather", x, np.int64(0), axis=1), "head", output=output)
    path.parent.mkdir(parents=True, exist_ok=True)
    onnx.save(
        _make_model(
            graph, output, ["n", "t", WIDTH] if output == TOKENS else ["n", weights["head"].shape[1]]
        ),
        path,
    )


def _normalize_in(graph: Graph, x: str) -> str:
    ones, zeros = np.ones(WIDTH, np.float32), np.zeros(WIDTH, np.float32)
    return graph.add("LayerNormalization", x, ones, zeros, axis=-1, epsilon=1e-5)


def _make_model(graph: Graph, name: str, shape: list[Any]) -> Any:
    names = ("input_ids", "attention_mask", "token_type_ids")
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, ["n", "t"]) for name in names]
    output = helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
    constants = [numpy_helper.from_array(value, name) for name, value in graph.constants.items()]
    whole = helper.make_graph(graph.nodes, "tiny", inputs, [output], constants)
    return helper.make_model(whole, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)


def make_tokenizer(vocabulary: dict[str, int] = VOCABULARY) -> Tokenizer:
    """Return a tokenizer of words, with the special tokens of BERT."""
    tokenizer = Tokenizer(WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = WhitespaceSplit()
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[(token, VOCABULARY[token]) for token in ("[CLS]", "[SEP]")],
    )
    return tokenizer


def write_model(
    folder: Path,
    *,
    cross: bool = False,
    seed: int = 1,
    values: int = 1,
    length: int = LENGTH,
    pooling: dict[str, Any] | None = None,
) -> dict[str, NDArray[np.float32]]:
    """Write the folder of a model as sentence-transformers does, and return the weights."""
    weights = draw_weights(seed, values)
    write_onnx(folder / "onnx" / "model.onnx", weights, "logits" if cross else TOKENS)
    tokenizer = make_tokenizer()
    tokenizer.enable_truncation(5)  # as in many published files, whose limit is not that of the model
    tokenizer.enable_padding(length=9)
    tokenizer.save(str(folder / "tokenizer.json"))
    write_json(folder / "sentence_bert_config.json", {"max_seq_length": length, "do_lower_case": False})
    if not cross:
        types = [f"sentence_transformers.models.{name}" for name in ("Transformer", "Pooling", "Normalize")]
        paths = ["", "1_Pooling", "2_Normalize"]
        modules = [{"path": path, "type": kind} for path, kind in zip(paths, types, strict=True)]
        write_json(folder / "modules.json", modules)
        write_json(
            folder / "1_Pooling" / "config.json", {"word_embedding_dimension": WIDTH} | (pooling or MEAN)
        )
    return weights


def write_json(path: Path, value: Any) -> None:
    """Write a configuration file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")
