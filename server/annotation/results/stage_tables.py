"""The tables of what annotators chose or wrote, from which `scorer campaign next` makes the next stage."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from sqlalchemy.orm import Session

from scorer.campaigns.config import CHOICES
from scorer.campaigns.units_reader import WANTED
from server.annotation.assignments import plans
from server.annotation.models import AnnotationRound, Unit
from server.annotation.results.answer_rows import AnswerRow

Row = list[Any]
_CHOSEN = (
    "id", "unit", "group", "genre", "annotator", "plan", "assignment", "left", "right", "choice", "rating",
    "sentence",
)  # fmt: skip
_WRITTEN = ("id", "group", "genre", "annotator", WANTED, "left", "right")


def list_columns(round_: AnnotationRound) -> list[str]:
    """Return the columns of the table of a round in which annotators choose or write."""
    if round_.kind == "choose":
        return [*_CHOSEN]
    return [*_WRITTEN, *(["definition"] if round_.rules.senses_file else [])]


def read_row_maker(session: Session, round_: AnnotationRound) -> Callable[[AnswerRow], list[Row]]:
    """Read the texts of a round, and return a function that makes the rows of an answer."""
    units = {unit.key: unit for unit in plans.list_units(session, round_)}
    if round_.kind == "write":
        return lambda row: [_make_written(row, units[row.unit])]
    sentences = {unit.key: unit.texts["sentence"] for unit in plans.list_units(session, round_, "sentence")}
    return lambda row: [*_make_chosen(row, units[row.unit], sentences)]


def _make_chosen(row: AnswerRow, unit: Unit, sentences: Mapping[str, str]) -> Iterator[Row]:
    for choice in CHOICES:
        key, rating = (row.picks or {})[choice]
        names = f"{unit.key}-{choice}", unit.key, unit.group, unit.genre or "", row.annotator
        yield [
            *names, row.plan, row.assignment, unit.texts["left"], sentences[key], choice, rating, key,
        ]  # fmt: skip


def _make_written(row: AnswerRow, unit: Unit) -> Row:
    names = unit.key, unit.group or "", unit.genre or "", row.annotator
    left = unit.texts[WANTED], unit.texts["left"]
    if row.picks is None:
        return [*names, *left, row.written]
    sense = row.picks["sense"]
    return [*names, *left, sense, dict(unit.candidates or ())[sense]]
