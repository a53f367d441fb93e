"""Tokenizes texts for a model: which part of a text it reads, and where a long text is cut."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from scorer.encoders.model_folder import INSTALL_HINT, ModelFolder
from scorer.errors import RequestError
from scorer.files.text import SENTENCE_TAGS

if TYPE_CHECKING:
    from tokenizers import Encoding

Texts = tuple[str, ...]
"""What a model reads at once: a text, or the two texts of a pair."""

_MARKED = re.compile("(.*?)".join(SENTENCE_TAGS), re.DOTALL)
_PADDING = ("[PAD]", "<pad>")


def has_mark(text: str) -> bool:
    """Whether a text marks a sentence in its context.

    >>> has_mark("Dawn. <sent>A boat.</sent> Dusk."), has_mark("A boat.")
    (True, False)
    """
    return _MARKED.search(text) is not None


def select_sentence(text: str) -> str:
    """Return the marked sentence of a text, or the whole text if none is marked.

    >>> select_sentence("Dawn. <sent>A boat.</sent> Dusk."), select_sentence("A boat.")
    ('A boat.', 'A boat.')
    """
    match = _MARKED.search(text)
    return text if match is None else match[1]


def share_tokens(limit: int, counts: Sequence[int]) -> list[int]:
    """Share a number of tokens among one or two texts, so that a longer text loses tokens first.

    >>> share_tokens(10, [4, 20]), share_tokens(10, [20, 20]), share_tokens(10, [20])
    ([4, 6], [5, 5], [10])
    """
    least = min(*counts, limit // len(counts))
    return [min(count, limit - least * (len(counts) - 1)) if count > least else count for count in counts]


def find_start(text: str, offsets: Sequence[tuple[int, int]], size: int) -> int:
    """Find where a text has to begin so that its first tokens have the marked sentence in their middle.

    Parameters
    ----------
    text : str
        A text. If it has no mark, it begins at 0.
    offsets : sequence of (int, int)
        The begin and end of each token in the text.
    size : int
        The number of tokens that remain.

    Returns
    -------
    int
        The position of a character.

    Examples
    --------
    >>> text = "a b <sent>c</sent> d e"
    >>> offsets = [(0, 1), (2, 3), (4, 18), (19, 20), (21, 22)]
    >>> [text[find_start(text, offsets, size) :] for size in (1, 3, 5)]
    ['<sent>c</sent> d e', 'b <sent>c</sent> d e', 'a b <sent>c</sent> d e']
    """
    match = _MARKED.search(text)
    if match is None or len(offsets) <= size:
        return 0
    before = sum(end <= match.start() for _, end in offsets)
    marked = sum(begin < match.end() and end > match.start() for begin, end in offsets)
    first = before - max(0, size - marked) // 2
    return offsets[max(0, min(first, len(offsets) - size))][0]


class TextReader:
    """Tokenizes the texts that a model reads.

    Parameters
    ----------
    folder : ModelFolder
        The model.
    context : bool
        Whether the model reads a marked sentence with its context and its marks, and not alone.
    prefix : str
        What is written before each text.

    Raises
    ------
    RequestError
        If the library is not installed or the tokenizer cannot be read.
    """

    def __init__(self, folder: ModelFolder, *, context: bool, prefix: str) -> None:
        try:
            from tokenizers import Tokenizer  # noqa: PLC0415  an optional dependency
        except ImportError:
            raise RequestError(f"encoders need the package tokenizers: {INSTALL_HINT}") from None
        try:
            self._tokenizer, self._whole = (Tokenizer.from_file(str(folder.tokenizer)) for _ in range(2))
        except Exception as error:  # the library raises nothing more specific
            raise RequestError(f"{folder.tokenizer}: cannot be read as a tokenizer: {error}") from None
        for tokenizer in (self._tokenizer, self._whole):
            tokenizer.no_padding()
        self._tokenizer.enable_truncation(folder.max_length)
        self._whole.no_truncation()
        self._folder, self._context, self._prefix = folder, context, prefix
        padding = (self._tokenizer.token_to_id(token) for token in _PADDING)
        self.padding_id = next((number for number in padding if number is not None), 0)
        self.cut: set[Texts] = set()
        """What was longer than the model can read."""

    def encode(self, texts: Texts) -> "Encoding":
        """Tokenize a text or a pair. If it is too long, tokens are removed from the end of the longer text.

        Of a text with context, some are removed from the beginning too, so that the marked sentence stays.
        """
        read = self._cut_beginnings(texts) if self._context else tuple(map(select_sentence, texts))
        prefixed = [self._prefix + text for text in read]
        first, *second = [text.lower() for text in prefixed] if self._folder.lower_case else prefixed
        encoding = self._tokenizer.encode(first, second[0] if second else None)
        if encoding.overflowing or (self._context and read != texts):
            self.cut.add(texts)
        return encoding

    def _cut_beginnings(self, texts: Texts) -> Texts:
        extra = len(self._whole.encode(self._prefix, add_special_tokens=False).ids)
        special = self._tokenizer.num_special_tokens_to_add(len(texts) > 1)
        offsets = [self._whole.encode(text, add_special_tokens=False).offsets for text in texts]
        sizes = share_tokens(self._folder.max_length - special - extra * len(texts), list(map(len, offsets)))
        parts = zip(texts, offsets, sizes, strict=True)
        return tuple(text[find_start(text, places, size) :] for text, places, size in parts)
