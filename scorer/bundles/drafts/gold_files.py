"""Finds the gold of each split, the rating scale, and the format of runs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor

from scorer.bundles.drafts.data_files import FolderFile
from scorer.bundles.drafts.path_words import contains_in_order, find_role, find_split, name_parts
from scorer.files.numbers import read_number
from scorer.files.reading import KeyedFormat
from scorer.files.text import BLANKS

Place = tuple[tuple[str, ...], str]
"""The words that name a level, and a split."""
_STEPS = (1.0, 0.5, 0.25)


@dataclass(frozen=True, slots=True)
class FoundGold:
    """The gold file of a split; `scored` is None if it has a line for each item."""

    file: FolderFile
    scored: int | None = None


def find_place(path: str, places: Sequence[Place]) -> Place | None:
    """Return the level and split that a path names; None if it fits none.

    Among the levels whose words are in the path, the one with the most words wins. A path without a split is
    for the test split, or for the only split.
    """
    folders, stem = name_parts(path)
    words = [*folders, *stem]
    fitting = [place for place in places if contains_in_order(words, place[0])]
    longest = max((len(name) for name, _ in fitting), default=0)
    split = find_split(path)
    of_level = [place for place in fitting if len(place[0]) == longest]
    named = [place for place in of_level if place[1] == (split or "test")]
    if split is None and not named and len(of_level) == 1:
        return of_level[0]
    return named[0] if named else None


def match_gold(
    files: Sequence[FolderFile], items: Mapping[Place, FolderFile]
) -> tuple[dict[Place, FoundGold], dict[str, str]]:
    """Return the gold of each split, and why other files are not used, by path.

    Files that are called gold win over files without a role, which have to fit exactly.
    """
    found, reasons = dict[Place, FoundGold](), dict[str, str]()
    for file in sorted(files, key=lambda file: (find_role(file.path) != "gold", file.path)):
        place = find_place(file.path, list(items))
        if place is None:
            reasons[file.path] = "has labels, and there are no items with a name like this"
        elif place in found:
            reasons[file.path] = f"is a second file of labels beside {found[place].file.path}"
        else:
            gold = _fit(file, items[place], exactly=find_role(file.path) != "gold")
            if isinstance(gold, str):
                reasons[file.path] = gold
            else:
                found[place] = gold
    return found, reasons


def _fit(file: FolderFile, items: FolderFile, *, exactly: bool) -> FoundGold | str:
    """Return the gold if its lines, or its ids, are those of the items; else why not."""
    n = len(items.rows)
    if not file.is_values:
        return FoundGold(file) if has_ids_of(file, items) else f"has other ids than {items.path}"
    lines = len(file.rows)
    content = max(
        place for place, row in enumerate(file.rows, start=1) if any(field.strip(BLANKS) for field in row)
    )
    if content <= n <= lines:
        return FoundGold(file)
    if content == n + 1 and read_number(file.rows[0][0].strip(BLANKS)) is None:
        return "begins with a header; a list of labels has none, so remove the first line"
    if content > n or exactly:
        return f"has {content} labels, and {items.path} has {n} items"
    return FoundGold(file, lines)


def has_ids_of(file: FolderFile, items: FolderFile) -> bool:
    """Whether a keyed file and items have ids in common."""
    if items.columns is None or items.columns.id is None or file.columns is None or file.columns.id is None:
        return False
    return not {*file.column(file.columns.id)}.isdisjoint(items.column(items.columns.id))


def guess_scale(gold: Sequence[FolderFile]) -> tuple[float, float, float | None] | None:
    """Return the ends and the step of the rating scale; None without gold.

    The ends are whole numbers, because labels seldom reach them. The step is 1, 0.5 or 0.25 if all labels are
    multiples of it: means over annotators are not.
    """
    values = [value for file in gold for value in file.values()]
    if not values:
        return None
    low, high = floor(min(values)), ceil(max(values))
    step = next((step for step in _STEPS if all(value % step == 0 for value in values)), None)
    return float(low), float(max(high, low + 1)), step if len(set(values)) > 2 else None


def guess_metrics(gold: Sequence[FolderFile], scale: tuple[float, float]) -> tuple[str, str]:
    """Return the official metric and another one.

    Labels from 0 to 1 that are no halves come from best-worst scaling, as in SemRel, which ranks by
    Spearman's correlation.
    """
    values = [value for file in gold for value in file.values()]
    is_ranking = scale == (0, 1) and any(2 * value % 1 for value in values)
    return ("spearman", "pearson") if is_ranking else ("pearson", "spearman")


def guess_keyed(gold: Sequence[FolderFile], runs: Sequence[FolderFile]) -> KeyedFormat | None:
    """Return the columns of keyed runs if the gold has ids, or the runs have; else None.

    The runs in the folder say what their columns are called. Without them, the column of the gold is the best
    guess, except that tasks with `PairID` and `Score` call it `Pred_Score` in runs (SemEval-2024).
    """
    tables = [file.columns for file in (*gold, *runs) if file.is_keyed and file.columns is not None]
    if not tables:
        return None
    labels = [file.columns.score for file in gold if file.is_keyed and file.columns is not None]
    answers = [file.columns for file in runs if file.is_keyed and file.columns is not None]
    id_, label = tables[0].id or "", labels[0] if labels else None
    if answers:
        score, confidence = answers[0].score, answers[0].confidence
    else:
        score, confidence = "Pred_Score" if (id_, label) == ("PairID", "Score") else label, None
    return KeyedFormat(id_, score or "", confidence, gold=label if label != score else None)
