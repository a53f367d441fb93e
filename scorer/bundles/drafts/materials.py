"""Sorts the files of a folder into items, gold, runs and dictionaries, by level and split."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from scorer.bundles.drafts.data_files import FolderFile, UnusedFile
from scorer.bundles.drafts.gold_files import FoundGold, Place, match_gold
from scorer.bundles.drafts.level_names import group_by_level
from scorer.bundles.drafts.path_words import find_role
from scorer.bundles.drafts.run_files import FoundRun, is_below_run_folder, match_runs

_NO_GOLD = "has items whose gold was not found, while other levels have gold for this split"


@dataclass(frozen=True, slots=True)
class Materials:
    """The files of a task, and those that are not used.

    Parameters
    ----------
    items : mapping of Place to FolderFile
        The items of each split of each level.
    gold : mapping of Place to FoundGold
    runs : tuple of FoundRun
    senses : str or None
        The dictionary of the baselines at a word-to-sense level.
    unused : tuple of UnusedFile
        Sorted by path.
    """

    items: Mapping[Place, FolderFile]
    gold: Mapping[Place, FoundGold]
    runs: tuple[FoundRun, ...]
    senses: str | None
    unused: tuple[UnusedFile, ...]


def is_items_file(file: FolderFile) -> bool:
    """Whether a file has pairs of texts, and is neither a dictionary nor below a folder of runs."""
    return file.has_texts and not file.is_senses and not is_below_run_folder(file.path)


def sort_files(files: Sequence[FolderFile], unused: Sequence[UnusedFile]) -> Materials:
    """Sort files into the parts of a task; at least one has items."""
    groups = group_by_level([file for file in files if is_items_file(file)])
    items, labelled = _choose_items(groups)
    senses = [file for file in files if file.is_senses]
    others = [file for file in files if not is_items_file(file) and file not in senses]
    run_files = [file for file in others if is_below_run_folder(file.path) or find_role(file.path) == "run"]
    gold, reasons = match_gold([file for file in others if file not in run_files], items)
    gold = {place: FoundGold(file) for place, file in labelled.items()} | gold
    runs, run_reasons = match_runs(run_files, items)
    dropped = _places_without_gold(items, gold)
    reasons |= run_reasons | {items[place].path: _NO_GOLD for place in dropped}
    reasons |= _second_files(groups, items, gold)
    reasons |= {file.path: f"is a second dictionary beside {senses[0].path}" for file in senses[1:]}
    listed = [*unused, *(UnusedFile(path, reason) for path, reason in reasons.items())]
    return Materials(
        items={place: file for place, file in items.items() if place not in dropped},
        gold={place: found for place, found in gold.items() if place not in dropped},
        runs=tuple(run for run in runs if run.place not in dropped),
        senses=senses[0].path if senses else None,
        unused=tuple(sorted(listed, key=lambda file: file.path)),
    )


def without_other_format(materials: Materials) -> Materials:
    """Leave out what does not go with keyed runs, because all levels of a task have one format of runs.

    Keyed runs need items with ids, and a list of labels for all of them.
    """
    reasons = {
        file.path: "has no ids, and the runs of other levels are keyed; a task has one format of runs"
        for file in materials.items.values()
        if file.columns is None or file.columns.id is None
    }
    reasons |= {
        found.file.path: "ends before the items do, which is possible only if no level is keyed"
        for found in materials.gold.values()
        if found.scored is not None
    }
    items = {place: file for place, file in materials.items.items() if file.path not in reasons}
    reasons |= {
        found.file.path: "belongs to items that are not used"
        for place, found in materials.gold.items()
        if place not in items and found.file.path not in reasons
    }
    gold = {
        place: found
        for place, found in materials.gold.items()
        if place in items and found.file.path not in reasons
    }
    unused = [*materials.unused, *(UnusedFile(path, reason) for path, reason in reasons.items())]
    return replace(
        materials,
        items=items,
        gold=gold,
        runs=tuple(run for run in materials.runs if run.place in items),
        unused=tuple(sorted(unused, key=lambda file: file.path)),
    )


def _choose_items(
    groups: Mapping[tuple[str, ...], Mapping[str, Sequence[FolderFile]]],
) -> tuple[dict[Place, FolderFile], dict[Place, FolderFile]]:
    """Return the items of each split, and the files that have the labels in a column beside the texts.

    Of two files of a split, the one without labels has the items, which everyone can download.
    """
    items, labelled = dict[Place, FolderFile](), dict[Place, FolderFile]()
    for words, splits in groups.items():
        for split, files in splits.items():
            plain = [file for file in files if not file.is_keyed]
            keyed = [file for file in files if file.is_keyed]
            items[words, split] = (plain or keyed)[0]
            if keyed:
                labelled[words, split] = keyed[0]
    return items, labelled


def _second_files(
    groups: Mapping[tuple[str, ...], Mapping[str, Sequence[FolderFile]]],
    items: Mapping[Place, FolderFile],
    gold: Mapping[Place, FoundGold],
) -> dict[str, str]:
    used = {file.path for file in items.values()} | {found.file.path for found in gold.values()}
    return {
        file.path: f"is a second file of items beside {items[words, split].path}"
        for words, splits in groups.items()
        for split, files in splits.items()
        for file in files
        if file.path not in used
    }


def _places_without_gold(items: Mapping[Place, FolderFile], gold: Mapping[Place, FoundGold]) -> set[Place]:
    """Return the splits without gold that other levels have gold for: a leaderboard needs all of them."""
    with_gold = {split for _, split in gold}
    return {place for place in items if place not in gold and place[1] in with_gold}
