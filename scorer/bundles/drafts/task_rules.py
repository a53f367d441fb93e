"""Guesses the rules of a task: the total, the practice phase, the highest confidence, and its runs."""

import re
from collections.abc import Mapping, Sequence

from scorer.bundles.drafts.data_files import FolderFile
from scorer.bundles.drafts.draft import DraftLevel, DraftRun, Total
from scorer.bundles.drafts.gold_files import FoundGold, Place
from scorer.bundles.drafts.level_names import is_cross_level
from scorer.bundles.drafts.path_words import level_words
from scorer.bundles.drafts.run_files import FoundRun

_LANGUAGE = re.compile(r"[a-z]{2,3}")
_STS_CONFIDENCE = 100.0


def practice_splits(runs: Sequence[FoundRun]) -> list[str]:
    """Return the splits other than test that have runs."""
    return [split for split in ("training", "trial") if any(run.place[1] == split for run in runs)]


def choose_practice(
    items: Mapping[Place, FolderFile], gold: Mapping[Place, FoundGold], runs: Sequence[FoundRun]
) -> str | None:
    """Return the split of the practice phase: the one that has runs, else trial, else training."""
    with_gold = {split for _, split in gold} - {"test"}
    order = (*practice_splits(runs), "trial", "training")
    chosen = next((split for split in order if split in with_gold), None)
    if chosen is None and not any(split == "test" for _, split in items):
        return next(split for split in order if any(split == other for _, other in items))
    return chosen


def guess_confidence(items: Mapping[Place, FolderFile], runs: Sequence[FoundRun]) -> float:
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


def guess_total(levels: Sequence[DraftLevel], split: str) -> Total:
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


def list_runs(
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
