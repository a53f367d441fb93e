"""Reads the runs of a bundle: those that `task.toml` lists, and files that need no entry."""

import re
from pathlib import Path
from typing import Literal, cast

from scorer.bundles.bundle import BASELINES, LevelSpec, PhaseSpec, RunSpec
from scorer.bundles.toml import TomlTable, read_file_path

NAME_PATTERN = re.compile(
    r"[^\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff/\\]{1,80}"
)
"""Also without characters that turn the direction of the text around them, and without the surrogates that
stand for bytes of a folder's name that are not UTF-8."""
NAME_RULE = "1 to 80 characters, without slashes or control characters"
_LINK = re.compile(r"https?://[^\s/?#@<>\"']+(?:[/?#][^\s<>\"']*)?", re.IGNORECASE)
MAX_RUNS = 10_000
"""How many runs `task.toml` may list."""
_RUN_KEYS = (
    "team", "name", "description", "baseline", "files", "late", "late_files", "phase", "method", "resources",
    "links", "authors", "primary",
)  # fmt: skip


class RunsReader:
    """Turns the [[run]] tables and the folder runs/ into specs, noting every problem on the way."""

    def __init__(self, folder: Path, top: TomlTable) -> None:
        self.folder = folder
        self.top = top

    def read(self, levels: tuple[LevelSpec, ...], phases: tuple[PhaseSpec, ...]) -> tuple[RunSpec, ...]:
        """The runs of the bundle, listed and found."""
        files_by_run = self._run_folders({level.slug for level in levels})
        runs = [
            self._run(table, levels, phases, files_by_run) for table in self.top.tables("run", most=MAX_RUNS)
        ]
        named = {(run.team, run.name) for run in runs}
        for (team, name), files in files_by_run.items():
            if (team, name) not in named:
                runs.append(RunSpec(team, name, "", None, files, (), None))
        return tuple(runs)

    def _run_folders(self, levels: set[str]) -> dict[tuple[str, str], dict[str, str]]:
        """Files at runs/<team>/<run>/<level>.tsv, which need no entry."""
        files_by_run: dict[tuple[str, str], dict[str, str]] = {}
        for path in sorted(self.folder.glob("runs/*/*/*")):
            if path.suffix in (".tsv", ".csv", ".txt") and path.stem in levels and path.is_file():
                name = path.relative_to(self.folder).as_posix()
                if not path.resolve().is_relative_to(self.folder.resolve()):
                    message = f'"{name}" is a link that leads outside the bundle; put the file itself there'
                    self.top.refuse("run", "outside", message)
                for folder in path.parts[-3:-1]:
                    if not NAME_PATTERN.fullmatch(folder):
                        self.top.refuse(
                            "run", "bad_name", f"the name of the folder {folder!a} must be {NAME_RULE}"
                        )
                files_by_run.setdefault((path.parts[-3], path.parts[-2]), {})[path.stem] = name
        return files_by_run

    def _run(
        self,
        table: TomlTable,
        levels: tuple[LevelSpec, ...],
        phases: tuple[PhaseSpec, ...],
        files_by_run: dict[tuple[str, str], dict[str, str]],
    ) -> RunSpec:
        table.allow(_RUN_KEYS)
        team, name = self._name(table, "team"), self._name(table, "name")
        named = table.choice("baseline", BASELINES, "lcs") if "baseline" in table.values else None
        baseline = cast(Literal["lcs", "gst"] | None, named)
        slugs = [level.slug for level in levels]
        files = dict(files_by_run.get((team, name), {})) | self._files(table, "files", slugs)
        late, late_files = table.texts("late"), self._files(table, "late_files", slugs)
        for level in late:
            if level not in files:
                table.refuse("late", "unknown_value", f'"{level}" is no level of which this run has a file')
            if level in late_files:
                table.refuse("late", "unknown_value", f'"{level}" is in late_files already; name it once')
        if baseline is None and not (files or late_files):
            table.refuse("files", "missing_key", f"is missing, and there are no files in runs/{team}/{name}/")
        if baseline is not None and (late or late_files):
            table.refuse("late", "unknown_key", "a baseline is never late; leave it out")
        phase = table.text("phase") or None
        if phase is not None and phase not in [task_phase.slug for task_phase in phases]:
            table.refuse("phase", "unknown_value", f'"{phase}" is no phase of this task')
        return RunSpec(
            team=team,
            name=name,
            description=table.text("description"),
            baseline=baseline,
            files=files,
            late=late,
            phase=phase,
            late_files=late_files,
            method=table.text("method"),
            resources=table.text("resources"),
            links=self._links(table),
            authors=table.text("authors"),
            primary=table.flag("primary", False),
        )

    def _links(self, table: TomlTable) -> tuple[str, ...]:
        links = table.texts("links")
        for link in links:
            if not _LINK.fullmatch(link) or len(link) > 500:
                message = f'"{link}" is no address; begin it with https:// or http://'
                table.refuse("links", "bad_link", message)
        return links

    def _files(self, table: TomlTable, name: str, levels: list[str]) -> dict[str, str]:
        """A table of files by level."""
        inner = table.table(name)
        if inner is None:
            return {}
        inner.allow(levels)
        return {
            level: path
            for level in inner.values
            if (path := read_file_path(self.folder, inner, level)) is not None
        }

    def _name(self, table: TomlTable, key: str) -> str:
        name = table.text(key, required=True)
        if key in table.values and not NAME_PATTERN.fullmatch(name.strip()):
            table.refuse(key, "bad_name", f"must be {NAME_RULE}")
        return name.strip()
