"""Runs that a reader adds to a bundle's board: a folder with a folder for each team."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from scorer.bundles.bundle import Bundle, PhaseSpec, RunSpec
from scorer.bundles.run_file_names import is_document
from scorer.bundles.run_reader import NAME_PATTERN, NAME_RULE
from scorer.client.run_folder import read_run_folder
from scorer.errors import BundleError, DataError, Problem

DEFAULT_RUN_NAME = "run1"
"""What a team's only run is called, where its files have no folder of their own."""
_NAMING_HINT = "name run files TEAM/RUN/LEVEL.tsv, or TEAM/LEVEL.tsv for a team's only run"


def add_runs(bundle: Bundle, folder: Path, split: str, phase: PhaseSpec | None) -> Bundle:
    """Add the runs in a folder to those that the bundle has for a board.

    Parameters
    ----------
    bundle : Bundle
        The task; it may have runs of its own.
    folder : Path
        TEAM/RUN/LEVEL.tsv, or TEAM/LEVEL.tsv where a team has one run. Which file is for which level is found
        by its name, as in `scorer submit`.
    split : str
        Whose items the runs answer.
    phase : PhaseSpec or None
        The phase of the board.

    Raises
    ------
    BundleError
        With every run that has no files or that the bundle has too, and every file that is for no level.
    """
    slugs = [level.slug for level in bundle.levels]
    message = f"is in no team's folder; {_NAMING_HINT}"
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
    """Team, run and folder of each run."""
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
    except OSError:  # `read_run_folder` says why it cannot be read
        return []


def _duplicates(bundle: Bundle, added: list[RunSpec], phase: PhaseSpec | None) -> Iterator[Problem]:
    """Runs of the same team and name in both places."""
    own = {(run.team, run.name): run for run in bundle.runs if bundle.belongs(run, phase)}
    for run in added:
        if (own_run := own.get((run.team, run.name))) is not None:
            file = next(iter(run.files.values()))
            theirs = next(
                iter({**own_run.files, **own_run.late_files}.values()), f"the baseline {own_run.baseline}"
            )
            message = f'the run "{run.team}/{run.name}" is in the bundle too ({theirs}); rename its folder'
            yield Problem(file, None, "duplicate", message)
