"""Runs a model in an ONNX file, and makes one vector of the vectors of the tokens."""

from collections.abc import Sequence
from mmap import ACCESS_READ, mmap
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from scorer.encoders.model_folder import INSTALL_HINT, ModelFolder
from scorer.errors import RequestError

if TYPE_CHECKING:
    from tokenizers import Encoding

Vectors = NDArray[np.float32]
"""One vector for each input; a cross-encoder has vectors of length 1."""

BATCH_TOKENS = 1024
_OUTPUTS = ("logits", "sentence_embedding")
"""The outputs of one vector for each input; otherwise, the first output has the vectors of the tokens."""
_QUANTIZES_INPUTS = b"DynamicQuantizeLinear"
"""An operator with one scale for all numbers of a batch, so that a text changes the vectors of others."""


def pool(vectors: Vectors, mask: NDArray[np.int64], pooling: str) -> Vectors:
    """Make one vector of the vectors of the tokens.

    Parameters
    ----------
    vectors : (n, t, d) float
        The vectors of the t tokens of each of n texts.
    mask : (n, t) int
        1 for a token, 0 for padding, which is ignored.
    pooling : str
        "cls_token" takes the first token, "max_tokens" the maximum of each dimension, "mean_tokens" the mean,
        and "mean_sqrt_len_tokens" the sum divided by the square root of the number of tokens.

    Returns
    -------
    (n, d) float

    References
    ----------
    Reimers & Gurevych (2019), Sentence-BERT, section 3 (ACL D19-1410).

    Examples
    --------
    >>> vectors = np.array([[[1, 4], [3, 0], [9, 9]]], dtype=np.float32)
    >>> mask = np.array([[1, 1, 0]])
    >>> [pool(vectors, mask, name).tolist() for name in ("cls_token", "max_tokens", "mean_tokens")]
    [[[1.0, 4.0]], [[3.0, 4.0]], [[2.0, 2.0]]]
    """
    if pooling == "cls_token":
        return vectors[:, 0]
    shown = mask[:, :, np.newaxis].astype(np.float32)
    if pooling == "max_tokens":
        return np.asarray(np.where(shown > 0, vectors, -np.inf).max(axis=1), dtype=np.float32)
    counts = np.maximum(shown.sum(axis=1), 1)
    divisors: Vectors = counts if pooling == "mean_tokens" else np.sqrt(counts)
    sums: Vectors = (vectors * shown).sum(axis=1)
    return sums / divisors


class EncoderModel(Protocol):
    """What computes the vectors of texts, or the values of pairs.

    `batch_tokens` is the maximum number of tokens of a batch, unless it is a single text or pair.
    """

    is_cross_encoder: bool
    batch_tokens: int

    @property
    def description(self) -> str:
        """What the model does, in a few words."""

    def run(self, encodings: Sequence["Encoding"]) -> Vectors:
        """Compute the vectors of a batch."""


class OnnxModel:
    """A model that gives a vector for each text, or a value for each pair of texts: an `EncoderModel`.

    Parameters
    ----------
    folder : ModelFolder
        The model.
    padding_id : int
        The token that fills shorter texts of a batch.
    threads : int
        The number of threads. Values can depend on it.

    Raises
    ------
    RequestError
        If the library is not installed, or the model cannot be read or is of another kind.
    """

    def __init__(self, folder: ModelFolder, padding_id: int, threads: int) -> None:
        try:
            import onnxruntime  # noqa: PLC0415  an optional dependency
        except ImportError:
            raise RequestError(f"encoders need the package onnxruntime: {INSTALL_HINT}") from None
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        path = folder.model
        try:
            session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        except Exception as error:  # the library raises nothing more specific
            raise RequestError(f"{path}: cannot be read as a model: {error}") from None
        self._session, self._folder, self._padding_id = session, folder, padding_id
        self._inputs = [node.name for node in session.get_inputs()]
        outputs = {node.name: len(node.shape) for node in session.get_outputs()}
        self._output = next((name for name in _OUTPUTS if name in outputs), next(iter(outputs)))
        self.is_cross_encoder = self._output == "logits"
        self._is_pooled = self._output in _OUTPUTS or outputs[self._output] == 2
        self._check()
        with path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as data:
            self.batch_tokens = 1 if data.find(_QUANTIZES_INPUTS) >= 0 else BATCH_TOKENS

    def _check(self) -> None:
        other = {*self._inputs} - {"input_ids", "attention_mask", "token_type_ids"}
        if other:
            raise RequestError(
                f"{self._folder.model}: the model has the inputs {', '.join(sorted(other))}, which are not "
                "those of an encoder; use a model for sentence similarity"
            )
        if self._folder.has_other_modules and not self._is_pooled:
            raise RequestError(
                f"{self._folder.model}: modules.json names a layer after the pooling, which this file "
                "does not have; export the model with the output sentence_embedding"
            )

    @property
    def description(self) -> str:
        """What the model does, in a few words."""
        if self.is_cross_encoder:
            return "cross-encoder"
        pooling = "its own pooling" if self._is_pooled else f"pooling {' and '.join(self._folder.poolings)}"
        return f"sentence encoder, {pooling}"

    def run(self, encodings: Sequence["Encoding"]) -> Vectors:
        """Compute the vectors of a batch.

        Raises
        ------
        RequestError
            If the model fails, or what it returns are not one vector a text and one value a pair.
        """
        feed = fill_batch(encodings, self._padding_id)
        try:
            (result,) = self._session.run([self._output], {name: feed[name] for name in self._inputs})
        except Exception as error:  # the library raises nothing more specific
            raise RequestError(f"{self._folder.model}: the model failed: {error}") from None
        if not self._is_pooled:
            mask, poolings = feed["attention_mask"], self._folder.poolings
            result = np.concatenate([pool(result, mask, name) for name in poolings], axis=1)
        if self.is_cross_encoder and result.shape[1] != 1:
            raise RequestError(
                f"{self._folder.model}: the model gives {result.shape[1]} values a pair; "
                "use a cross-encoder with one value"
            )
        if not np.isfinite(result).all():
            raise RequestError(f"{self._folder.model}: the model gives values that are not numbers")
        return np.asarray(result, dtype=np.float32)


def fill_batch(encodings: Sequence["Encoding"], padding_id: int) -> dict[str, NDArray[np.int64]]:
    """Return the inputs of a model for a batch, by their names, with padding after shorter texts."""
    shape = len(encodings), max(len(encoding.ids) for encoding in encodings)
    ids = np.full(shape, padding_id, dtype=np.int64)
    mask, types = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
    for row, encoding in enumerate(encodings):
        n = len(encoding.ids)
        ids[row, :n], mask[row, :n], types[row, :n] = encoding.ids, 1, encoding.type_ids
    return {"input_ids": ids, "attention_mask": mask, "token_type_ids": types}
