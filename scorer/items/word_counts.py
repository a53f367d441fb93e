"""Count the words of items: content words, words that are not in WordNet, tokens and lemmas of each text."""

from array import array
from collections import defaultdict
from collections.abc import Callable, Collection, Container, Sequence
from dataclasses import dataclass
from statistics import mean, stdev
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from scorer.files.reading import Items
from scorer.items.lexical_diversity import HDD_DRAWS, MTLD_THRESHOLD, TTR_WINDOW
from scorer.items.words import ENGLISH_FUNCTION_WORDS, is_content_word, is_word, split_words
from scorer.values import Undefined

ALL = "all"
Side = Literal["context", "left", "right"]
SIDES: tuple[Side, ...] = ("context", "left", "right")
TokenKind = Literal["words", "spaces"]
_Codes = NDArray[np.int32]
_Mask = NDArray[np.bool_]
_NO_WORDNET = Undefined("no_wordnet", "no WordNet was given")


@dataclass(frozen=True, slots=True)
class WordRules:
    """The rules for counting words.

    Parameters
    ----------
    tokens : "words" or "spaces"
        What a token is, for tokens, types and lexical diversity: a word as in `words_of`, or any text between
        whitespace.
    function_words : collection of str
        The words that are not content words.
    vocabulary : container of str, or Undefined
        The words of WordNet, or the reason why they are not available.
    lemma : callable, optional
        Returns the lemma of a word. None means that lemmas are not counted.
    lemmas : str, optional
        The language of the lemmas.
    window : int
        The number of words in a segment of MSTTR and in a window of MATTR.
    threshold : float
        The threshold of MTLD.
    draws : int
        The number of draws of HD-D.
    turns : str, optional
        The separator of the turns of a context. If it is given, each turn is counted as one text.
    """

    tokens: TokenKind = "words"
    function_words: Collection[str] = ENGLISH_FUNCTION_WORDS
    vocabulary: Container[str] | Undefined = _NO_WORDNET
    lemma: Callable[[str], str] | None = None
    lemmas: str | None = None
    window: int = TTR_WINDOW
    threshold: float = MTLD_THRESHOLD
    draws: int = HDD_DRAWS
    turns: str | None = None


class Lexicon:
    """Assigns a number to each distinct token, and computes properties of these tokens."""

    def __init__(self, split: Callable[[str], list[str]]) -> None:
        self._split = split
        self._numbers: defaultdict[str, int] = defaultdict()
        self._numbers.default_factory = self._numbers.__len__

    def encode(self, texts: Sequence[str]) -> tuple[_Codes, NDArray[np.intp]]:
        """Return the concatenated tokens of all texts as numbers, and the number of tokens of each text."""
        codes, lengths = array("i"), array("q")
        number_of = self._numbers.__getitem__
        for text in texts:
            before = len(codes)
            codes.extend(map(number_of, self._split(text)))
            lengths.append(len(codes) - before)
        return np.array(codes, dtype=np.int32), np.array(lengths, dtype=np.intp)

    def mark(self, holds: Callable[[str], bool]) -> _Mask:
        """Return a mask, by token number, of the distinct tokens for which a predicate is true."""
        return np.fromiter(map(holds, self._numbers), dtype=np.bool_, count=len(self._numbers))

    def merge(self, form: Callable[[str], str]) -> _Codes:
        """Return new numbers, by token number, which are equal if the form (such as lower case) is equal."""
        number_by_form: dict[str, int] = {}
        numbers = (number_by_form.setdefault(form(token), len(number_by_form)) for token in self._numbers)
        return np.fromiter(numbers, dtype=np.int32, count=len(self._numbers))


@dataclass(frozen=True, slots=True)
class ItemTexts:
    """The N texts of an items file, with each item's context, left side and right side in this order.

    Parameters
    ----------
    names : tuple of str
        The genres.
    genre : (N,) array of int
        The genre of each text's item, as an index into `names`.
    side : (N,) array of int
        The side of each text, as an index into `SIDES`.
    repeats : (N,) array of bool
        Whether an earlier item of the same group has the same text.
    """

    names: tuple[str, ...]
    genre: NDArray[np.intp]
    side: NDArray[np.intp]
    repeats: _Mask

    def subsets(self) -> list[tuple[str, _Mask]]:
        """Return masks of the texts of each genre, if there are several genres, and of all texts."""
        everything = (ALL, np.ones(len(self.side), dtype=np.bool_))
        if len(self.names) < 2:
            return [everything]
        return [*((name, self.genre == place) for place, name in enumerate(self.names)), everything]

    def of_side(self, side: Side) -> _Mask:
        """Return a mask of the texts of one side."""
        chosen: _Mask = self.side == SIDES.index(side)
        return chosen


def list_texts(items: Items, turns: str | None = None) -> tuple[ItemTexts, list[str]]:
    """List the texts of items.

    Parameters
    ----------
    items : Items
        The items.
    turns : str, optional
        The separator of the turns of a context. Blank turns are left out.

    Returns
    -------
    ItemTexts
        The genres and sides of the texts.
    list of str
        The texts themselves. An item without a context has no text for that side.
    """
    names = items.genre_names
    place_of = {name: place for place, name in enumerate(names)}
    texts, genre, side, repeats = list[str](), array("q"), array("q"), array("b")
    group_texts = set[tuple[str, int, str]]()
    for item, group in zip(items.items, items.groups or [None] * len(items), strict=True):
        for place, text in enumerate((item.context, item.left, item.right)):
            if text is None:
                continue
            single = turns is None or SIDES[place] != "context"
            parts = [text] if single else [part for part in text.split(turns) if part.strip()]
            texts += parts
            genre.extend([place_of[item.genre]] * len(parts))
            side.extend([place] * len(parts))
            repeats.extend([group is not None and (group, place, text) in group_texts] * len(parts))
            if group is not None:
                group_texts.add((group, place, text))
    item_texts = ItemTexts(names, np.array(genre), np.array(side), np.array(repeats, dtype=np.bool_))
    return item_texts, texts


@dataclass(frozen=True, slots=True)
class TokenizedItems:
    """The texts of one items file with their tokens. Equal words have equal numbers.

    Parameters
    ----------
    texts : ItemTexts
        The genres and sides of the N texts.
    content, missing : (N,) array of int
        The number of content words of each text, and the number of those that are not in WordNet.
    content_types : array of int
        The content words of all texts, concatenated.
    content_missing : array of bool
        Whether each of these content words is not in WordNet.
    tokens : array of int
        The tokens of all texts, concatenated.
    lengths : (N,) array of int
        The number of tokens of each text.
    lemmas : array of int, optional
        The lemmas of all words, concatenated.
    words : (N,) array of int
        The number of words of each text, for the lemmas.
    """

    texts: ItemTexts
    content: NDArray[np.intp]
    missing: NDArray[np.intp]
    content_types: _Codes
    content_missing: _Mask
    tokens: _Codes
    lengths: NDArray[np.intp]
    lemmas: _Codes | None
    words: NDArray[np.intp]

    def tokens_of(self, chosen: _Mask) -> _Codes:
        """Return the tokens of some texts, without repeated texts."""
        return self.tokens[np.repeat(chosen & ~self.texts.repeats, self.lengths)]

    def lemmas_of(self, chosen: _Mask) -> int | None:
        """Count the distinct lemmas of some texts, without repeated texts; None if there are no lemmas."""
        if self.lemmas is None:
            return None
        return _count_distinct(self.lemmas[np.repeat(chosen & ~self.texts.repeats, self.words)])

    def vocabulary_of(self, chosen: _Mask) -> tuple[int, int]:
        """Count the distinct content words of some texts, and those of them that are not in WordNet."""
        is_chosen = np.repeat(chosen, self.content)
        types, missing = self.content_types[is_chosen], self.content_missing[is_chosen]
        return _count_distinct(types), _count_distinct(types[missing])


def measure_items(items: Items, rules: WordRules) -> TokenizedItems:
    """Tokenize the texts of items, and classify their words.

    Parameters
    ----------
    items : Items
        The items.
    rules : WordRules
        The rules for counting words.

    Returns
    -------
    TokenizedItems

    Notes
    -----
    The classification of a word does not depend on its context, so it is computed only once for each type.

    Examples
    --------
    >>> from scorer.files.reading import parse_items
    >>> items = parse_items(b"The old pier\\tof a pier\\tSEA-1\\n", "items.tsv")
    >>> found = measure_items(items, WordRules(vocabulary={"pier"}))
    >>> found.content.tolist(), found.missing.tolist(), found.lengths.tolist()
    ([2, 1], [1, 0], [3, 3])
    """
    texts, written = list_texts(items, rules.turns)
    lexicon = Lexicon(split_words)
    codes, lengths = lexicon.encode(written)
    is_kept = lexicon.mark(is_word)
    is_content = is_kept & lexicon.mark(lambda word: is_content_word(word.lower(), rules.function_words))
    wordnet_words = rules.vocabulary
    lacks = np.zeros(len(is_content), dtype=np.bool_)
    if not isinstance(wordnet_words, Undefined):
        lacks = is_content & lexicon.mark(lambda word: word.lower() not in wordnet_words)
    words, number = is_kept[codes], lexicon.merge(str.lower)
    in_words = _count_marked(words, lengths)
    tokens, token_lengths = number[codes[words]], in_words
    if rules.tokens == "spaces":
        tokens, token_lengths = Lexicon(str.split).encode(written)
    content = is_content[codes]
    return TokenizedItems(
        texts,
        _count_marked(content, lengths),
        _count_marked(lacks[codes], lengths),
        number[codes[content]],
        lacks[codes[content]],
        tokens,
        token_lengths,
        None if rules.lemma is None else lexicon.merge(rules.lemma)[codes[words]],
        in_words,
    )


def mean_sd(values: NDArray[np.intp] | Sequence[float]) -> tuple[float | Undefined, float | Undefined]:
    """Compute the mean and the sample standard deviation in rational arithmetic, or why they are undefined.

    >>> mean_sd([1.0, 3.0])
    (2.0, 1.4142135623730951)
    """
    n = len(values)
    if not n:
        undefined = Undefined("no_values", "there are no values")
        return undefined, undefined
    numbers = [float(value) for value in values]
    if n == 1:
        return numbers[0], Undefined("one_value", "a single value has no standard deviation")
    return mean(numbers), stdev(numbers)


def _count_distinct(codes: _Codes) -> int:
    return int(np.count_nonzero(np.bincount(codes)))


def _count_marked(marks: _Mask, lengths: NDArray[np.intp]) -> NDArray[np.intp]:
    """Count the marked tokens of each text."""
    ends = np.cumsum(lengths)
    before = np.concatenate([[0], np.cumsum(marks)])
    sums: NDArray[np.intp] = before[ends] - before[ends - lengths]
    return sums
