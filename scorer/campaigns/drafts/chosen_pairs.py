"""Makes pairs to rate of the sentences that annotators chose, from an export of a round of kind choose."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from scorer.campaigns.config import CHOICES, RoundConfig, Unit
from scorer.campaigns.exported_round import get_exported, read_export_table
from scorer.campaigns.units_reader import REPORT
from scorer.errors import BundleError, Problem, RequestError
from scorer.files.text import SENTENCE_TAGS, count_noun, shorten

CHOICES_FILE = "choices.tsv"
_COLUMNS = ("id", "unit", "plan", "assignment", "choice", "sentence")
_NUMBER = re.compile(r"[1-9][0-9]{0,5}")
_Choice = Mapping[str, str]
"""A row of the table of choices."""


def pair_choices(
    folder: Path, round_: RoundConfig, first: int | None, assignments: int | None, context: int
) -> tuple[list[Unit], list[str]]:
    """Pair summary sentences with the sentences that were chosen for them.

    Parameters
    ----------
    folder : Path
        The export.
    round_ : RoundConfig
        The round of kind choose.
    first : int, at least 1, or None
        The number of summary sentences of each assignment: the first ones in the table of units. None: all
        that have choices.
    assignments : int or None
        The number of assignments: those with the lowest numbers that have choices for so many sentences.
        None: all of them.
    context : int, at least 0
        The maximum number of sentences before and after each sentence, in its summary and in its report.

    Returns
    -------
    list of Unit, list of str
        The pairs; and a sentence about each assignment that was left out. The group of a pair is its summary
        sentence. The pairs are three sequences in turns, each with one pair of each summary sentence: the
        pairs 1, 4, 7 and so on, with the choices A, B, C in turns, and those that begin with 2 and with 3.

    Raises
    ------
    DataError
        If a file is missing or has problems.
    RequestError
        If there are not so many assignments.
    """
    tuples, notes = _choose_tuples(folder, round_, first, assignments)
    units = {unit.key: unit for unit in round_.units}
    sentences = {sentence.key: sentence for sentence in round_.sentences}
    left_contexts = _mark_in_context(round_.units, "left", context)
    right_contexts = _mark_in_context(round_.sentences, "sentence", context)
    pairs = []
    for place, rows in enumerate(tuples):
        for number in range(len(rows)):
            row = rows[(place + number) % len(rows)]
            unit, sentence = units[row["unit"]], get_exported(sentences, row["sentence"], CHOICES_FILE)
            texts = {
                "left": unit.texts["left"],
                "right": sentence.texts["sentence"],
                "left_context": left_contexts[unit.key],
                "right_context": right_contexts[sentence.key],
            }
            pairs.append(Unit(row["id"], unit.key, unit.genre, texts))
    return pairs, notes


def _choose_tuples(
    folder: Path, round_: RoundConfig, first: int | None, assignments: int | None
) -> tuple[list[list[_Choice]], list[str]]:
    """Return the rows A, B and C of each summary sentence that is taken, and what is left out."""
    tuples: list[list[_Choice]] = []
    notes = []
    n_complete = 0
    for name, answered in _read_assignments(folder, round_):
        if n_complete == assignments:
            break
        if len(answered) < (first or 1):
            of = "no sentence has" if first is None else f"{len(answered)} of {first} sentences have"
            notes.append(f"assignment {name} is left out: {of} choices")
        else:
            tuples += answered[:first]
            n_complete += 1
    if n_complete < (assignments or 1):
        choices = "choices" if first is None else f"choices for {first} sentences"
        message = f"there are {count_noun(n_complete, 'assignment')} with {choices}"
        raise RequestError("; ".join([message, "lower first or assignments", *notes]))
    return tuples, notes


def _read_assignments(folder: Path, round_: RoundConfig) -> Iterator[tuple[str, list[list[_Choice]]]]:
    """Yield the name of each assignment, and the rows A, B and C of its sentences, in the order of the units.

    An assignment without choices has none. Repair plans come after the first plan.
    """
    units = {unit.key: unit for unit in round_.units}
    found: dict[tuple[int, int], dict[str, dict[str, _Choice]]] = {}
    for row in read_export_table(folder / CHOICES_FILE, _COLUMNS):
        get_exported(units, row["unit"], CHOICES_FILE)
        name = _read_number(row["plan"]), _read_number(row["assignment"])
        found.setdefault(name, {}).setdefault(row["unit"], {})[row["choice"]] = row
    for plan in sorted({plan for plan, _ in found}):
        last = max(number for other, number in found if other == plan)
        for number in range(1, last + 1):
            tuples = found.get((plan, number), {})
            rows = [tuples[key] for key in units if key in tuples and {*CHOICES} <= {*tuples[key]}]
            yield f"{plan}/{number}", [[each[choice] for choice in CHOICES] for each in rows]


def _read_number(text: str) -> int:
    if not _NUMBER.fullmatch(text):
        message = f"{shorten(text)} is not the number of a plan or an assignment; export the round again"
        raise BundleError([Problem(CHOICES_FILE, None, "bad_number", message)])
    return int(text)


def _mark_in_context(units: Sequence[Unit], column: str, context: int) -> dict[str, str]:
    """Return each sentence, marked, between those before and after it: of its summary, or of its report."""
    texts: dict[tuple[str | None, str | None], list[Unit]] = {}
    for unit in units:
        texts.setdefault((unit.group, unit.texts.get(REPORT[0])), []).append(unit)
    marked = {}
    for members in texts.values():
        sentences = [unit.texts[column] for unit in members]
        for place, unit in enumerate(members):
            before = sentences[max(0, place - context) : place]
            after = sentences[place + 1 : place + 1 + context]
            marked[unit.key] = " ".join([*before, sentences[place].join(SENTENCE_TAGS), *after])
    return marked
