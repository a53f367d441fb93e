"""Sentence encoders and cross-encoders: values by a plain program, batches, long texts, contexts, cache."""

import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from numpy.typing import NDArray
from onnxruntime.quantization import quantize_dynamic

from scorer.baselines import SenseTable
from scorer.encoders import Encoder, EncoderOptions, encoder_run
from scorer.encoders.model_folder import read_model_folder
from scorer.encoders.onnx_model import OnnxModel
from scorer.encoders.texts import TextReader
from scorer.errors import RequestError
from scorer.files.reading import Item, Items
from tests.extras.encoders.tiny_bert import (
    LENGTH,
    VOCABULARY,
    WORDS,
    compute_tokens,
    make_tokenizer,
    write_json,
    write_model,
    write_onnx,
)

Pooling = Callable[[NDArray[np.float64]], NDArray[np.float64]]

POOLINGS: list[tuple[dict[str, Any], Pooling]] = [
    ({"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}, lambda rows: rows[0]),
    ({"pooling_mode_max_tokens": True}, lambda rows: rows.max(axis=0)),
    ({"pooling_mode_mean_tokens": True}, lambda rows: rows.mean(axis=0)),
    ({"pooling_mode": "mean"}, lambda rows: rows.mean(axis=0)),
    ({"pooling_mode_mean_sqrt_len_tokens": True}, lambda rows: rows.sum(axis=0) / math.sqrt(len(rows))),
    (
        {"pooling_mode_mean_sqrt_len_tokens": True, "pooling_mode_cls_token": True},
        lambda rows: np.concatenate([rows[0], rows.sum(axis=0) / math.sqrt(len(rows))]),
    ),
]
TEXTS = st.lists(st.sampled_from([*WORDS, "unknown"]), min_size=1, max_size=20).map(" ".join)


def items_of(*pairs: tuple[str, str]) -> Items:
    rows = [Item(str(n), left, right, "", n) for n, (left, right) in enumerate(pairs, start=1)]
    return Items("items.tsv", tuple(rows))


def run_of(encoder: Encoder, *pairs: tuple[str, str], digits: int = 15) -> list[float]:
    run = encoder_run(encoder, items_of(*pairs), scale=1, digits=digits)
    return [float(line) for line in run.splitlines()]


def ids_of(*texts: str) -> tuple[list[int], list[int]]:
    """The tokens by the vocabulary alone: [CLS] a [SEP] b [SEP]."""
    ids, sides = [VOCABULARY["[CLS]"]], [0]
    for side, text in enumerate(texts):
        words = [*text.split(), "[SEP]"]
        ids += [VOCABULARY.get(word, VOCABULARY["[UNK]"]) for word in words]
        sides += [side] * len(words)
    return ids, sides


def cosine_of(weights: Any, pool: Pooling, left: str, right: str) -> float:
    a, b = (pool(compute_tokens(weights, *ids_of(text))) for text in (left, right))
    return max(0.0, float(a @ b / math.sqrt((a @ a) * (b @ b))))


@pytest.fixture(scope="module")
def sentence_model(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any]:
    folder = tmp_path_factory.mktemp("sentences")
    return folder, write_model(folder)


@pytest.fixture(scope="module")
def cross_model(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any]:
    folder = tmp_path_factory.mktemp("pairs")
    return folder, write_model(folder, cross=True)


@pytest.mark.parametrize(("config", "pool"), POOLINGS)
def test_the_pooling_is_that_of_the_configuration(
    tmp_path: Path, config: dict[str, Any], pool: Pooling
) -> None:
    weights = write_model(tmp_path, pooling=config)
    pairs = [
        ("the old mill", "the mill"),
        ("boat", "the old pier left the harbour"),
        ("הסירה הישנה", "القارب"),
    ]
    expected = [cosine_of(weights, pool, *pair) for pair in pairs]
    assert run_of(Encoder(tmp_path), *pairs) == pytest.approx(expected, abs=2e-6)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(pairs=st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=50))
def test_batches_have_the_values_of_a_plain_program(
    sentence_model: tuple[Path, Any], pairs: list[tuple[str, str]]
) -> None:
    folder, weights = sentence_model
    expected = [cosine_of(weights, lambda rows: rows.mean(axis=0), *pair) for pair in pairs]
    assert run_of(Encoder(folder), *pairs) == pytest.approx(expected, abs=2e-6)


def test_a_value_does_not_depend_on_the_other_items(sentence_model: tuple[Path, Any]) -> None:
    rng = np.random.default_rng(3)
    pairs = [
        (" ".join(rng.choice(WORDS, rng.integers(1, 50))), " ".join(rng.choice(WORDS, 3))) for _ in range(300)
    ]
    together = run_of(Encoder(sentence_model[0]), *pairs)
    assert run_of(Encoder(sentence_model[0]), *pairs[::-1]) == pytest.approx(together[::-1], abs=1e-6)
    alone = [run_of(Encoder(sentence_model[0]), pair)[0] for pair in pairs[::30]]
    assert alone == pytest.approx(together[::30], abs=1e-6)


def test_a_model_that_is_quantized_when_it_runs_gets_one_text_at_a_time(tmp_path: Path) -> None:
    write_model(tmp_path)
    quantize_dynamic(tmp_path / "onnx" / "model.onnx", tmp_path / "model_quantized.onnx")
    (tmp_path / "onnx" / "model.onnx").unlink()
    pairs = [("the old mill", "boat"), ("the old pier left the harbour " * 5, "the mill")]
    together = run_of(Encoder(tmp_path), *pairs)
    assert together == [run_of(Encoder(tmp_path), pair)[0] for pair in pairs]


def test_a_cross_encoder_reads_both_texts_in_order(cross_model: tuple[Path, Any]) -> None:
    folder, weights = cross_model
    pairs = [("the old mill", "boat"), ("boat", "the old mill"), ("القارب left", "הסירה left the pier")]
    logits = [float((compute_tokens(weights, *ids_of(*pair))[0] @ weights["head"])[0]) for pair in pairs]
    found = run_of(Encoder(folder), *pairs)
    assert found == pytest.approx([1 / (1 + math.exp(-logit)) for logit in logits], abs=2e-6)
    assert found[0] != found[1]


def test_a_model_with_the_vectors_of_texts_needs_no_pooling(tmp_path: Path) -> None:
    weights = write_model(tmp_path, values=3)
    write_onnx(tmp_path / "onnx" / "model.onnx", weights, "sentence_embedding")
    write_json(tmp_path / "modules.json", [{"type": "sentence_transformers.models.Dense", "path": "2_Dense"}])
    expected = cosine_of(weights, lambda rows: rows[0] @ weights["head"], "the old mill", "boat")
    encoder = Encoder(tmp_path)
    assert run_of(encoder, ("the old mill", "boat")) == pytest.approx([expected], abs=2e-6)
    assert encoder.description == "sentence encoder, its own pooling, at most 64 tokens"


def test_a_negative_cosine_is_zero(tmp_path: Path) -> None:
    weights = write_model(tmp_path, seed=5)
    write_onnx(tmp_path / "onnx" / "model.onnx", weights, "sentence_embedding")
    signs = {word: (compute_tokens(weights, *ids_of(word))[0] @ weights["head"])[0] > 0 for word in WORDS}
    assert len({*signs.values()}) == 2
    expected = [float(signs[word] == signs["boat"]) for word in WORDS]
    assert run_of(Encoder(tmp_path), *((word, "boat") for word in WORDS)) == expected


def test_texts_are_in_lower_case_if_the_configuration_asks_for_it(tmp_path: Path) -> None:
    write_model(tmp_path)
    plain = run_of(Encoder(tmp_path), ("the old mill", "boat"), ("THE old Mill", "Boat"))
    write_json(tmp_path / "sentence_bert_config.json", {"max_seq_length": 64, "do_lower_case": True})
    assert run_of(Encoder(tmp_path), ("THE old Mill", "Boat")) == plain[:1] != plain[1:]


@pytest.mark.parametrize("fixture", ["sentence_model", "cross_model"])
def test_word2sense_takes_the_best_gloss(fixture: str, request: pytest.FixtureRequest) -> None:
    folder = request.getfixturevalue(fixture)[0]
    glosses = {1: "the old pier", 2: "boat left"}
    senses = SenseTable("s", {("bank", "n"): glosses, ("shore", "n"): {1: "the harbour"}})
    item = Item("1", "bank#n", "shore#n#1", "", 1, sense_key="shore%1:17:00::")
    run = encoder_run(Encoder(folder), Items("w2s.tsv", (item,)), senses=senses, scale=1, digits=15)
    assert float(run.split("\t")[0]) == max(
        run_of(Encoder(folder), *((g, "the harbour") for g in glosses.values()))
    )


def test_values_have_six_digits_and_the_scale_of_the_task(sentence_model: tuple[Path, Any]) -> None:
    items = items_of(("the old mill", "the mill"), ("boat", "boat"))
    value = round(run_of(Encoder(sentence_model[0]), ("the old mill", "the mill"))[0], 6)
    run = encoder_run(Encoder(sentence_model[0]), items, scale=(1, 5))
    assert run == f"{round(1 + 4 * value, 9)}\n5\n"


def test_a_long_text_is_cut_at_the_limit_of_the_model_and_counted(tmp_path: Path) -> None:
    write_model(tmp_path, length=6)
    encoder = Encoder(tmp_path)
    values = run_of(
        encoder, ("the old mill left the pier", "the boat"), ("the old mill left boat", "the boat")
    )
    assert values[0] == values[1] == run_of(Encoder(tmp_path), ("the old mill left", "the boat"))[0]
    assert encoder.cut == 2
    assert encoder.description == "sentence encoder, pooling mean_tokens, at most 6 tokens"


def test_of_a_long_pair_the_longer_text_is_cut(tmp_path: Path) -> None:
    write_model(tmp_path, cross=True, length=9)
    encoder = Encoder(tmp_path)
    values = run_of(encoder, ("boat", "the old mill left the pier"), ("boat", "the old mill left the boat"))
    assert values[0] == values[1]
    assert encoder.cut == 2


@pytest.mark.parametrize(
    ("files", "limit"),
    [
        (
            {"tokenizer_config.json": {"model_max_length": 7}, "config.json": {"max_position_embeddings": 9}},
            7,
        ),
        (
            {
                "tokenizer_config.json": {"model_max_length": 1e30},
                "config.json": {"max_position_embeddings": 9},
            },
            9,
        ),
        ({"config.json": {"max_position_embeddings": 514, "model_type": "xlm-roberta"}}, 512),
        ({"sentence_bert_config.json": {"max_seq_length": None}}, 512),
    ],
)
def test_the_limit_is_that_of_the_configuration(tmp_path: Path, files: dict[str, Any], limit: int) -> None:
    write_model(tmp_path)
    (tmp_path / "sentence_bert_config.json").unlink()
    for name, value in files.items():
        write_json(tmp_path / name, value)
    assert Encoder(tmp_path).description.endswith(f"at most {limit} tokens")


@pytest.mark.parametrize(
    ("value", "shown"), [("64", '"64"'), (0, "0"), (3, "3"), (-1, "-1"), (True, "true"), ([64], "[64]")]
)
def test_a_limit_that_is_no_number_of_tokens_is_refused_by_its_file(
    tmp_path: Path, value: Any, shown: str
) -> None:
    write_model(tmp_path)
    config = tmp_path / "sentence_bert_config.json"
    write_json(config, {"max_seq_length": value})
    with pytest.raises(RequestError) as refused:
        Encoder(tmp_path)
    fact = f"{config}: max_seq_length is {shown}"
    assert str(refused.value) == f"{fact}; write a number of tokens, such as 256, or null"


MARKED = "the boat left <sent> old mill </sent> the pier"


def test_only_the_marked_sentence_is_read_unless_context_is_asked(sentence_model: tuple[Path, Any]) -> None:
    folder, weights = sentence_model
    mean: Pooling = lambda rows: rows.mean(axis=0)  # noqa: E731  (as in POOLINGS)
    context = EncoderOptions(context=True)
    assert run_of(Encoder(folder), (MARKED, "boat")) == run_of(Encoder(folder), ("old mill", "boat"))
    expected = cosine_of(weights, mean, MARKED, "boat")
    assert run_of(Encoder(folder, context), (MARKED, "boat")) == pytest.approx([expected], abs=2e-6)
    with pytest.raises(
        RequestError, match="no text has a sentence between <sent> and </sent>; leave --context"
    ):
        run_of(Encoder(folder, context), ("old mill", "boat"))


@pytest.mark.parametrize("size", range(4, 12))
@pytest.mark.parametrize("before", [0, 1, 9])
def test_a_long_context_is_cut_around_the_marked_sentence(tmp_path: Path, size: int, before: int) -> None:
    write_model(tmp_path, cross=True, length=size + 4)  # with three special tokens, and the boat
    reader = TextReader(read_model_folder(tmp_path), context=True, prefix="")
    pair = "boat", f"{'harbour ' * before}<sent> old mill </sent>{' pier' * 9}"
    read = reader.encode(pair).tokens[3:-1]
    place = read.index("<sent>")
    assert read[place : place + 4] == ["<sent>", "old", "mill", "</sent>"]
    assert (len(read), place) == (size, min(before, (size - 4) // 2))
    assert reader.cut == {pair}


def test_two_long_contexts_keep_their_marked_sentences(tmp_path: Path) -> None:
    write_model(tmp_path, cross=True, length=17)
    reader = TextReader(read_model_folder(tmp_path), context=True, prefix="query: ")
    contexts = [f"{'harbour ' * n}<sent> old mill </sent>{' pier' * n}" for n in (5, 9)]
    marked = ["query:", "harbour", "<sent>", "old", "mill", "</sent>", "pier"]
    assert reader.encode((contexts[0], contexts[1])).tokens == ["[CLS]", *marked, "[SEP]", *marked, "[SEP]"]


def test_a_prefix_is_written_before_each_text(sentence_model: tuple[Path, Any]) -> None:
    folder = sentence_model[0]
    prefixed = run_of(Encoder(folder, EncoderOptions(prefix="query: ")), ("old mill", "boat"))
    assert prefixed == run_of(Encoder(folder), ("query: old mill", "query: boat"))


def test_threads_do_not_change_six_digits(sentence_model: tuple[Path, Any]) -> None:
    pairs = [("the old mill", "boat"), ("boat left", "the pier")]
    found = [run_of(Encoder(sentence_model[0], EncoderOptions(threads=n)), *pairs, digits=6) for n in (1, 2)]
    assert found[0] == found[1]


def count_batches(monkeypatch: pytest.MonkeyPatch, stop_after: int = 10**6) -> list[int]:
    """Note the sizes of the batches that a model computes; stop before the next one."""
    sizes: list[int] = []
    compute = OnnxModel.run

    def counted(model: OnnxModel, encodings: Any) -> Any:
        if len(sizes) == stop_after:
            raise KeyboardInterrupt
        sizes.append(len(encodings))
        return compute(model, encodings)

    monkeypatch.setattr(OnnxModel, "run", counted)
    return sizes


LONG_RUN = [(" ".join(WORDS[n % 7 :: 1 + n % 3]) + " old" * (n // 7), "boat") for n in range(300)]


def test_a_run_that_was_stopped_goes_on_with_the_same_values(
    sentence_model: tuple[Path, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, options = sentence_model[0], EncoderOptions(cache=tmp_path / "new" / "cache")
    with monkeypatch.context() as patch:
        batches = count_batches(patch)
        whole = run_of(Encoder(folder), *LONG_RUN)
    with monkeypatch.context() as patch:
        first = count_batches(patch, stop_after=2)
        with pytest.raises(KeyboardInterrupt):
            run_of(Encoder(folder, options), *LONG_RUN)
    rest = count_batches(monkeypatch)
    assert run_of(Encoder(folder, options), *LONG_RUN) == whole
    assert (len(first), first + rest) == (2, batches)
    assert run_of(Encoder(folder, options), *LONG_RUN) == whole
    assert first + rest == batches


def test_the_cache_tells_models_and_texts_apart(sentence_model: tuple[Path, Any], tmp_path: Path) -> None:
    cache, pair = tmp_path / "cache", ("the old mill", "boat")
    write_model(tmp_path / "seed", seed=2)
    write_model(tmp_path / "pooling", pooling={"pooling_mode_max_tokens": True})
    write_model(tmp_path / "cross", cross=True)
    for folder in (sentence_model[0], *(tmp_path / name for name in ("seed", "pooling", "cross"))):
        for prefix in ("", "query: "):
            stored = run_of(Encoder(folder, EncoderOptions(prefix=prefix, cache=cache)), pair)
            assert stored == run_of(Encoder(folder, EncoderOptions(prefix=prefix)), pair)
    assert len(list(cache.iterdir())) == 4


def test_a_file_that_is_no_cache_is_reported(sentence_model: tuple[Path, Any], tmp_path: Path) -> None:
    options = EncoderOptions(cache=tmp_path)
    run_of(Encoder(sentence_model[0], options), ("boat", "pier"))
    (file,) = tmp_path.iterdir()
    file.write_bytes(b"something else entirely, which is no database" * 9)
    with pytest.raises(
        RequestError, match="cannot be used as a cache: file is not a database; choose another"
    ):
        Encoder(sentence_model[0], options)
    file.unlink()
    with pytest.raises(RequestError, match="cannot be used as a cache"):
        Encoder(sentence_model[0], EncoderOptions(cache=sentence_model[0] / "tokenizer.json"))


def refusal(folder: Path) -> str:
    with pytest.raises(RequestError) as caught:
        run_of(Encoder(folder), ("the old mill", "boat"))
    return str(caught.value).replace(f"{folder}", "FOLDER")


def test_missing_files_are_named(tmp_path: Path) -> None:
    assert refusal(tmp_path / "none") == "FOLDER: there is no such folder; name the folder of a model"
    assert refusal(tmp_path) == (
        "FOLDER: there is no model; it needs one of onnx/model.onnx, model.onnx, onnx/model_quantized.onnx, "
        "model_quantized.onnx"
    )
    write_model(tmp_path)
    (tmp_path / "tokenizer.json").unlink()
    assert refusal(tmp_path) == (
        "FOLDER/tokenizer.json: there is no such file; save the model with its fast tokenizer"
    )


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("onnx/model.onnx", "junk", "FOLDER/onnx/model.onnx: cannot be read as a model: "),
        ("tokenizer.json", "junk", "FOLDER/tokenizer.json: cannot be read as a tokenizer: "),
        ("modules.json", "{", "FOLDER/modules.json: cannot be read: "),
        ("modules.json", "{}", "FOLDER/modules.json: this is not a configuration of a model"),
        ("1_Pooling/config.json", "{}", "FOLDER/1_Pooling/config.json: the pooling is missing cannot"),
        (
            "1_Pooling/config.json",
            '{"pooling_mode_lasttoken": true}',
            "FOLDER/1_Pooling/config.json: the pooling lasttoken cannot be computed; use a model with one of "
            "cls_token, max_tokens, mean_tokens, mean_sqrt_len_tokens",
        ),
        (
            "modules.json",
            '[{"type": "sentence_transformers.models.Dense", "path": "2_Dense"}]',
            "FOLDER/onnx/model.onnx: modules.json names a layer after the pooling",
        ),
    ],
)
def test_files_that_cannot_be_used_are_named(tmp_path: Path, name: str, content: str, message: str) -> None:
    write_model(tmp_path)
    (tmp_path / name).write_text(content, encoding="utf-8")
    assert refusal(tmp_path).startswith(message)


def test_a_model_with_several_values_a_pair_is_rejected(tmp_path: Path) -> None:
    write_model(tmp_path, cross=True, values=3)
    assert refusal(tmp_path) == (
        "FOLDER/onnx/model.onnx: the model gives 3 values a pair; use a cross-encoder with one value"
    )


def test_a_model_that_needs_other_inputs_is_rejected(tmp_path: Path) -> None:
    write_model(tmp_path)
    path = tmp_path / "onnx" / "model.onnx"
    model = onnx.load(path)
    model.graph.input.append(onnx.helper.make_tensor_value_info("pixels", onnx.TensorProto.FLOAT, ["n"]))
    onnx.save(model, path)
    assert refusal(tmp_path).startswith("FOLDER/onnx/model.onnx: the model has the inputs pixels, which are")


def test_a_model_that_fails_or_gives_no_numbers_is_reported(tmp_path: Path) -> None:
    weights = write_model(tmp_path)
    path = tmp_path / "onnx" / "model.onnx"
    write_onnx(path, weights | {"outer": weights["outer"] * np.float32("nan")})
    assert refusal(tmp_path) == "FOLDER/onnx/model.onnx: the model gives values that are not numbers"
    write_onnx(path, weights | {"words": weights["words"][:3]})
    assert refusal(tmp_path).startswith("FOLDER/onnx/model.onnx: the model failed: ")


@pytest.mark.parametrize("package", ["onnxruntime", "tokenizers"])
def test_without_the_packages_the_message_says_what_to_install(
    sentence_model: tuple[Path, Any], monkeypatch: pytest.MonkeyPatch, package: str
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(RequestError, match=f"need the package {package}: install it with pip install"):
        Encoder(sentence_model[0])


def test_the_tokenizer_of_the_tests_is_that_of_the_plain_program() -> None:
    encoding = make_tokenizer().encode("the old", "boat unknown")
    assert (encoding.ids, encoding.type_ids) == ids_of("the old", "boat unknown")
    assert LENGTH >= 50
