"""Finds the words of a sentence in other sentences, which a page highlights while annotators choose."""

import re
from collections import Counter
from collections.abc import Sequence

RULE = (
    "Words are casefolded. A word of a report is highlighted if its first five letters are those of a word "
    "of the summary sentence (a shorter word: if it is the same). Words that occur in more than a third of "
    "the incident's report sentences are not highlighted."
)
"""The rule in words, for the manifest of an export: it steers what annotators choose."""
STEM = 5
_WORD = re.compile(r"\w+")


def find_highlights(sentence: str, others: Sequence[str]) -> list[list[tuple[int, int]]]:
    """Find the words of a sentence in other sentences.

    Parameters
    ----------
    sentence : str
        The sentence of a summary.
    others : sequence of str
        All sentences of the reports of its group.

    Returns
    -------
    list of list of (int, int)
        The start and the end of each highlighted word, for each of `others`.

    Notes
    -----
    Words are runs of letters and digits, compared casefolded by their first five letters, which finds most
    inflected forms. Words in more than a third of `others` say nothing and are left out. See also `RULE`.

    Examples
    --------
    >>> others = ["The ferries sank.", "The ferry was old.", "The end.", "It was late."]
    >>> find_highlights("The ferry sank", others)
    [[(12, 16)], [(4, 9)], [], []]
    """
    found = [[(match.span(), _stem(match[0])) for match in _WORD.finditer(other)] for other in others]
    times = Counter(stem for words in found for stem in {stem for _span, stem in words})
    wanted = {stem for word in _WORD.findall(sentence) if 3 * times[stem := _stem(word)] <= len(others)}
    return [[span for span, stem in words if stem in wanted] for words in found]


def _stem(word: str) -> str:
    return word.casefold()[:STEM]
