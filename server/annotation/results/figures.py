"""The figures of a round, by a job: what the scorer's commands print of the files of the export.

The commands run in processes of their own, since the site's processes load no numpy. So the figures on the
page are those that anyone computes from the export.
"""

import csv
import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from server.annotation.models import AnnotationRound, RoundFigures
from server.annotation.results import answer_rows, tables
from server.annotation.results.commands import FigureCommand, count_command, list_commands
from server.annotation.results.compared_rounds import list_compared
from server.annotation.results.figure_tables import BY_SLUG, FIGURES, ROUND_COLUMN, SLUG_COLUMN, FigureTable
from server.core import db
from server.core.child_processes import ProcessFailed, run_process
from server.core.site_resources import Site
from server.jobs import service as jobs
from server.jobs.models import Job

FIGURES_JOB = "annotation.agreement"
"""The kind of job that computes the figures of a round; waiting jobs have this name."""
PARALLEL = 2
"""The number of commands that run at the same time."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure with its columns and rows, and the commands that print them."""

    table: FigureTable
    commands: Sequence[str]
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]

    def is_number(self, place: int) -> bool:
        """Whether a column has numbers."""
        return not any(isinstance(row[place], str) for row in self.rows)


@dataclass(frozen=True, slots=True)
class ComputedFigures:
    """The newest figures of a round, whether they are about the answers that count now, and what failed.

    `errors`: a command and why it failed.
    """

    figures: Sequence[Figure]
    errors: Sequence[tuple[str, str]]
    made_at: datetime
    current: bool


def find_figures(session: Session, of_round: AnnotationRound) -> ComputedFigures | None:
    """Return the newest figures of a round; None: none were computed."""
    stored = _find_stored(session, of_round.id)
    if stored is None:
        return None
    found, rounds = json.loads(stored.text), [of_round, *list_compared(session, of_round)]
    return ComputedFigures(
        [
            Figure(BY_SLUG[each["figure"]], each["commands"], each["columns"], each["rows"])
            for each in found["figures"]
        ],
        [(command, error) for command, error in found["errors"]],
        stored.made_at,
        stored.answers_sha256 == answer_rows.hash_state(session, rounds),
    )


def queue_figures(session: Session, of_round: AnnotationRound, now: datetime) -> None:
    """Have the figures computed, unless that waits already."""
    jobs.add_job(session, FIGURES_JOB, {"round": of_round.id}, now, key=_job_key(of_round.id))


def find_error(session: Session, of_round: AnnotationRound) -> str | None:
    """Return why the figures could not be computed; None: they were, or are still to come."""
    newest = session.scalar(
        select(Job).where(Job.key == _job_key(of_round.id)).order_by(Job.id.desc()).limit(1)
    )
    return None if newest is None else jobs.find_failure(newest)


def is_queued(session: Session, of_round: AnnotationRound) -> bool:
    """Whether the figures are being computed."""
    waiting = select(Job.id).where(Job.key == _job_key(of_round.id), Job.state.in_(("waiting", "running")))
    return session.scalar(waiting.limit(1)) is not None


def compute_figures(site: Site, payload: Mapping[str, Any], now: datetime) -> None:
    """Compute the figures of a round from the answers that count now, and store them."""
    session = site.session()
    with TemporaryDirectory() as name:
        folder = Path(name)
        with db.reading(session):
            of_round = session.get_one(AnnotationRound, payload["round"])
            compared, passes = list_compared(session, of_round), of_round.pass_slugs
            state = answer_rows.hash_state(session, [of_round, *compared])
            newest = _find_stored(session, of_round.id)
            if newest is not None and newest.answers_sha256 == state:
                return
            filled = tables.write_tables(session, of_round, compared, folder)
            commands = list_commands(of_round, compared, filled)
            ratings = [path for key, path in tables.list_tables(of_round).items() if key[0] == "counted"]
            counts = _count_values(folder, ratings, passes) if of_round.kind == "rate" else None
        text = json.dumps(_run_commands(commands, folder, passes, counts), ensure_ascii=False)
    with db.writing(session):
        session.add(RoundFigures(round_id=payload["round"], answers_sha256=state, text=text, made_at=now))


def _run_commands(
    commands: Sequence[FigureCommand], folder: Path, passes: Sequence[str], counts: dict[str, Any] | None
) -> dict[str, Any]:
    """Run the commands in the folder of their files, and return figures and errors as they are stored."""
    with ThreadPoolExecutor(PARALLEL) as pool:
        printed = list(pool.map(partial(_run_command, folder), commands))
    reports = [(command, report) for command, report, _error in printed if report is not None]
    errors = [[command.line, error] for command, _report, error in printed if error is not None]
    figures = [counts if table.command is None else _make_figure(table, reports, passes) for table in FIGURES]
    return {"figures": [figure for figure in figures if figure is not None], "errors": errors}


def _run_command(
    folder: Path, command: FigureCommand
) -> tuple[FigureCommand, dict[str, Any] | None, str | None]:
    """Return a command with its report, or with the reason why it has none."""
    words = (sys.executable, "-m", "scorer.cli", *command.arguments, "--format", "json")
    try:
        return command, json.loads(run_process(words, folder=folder)), None
    except ProcessFailed as error:
        return command, None, str(error)


def _make_figure(
    table: FigureTable, reports: Sequence[tuple[FigureCommand, dict[str, Any]]], passes: Sequence[str]
) -> dict[str, Any] | None:
    """Take the rows of a figure from the reports; None: there is no such report."""
    chosen = [
        (command, report["tables"][table.table])
        for command, report in reports
        if command.name == table.command and table.table in report["tables"]
    ]
    if not chosen:
        return None
    of_pass = table.by_pass and len(passes) > 1
    rows = [
        [
            *([command.other_round] if table.by_round else []),
            *([command.pass_slug] if of_pass else []),
            *(_name_pass(name, row[name], passes) for name in table.columns),
        ]
        for command, found in chosen
        for row in (_count_scores(found) if table.slug == "scores" else found)
        if table.keep(row)
    ]
    return {
        "figure": table.slug,
        "commands": [command.line for command, _rows in chosen],
        "columns": [
            *([ROUND_COLUMN] if table.by_round else []),
            *([SLUG_COLUMN] if of_pass else []),
            *table.columns,
        ],
        "rows": rows,
    }


def _name_pass(column: str, value: Any, passes: Sequence[str]) -> Any:
    """Return a value, and the slug of a pass for its number in a report about both."""
    return passes[value - 1] if column == "answers of" and isinstance(value, int) else value


def _count_scores(rows: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    counts = Counter(round(row["scaled"], 1) for row in rows)
    return ({"scaled": tenth / 10, "n": counts[tenth / 10]} for tenth in range(11))


def _count_values(folder: Path, names: Sequence[str], passes: Sequence[str]) -> dict[str, Any] | None:
    """Count the ratings of each value in the tables of the passes."""
    counts = []
    for name in names:
        with (folder / name).open(encoding="utf-8", newline="") as file:
            counts.append(Counter(float(row["rating"]) for row in csv.DictReader(file)))
    values = sorted(set().union(*counts))
    if not values:
        return None
    return {
        "figure": "values",
        "commands": [count_command(name) for name in names],
        "columns": ["rating", *(passes if len(passes) > 1 else ["ratings"])],
        "rows": [[value, *(of_pass[value] for of_pass in counts)] for value in values],
    }


def _find_stored(session: Session, round_id: int) -> RoundFigures | None:
    query = select(RoundFigures).where(RoundFigures.round_id == round_id)
    return session.scalar(query.order_by(RoundFigures.id.desc()).limit(1))


def _job_key(round_id: int) -> str:
    return f"{FIGURES_JOB} {round_id}"
