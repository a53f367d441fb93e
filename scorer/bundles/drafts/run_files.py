"""Finds the runs in a folder: files below a folder called runs, submissions or systems."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from scorer.bundles.drafts.data_files import FolderFile
from scorer.bundles.drafts.gold_files import Place, find_place, has_ids_of
from scorer.bundles.drafts.path_words import find_split
from scorer.bundles.run_reader import NAME_PATTERN

RUN_FOLDERS = ("runs", "submissions", "systems")
_DEFAULT_NAME = "run1"


@dataclass(frozen=True, slots=True)
class FoundRun:
    """The file of a run for one level and split."""

    team: str
    name: str
    place: Place
    file: FolderFile


def is_below_run_folder(path: str) -> bool:
    """Whether a file is somewhere below a folder of runs."""
    return any(folder.casefold() in RUN_FOLDERS for folder in PurePosixPath(path).parts[:-1])


def match_runs(
    files: Sequence[FolderFile], items: Mapping[Place, FolderFile]
) -> tuple[list[FoundRun], dict[str, str]]:
    """Return the run files that answer the items of a split, and why others do not, by path."""
    found, reasons = list[FoundRun](), dict[str, str]()
    for file in files:
        names = _team_and_name(file.path)
        place = _find_place(file.path, list(items))
        if names is None:
            reasons[file.path] = "looks like a run; put it into runs/TEAM/RUN/ to rank it"
        elif place is None:
            reasons[file.path] = "is a run, and names no level and split that have items"
        elif not _answers(file, items[place]):
            reasons[file.path] = (
                f"is a run, and does not fit the {len(items[place].rows)} items of {items[place].path}"
            )
        else:
            found.append(FoundRun(*names, place, file))
    return found, reasons


def _find_place(path: str, places: Sequence[Place]) -> Place | None:
    """Return the level and split of a run; without a split in its name it is for test, else for training."""
    if find_split(path) is not None:
        return find_place(path, places)
    for split in ("test", "training", "trial"):
        place = find_place(path, [place for place in places if place[1] == split])
        if place is not None:
            return place
    return None


def _answers(file: FolderFile, items: FolderFile) -> bool:
    if not file.is_values:
        return has_ids_of(file, items)
    return len([row for row in file.rows if row[0]]) == len(items.rows)


def _team_and_name(path: str) -> tuple[str, str] | None:
    """Return the team and the name of a run; the file may be in a folder for the run, or in the team's."""
    folders = PurePosixPath(path).parts[:-1]
    start = next((place for place, folder in enumerate(folders) if folder.casefold() in RUN_FOLDERS), None)
    if start is None or not folders[start + 1 :]:
        return None
    team, *rest = folders[start + 1 :]
    name = " ".join(rest) or _DEFAULT_NAME
    return (team, name) if NAME_PATTERN.fullmatch(team) and NAME_PATTERN.fullmatch(name) else None
