"""The folder of a model: its files, and what its configuration says about pooling and length."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any

from scorer.errors import RequestError
from scorer.files.read_limits import read_bounded

INSTALL_HINT = "install it with pip install onnxruntime tokenizers"
MODEL_FILES = ("onnx/model.onnx", "model.onnx", "onnx/model_quantized.onnx", "model_quantized.onnx")
"""Where the model can be, in the order of preference."""

WEIGHTS = ("model.safetensors", "model.safetensors.index.json")
"""Where the weights for PyTorch can be."""

POOLINGS = ("cls_token", "max_tokens", "mean_tokens", "mean_sqrt_len_tokens")
"""The poolings that can be computed, in the order in which sentence-transformers joins their vectors."""

DEFAULT_LENGTH = 512
"""The maximum number of tokens of a model that does not say it: that of BERT."""

_SHORTEST = 4
"""The smallest limit: a pair has up to four special tokens."""
_SENTENCE_CONFIG = "sentence_bert_config.json"
_NAMES = {"cls": "cls_token", "max": "max_tokens", "mean": "mean_tokens"}
_MODULES = ("Transformer", "Pooling", "Normalize")
"""The modules of sentence-transformers that need no file of their own. The cosine ignores lengths."""
_NO_LIMIT = 10**6
"""Tokenizers without a limit say that it is a very large number."""


@dataclass(frozen=True, slots=True)
class ModelFolder:
    """The files and the configuration of a model.

    Parameters
    ----------
    model, tokenizer : Path
        The ONNX file or the weights, and the `tokenizer.json` of the library tokenizers.
    poolings : tuple of str
        How the vectors of the tokens become one vector, each one of `POOLINGS`.
    max_length : int
        The maximum number of tokens, with the special ones.
    lower_case : bool
        Whether the configuration of sentence-transformers asks for texts in lower case.
    has_other_modules : bool
        Whether the configuration of sentence-transformers names a module after the pooling, such as Dense.
    """

    model: Path
    tokenizer: Path
    poolings: tuple[str, ...]
    max_length: int
    lower_case: bool
    has_other_modules: bool

    def digest(self) -> str:
        """Return the SHA-256 of the files of the model and its pooling."""
        whole = sha256(" ".join(self.poolings).encode())
        for path in sorted(self.model.parent.glob(f"{self.model.name}*")):
            with path.open("rb") as file:
                whole.update(file_digest(file, "sha256").digest())
        return whole.hexdigest()


def read_model_folder(path: str | Path, names: Sequence[str] = MODEL_FILES) -> ModelFolder:
    """Find the files of a model, and read its configuration.

    Parameters
    ----------
    path : str or Path
        A folder with a model and a `tokenizer.json`. The configuration is that of sentence-transformers and
        of transformers. Without it, the vectors of the tokens are averaged.
    names : sequence of str
        Where the model can be: by default an ONNX file, or `WEIGHTS`.

    Returns
    -------
    ModelFolder

    Raises
    ------
    RequestError
        If a file is missing or cannot be read, or the pooling is not one of `POOLINGS`.
    """
    folder = Path(path)
    if not folder.is_dir():
        raise RequestError(f"{folder}: there is no such folder; name the folder of a model")
    model = next((folder / name for name in names if (folder / name).is_file()), None)
    if model is None:
        has_weights = names is MODEL_FILES and any((folder / name).is_file() for name in WEIGHTS)
        hint = "; make it from the weights with scorer train export" if has_weights else ""
        raise RequestError(f"{folder}: there is no model; it needs one of {', '.join(names)}{hint}")
    tokenizer = folder / "tokenizer.json"
    if not tokenizer.is_file():
        raise RequestError(f"{tokenizer}: there is no such file; save the model with its fast tokenizer")
    modules = _read_json(folder / "modules.json", [])
    kinds = [str(module.get("type", "")).rpartition(".")[2] for module in modules]
    pooling = next((m.get("path") for m, kind in zip(modules, kinds, strict=True) if kind == "Pooling"), None)
    return ModelFolder(
        model,
        tokenizer,
        _read_poolings(folder / (pooling or "1_Pooling") / "config.json"),
        _read_length(folder),
        bool(_read_json(folder / _SENTENCE_CONFIG, {}).get("do_lower_case")),
        not {*kinds} <= {*_MODULES},
    )


def _read_poolings(path: Path) -> tuple[str, ...]:
    config = _read_json(path, {"pooling_mode": "mean"})
    mode = config.get("pooling_mode") or [
        name.removeprefix("pooling_mode_") for name, chosen in config.items() if chosen is True
    ]
    names = [mode] if isinstance(mode, str) else mode
    chosen = {_NAMES.get(name, name) for name in names} - {"include_prompt"}
    if not chosen or not chosen <= {*POOLINGS}:
        raise RequestError(
            f"{path}: the pooling {', '.join(sorted(chosen)) or 'is missing'} cannot be computed; "
            f"use a model with one of {', '.join(POOLINGS)}"
        )
    return tuple(name for name in POOLINGS if name in chosen)


def _read_length(folder: Path) -> int:
    """Return the limit of sentence-transformers, else that of the tokenizer, else that of the model."""
    for name, key in (
        (_SENTENCE_CONFIG, "max_seq_length"),
        ("tokenizer_config.json", "model_max_length"),
        ("config.json", "max_position_embeddings"),
    ):
        config = _read_json(folder / name, {})
        length = config.get(key)
        if length is None:
            continue
        if type(length) not in {int, float} or not length >= _SHORTEST:
            fact = f"{key} is {json.dumps(length)}"
            raise RequestError(f"{folder / name}: {fact}; write a number of tokens, such as 256, or null")
        if length < _NO_LIMIT:
            # RoBERTa and its kin number positions from 2.
            return int(length) - 2 * ("roberta" in config.get("model_type", ""))
    return DEFAULT_LENGTH


def _read_json(path: Path, default: Any) -> Any:
    """Read an optional file whose value has the type of `default`."""
    if not path.is_file():
        return default
    try:
        value = json.loads(read_bounded(str(path)))
    except (OSError, ValueError) as error:
        raise RequestError(f"{path}: cannot be read: {error}") from None
    if not isinstance(value, type(default)):
        raise RequestError(f"{path}: this is not a configuration of a model; save the model again")
    return value
