"""What annotators wrote, or chose in its place, as organizers see it: by genre and wanted rating."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from scorer.campaigns.units_reader import WANTED
from server.annotation.assignments import plans
from server.annotation.models import AnnotationRound, Unit
from server.annotation.results import answer_rows
from server.core.errors import NotFound


@dataclass(frozen=True, slots=True)
class TextCounts:
    """How many texts annotators wrote for some units, and left blank, and how many are still to write."""

    written: int
    blank: int
    open: int


@dataclass(frozen=True, slots=True)
class GenreCounts:
    """The counts of a genre, or of all if `genre` is None, in the order of the wanted ratings."""

    genre: str | None
    by_wanted: Sequence[TextCounts]


@dataclass(frozen=True, slots=True)
class CountTable:
    """The counts of a round by genre and wanted rating; units without a genre are of the genre "".

    If there are several genres, the last row counts all.
    """

    wanted: Sequence[str]
    rows: Sequence[GenreCounts]

    @property
    def genres(self) -> list[str]:
        """The genres, to choose one."""
        return [row.genre for row in self.rows if row.genre]


@dataclass(frozen=True, slots=True)
class WrittenText:
    """An answer with its unit; `text` is None if it was left blank, or erased."""

    row: answer_rows.AnswerRow
    unit: Unit

    @property
    def text(self) -> str | None:
        """What was written, or the definition that was chosen."""
        if self.row.picks is not None:
            return dict(self.unit.candidates or ())[self.row.picks["sense"]]
        return self.row.written


def count_texts(session: Session, round_: AnnotationRound) -> CountTable:
    """Count the texts of annotators who are not excluded.

    Raises:
        NotFound: in this round, annotators do not write.
    """
    if round_.kind != "write":
        raise NotFound.of("There is no such round.")
    units = plans.list_units(session, round_)
    written = {unit: count for _pass, unit, count in answer_rows.count_by_unit(session, round_)}
    blank = {unit: count for _pass, unit, count in answer_rows.count_by_unit(session, round_, empty=True)}
    counts: dict[tuple[str | None, str], Counter[str]] = defaultdict(Counter)
    for unit in units:
        of_unit = {"written": written.get(unit.id, 0), "blank": blank.get(unit.id, 0)}
        of_unit["open"] = max(0, round_.rules.answers - of_unit["written"])
        for genre in (unit.genre or "", None):
            counts[genre, unit.texts[WANTED]].update(of_unit)
    wanted = sorted({unit.texts[WANTED] for unit in units}, key=float)
    genres: list[str | None] = [*dict.fromkeys(unit.genre or "" for unit in units)]
    rows = [*genres, *([None] if len(genres) > 1 else [])]

    def list_counts(genre: str | None) -> list[TextCounts]:
        found = (counts[genre, rating] for rating in wanted)
        return [TextCounts(each["written"], each["blank"], each["open"]) for each in found]

    return CountTable(wanted, [GenreCounts(genre, list_counts(genre)) for genre in rows])


def list_texts(
    session: Session, round_: AnnotationRound, chosen: Mapping[str, str | None], size: int, page: int
) -> list[WrittenText]:
    """List one page of what was written or left blank, by unit; one more.

    `chosen`: the genre and the wanted rating of the units, if these matter.
    """
    conditions = []
    if chosen.get("genre"):
        conditions.append(Unit.genre == chosen["genre"])
    if chosen.get(WANTED):
        conditions.append(Unit.texts[WANTED].as_string() == chosen[WANTED])
    rows = answer_rows.list_in_force(session, round_, conditions, size, page)
    query = select(Unit).where(
        Unit.round_id == round_.id, Unit.role == "main", Unit.key.in_({row.unit for row in rows})
    )
    units = {unit.key: unit for unit in session.scalars(query)}
    return [WrittenText(row, units[row.unit]) for row in rows]
