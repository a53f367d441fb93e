"""Reads the runs of a bundle: those listed in `task.toml`, and those found in the folder runs/."""

import re
from collections.abc import Mapping, Sequence

from scorer.bundles.addresses import is_web_address
from scorer.bundles.bundle import OWN_BASELINE, LevelSpec, PhaseSpec, RunSpec
from scorer.bundles.toml_table import Key, TomlTable

NAME_PATTERN = re.compile(
    r"[^\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff/\\]{1,80}"
)
"""Excludes control characters, characters that change the text direction, and surrogates, which represent
bytes of a folder name that are not UTF-8."""
NAME_RULE = "1 to 80 characters, without slashes or control characters"


def read_runs(
    top: TomlTable, tables: Sequence[TomlTable], levels: Sequence[LevelSpec], phases: Sequence[PhaseSpec]
) -> tuple[RunSpec, ...]:
    """Read the runs of a bundle from its [[run]] tables and from the folder runs/."""
    slugs = [level.slug for level in levels]
    files_by_run = _find_run_files(top, slugs)
    runs = [_read_run(table, slugs, [phase.slug for phase in phases], files_by_run) for table in tables]
    named = {(run.team, run.name) for run in runs}
    return (
        *runs,
        *(
            RunSpec(team, name, "", None, files, (), None)
            for (team, name), files in files_by_run.items()
            if (team, name) not in named
        ),
    )


def _find_run_files(top: TomlTable, slugs: Sequence[str]) -> dict[tuple[str, str], dict[str, str]]:
    """Find the files runs/<team>/<run>/<level>.tsv, which need no table, by team, run and level."""
    files_by_run: dict[tuple[str, str], dict[str, str]] = {}
    for path in sorted(top.folder.glob("runs/*/*/*")):
        if path.suffix in (".tsv", ".csv", ".txt") and path.stem in slugs and path.is_file():
            name = path.relative_to(top.folder).as_posix()
            if not path.resolve().is_relative_to(top.folder.resolve()):
                message = f'"{name}" is a link to a file outside the bundle; put the file itself there'
                top.refuse("run", "outside", message)
            for folder in path.parts[-3:-1]:
                if not NAME_PATTERN.fullmatch(folder):
                    message = f"the name of the folder {folder!a} must be {NAME_RULE}"
                    top.refuse("run", "bad_name", message)
            files_by_run.setdefault((path.parts[-3], path.parts[-2]), {})[path.stem] = name
    return files_by_run


def _read_run(
    table: TomlTable,
    slugs: Sequence[str],
    phases: Sequence[str],
    files_by_run: Mapping[tuple[str, str], Mapping[str, str]],
) -> RunSpec:
    values = table.read()
    for key in ("team", "name"):
        values[key] = values[key].strip()
        if key in table.values and not NAME_PATTERN.fullmatch(values[key]):
            table.refuse(key, "bad_name", f"must be {NAME_RULE}")
    team, name, late = values["team"], values["name"], values["late"]
    files = {**files_by_run.get((team, name), {}), **_read_files(values["files"], slugs)}
    late_files = _read_files(values["late_files"], slugs)
    for level in late:
        if level not in files:
            table.refuse("late", "unknown_value", f'"{level}" is not a level for which this run has a file')
        if level in late_files:
            table.refuse("late", "unknown_value", f'"{level}" is in late_files already; name it once')
    needs_files = values["baseline"] == OWN_BASELINE or "baseline" not in table.values
    if needs_files and not (files or late_files):
        table.refuse("files", "missing_key", f"is missing, and there are no files in runs/{team}/{name}/")
    if values["baseline"] is not None and (late or late_files):
        table.refuse("late", "unknown_key", "a baseline is never late; leave it out")
    values["phase"] = values["phase"] or None
    if values["phase"] is not None and values["phase"] not in phases:
        table.refuse("phase", "unknown_value", f'"{values["phase"]}" is not a phase of this task')
    _check_links(table, values["links"])
    return RunSpec(**{**values, "files": files, "late_files": late_files})


def _check_links(table: TomlTable, links: Sequence[str]) -> None:
    for link in links:
        if not is_web_address(link):
            message = f'"{link}" is not a web address; begin it with https:// or http://'
            table.refuse("links", "bad_link", message)


def _read_files(table: TomlTable | None, slugs: Sequence[str]) -> dict[str, str]:
    """Read a table of files by level."""
    if table is None:
        return {}
    table.refuse_unknown(slugs)
    files = {level: table.value(Key(level, "file")) for level in table.values}
    return {level: path for level, path in files.items() if path is not None}
