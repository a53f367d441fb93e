"""The word2sense level: an item compares a word with a sense of another word, by their glosses."""

from scorer.baselines.senses import SenseInventory, parse_sense, parse_word
from scorer.errors import ItemsError
from scorer.files.reading import Item, Items
from scorer.files.text import Problems

_POS_BY_SYNSET_TYPE = {"1": "n", "2": "v", "3": "a", "4": "r", "5": "a"}
"""The part of speech by the synset type in a sense key (lemma%type:...); see senseidx(5WN) of WordNet 3.0."""


def find_glosses(items: Items, senses: SenseInventory) -> list[tuple[tuple[str, ...], str]]:
    """Find for each item the glosses of all senses of its word, and the gloss of its sense.

    Parameters
    ----------
    items : Items
        Items whose left side is ``word#pos`` and whose right side is ``word#pos#n``. If the right side does
        not have the part of speech, the sense key is used.
    senses : SenseInventory
        WordNet 3.0 or a task's own table.

    Returns
    -------
    list of (tuple of str, str)
        The glosses for each item. A word without a sense with that part of speech has none.

    Raises
    ------
    ItemsError
        If an item does not have a valid word and sense, or its sense is not in the inventory. The error lists
        all such items.
    """
    pairs: list[tuple[tuple[str, ...], str]] = []
    problems = Problems(items.source)
    for item in items.items:
        word, target = _find_word(item, problems), _find_target(item, senses, problems)
        if word is not None and target is not None:
            pairs.append((senses.glosses(*word), target))
    problems.raise_as(ItemsError)
    return pairs


def _find_word(item: Item, problems: Problems) -> tuple[str, str] | None:
    word = parse_word(item.left)
    if word is None:
        message = f'"{item.left}" names no word; write word#pos, with pos one of n, v, a, r'
        problems.add(item.line, "bad_word", message)
    return word


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
    """Add the sense key's part of speech to ``word#n``, as one line of the official trial items lacks it."""
    word, _, number = item.right.rpartition("#")
    kind = (item.sense_key or "").rpartition("%")[2].partition(":")[0]
    return f"{word}#{_POS_BY_SYNSET_TYPE.get(kind)}#{number}"
