"""A dictionary of a few words in WordNet's own format: offsets, sorted index, licence on top."""

from collections.abc import Mapping, Sequence
from pathlib import Path

Entries = Mapping[str, Mapping[str, tuple[str, ...]]]
ENTRIES: Entries = {
    "noun": {"bank": ("sloping land", "a financial institution"), "'hood": ("a neighbourhood",)},
    "verb": {"bank": ("tip laterally",), "zoom": ("rise rapidly",)},
    "adj": {"calm": ('not agitated; "spoke in a calm voice"',)},
    "adv": {"soon": ("in the near future",)},
}
"""The glosses of the senses of each word, by the ending of the file."""
HARBOUR: Entries = {
    "noun": {
        "quay": ("a wharf along the shore",),
        "wharf": ('a place for ships; "tied up at the wharf"',),
        **{f"wharf{n}": (f"a wharf of kind {n}",) for n in range(5)},
        "gull": ("a white bird",),
    },
    "verb": {"moor": ("tie up a boat",)},
    "adj": {"calm": ("without waves",)},
    "adv": {"soon": ("in the near future",)},
}
HARBOUR_RELATIONS = {
    "a wharf along the shore": ['a place for ships; "tied up at the wharf"'],
    'a place for ships; "tied up at the wharf"': [f"a wharf of kind {n}" for n in range(5)],
    "tie up a boat": ["a wharf along the shore"],
}
_POS = {"noun": "n", "verb": "v", "adj": "a", "adv": "r"}


def write_wordnet(
    folder: Path,
    version: str = "3.0",
    entries: Entries = ENTRIES,
    related: Mapping[str, Sequence[str]] | None = None,
) -> Path:
    """Write the dictionary; `related` has the glosses to which the relations of a gloss lead."""
    folder.mkdir(parents=True)
    licence = f"  1 This software is provided to you  \n  2 WordNet {version} Copyright 2006 by Princeton  \n"
    places: dict[str, str] = {}
    for final in (False, True):
        for ending, words in entries.items():
            data, index = licence, licence
            for word in sorted(words, key=_lemma):
                offsets = []
                for gloss in words[word]:
                    offsets.append(f"{len(data):08d}")
                    places[gloss] = f"{offsets[-1]} {_POS[ending]}"
                    # An offset has the same length, whatever it is.
                    to = [places.get(other, "00000000 n") for other in (related or {}).get(gloss, ())]
                    pointers = "".join(f" @ {place} 0000" for place in to)
                    start = f"{offsets[-1]} 03 {_POS[ending]} 01 {word} 0 {len(to):03d}"
                    data += f"{start}{pointers} | {gloss}  \n"
                index += (
                    f"{_lemma(word)} {_POS[ending]} {len(offsets)} 0 {len(offsets)} 1 {' '.join(offsets)}  \n"
                )
            if final:
                (folder / f"data.{ending}").write_text(data, encoding="ascii")
                (folder / f"index.{ending}").write_text(index, encoding="ascii")
    return folder


def _lemma(word: str) -> str:
    """The word of an index file: without capitals and marks."""
    return word.partition("(")[0].lower()
