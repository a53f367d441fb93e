"""The word2sense level: an item is a word against one sense of another word, and the texts are glosses."""

import re
from collections.abc import Callable
from fractions import Fraction

from scorer.baselines.senses import SenseInventory, parse_sense
from scorer.baselines.wordnet import PARTS_OF_SPEECH
from scorer.errors import ItemsError
from scorer.files.reading import Item, Items
from scorer.files.text import Problems

Measure = Callable[[str, str], Fraction]
"""A similarity of two texts, exact, from 0 to 1."""

_WORD_PATTERN = re.compile(r"(?P<word>[^\t]+)#(?P<pos>[a-z])")
_POS_BY_SYNSET_TYPE = {"1": "n", "2": "v", "3": "a", "4": "r", "5": "a"}
"""Type of a synset in a sense key (lemma%type:...) -> part of speech; WordNet 3.0, senseidx(5WN)."""


def best_glosses(items: Items, senses: SenseInventory, measure: Measure) -> list[Fraction | None]:
    """The largest similarity of a gloss of each item's word to the gloss of its sense.

    Parameters
    ----------
    items : Items
        Items whose left side is ``word#pos`` and whose right side is ``word#pos#n``. Where the right side
        lacks the part of speech, it is taken from the sense key.
    senses : SenseInventory
        WordNet 3.0 or a task's own table.
    measure : callable
        From two glosses to how similar they are.

    Returns
    -------
    list of Fraction or None
        One for each item; None if the word has no sense as that part of speech.

    Raises
    ------
    ItemsError
        With every item that names no word or no sense, or a sense that the inventory lacks.
    """
    pairs: list[tuple[tuple[str, ...], str]] = []
    problems = Problems(items.source)
    for item in items.items:
        word, target = _find_word(item, problems), _find_target(item, senses, problems)
        if word is not None and target is not None:
            pairs.append((senses.glosses(*word), target))
    problems.raise_as(ItemsError)
    return [max((measure(gloss, target) for gloss in glosses), default=None) for glosses, target in pairs]


def _find_word(item: Item, problems: Problems) -> tuple[str, str] | None:
    match = _WORD_PATTERN.fullmatch(item.left.strip(" "))
    if match is None or match["pos"] not in PARTS_OF_SPEECH:
        message = f'"{item.left}" names no word; write word#pos, with pos one of n, v, a, r'
        problems.add(item.line, "bad_word", message)
        return None
    return match["word"], match["pos"]


def _find_target(item: Item, senses: SenseInventory, problems: Problems) -> str | None:
    sense = parse_sense(item.right) or parse_sense(_with_pos(item))
    if sense is None:
        message = f'"{item.right}" names no sense; write word#pos#n, with pos one of n, v, a, r'
        problems.add(item.line, "bad_sense", message)
        return None
    gloss = senses.find_gloss(*sense)
    if gloss is None:
        word, pos, _ = sense
        count = f'{len(senses.glosses(word, pos))} senses of "{word}#{pos}"'
        fact = f'sense "{item.right}" is not in {senses.name}, which has {count}'
        problems.add(item.line, "unknown_sense", f"{fact}; correct its word or number")
    return gloss


def _with_pos(item: Item) -> str:
    """``word#n`` with the sense key's part of speech, as one line of the official trial items needs it."""
    word, _, number = item.right.rpartition("#")
    kind = (item.sense_key or "").rpartition("%")[2].partition(":")[0]
    return f"{word}#{_POS_BY_SYNSET_TYPE.get(kind)}#{number}"
