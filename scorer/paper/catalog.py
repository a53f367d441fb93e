"""Every table and figure that a paper can have, in the order of the paper."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Literal

from scorer.errors import RequestError
from scorer.paper import run_tables, system_tables
from scorer.paper.annotation_tables import TABLES, make_table
from scorer.paper.data_tables import DataTables
from scorer.paper.figures import board_figures, item_figures
from scorer.paper.figures.annotation_figures import FIGURES, make_figures
from scorer.paper.sources import BoardSource, Sources
from scorer.reports.paper_elements import PaperFigure, PaperTable
from scorer.values import Undefined

Section = Literal["data", "annotation", "participation", "results"]
SECTIONS: dict[Section, str] = {
    "data": "Data",
    "annotation": "Annotation",
    "participation": "Participation",
    "results": "Results",
}
"""The sections of a paper, with their titles."""
Elements = list[PaperTable] | list[PaperFigure] | list[PaperTable | PaperFigure]
_NO_BOARD = Undefined("no_board", "no source is a bundle or the evidence of a release")


@dataclass(frozen=True, slots=True)
class PaperEntry:
    """A table or a figure that a paper can have.

    Parameters
    ----------
    name : str
        Its name for --only.
    section : Section
        The section that it belongs to.
    make : callable
        Makes it, or says why the sources do not have what it needs.
    """

    name: str
    section: Section
    make: Callable[[], Elements | Undefined]


class Catalog:
    """The tables and figures that sources have.

    Parameters
    ----------
    sources : Sources
        What the paper is made from.
    wordnet : str, optional
        The folder of WordNet 3.0.
    """

    def __init__(self, sources: Sources, wordnet: str | None = None) -> None:
        self.sources, self.wordnet = sources, wordnet

    @cached_property
    def _data(self) -> DataTables | Undefined:
        if self.sources.board is None:
            return _NO_BOARD
        return DataTables(self.sources.board, self.wordnet)

    def _of_data(self, make: Callable[[DataTables], Elements | Undefined]) -> Elements | Undefined:
        return self._data if isinstance(self._data, Undefined) else make(self._data)

    def _of_board(self, make: Callable[[BoardSource], Elements | Undefined]) -> Elements | Undefined:
        return _NO_BOARD if self.sources.board is None else make(self.sources.board)

    def entries(self) -> Iterator[PaperEntry]:
        """Yield all entries in the order of a paper."""
        for make in (DataTables.sizes, DataTables.genres, DataTables.vocabulary, DataTables.diversity):
            yield PaperEntry(make.__name__, "data", partial(self._of_data, make))
        yield PaperEntry("gold", "data", partial(self._of_board, item_figures.gold))
        for plan in TABLES:
            yield PaperEntry(plan.name, "annotation", partial(make_table, plan, self.sources.campaigns))
        for figure in FIGURES:
            yield PaperEntry(figure.name, "annotation", partial(make_figures, figure, self.sources))
        yield PaperEntry("systems", "participation", partial(self._of_board, system_tables.systems))
        for result in (system_tables.results, system_tables.metrics, run_tables.seeds, run_tables.accuracy):
            yield PaperEntry(result.__name__, "results", partial(self._of_board, result))
        for name, drawn in (board_figures.FIGURES | item_figures.FIGURES).items():
            yield PaperEntry(name, "results", partial(self._of_board, drawn))

    def chosen(self, only: tuple[str, ...] = ()) -> list[PaperEntry]:
        """Return all entries, or those that were named; raise RequestError if a name is unknown."""
        entries = list(self.entries())
        names = [entry.name for entry in entries]
        unknown = [name for name in only if name not in names]
        if unknown:
            raise RequestError(f"--only: there is no {unknown[0]}; there are {', '.join(names)}")
        return [entry for entry in entries if not only or entry.name in only]
