"""What the path of a data file says: its level, its split, and whether it is items, gold or a run.

A path is cut into words at everything but letters and digits. Some words have a meaning; the rest names the
level. Words of the file name count before those of its folders, the nearest folder first: in
`STS2012-gold/STS.input.MSRpar.txt` the file name says that these are items.
"""

import re
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Literal

Role = Literal["items", "gold", "run"]

_EXTENSIONS = (".tsv", ".csv", ".txt", ".tab", ".dat")
_ROLES: dict[Role, frozenset[str]] = {
    "items": frozenset(("input", "inputs", "items", "item", "pairs", "texts")),
    "gold": frozenset(
        ("gs", "gold", "golds", "goldstandard", "key", "keys", "labels", "labelled", "labeled")
    ),
    "run": frozenset(
        ("output", "outputs", "run", "runs", "pred", "preds", "prediction", "predictions", "submission")
    ).union(("submissions", "system", "systems", "baseline", "baselines", "example", "examples")),
}
_SPLITS = {
    "trial": frozenset(("trial", "dev", "devel", "development", "valid", "validation", "val", "sample")),
    "training": frozenset(("train", "training")),
    "test": frozenset(("test", "eval", "evaluation")),
}
_NOISE = frozenset(("data", "with", "annotated", "surprise", "final", "official", "file", "files"))
"""Words without a meaning here. STS 2012 has “surprise” before the data sets that had no training data."""
_VERSION = re.compile(r"v\d+|(?:19|20)\d\d")
_KNOWN_WORDS = frozenset().union(*_ROLES.values(), *_SPLITS.values(), _NOISE)


def name_parts(path: str) -> tuple[list[str], list[str]]:
    """Return the words of the folders and of the file name, without the usual extensions.

    >>> name_parts("STS2017.gs/STS.gs.track1.ar-ar.txt")
    (['STS2017', 'gs'], ['STS', 'gs', 'track1', 'ar', 'ar'])
    """
    pure = PurePosixPath(path)
    stem = pure.stem if pure.suffix.lower() in _EXTENSIONS else pure.name
    return [word for part in pure.parts[:-1] for word in _words(part)], _words(stem)


def make_slug(name: str, otherwise: str) -> str:
    """Make a short name for addresses and commands; `otherwise`: if the name has no letter and no digit.

    >>> make_slug("Harbour (2nd part)", "task"), make_slug("…", "task")
    ('harbour-2nd-part', 'task')
    """
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:64].strip("-") or otherwise


def find_split(path: str) -> str | None:
    """Return the split that a path names, or None.

    >>> find_split("Track A/eng/eng_dev_with_labels.csv"), find_split("gold.txt")
    ('trial', None)
    """
    return next(
        (split for word in _nearest_first(path) for split, words in _SPLITS.items() if word in words), None
    )


def find_role(path: str) -> Role | None:
    """Return what a path says that the file is, or None.

    >>> find_role("keys/baselines/phrase2word.test.baseline.tsv"), find_role("STS.gs.ALL.txt")
    ('run', 'gold')
    """
    return next(
        (role for word in _nearest_first(path) for role, words in _ROLES.items() if word in words), None
    )


def level_words(path: str) -> tuple[list[str], list[str]]:
    """Return the words of the folders and of the file name that may name the level.

    >>> level_words("Track A/eng/eng_dev.csv")
    (['Track', 'A', 'eng'], ['eng'])
    """
    folders, stem = name_parts(path)
    return [word for word in folders if _may_name(word)], [word for word in stem if _may_name(word)]


def contains_in_order(words: Sequence[str], wanted: Sequence[str]) -> bool:
    """Whether all wanted words are among the words, in this order, in any case.

    >>> contains_in_order(["STS", "answer", "answer"], ["answer", "answer"])
    True
    """
    rest = iter(word.casefold() for word in words)
    return all(word.casefold() in rest for word in wanted)


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text)


def _nearest_first(path: str) -> list[str]:
    folders, stem = name_parts(path)
    return [word.casefold() for word in (*reversed(stem), *reversed(folders))]


def _may_name(word: str) -> bool:
    return word.casefold() not in _KNOWN_WORDS and _VERSION.fullmatch(word.casefold()) is None
