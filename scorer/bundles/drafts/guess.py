"""Looks at a folder of data and drafts the task.

The content of a file says what it can be (pairs of texts, a list of values, a keyed table), its path says for
which level and split. What does not fit is listed with the reason, and nothing is guessed over it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from scorer.bundles.bundle import SPLITS
from scorer.bundles.drafts.data_files import FolderFile, UnusedFile, read_data_files
from scorer.bundles.drafts.draft import Draft, DraftLevel, DraftRun, DraftSplit, Total
from scorer.bundles.drafts.gold_files import FoundGold, Place, guess_keyed, guess_metrics, guess_scale
from scorer.bundles.drafts.level_names import (
    is_cross_level,
    level_order,
    level_sides,
    level_slug,
    level_title,
)
from scorer.bundles.drafts.materials import Materials, is_items_file, sort_files, without_other_format
from scorer.bundles.drafts.path_words import level_words, make_slug
from scorer.bundles.drafts.run_files import FoundRun
from scorer.errors import BundleError, Problem

_DEFAULT_SCALE = 0.0, 4.0


def draft_task(folder: Path) -> Draft:
    """Propose a task for a folder of data.

    Parameters
    ----------
    folder : Path
        Has files of items and, in any folders, gold and runs. No task.toml is needed or read.

    Returns
    -------
    Draft
        Levels, splits, columns, scale, format of runs and phases; what is not known is None.

    Raises
    ------
    BundleError
        If there is no such folder, or if no file has pairs of texts; lists every file and why it is not used.
    """
    if not folder.is_dir():
        fault = (
            "is a file; unpack it if it is an archive, and"
            if folder.is_file()
            else "there is no such folder;"
        )
        message = f"{fault} name a folder with the items and the gold standard"
        raise BundleError([Problem(str(folder), None, "no_folder", message)])
    files, unused = read_data_files(folder)
    if not any(map(is_items_file, files)):
        raise _no_items(folder, files, unused)
    return _assemble(folder, sort_files(files, unused))


def _no_items(folder: Path, files: Sequence[FolderFile], unused: Sequence[UnusedFile]) -> BundleError:
    message = (
        "no file here has items: two columns of texts, with a tab between them, or a table with a header. "
        "`scorer bundle new --example aligned NEW_FOLDER` writes an example"
    )
    reasons = [UnusedFile(file.path, "has scores, and no items to which they belong") for file in files]
    listed = [Problem(file.path, None, "unused_file", file.reason) for file in (*unused, *reasons)]
    return BundleError([Problem(str(folder), None, "no_items", message), *listed])


def _assemble(folder: Path, materials: Materials) -> Draft:
    keyed = guess_keyed(
        [found.file for found in materials.gold.values()], [run.file for run in materials.runs]
    )
    if keyed is not None:
        materials = without_other_format(materials)
    items, gold, runs = materials.items, materials.gold, materials.runs
    gold_files = [found.file for found in gold.values()]
    slugs = _slugs(items, gold)
    levels = [_level(slug, words, materials) for words, slug in slugs.items()]
    levels.sort(key=lambda level: level_order(level.slug))
    known = guess_scale(gold_files)
    low, high, step = known or (*_DEFAULT_SCALE, None)
    splits = {split for _, split in items}
    main = next(split for split in ("test", *_practice_splits(runs), "training", "trial") if split in splits)
    practice = _choose_practice(items, gold, runs)
    return Draft(
        slug=make_slug(folder.resolve().name, "task"),
        levels=tuple(levels),
        scale=(low, high),
        step=step,
        scale_is_known=known is not None,
        keyed=keyed,
        confidence=_guess_confidence(items, runs),
        metrics=guess_metrics(gold_files, (low, high)),
        total=_guess_total(levels, main),
        practice=practice,
        evaluation="test" in splits,
        runs=_list_runs(runs, slugs, main, practice),
        description=_existing(folder, "description.md"),
        terms=_existing(folder, "terms.md"),
        licence=next((name for name in _LICENCES if _existing(folder, name)), None),
        notes=(
            *_notes_on_columns(slugs, items),
            *_notes_on_short_gold(items, gold),
            *_notes_on_labels(items, gold),
        ),
        unused=(*materials.unused, *_runs_without_phase(runs, {main, practice})),
    )


def _runs_without_phase(runs: Sequence[FoundRun], splits: set[str | None]) -> Iterator[UnusedFile]:
    """Yield the runs for other splits than those of the phases."""
    for run in runs:
        if run.place[1] not in splits:
            reason = f"is a run for {run.place[1]} items, and there is no phase on them; add one to rank it"
            yield UnusedFile(run.file.path, reason)


_LICENCES = ("licenses/", "licences/", "LICENSE", "LICENCE", "LICENSE.txt", "LICENCE.txt", "licence.txt")


def _slugs(items: Mapping[Place, FolderFile], gold: Mapping[Place, FoundGold]) -> dict[tuple[str, ...], str]:
    """Return the short name of each level by the words that name it."""
    slugs: dict[tuple[str, ...], str] = {}
    for words in dict.fromkeys(words for words, _ in items):
        files = [file for (name, _), file in items.items() if name == words]
        tables = [found.file.columns for (name, _), found in gold.items() if name == words]
        score = next((columns.score for columns in tables if columns is not None), None)
        slug = level_slug(words, files, score)
        slugs[words] = slug if slug not in slugs.values() else f"{slug}-{len(slugs) + 1}"
    return slugs


def _files_of(words: tuple[str, ...], items: Mapping[Place, FolderFile]) -> dict[str, FolderFile]:
    """Return the items files of a level by split, in the order of a task.toml."""
    return {split: items[words, split] for split in SPLITS if (words, split) in items}


def _level(slug: str, words: tuple[str, ...], materials: Materials) -> DraftLevel:
    files = _files_of(words, materials.items)
    main = next(file for split in ("test", "training", "trial") if (file := files.get(split)) is not None)
    columns = _shared_columns(list(files.values())) or _shared_columns([main]) or ()
    splits = {split: _split(file, materials.gold.get((words, split)), split) for split, file in files.items()}
    return DraftLevel(
        slug=slug,
        title=level_title(slug),
        columns=columns,
        delimiter=main.delimiter,
        sides=level_sides(slug, columns),
        genre=_genre(main, columns),
        splits=splits,
        senses=materials.senses if "sense_key" in columns else None,
    )


def _genre(file: FolderFile, columns: tuple[str, ...] | Mapping[str, str]) -> str | None:
    """Return where the genre is; None if there is none, or if a table of columns names it."""
    if "genre" in columns:
        return None if isinstance(columns, Mapping) else "genre"
    ids = file.column(file.columns.id) if file.columns is not None and file.columns.id is not None else []
    prefixes = {id_.rpartition("-")[0] for id_ in ids}
    return "id-prefix" if 2 <= len(prefixes) < len(ids) / 2 else None


def _notes_on_columns(
    slugs: Mapping[tuple[str, ...], str], items: Mapping[Place, FolderFile]
) -> Iterator[str]:
    """Yield a note for each level whose items files have different columns."""
    for words, slug in slugs.items():
        files = list(_files_of(words, items).values())
        if _shared_columns(files) is None:
            paths = ", ".join(file.path for file in files)
            yield f"The items files of {slug} differ in their columns ({paths}). A level has one layout."
        yield from _notes_on_rows(files)


def _notes_on_rows(files: Iterable[FolderFile]) -> Iterator[str]:
    """Yield a note for a few rows that are longer than the others: a tab in a text would cut it there."""
    for file in files:
        longer = 0 if file.columns is None else file.columns.longer_rows
        if 0 < longer < len(file.rows):
            rows = "1 row has" if longer == 1 else f"{longer} rows have"
            yield f"{file.path}: {rows} more columns than the two texts; the rest is ignored."


def _shared_columns(files: Sequence[FolderFile]) -> tuple[str, ...] | dict[str, str] | None:
    """Return the columns that all files of a level have; None if there is no such layout."""
    tables = [file.columns for file in files if file.columns is not None]
    if len({file.delimiter for file in files}) > 1:
        return None
    first = tables[0]
    if all(table.has_header for table in tables):
        names = set.intersection(*({*table.names} for table in tables))
        shared = {ours: theirs for ours, theirs in first.roles.items() if theirs in names}
        return shared if "pair" in shared or {"left", "right"} <= shared.keys() else None
    if any(table.has_header for table in tables):
        return None
    layouts = {table.names for table in tables}
    if layouts == {("left", "right"), ("left", "right", "...")}:
        return "left", "right", "..."
    return first.names if len(layouts) == 1 else None


def _split(items: FolderFile, found: FoundGold | None, split: str) -> DraftSplit:
    if found is None:
        return DraftSplit(items.path, None, public_gold=False, n=len(items.rows))
    gold = found.file
    public = split != "test" or gold.path == items.path
    return DraftSplit(items.path, gold.path, public, len(items.rows), len(gold.values()), found.scored)


def _notes_on_short_gold(items: Mapping[Place, FolderFile], gold: Mapping[Place, FoundGold]) -> Iterator[str]:
    """Yield a note for gold that ends before the items do: perhaps lines are missing."""
    for place, found in gold.items():
        if found.scored is not None:
            yield (
                f"{found.file.path} has {found.scored} labels, and {items[place].path} has "
                f"{len(items[place].rows)} items. In the task.toml, only the first {found.scored} items are "
                "scored. If lines of the gold are missing, complete it and remove the key scored."
            )


def _notes_on_labels(items: Mapping[Place, FolderFile], gold: Mapping[Place, FoundGold]) -> Iterator[str]:
    """Yield a note for labels beside the texts: everyone can download the items, and so the labels."""
    shown = [
        file.path
        for place, file in items.items()
        if place[1] == "test" and place in gold and gold[place].file is file
    ]
    if shown:
        yield (
            f"{', '.join(shown)}: the test items are in one file with their gold. The task.toml makes this "
            "gold public, because everyone can download the items. To hide it, follow the comment there."
        )
    for place, file in items.items():
        columns = file.columns
        if columns is None or file.path in shown:
            continue
        if place not in gold and columns.score is not None:
            yield (
                f"{file.path} has labels in its column {columns.score}, and no column of ids. Write the "
                "labels to a file of their own, one a line, and remove the column: everyone can download "
                "the items."
            )
        elif place[1] == "test" and (numbers := [*filter(None, [columns.score]), *columns.numbers]):
            yield (
                f"{file.path} has numbers in {' and '.join(numbers)}. If these are labels, remove them: "
                "everyone can download the items."
            )


def _existing(folder: Path, name: str) -> str | None:
    path = folder / name
    return name if path.exists() else None


_LANGUAGE = re.compile(r"[a-z]{2,3}")
_STS_CONFIDENCE = 100.0


def _practice_splits(runs: Sequence[FoundRun]) -> list[str]:
    """Return the splits other than test that have runs."""
    return [split for split in ("training", "trial") if any(run.place[1] == split for run in runs)]


def _choose_practice(
    items: Mapping[Place, FolderFile], gold: Mapping[Place, FoundGold], runs: Sequence[FoundRun]
) -> str | None:
    """Return the split of the practice phase: the one that has runs, else trial, else training."""
    with_gold = {split for _, split in gold} - {"test"}
    order = (*_practice_splits(runs), "trial", "training")
    chosen = next((split for split in order if split in with_gold), None)
    if chosen is None and not any(split == "test" for _, split in items):
        return next(split for split in order if any(split == other for _, other in items))
    return chosen


def _guess_confidence(items: Mapping[Place, FolderFile], runs: Sequence[FoundRun]) -> float:
    """Return the highest confidence: that of the runs, else 100 for files named like those of STS."""
    values = [row[1] for run in runs if run.file.is_values for row in run.file.rows if len(row) > 1]
    if values:
        highest = max(
            (float(value) for value in values if re.fullmatch(r"\d+(?:\.\d*)?", value)), default=1.0
        )
        return 1.0 if highest <= 1 else max(_STS_CONFIDENCE, highest)
    starts = (level_words(file.path)[1][:1] for file in items.values())
    is_sts = all(words and re.fullmatch(r"sts\d*", words[0].casefold()) for words in starts)
    return _STS_CONFIDENCE if is_sts and not any(file.is_keyed for file in items.values()) else 1.0


def _guess_total(levels: Sequence[DraftLevel], split: str) -> Total:
    """Return how levels make a total.

    Levels of different kinds (phrase2word) are added, so that entering more of them pays off, as in CLSS.
    Languages are tasks of their own, as in SemRel. Data sets of one kind have a mean, weighted by their
    scored items if these differ, as in STS.
    """
    if len(levels) == 1 or all(_LANGUAGE.fullmatch(level.slug.casefold()) for level in levels):
        return "none"
    if all(is_cross_level(level.slug) for level in levels):
        return "sum"
    sizes = {chosen.n_gold for level in levels if (chosen := level.splits.get(split)) is not None}
    return "weighted" if len(sizes) > 1 else "mean"


def _list_runs(
    runs: Sequence[FoundRun], slugs: Mapping[tuple[str, ...], str], main: str, practice: str | None
) -> tuple[DraftRun, ...]:
    """Return the runs that need an entry; the reader finds runs/TEAM/RUN/LEVEL.tsv of the main phase."""
    grouped: dict[tuple[str, str, str], dict[str, str]] = {}
    for run in runs:
        words, split = run.place
        if split in (main, practice):
            grouped.setdefault((run.team, run.name, split), {})[slugs[words]] = run.file.path
    drafts = []
    for (team, name, split), files in grouped.items():
        patterns = {slug: rf"runs/[^/]+/[^/]+/{re.escape(slug)}\.(?:tsv|csv|txt)" for slug in files}
        is_found = all(re.fullmatch(patterns[slug], path) for slug, path in files.items())
        if split != main or not is_found:
            drafts.append(DraftRun(team, name, files, None if split == main else "practice"))
    return tuple(drafts)
