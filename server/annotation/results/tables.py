"""The tables of counted answers that the scorer's commands read: ratings, repeats, and what was chosen.

Their rows are by unit and slot. The same answers give the same bytes.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TextIO

from sqlalchemy import select
from sqlalchemy.orm import Session

from scorer.campaigns.config import name_table
from scorer.campaigns.units_reader import KNOWN
from scorer.reports.records import csv_writer, write_tsv
from server.annotation.answers import questions
from server.annotation.assignments import gates, plans
from server.annotation.campaigns import people
from server.annotation.models import AnnotationRound, Unit
from server.annotation.results import answer_rows, decisions
from server.annotation.results.stage_tables import list_columns, read_row_maker

RATING_COLUMNS = (
    "unit", "annotator", "rating", "at", "seconds", "clock", "genre", "turn", "block", "since", "elapsed",
    "visible",
)  # fmt: skip
_GATE_COLUMNS = ("known", "passed")
"""What the table of calibration units has beside these if they are a gate."""
_STAGE_TABLES = {"choose": "choices.tsv", "write": "written.tsv"}
"""The names of the tables of rounds whose answers are the pairs of the next stage."""
Candidates = dict[str, list[str]]
"""The keys of the items of each tuple, or of the senses of each unit, in the order of their file."""


def list_tables(round_: AnnotationRound) -> dict[tuple[str, int], str]:
    """Return the names of a round's tables, by what they have and the number of the pass."""
    rules = round_.rules
    names = {}
    for number, each in enumerate(rules.passes, 1):
        kind = "bws" if round_.kind == "bws" else "ratings"
        names["counted", number] = _STAGE_TABLES.get(round_.kind, name_table(kind, each.slug))
        if rules.calibration and (number == 1 or rules.calibration.each_pass):
            names["calibration", number] = name_table("calibration", each.slug)
        if rules.repeats:
            names["repeat", number] = name_table("intra", each.slug)
    return names


def list_counted(round_: AnnotationRound) -> dict[int, str]:
    """Return the names of the tables of a round in an export of another one, by the number of the pass."""
    names = list_tables(round_).items()
    return {number: f"rounds/{round_.slug}/{name}" for (kind, number), name in names if kind == "counted"}


def write_tables(
    session: Session, round_: AnnotationRound, compared: Sequence[AnnotationRound], folder: Path
) -> Counter[str]:
    """Write the tables of a round, and those with which it is compared; return the number of rows of each."""
    rows_of = _write_round(session, round_, list_tables(round_), folder)
    _write_decisions(session, round_, folder)
    for other in compared:
        (folder / "rounds" / other.slug).mkdir(parents=True)
        names = {("counted", number): name for number, name in list_counted(other).items()}
        rows_of |= _write_round(session, other, names, folder)
    return rows_of


def list_decided(session: Session, round_: AnnotationRound) -> list[tuple[str, str]]:
    """Return the names of the tables of ratings and of decisions of each pass that has decisions."""
    return [
        (name_table("ratings", each.slug), name_table("decisions", each.slug))
        for number, each in enumerate(round_.rules.passes, 1)
        if decisions.list_decisions(session, round_, number)
    ]


def _write_decisions(session: Session, round_: AnnotationRound, folder: Path) -> None:
    """Write the decisions of each pass that has some, as `scorer adjudicate` reads them, and their causes."""
    for number, each in enumerate(round_.rules.passes, 1):
        decided = decisions.list_decisions(session, round_, number)
        genres = {unit.key: unit.genre or "" for unit in plans.list_units(session, round_)} if decided else {}
        values = [(key, row.value) for key, row in decided.items()]
        causes = [(key, genres[key], row.cause or "", row.note) for key, row in decided.items()]
        for kind, head, rows in (
            ("decisions", ("unit", "decision"), values),
            ("causes", ("unit", "genre", "cause", "note"), causes),
        ):
            if rows:
                with (folder / name_table(kind, each.slug)).open("w", encoding="utf-8", newline="") as file:
                    csv_writer(file)([head, *rows])


def _write_round(
    session: Session, round_: AnnotationRound, names: Mapping[tuple[str, int], str], folder: Path
) -> Counter[str]:
    candidates = list_candidates(session, round_)
    make_stage_rows = read_row_maker(session, round_) if round_.kind in _STAGE_TABLES else None
    repeated = answer_rows.find_repeated(session, round_)
    known, passed = _read_gate(session, round_)
    gated = {key for key in names if known and key[0] == "calibration"}
    rows_of: Counter[str] = Counter()
    with ExitStack() as files:
        append: dict[tuple[str, int], Callable[[Iterable[Sequence[Any]]], None]] = {}
        for key, name in names.items():
            file = files.enter_context((folder / name).open("w", encoding="utf-8", newline=""))
            append[key] = csv_writer(file) if make_stage_rows is None else _tsv_writer(file)
            append[key]([[*_list_columns(round_, candidates), *(_GATE_COLUMNS if key in gated else ())]])
        for of_unit in answer_rows.classify_by_unit(session, round_):
            in_force = answer_rows.index_in_force(row for row, _outcome in of_unit)
            rows: dict[tuple[str, int], list[list[Any]]] = {key: [] for key in names}
            for row, outcome in of_unit:
                key, repeats = (outcome, row.pass_number), row.repeats or 0
                if key in names:
                    earlier = in_force.get(repeats) or repeated.get(repeats)
                    if key in gated:
                        rows[key] += [[*_make_rating(row), known[row.unit], passed.get(row.annotator)]]
                    elif make_stage_rows is None:
                        rows[key] += _make_rows(row, outcome, candidates, earlier, round_)
                    else:
                        rows[key] += make_stage_rows(row)
            for key, of_table in rows.items():
                if of_table:
                    append[key](of_table)
                    rows_of[names[key]] += len(of_table)
    return rows_of


def _read_gate(session: Session, round_: AnnotationRound) -> tuple[dict[str, str], dict[str, str]]:
    """Return the known ratings by unit, and by annotator whether they passed the gate: yes or no."""
    if round_.rules.gate is None:
        return {}, {}
    units = plans.list_units(session, round_, "calibration")
    names = {each.id: each.name for each in people.list_annotators(session, round_.campaign)}
    verdicts = gates.list_verdicts(session, round_).items()
    passed = {names[key]: "yes" if is_passed else "no" for key, is_passed in verdicts if key in names}
    return {unit.key: unit.texts[KNOWN] for unit in units}, passed


def _make_rows(
    row: answer_rows.AnswerRow,
    outcome: str,
    candidates: Candidates,
    earlier: answer_rows.AnswerRow | None,
    round_: AnnotationRound,
) -> list[list[Any]]:
    """Return the rows of an answer; a repeat follows the `earlier` rating that it repeats, and needs one."""
    if round_.kind == "bws":
        return [_make_choice(row, candidates[row.unit], round_)]
    if outcome != "repeat":
        return [_make_rating(row)]
    return [] if earlier is None or earlier.value is None else [_make_rating(earlier), _make_rating(row)]


def _make_rating(row: answer_rows.AnswerRow) -> list[Any]:
    return [
        row.unit,
        row.annotator,
        row.value,
        format_time(row.arrived_at),
        round(row.elapsed, 3) if row.visible is None else row.visible,
        "elapsed" if row.visible is None else "visible",
        row.genre or "",
        row.position,
        row.block,
        round_seconds(row.since),
        round(row.elapsed, 3),
        row.visible,
    ]


def _list_columns(round_: AnnotationRound, candidates: Candidates) -> Sequence[str]:
    if round_.kind in _STAGE_TABLES:
        return list_columns(round_)
    return RATING_COLUMNS if round_.kind == "rate" else _choice_columns(candidates)


def _tsv_writer(out: TextIO) -> Callable[[Iterable[Sequence[Any]]], None]:
    """Return a function that appends rows of texts without tabs and line ends, and of numbers."""

    def append(rows: Iterable[Sequence[Any]]) -> None:
        out.writelines(write_tsv(row, ()) if row else "" for row in rows)

    return append


def _choice_columns(candidates: Candidates) -> list[str]:
    size = max(map(len, candidates.values()), default=0)
    items = [f"Item{number}" for number in range(1, size + 1)]
    return ["tuple", "group", "genre", "annotator", *items, "BestItem", "WorstItem", "shown"]


def _make_choice(row: answer_rows.AnswerRow, items: list[str], round_: AnnotationRound) -> list[Any]:
    """Return the row of a choice from a tuple; `shown` numbers its items in the order of the page."""
    picks = row.picks or {}
    places = " ".join(str(items.index(key) + 1) for key in order_shown(row, items, round_))
    names = row.unit, row.group or "", row.genre or "", row.annotator
    return [*names, *items, picks["best"], picks["worst"], places]


def order_shown(row: answer_rows.AnswerRow, items: Sequence[str], round_: AnnotationRound) -> list[str]:
    """Return the items of a tuple in the order in which the page showed them."""
    return questions.order_keys(items, round_.rules.seed, row.plan, row.assignment, row.unit)


def list_candidates(session: Session, round_: AnnotationRound) -> Candidates:
    """Return the items of the tuples of a round, or the senses of its units."""
    if round_.kind != "bws" and not round_.rules.senses_file:
        return {}
    query = select(Unit.key, Unit.candidates).where(Unit.round_id == round_.id, Unit.role == "main")
    return {key: [item for item, _text in texts or ()] for key, texts in session.execute(query)}


def format_time(at: datetime) -> str:
    """Format an instant as ISO 8601 in UTC, with milliseconds."""
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def round_seconds(seconds: float | None) -> float | None:
    """Round a time to milliseconds."""
    return None if seconds is None else round(seconds, 3)
