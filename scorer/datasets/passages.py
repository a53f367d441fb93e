"""The mark around a key sentence in its context, and how much of the context is published."""

import re
from collections.abc import Iterator

from scorer.files.text import SENTENCE_TAGS

OPEN, CLOSE = SENTENCE_TAGS
_MARK = re.compile(r"</?\s*sent\s*/?>", re.IGNORECASE)
_SENTENCE_END = re.compile(r"""[.!?…]["'”“’»)\]]*\s+""")
_OPENING = "\"'„“”‘’«»(["


def explain_mark(text: str) -> str | None:
    """Explain that a text has the mark; None if it has none.

    Examples
    --------
    >>> explain_mark("A boat."), explain_mark("A <sent>boat.")
    (None, 'has the mark <sent>, which only a context may have; remove it')
    """
    mark = _MARK.search(text)
    return None if mark is None else f"has the mark {mark[0]}, which only a context may have; remove it"


def explain_context(context: str, sentence: str) -> str | None:
    """Explain why a context does not mark its sentence; None if it does.

    Parameters
    ----------
    context : str
        A passage with the sentence between <sent> and </sent>.
    sentence : str
        The sentence.

    Examples
    --------
    >>> explain_context("Dawn. <sent>A boat.</sent> Dusk.", "A boat.")
    >>> explain_context("Dawn. A boat.", "A boat.")
    'has to have the sentence once between <sent> and </sent>'
    """
    if _MARK.findall(context) != [OPEN, CLOSE]:
        return f"has to have the sentence once between {OPEN} and {CLOSE}"
    if _split_at_mark(context)[1].strip() != sentence.strip():
        return f"has another text between {OPEN} and {CLOSE} than the sentence; write the same"
    return None


def limit_context(context: str, sentences: int) -> str:
    """Shorten a context to some sentences before and after the marked one.

    Parameters
    ----------
    context : str
        A passage that `explain_context` accepts.
    sentences : int, at least 0
        The maximum number of sentences on each side.

    Returns
    -------
    str
        The passage, with the mark.

    Notes
    -----
    A sentence ends at a full stop, an exclamation or question mark or an ellipsis, perhaps with closing
    quotes or brackets, that is followed by whitespace and then by anything but a lower-case letter. An
    abbreviation before a name therefore counts as an end, so that too little is published, not too much.

    Examples
    --------
    >>> limit_context("Rain. Fog fell. <sent>A boat left.</sent> It sank. Gulls cried.", 1)
    'Fog fell. <sent>A boat left.</sent> It sank.'
    """
    before, key, after = _split_at_mark(context)
    starts = [0, *(end for end in _sentence_ends(before) if before[end:].strip())]
    ends = [*(end for end in _sentence_ends(after) if after[:end].strip()), len(after)]
    first = starts[max(0, len(starts) - sentences)] if sentences else len(before)
    last = ends[min(sentences, len(ends)) - 1] if sentences else 0
    return f"{before[first:]}{OPEN}{key}{CLOSE}{after[:last]}".strip()


def _split_at_mark(context: str) -> tuple[str, str, str]:
    before, _, rest = context.partition(OPEN)
    key, _, after = rest.partition(CLOSE)
    return before, key, after


def _sentence_ends(text: str) -> Iterator[int]:
    """Yield the positions at which a further sentence begins, or the text ends after a last space."""
    for match in _SENTENCE_END.finditer(text):
        following = text[match.end() :].lstrip(_OPENING)
        if not following[:1].islower():
            yield match.end()
