"""Adds runs from a folder with one subfolder per team to the leaderboard of a bundle."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from scorer.bundles.bundle import Bundle, PhaseSpec, RunSpec
from scorer.bundles.run_file_names import is_document
from scorer.bundles.run_reader import NAME_PATTERN, NAME_RULE
from scorer.client.run_folder import read_run_folder
from scorer.errors import BundleError, DataError, Problem

DEFAULT_RUN_NAME = "run1"
"""The name of a team's only run if its files are not in a folder of their own."""
_NAMING_HINT = "name run files TEAM/RUN/LEVEL.tsv, or TEAM/LEVEL.tsv if a team has one run"


def add_runs(bundle: Bundle, folder: Path, split: str, phase: PhaseSpec | None) -> Bundle:
    """Add the runs in a folder to the runs that the bundle already has for a leaderboard.

    Parameters
    ----------
    bundle : Bundle
        The task, which may have runs of its own.
    folder : Path
        Has files TEAM/RUN/LEVEL.tsv, or TEAM/LEVEL.tsv if a team has one run. The name of a file says which
        level it is for, as in `scorer submit`.
    split : str
        The split whose items the runs answer.
    phase : PhaseSpec or None
        The phase of the leaderboard.

    Raises
    ------
    BundleError
        Lists every run that has no files or is already in the bundle, and every file without a level.
    """
    slugs = [level.slug for level in bundle.levels]
    message = f"is not in the folder of a team; {_NAMING_HINT}"
    added, problems = (
        list[RunSpec](),
        [Problem(str(path), None, "no_team", message) for path in _run_file_paths(folder)],
    )
    for team, run, path in _run_folders(folder.absolute()):
        problems += [
            Problem(str(path), None, "bad_name", f"the name of the folder {name!a} must be {NAME_RULE}")
            for name in (team, run)
            if not NAME_PATTERN.fullmatch(name)
        ]
        try:
            files = {file.level: str(file.path) for file in read_run_folder(path, slugs)}
        except DataError as error:
            problems += error.problems
        else:
            added.append(RunSpec(team, run, "", None, files, (), None, split=split))
    if not (added or problems):
        problems.append(Problem(str(folder), None, "no_files", f"has no runs; {_NAMING_HINT}"))
    problems += _duplicates(bundle, added, phase)
    if problems:
        raise BundleError(problems)
    return replace(bundle, runs=(*bundle.runs, *added))


def _run_folders(folder: Path) -> Iterator[tuple[str, str, Path]]:
    """Yield the team, the run name and the folder of each run."""
    for team in _subfolders(folder):
        inside = _subfolders(team)
        if _run_file_paths(team) or not inside:
            yield team.name, DEFAULT_RUN_NAME, team
        else:
            yield from ((team.name, run.name, run) for run in inside)


def _subfolders(folder: Path) -> list[Path]:
    return [path for path in _visible_paths(folder) if path.is_dir()]


def _run_file_paths(folder: Path) -> list[Path]:
    return [path for path in _visible_paths(folder) if path.is_file() and not is_document(path.name)]


def _visible_paths(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    except OSError:  # `read_run_folder` reports why the folder cannot be read
        return []


def _duplicates(bundle: Bundle, added: list[RunSpec], phase: PhaseSpec | None) -> Iterator[Problem]:
    """Yield a problem for each added run that the bundle also has under the same team and name."""
    own = {(run.team, run.name): run for run in bundle.runs if bundle.belongs(run, phase)}
    for run in added:
        if (own_run := own.get((run.team, run.name))) is not None:
            file = next(iter(run.files.values()))
            theirs = next(
                iter({**own_run.files, **own_run.late_files}.values()), f"the baseline {own_run.baseline}"
            )
            message = f'the run "{run.team}/{run.name}" is also in the bundle ({theirs}); rename its folder'
            yield Problem(file, None, "duplicate", message)
