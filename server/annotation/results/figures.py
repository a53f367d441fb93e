"""The figures of a round, by a job: what `scorer figures` prints of the files of the export.

The command runs in a process of its own, since the site's processes load no numpy. So the figures on the
page are those that anyone computes from the export.
"""

import hashlib
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from server.annotation.models import AnnotationRound, RoundFigures
from server.annotation.results import answer_rows, exports
from server.annotation.results.compared_rounds import list_compared
from server.annotation.results.datasets import CHOICES_NAME, FirstRound, find_first_round
from server.annotation.results.figure_tables import FIGURES, FigureTable
from server.core import db
from server.core.child_processes import run_process
from server.core.site_resources import Site
from server.jobs import service as jobs

FIGURES_JOB = "annotation.agreement"
"""The kind of job that computes the figures of a round; waiting jobs have this name."""
COMMAND = ("scorer", "figures", ".")
"""The command that prints the figures in the folder of the export."""
_LABELS = ("round", "pass")
"""The columns with which the rows of some figures begin; a round with one pass shows no pass."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure with its columns and rows."""

    table: FigureTable
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]

    def is_number(self, place: int) -> bool:
        """Whether a column has numbers."""
        return not any(isinstance(row[place], str) for row in self.rows)


@dataclass(frozen=True, slots=True)
class ComputedFigures:
    """The newest figures of a round, whether they are about the answers that count now, and what is missing.

    `missing`: a figure that has no value, and why. `command`: prints them in the folder of the export, with
    the table of an earlier round in it if `has_first`.
    """

    figures: Sequence[Figure]
    missing: Sequence[tuple[FigureTable, str]]
    made_at: datetime
    current: bool
    command: Sequence[str]
    has_first: bool


def find_figures(session: Session, round_: AnnotationRound) -> ComputedFigures | None:
    """Return the newest figures of a round; None: none were computed."""
    stored = _find_stored(session, round_.id)
    if stored is None:
        return None
    tables, first = json.loads(stored.text)["tables"], find_first_round(session, round_)
    reasons = [(row["missing"].partition(".")[0], row["reason"]) for row in tables.get("missing", ())]
    figures = (_make_figure(table, tables.get(table.slug, ()), round_.n_passes) for table in FIGURES)
    return ComputedFigures(
        [figure for figure in figures if figure is not None],
        [(table, reason) for table in FIGURES for slug, reason in reasons if slug == table.slug],
        stored.made_at,
        stored.answers_sha256 == _hash_state(session, round_, first),
        (*COMMAND, *(() if first is None else first.arguments)),
        first is not None,
    )


def _hash_state(session: Session, round_: AnnotationRound, first: FirstRound | None) -> str:
    """Hash what the figures are computed from."""
    state = answer_rows.hash_state(session, [round_, *list_compared(session, round_)])
    return state if first is None else hashlib.sha256(f"{state} {first.sha256}".encode()).hexdigest()


def select_agreement(computed: ComputedFigures, pass_slug: str) -> list[dict[str, Any]]:
    """Return the agreement of a pass: first on all units, then on those that needed no decision."""
    in_pass = (row for row in _list_rows(computed, "alpha") if row.get("pass", pass_slug) == pass_slug)
    return [row for row in in_pass if not row["units of"].startswith("genre ")]


def find_errors(computed: ComputedFigures) -> dict[str, float]:
    """Return the RMSE of each annotator's ratings to those of the others, the highest one of their passes."""
    errors: dict[str, float] = {}
    for row in _list_rows(computed, "annotators"):
        if isinstance(row["rmse"], float):
            errors[row["annotator"]] = max(row["rmse"], errors.get(row["annotator"], 0.0))
    return errors


def _list_rows(computed: ComputedFigures, slug: str) -> list[dict[str, Any]]:
    figures = (figure for figure in computed.figures if figure.table.slug == slug)
    return [dict(zip(figure.columns, row, strict=True)) for figure in figures for row in figure.rows]


def _make_figure(table: FigureTable, rows: Sequence[Mapping[str, Any]], n_passes: int) -> Figure | None:
    """Choose the columns and the rows that a figure shows; None: it has no rows."""
    shown = [row for row in rows if table.shows(row)]
    if not shown:
        return None
    labels = [name for name in _LABELS if name in shown[0] and (name != "pass" or n_passes > 1)]
    columns = [*labels, *(table.columns or (name for name in shown[0] if name != "code"))]
    return Figure(table, columns, [[row[name] for name in columns] for row in shown])


def queue_figures(session: Session, round_: AnnotationRound, now: datetime) -> None:
    """Have the figures computed, unless that waits already."""
    jobs.add_job(session, FIGURES_JOB, {"round": round_.id}, now, key=_job_key(round_.id))


def find_error(session: Session, round_: AnnotationRound) -> str | None:
    """Return why the figures could not be computed; None: they were, or are still to come."""
    return jobs.find_error(session, _job_key(round_.id))


def is_queued(session: Session, round_: AnnotationRound) -> bool:
    """Whether the figures are being computed."""
    return jobs.is_queued(session, _job_key(round_.id))


def compute_figures(site: Site, payload: Mapping[str, Any], now: datetime) -> None:
    """Compute the figures of a round from the answers that count now, and store them."""
    session = site.session()
    with TemporaryDirectory() as name:
        folder = Path(name)
        with db.reading(session):
            round_ = session.get_one(AnnotationRound, payload["round"])
            compared, first = list_compared(session, round_), find_first_round(session, round_)
            state = _hash_state(session, round_, first)
            newest = _find_stored(session, round_.id)
            if newest is not None and newest.answers_sha256 == state:
                return
            exports.write_figure_files(session, round_, compared, folder)
            if round_.kind in ("choose", "write"):
                exports.write_answers(session, round_, folder)
            (folder / "manifest.json").write_text(json.dumps({"round": round_.slug}), encoding="utf-8")
            if first is not None:
                (folder / CHOICES_NAME).write_bytes(site.storage.get(first.sha256))
        options = () if first is None else first.arguments
        command = (sys.executable, "-m", "scorer.cli", *COMMAND[1:], *options, "--format", "json")
        text = run_process(command, folder=folder)
    with db.writing(session):
        session.add(RoundFigures(round_id=payload["round"], answers_sha256=state, text=text, made_at=now))


def _find_stored(session: Session, round_id: int) -> RoundFigures | None:
    query = select(RoundFigures).where(RoundFigures.round_id == round_id)
    return session.scalar(query.order_by(RoundFigures.id.desc()).limit(1))


def _job_key(round_id: int) -> str:
    return f"{FIGURES_JOB} {round_id}"
