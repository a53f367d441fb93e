"""Groups items files into levels and splits, and names the levels."""

import re
from collections.abc import Mapping, Sequence

from scorer.bundles.drafts.data_files import FolderFile
from scorer.bundles.drafts.path_words import find_split, level_words
from scorer.bundles.toml_table import LEVEL_SLUG

Words = tuple[str, ...]
_SIZES = ("document", "paragraph", "sentence", "phrase", "word", "sense")
"""The sizes of texts from the largest, by which cross-level tasks order their levels."""
_CROSS_LEVEL = re.compile(r"([a-z]+)2([a-z]+)")
_GENERIC_SCORES = ("", "gold", "score", "scores", "label", "rating", "value", "mean", "pred")


def group_by_level(files: Sequence[FolderFile]) -> dict[Words, dict[str, list[FolderFile]]]:
    """Group items files by the words that name their level, and by split; without a word it is test.

    Words that all files have are left out, and so are the folders if the file names tell the levels apart. If
    two data sets of the same name are in different folders, the folders are part of the name.
    """
    words = [level_words(file.path) for file in files]
    common = _common_words([[*folders, *stem] for folders, stem in words])
    groups: dict[Words, dict[str, list[FolderFile]]] = {}
    for file, (folders, stem) in zip(files, words, strict=True):
        own = _without(stem, common) or _without(folders, common)
        groups.setdefault(_folded(groups, own), {}).setdefault(find_split(file.path) or "test", []).append(
            file
        )
    return {
        name: splits for words, splits in groups.items() for name, splits in _separate(words, splits).items()
    }


def _separate(
    words: Words, splits: Mapping[str, list[FolderFile]]
) -> dict[Words, dict[str, list[FolderFile]]]:
    """Give files of one level and split that are in different folders names of their own."""
    if all(len(files) == len({_is_labelled(file) for file in files}) for files in splits.values()):
        return {words: dict(splits)}
    groups: dict[Words, dict[str, list[FolderFile]]] = {}
    for split, files in splits.items():
        for file in files:
            name = (*_without(level_words(file.path)[0], words), *words)
            groups.setdefault(name, {}).setdefault(split, []).append(file)
    return groups


def _is_labelled(file: FolderFile) -> bool:
    return file.columns is not None and file.columns.score is not None


def _folded(groups: Mapping[Words, object], words: list[str]) -> Words:
    """Return words as they are written in a level that is there already, whatever their case."""
    folded = [word.casefold() for word in words]
    return next((name for name in groups if [word.casefold() for word in name] == folded), tuple(words))


def _common_words(lists: Sequence[Sequence[str]]) -> set[str]:
    return set.intersection(*({word.casefold() for word in words} for words in lists)) if lists else set()


def _without(words: Sequence[str], left_out: set[str] | Words) -> list[str]:
    out = {word.casefold() for word in left_out}
    return [word for word in words if word.casefold() not in out]


def level_slug(words: Words, files: Sequence[FolderFile], score: str | None) -> str:
    """Return the short name of a level.

    A task of one level has no words that set it apart: it is called like the column of its labels without
    “score” (SICK's `relatedness_score`), else like its files, else “similarity”.
    """
    if not words and score is not None:
        plain = re.sub(r"[\W_]*(?:score|gold)$", "", score, flags=re.IGNORECASE)
        words = (plain,) if plain.casefold() not in _GENERIC_SCORES else ()
    if not words:
        stems = [level_words(file.path)[1] for file in files]
        common = _common_words(stems)
        words = tuple(word for word in stems[0] if word.casefold() in common)
    slug = re.sub(r"[^A-Za-z0-9_-]+", "-", "-".join(words)).strip("-_")[:64].rstrip("-_")
    return slug if LEVEL_SLUG.fullmatch(slug) else "similarity"


def level_order(slug: str) -> tuple[int, list[object]]:
    """Return a sort key: cross-level tasks from the largest text to the smallest, others by name."""
    match = _CROSS_LEVEL.fullmatch(slug.casefold())
    place = _SIZES.index(match[1]) if match and match[1] in _SIZES else len(_SIZES)
    parts = re.split(r"(\d+)", slug.casefold())
    return place, [int(part) if part.isdigit() else part for part in parts]


def is_cross_level(slug: str) -> bool:
    """Whether a level compares two kinds of texts, such as phrase2word."""
    return _CROSS_LEVEL.fullmatch(slug.casefold()) is not None


def level_title(slug: str) -> str:
    """Return a readable title.

    >>> level_title("paragraph2sentence"), level_title("deft-forum")
    ('Paragraph to sentence', 'Deft forum')
    """
    match = _CROSS_LEVEL.fullmatch(slug.casefold())
    text = f"{match[1]} to {match[2]}" if match else re.sub(r"[-_]+", " ", slug)
    return text[:1].upper() + text[1:]


def level_sides(slug: str, columns: object) -> tuple[str, str] | None:
    """Return what the two texts are called: by the level's name, else by a header such as sentence_A."""
    match = _CROSS_LEVEL.fullmatch(slug.casefold())
    if match:
        return match[1], match[2]
    if isinstance(columns, Mapping) and "left" in columns:
        names = [re.sub(r"[\W_]*[12aAbB]$", "", columns[side]).casefold() for side in ("left", "right")]
        if all(names) and not {*names} & {"left", "right", "s", "first", "second"}:
            return names[0], names[1]
    return None
