"""Compares texts by a sentence encoder or a cross-encoder."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from scorer.baselines.run_file import Baseline, Measure, baseline_run, compared_texts
from scorer.baselines.senses import SenseInventory
from scorer.encoders.cache import VectorCache
from scorer.encoders.model_folder import ModelFolder, read_model_folder
from scorer.encoders.onnx_model import EncoderModel, OnnxModel, Vectors
from scorer.encoders.texts import TextReader, Texts, has_mark
from scorer.errors import RequestError
from scorer.files.reading import Items
from scorer.files.text import count_noun

if TYPE_CHECKING:
    from tokenizers import Encoding

ComparedTexts = tuple[tuple[str, ...], str]
"""The left texts and the right text of an item, as `compared_texts` returns them."""

ENCODER_DIGITS = 6
"""Models compute with single precision, which has seven significant digits."""

_CHUNK = 256
"""The number of inputs that are sorted by length and computed together."""


@dataclass(frozen=True, slots=True)
class EncoderOptions:
    """How a model reads texts.

    Parameters
    ----------
    context : bool, default False
        Whether the model reads a sentence between <sent> and </sent> with its context and these marks. By
        default it reads the sentence alone. It reads a text without marks as a whole.
    prefix : str, default ""
        What is written before each text, such as "query: ", if the model was trained with it.
    threads : int, default 1
        The number of threads. With one thread, the values are the same in each run on a machine.
    cache : Path, optional
        The folder in which vectors are stored and found again.
    """

    context: bool = False
    prefix: str = ""
    threads: int = 1
    cache: Path | None = None


class Encoder:
    """A model that compares texts: a sentence encoder, or a cross-encoder.

    Parameters
    ----------
    folder : str, Path or ModelFolder
        The folder of the model (`read_model_folder`). Nothing is downloaded, and no code of it is run.
    options : EncoderOptions, optional
        How it reads texts.
    make_model : callable, optional
        Makes the model from its folder, its padding token and the number of threads; by default `OnnxModel`.

    Raises
    ------
    RequestError
        If onnxruntime or tokenizers is not installed, or the model or the cache cannot be used.

    Notes
    -----
    A sentence encoder makes a vector of each text, and the similarity is the cosine of the two vectors, or 0
    if it is negative. A cross-encoder reads both texts at once; the similarity is the logistic function of
    its value, which is what cross-encoders for similarity are trained with.

    Inputs are sorted by length in groups of 256 and computed in batches of at most 1,024 tokens. A model that
    is quantized when it runs gets one input at a time: its vectors would depend on the others of a batch.

    References
    ----------
    Reimers & Gurevych (2019), Sentence-BERT: Sentence embeddings using Siamese BERT-networks (ACL D19-1410).
    """

    def __init__(
        self,
        folder: str | Path | ModelFolder,
        options: EncoderOptions = EncoderOptions(),
        make_model: Callable[[ModelFolder, int, int], EncoderModel] = OnnxModel,
    ) -> None:
        files = folder if isinstance(folder, ModelFolder) else read_model_folder(folder)
        self._context = options.context
        self._reader = TextReader(files, context=options.context, prefix=options.prefix)
        self._model = make_model(files, self._reader.padding_id, options.threads)
        self._cache = None if options.cache is None else VectorCache(options.cache, files.digest())
        self.description = f"{self._model.description}, at most {files.max_length} tokens"

    @property
    def cut(self) -> int:
        """The number of texts, or pairs, that were longer than the model can read."""
        return len(self._reader.cut)

    def describe_cut(self) -> str:
        """Say how many texts or pairs were too long; nothing if none was."""
        noun = "pair" if self._model.is_cross_encoder else "text"
        side = "on both sides of the marked sentence" if self._context else "at the end"
        were = "was" if self.cut == 1 else "were"
        return f"; {count_noun(self.cut, noun)} {were} longer and cut {side}" if self.cut else ""

    def encode(self, texts: Texts) -> "Encoding":
        """Tokenize a text or a pair, and count it if it is too long."""
        return self._reader.encode(texts)

    def fit(self, comparisons: Sequence[ComparedTexts]) -> Measure:
        """Return the measure for these texts, which computes a group of them when it needs the first.

        Raises
        ------
        RequestError
            If the model shall read contexts, and no text has one.
        """
        inputs = list(dict.fromkeys(self._inputs(comparisons)))
        if self._context and inputs and not any(has_mark(text) for texts in inputs for text in texts):
            raise RequestError("no text has a sentence between <sent> and </sent>; leave --context out")
        find = self._finder(inputs)
        if self._model.is_cross_encoder:
            return lambda left, right: _logistic(float(find((left, right))[0]))
        return lambda left, right: _cosine(find((left,)), find((right,)))

    def _inputs(self, comparisons: Sequence[ComparedTexts]) -> Iterator[Texts]:
        for lefts, right in comparisons:
            if self._model.is_cross_encoder:
                yield from ((left, right) for left in lefts)
            else:
                yield from ((text,) for text in (*lefts, right))

    def _finder(self, inputs: Sequence[Texts]) -> Callable[[Texts], Vectors]:
        groups = (inputs[start : start + _CHUNK] for start in range(0, len(inputs), _CHUNK))
        vectors: dict[Texts, Vectors] = {}

        def find(texts: Texts) -> Vectors:
            while texts not in vectors:
                vectors.update(self._compute(next(groups)))
            return vectors[texts]

        return find

    def _compute(self, inputs: Sequence[Texts]) -> Iterator[tuple[Texts, Vectors]]:
        encodings = {texts: self.encode(texts) for texts in inputs}
        lengths = {texts: len(encoding.ids) for texts, encoding in encodings.items()}
        for batch in make_batches(lengths, self._model.batch_tokens):
            yield from zip(batch, self._run([encodings[texts] for texts in batch]), strict=True)

    def _run(self, encodings: Sequence["Encoding"]) -> Vectors:
        if self._cache is None:
            return self._model.run(encodings)
        vectors = self._cache.find(encodings)
        if vectors is None:
            vectors = self._model.run(encodings)
            self._cache.add(encodings, vectors)
        return vectors


def encoder_run(
    encoder: Encoder, items: Items, *, senses: SenseInventory | None = None, **options: Any
) -> str:
    """Run a model on the items of a level.

    Parameters
    ----------
    encoder : Encoder
        The model.
    items, senses, options
        As for `scorer.baselines.baseline_run`. Similarities are rounded to 6 digits by default.

    Returns
    -------
    str
        An aligned run file.
    """
    comparisons = compared_texts(items, senses)
    baseline = Baseline("Encoder", encoder.description, lambda _: encoder.fit(comparisons), ENCODER_DIGITS)
    return baseline_run(baseline, items, senses=senses, **options)


def make_batches(lengths: Mapping[Texts, int], limit: int) -> Iterator[list[Texts]]:
    """Put inputs of similar length together, so that little of a batch is padding.

    Parameters
    ----------
    lengths : mapping of tuple of str to int
        The number of tokens of each input.
    limit : int
        The maximum number of tokens of a batch with its padding. A longer input is a batch of its own.

    Yields
    ------
    list of tuple of str

    Examples
    --------
    >>> list(make_batches({("a",): 5, ("b",): 2, ("c",): 9, ("d",): 4}, 8))
    [[('b',), ('d',)], [('a',)], [('c',)]]
    """
    batch: list[Texts] = []
    for texts in sorted(lengths, key=lengths.__getitem__):
        if batch and (len(batch) + 1) * lengths[texts] > limit:
            yield batch
            batch = []
        batch.append(texts)
    if batch:
        yield batch


def _cosine(a: Vectors, b: Vectors) -> float:
    a64, b64 = a.astype(np.float64), b.astype(np.float64)
    lengths = math.sqrt(float(a64 @ a64) * float(b64 @ b64))
    return min(1.0, max(0.0, float(a64 @ b64) / lengths)) if lengths else 0.0


def _logistic(value: float) -> float:
    return 1 / (1 + math.exp(-value)) if value > 0 else 1 - 1 / (1 + math.exp(value))
