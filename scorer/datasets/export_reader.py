"""Reads the folder of an exported campaign, from which a data set is made."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from scorer.annotation.choices_reader import ChoicesLayout, parse_choices
from scorer.annotation.ratings import Ratings
from scorer.annotation.ratings_reader import RatingsLayout, parse_ratings
from scorer.campaigns.config import Unit, name_table
from scorer.campaigns.units_reader import TEXTS, read_units
from scorer.datasets.campaign_facts import CampaignFacts
from scorer.datasets.passages import explain_context, explain_mark
from scorer.errors import RatingsError
from scorer.files.reading import read_bytes
from scorer.files.tables import find_columns, read_annotations
from scorer.files.text import BLANKS, Problems, decode_lines, shorten

UNITS_NAME = "units.tsv"
CHOICES_NAME = "choices.tsv"


@dataclass(frozen=True, slots=True)
class ChosenPair:
    """A pair of the first round: its texts, the choice for which it was taken, and its rating.

    Parameters
    ----------
    left, right, choice : str
    rating : float
    id : str, optional
        The key that a unit of the second round has if it is the same pair.
    """

    left: str
    right: str
    choice: str
    rating: float
    id: str | None


@dataclass(frozen=True, slots=True)
class CampaignExport:
    """The files of an exported round of ratings.

    Parameters
    ----------
    facts : CampaignFacts
    units : tuple of Unit
        The pairs, with the texts left and right, and perhaps left_context and right_context.
    passes : tuple of Ratings
        The ratings that count without context, and those with context if there was a second pass. All their
        units are among `units`.
    choices : tuple of ChosenPair, optional
        All pairs of the first round. None if there is no such file.
    decisions : tuple of mapping of str to float
        For each pass, what the organizers decided, by the key of the unit.
    """

    facts: CampaignFacts
    units: tuple[Unit, ...]
    passes: tuple[Ratings, ...]
    choices: tuple[ChosenPair, ...] | None
    decisions: tuple[Mapping[str, float], ...]


def read_export(folder: Path, facts: CampaignFacts, expected: Mapping[str, float]) -> CampaignExport:
    """Read the folder of an exported round of ratings.

    Parameters
    ----------
    folder : Path
        It has units.tsv; ratings.csv, or a file ratings-PASS.csv for each pass; perhaps decisions of each
        pass; and perhaps choices.tsv.
    facts : CampaignFacts
        The campaign, and its exported round.
    expected : mapping of str to float
        The expected rating of each choice in choices.tsv.

    Returns
    -------
    CampaignExport

    Raises
    ------
    DataError
        If a file is missing, or has problems. All problems of a file are listed with their lines.
    """
    units = read_export_units(folder / UNITS_NAME)
    keys = {unit.key for unit in units}
    slugs = [each.slug for each in facts.round.passes]
    ratings = tuple(_read_ratings(folder / name_table("ratings", slug), keys) for slug in slugs)
    decisions = tuple(_read_decisions(folder / name_table("decisions", slug)) for slug in slugs)
    path, choices = folder / CHOICES_NAME, None
    if path.exists():
        choices = read_chosen_pairs(read_bytes(str(path)), path.name, expected)
    return CampaignExport(facts, units, ratings, choices, decisions)


def read_export_units(path: Path) -> tuple[Unit, ...]:
    """Read the units of an export: pairs of texts, perhaps with marked contexts."""
    problems = Problems(path.name)
    units = read_units(read_bytes(str(path)), problems)
    problems.raise_as(RatingsError)
    # Without a problem, each line below the header is one unit.
    for line, unit in enumerate(units, start=2):
        for side in TEXTS:
            fault = explain_mark(unit.texts[side])
            if fault is not None:
                problems.add_line(line, "has_mark", f'the column "{side}" {fault}')
            context = unit.texts.get(f"{side}_context", "")
            fault = explain_context(context, unit.texts[side]) if context.strip(BLANKS) else None
            if fault is not None:
                problems.add_line(line, "bad_mark", f'the column "{side}_context" {fault}')
    problems.raise_as(RatingsError)
    return units


def _read_ratings(path: Path, units: set[str]) -> Ratings:
    data = read_bytes(str(path))
    layout = RatingsLayout(unit=("unit",), annotator="annotator", rating="rating")
    ratings = parse_ratings(data, path.name, layout)
    ratings = ratings.of_lines(_lines_of_main_block(data, path.name)).first()
    problems = Problems(path.name, decode_lines(data, Problems(path.name)))
    for place, line in zip(ratings.unit.tolist(), ratings.line.tolist(), strict=True):
        unit = ratings.units[place]
        if unit not in units:
            problems.add_line(line, "unknown_id", f"the unit {shorten(unit)} is not in {UNITS_NAME}")
    problems.raise_as(RatingsError)
    return ratings


def _read_decisions(path: Path) -> dict[str, float]:
    """Read the decisions of a pass, which an export has only if there are some."""
    if not path.exists():
        return {}
    decided = parse_ratings(read_bytes(str(path)), path.name)
    return dict(zip(decided.units, decided.value.tolist(), strict=True))


def _lines_of_main_block(data: bytes, source: str) -> set[int]:
    """Return the lines of the answers that count: those of the main block, or all if there are no blocks."""
    problems = Problems(source)
    (_, header), *body = read_annotations(decode_lines(data, problems), problems, "")
    if "block" not in header:
        return {line for line, _ in body}
    return {line for line, fields in body if fields[header.index("block")] == "main"}


def read_chosen_pairs(data: bytes, source: str, expected: Mapping[str, float]) -> tuple[ChosenPair, ...]:
    """Read the pairs of the first round."""
    choices = parse_choices(data, source, ChoicesLayout(expected=expected))
    problems = Problems(source)
    problems.lines = decode_lines(data, problems)
    header, *body = read_annotations(problems.lines, problems, "")
    places = find_columns(header, TEXTS, problems)
    problems.raise_as(RatingsError)
    id_place = header[1].index("id") if "id" in header[1] else None
    pairs = []
    rows = zip(body, choices.choice, choices.rating.tolist(), strict=True)
    for (line, fields), choice, rating in rows:
        left, right = (fields[places[side]] for side in TEXTS)
        _check_texts((left, right), line, problems)
        name = None if id_place is None else fields[id_place].strip(BLANKS)
        pairs.append(ChosenPair(left, right, choice, rating, name))
    problems.raise_as(RatingsError)
    return tuple(pairs)


def _check_texts(texts: Sequence[str], line: int, problems: Problems) -> None:
    for side, text in zip(TEXTS, texts, strict=True):
        fault = explain_mark(text)
        if not text.strip(BLANKS):
            fault = "is empty; write the text"
        elif any(sign in text for sign in "\t\n\r"):
            fault = "has a tab or a line break; write a space instead"
        if fault is not None:
            problems.add_line(line, "bad_text", f'the column "{side}" {fault}')
