"""Reads `task.toml` and reports every unknown key, wrong type and missing file at once."""

from collections import Counter
from pathlib import Path
from typing import Any

from scorer.boards.board import BoardRules
from scorer.bundles.addresses import is_contact, is_web_address
from scorer.bundles.bundle import SPLITS, Bundle, LevelSpec, ScaleSpec, SplitSpec, TaskSpec, TeamsSpec
from scorer.bundles.citations import find_citation_fault
from scorer.bundles.phase_reader import read_phase
from scorer.bundles.placeholders import PLACEHOLDER_WORD
from scorer.bundles.prose import read_labels, read_prose
from scorer.bundles.run_reader import read_runs
from scorer.bundles.task_keys import DEFAULT_METRICS, TASK_TOML
from scorer.bundles.toml import parse_toml
from scorer.bundles.toml_table import TomlTable
from scorer.errors import BundleError, Problem, RequestError
from scorer.files.reading import ItemsLayout, KeyedFormat, read_bytes
from scorer.files.text import Problems
from scorer.metrics import METRICS


def read_bundle(folder: Path, config: Path | None = None) -> Bundle:
    """Read the description of a task bundle.

    Parameters
    ----------
    folder : Path
        The folder of the bundle. Paths in the description are relative to it and stay inside it.
    config : Path, optional
        A `task.toml` elsewhere; by default the one in `folder`.

    Returns
    -------
    Bundle
        The description. Every file that it names exists; the content is read later.

    Raises
    ------
    BundleError
        Lists every problem: unknown or missing keys, wrong types, files that do not exist or lie outside.

    Notes
    -----
    Aligned gold has one line per item, which is empty if the item is not scored. If only the first items of a
    split are scored and its gold file ends with them, `scored = 250` in the split gives their number; any
    other number of lines is an error. Runs have scores for all items.
    """
    path = folder / "task.toml" if config is None else config
    if not folder.is_dir():
        problem = Problem(
            str(folder), None, "no_folder", "there is no such folder; name one with a task.toml"
        )
        raise BundleError([problem])
    source = path.name
    if not path.is_file():
        message = "there is no such file at the top of the bundle; `scorer bundle new FOLDER` writes one"
        raise BundleError([Problem(source, None, "no_file", message)])
    values = parse_toml(read_bytes(str(path)), source)
    return _read_top(TomlTable(values, "", TASK_TOML, folder, Problems(source)))


def _read_top(top: TomlTable) -> Bundle:
    """Turn the parsed TOML into a Bundle and note every problem."""
    tables, problems = top.read(), top.problems
    if tables["task"] is None:
        top.refuse("task", "missing_key", "is missing; a bundle starts with [task], its slug and title")
        raise BundleError(problems.kept, problems.count)
    values = tables["task"].read()
    task = _read_task(tables["task"], values)
    metrics = _check_metrics(tables["task"], values["metrics"])
    levels = tuple(_read_level(table, metrics, keyed=task.keyed is not None) for table in tables["level"])
    if not levels:
        top.refuse("level", "missing_key", "is missing; a task has at least one [[level]]")
    _require_unique(top, "level", [level.slug for level in levels])
    # With one level, a total would only repeat its value.
    board = tables["board"].read(total="none" if len(levels) == 1 else "sum")
    oov, runs_per_team = board.pop("oov"), board.pop("runs_per_team")
    phases = tuple(read_phase(table, levels, runs_per_team) for table in tables["phase"])
    _require_unique(top, "phase", [phase.slug for phase in phases])
    bundle = Bundle(
        folder=top.folder,
        source=problems.source,
        task=task,
        rules=_check_rules(tables["board"], BoardRules(**board), levels),
        oov=oov,
        runs_per_team=runs_per_team,
        levels=levels,
        phases=phases,
        runs=read_runs(top, tables["run"], levels, phases),
        history=values["history"],
        teams=TeamsSpec(**tables["teams"].read()),
    )
    _require_unique_runs(top, bundle)
    problems.raise_as(BundleError)
    return bundle


def _require_unique_runs(top: TomlTable, bundle: Bundle) -> None:
    """Note runs of the same team and name in one phase, and teams with two primary runs in a phase."""
    for phase in bundle.phases or (None,):
        runs = [run for run in bundle.runs if bundle.belongs(run, phase)]
        _require_unique(top, "run", [f"{run.team}/{run.name}" for run in runs if run.team and run.name])
        primary = Counter(run.team for run in runs if run.primary)
        for team in sorted(team for team, count in primary.items() if count > 1):
            top.refuse("run", "duplicate", f"{team} has two primary runs; mark at most one as primary")


def _require_unique(top: TomlTable, name: str, slugs: list[str]) -> None:
    for slug in sorted(slug for slug, count in Counter(filter(None, slugs)).items() if count > 1):
        top.refuse(name, "duplicate", f'"{slug}" is used twice; give each its own name')


def _read_task(table: TomlTable, values: dict[str, Any]) -> TaskSpec:
    terms = read_prose(table, "terms", values["terms"])
    if values["confidence"] <= 0:
        table.refuse("confidence", "out_of_range", "must be above 0: it is the highest confidence")
    _check_addresses(table, values)
    unchanged = ("slug", "title", "licence", "organizers", "contact", "mailing_list")
    return TaskSpec(
        **{name: values[name] for name in unchanged},
        description=read_prose(table, "description", values["description"]),
        terms=None if terms in ("", "none") else terms,
        citation=_read_citation(table, values["citation"]),
        scale=_read_scale(values["scale"], values["labels"]),
        keyed=_read_keyed(table, values["keyed"], values["run_format"]),
        confidence_max=values["confidence"],
    )


def _read_citation(table: TomlTable, text: str) -> str:
    citation = read_prose(table, "citation", text, (".bib",))
    fault = find_citation_fault(citation)
    if fault is not None:
        table.refuse("citation", "bad_citation", f"give one or more BibTeX entries: {fault}")
    return citation


def _check_addresses(table: TomlTable, values: dict[str, Any]) -> None:
    contact, mailing_list = values["contact"], values["mailing_list"]
    if contact and not is_contact(contact) and not contact.startswith(PLACEHOLDER_WORD):
        advice = "give an email address, or a link that begins with https://"
        table.refuse("contact", "bad_contact", f'"{contact}" is no address; {advice}')
    if mailing_list and not is_web_address(mailing_list):
        advice = "begin it with https:// or http://"
        table.refuse("mailing_list", "bad_link", f'"{mailing_list}" is not a web address; {advice}')


def _read_scale(table: TomlTable | None, labels: TomlTable | None) -> ScaleSpec:
    if table is None:
        return ScaleSpec(0.0, 1.0)
    before = table.problems.count
    values = table.read()
    low, high, step = values["min"], values["max"], values["step"]
    if table.problems.count == before and not low < high:
        table.refuse("max", "out_of_range", f"must be above min, {low:g}")
    elif table.problems.count == before and "step" in table.values and not 0 < step <= high - low:
        table.refuse("step", "out_of_range", "must be above 0 and at most max - min")
    is_valid = table.problems.count == before
    points = () if labels is None else read_labels(labels)
    for point, _words in points:
        if labels is not None and is_valid and not low <= point <= high:
            labels.refuse(f"{point:g}", "out_of_range", f"is outside the scale from {low:g} to {high:g}")
    return ScaleSpec(low, high, step or None, points)


def _read_keyed(task: TomlTable, table: TomlTable | None, run_format: str) -> KeyedFormat | None:
    if run_format == "aligned":
        if table is not None:
            task.refuse("keyed", "unknown_key", 'goes with run_format = "keyed"')
        return None
    if table is None:
        task.refuse("keyed", "missing_key", "is missing; name the columns: { id = ..., score = ... }")
        return None
    values = table.read()
    optional = {name: values[name] or None for name in ("confidence", "delimiter", "gold")}
    return KeyedFormat(**{**values, **optional})


def _check_metrics(table: TomlTable, names: tuple[str, ...]) -> tuple[str, ...]:
    for name in names:
        if name not in METRICS:
            table.refuse("metrics", "unknown_value", f'"{name}" is not one of {", ".join(METRICS)}')
    if not names or len(set(names)) < len(names):
        table.refuse("metrics", "unknown_value", "must name each metric once, the official one first")
    return tuple(name for name in names if name in METRICS) or DEFAULT_METRICS


def _check_rules(board: TomlTable, rules: BoardRules, levels: tuple[LevelSpec, ...]) -> BoardRules:
    try:
        rules.check([level.board_level for level in levels])
    except RequestError as error:
        board.refuse("total", "unknown_value", str(error))
    return rules


def _read_level(table: TomlTable, metrics: tuple[str, ...], *, keyed: bool) -> LevelSpec:
    values = table.read(metrics=metrics)
    columns, named = _read_columns(table, values["columns"], keyed=keyed)
    genre = values["genre"]
    if genre is None:
        genre = "genre" if "genre" in dict(named) else "id-prefix"
    if genre != "id-prefix" and not named and not values["header"] and genre not in columns:
        table.refuse("genre", "unknown_value", f'must be "id-prefix" or one of columns, not "{genre}"')
    splits = {
        name: _read_split(values[name], name, keyed=keyed) for name in SPLITS if values[name] is not None
    }
    if not splits:
        table.refuse("test", "missing_key", "a level has at least one split: trial, training or test")
    return LevelSpec(
        slug=values["slug"],
        title=values["slug"] if values["title"] is None else values["title"],
        sides=values["sides"],
        layout=ItemsLayout(named or columns or None, values["header"], genre, values["delimiter"]),
        metrics=_check_metrics(table, values["metrics"]),
        counts=values["counts"],
        senses=values["senses"],
        splits=splits,
    )


def _read_columns(
    level: TomlTable, columns: tuple[str, ...] | TomlTable, *, keyed: bool
) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
    """Read the columns of items files, by position or by their names in the header."""
    named: tuple[tuple[str, str], ...] = ()
    if isinstance(columns, TomlTable):
        values = columns.read()
        named = tuple((name, values.get(name, "")) for name in columns.values)
        columns = tuple(name for name, _ in named)
    if columns:
        once = ["pair"] if "pair" in columns else ["left", "right"]
        once += ["id"] if keyed or "id" in columns else []
        for name in once:
            if columns.count(name) != 1:
                level.refuse("columns", "unknown_value", f'must name "{name}" once')
        if "pair" in columns and {"left", "right"} & {*columns}:
            level.refuse("columns", "unknown_value", 'a "pair" has both sides, "left" and "right"')
        if "..." in columns[:-1]:
            level.refuse(
                "columns", "unknown_value", '"..." must be last; it stands for all columns that are ignored'
            )
    return columns, named


def _read_split(table: TomlTable, name: str, *, keyed: bool) -> SplitSpec:
    values = table.read()
    if "scored" in table.values and (keyed or "gold" not in table.values):
        table.refuse("scored", "unknown_key", "goes with aligned gold; keyed gold names its items")
    return SplitSpec(name=name, **values)
