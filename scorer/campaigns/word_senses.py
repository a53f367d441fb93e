"""Writes the senses that annotators can choose for each word of a table, in a round of kind write."""

from dataclasses import dataclass

from scorer.baselines.sense_candidates import SenseCandidates, find_candidates
from scorer.baselines.senses import parse_word
from scorer.baselines.wordnet import WordNet
from scorer.campaigns.config import Unit
from scorer.campaigns.units_reader import SENSE_COLUMNS, read_units
from scorer.errors import BundleError
from scorer.files.text import Problems, shorten


@dataclass(frozen=True, slots=True)
class CandidateTable:
    """A table of the senses of each unit, as an `annotation.toml` names it in `senses`.

    Parameters
    ----------
    text : str
    candidates : tuple of SenseCandidates
        Those of each unit.
    """

    text: str
    candidates: tuple[SenseCandidates, ...]


def write_candidates(data: bytes, source: str, wordnet: WordNet, within: int, limit: int) -> CandidateTable:
    """Write the senses near each word of a table of units.

    Parameters
    ----------
    data : bytes
        The table, in UTF-8, with the columns key and left. left is a word, as word#pos.
    source : str
        The name of the file in messages.
    wordnet : WordNet
    within, limit : int
        The maximum number of edges, and of senses of each word; see `find_candidates`.

    Returns
    -------
    CandidateTable

    Raises
    ------
    BundleError
        Lists every problem of the table, and each word without candidates.
    """
    problems = Problems(source)
    units = read_units(data, problems, (), ("left",))
    problems.raise_as(BundleError)
    # Without a problem, each line below the header is one unit.
    candidates = tuple(
        _find_candidates(unit, line, problems, wordnet, within, limit)
        for line, unit in enumerate(units, start=2)
    )
    problems.raise_as(BundleError)
    rows = [
        (unit.key, *sense) for unit, found in zip(units, candidates, strict=True) for sense in found.senses
    ]
    return CandidateTable("".join("\t".join(row) + "\n" for row in (SENSE_COLUMNS, *rows)), candidates)


def _find_candidates(
    unit: Unit, line: int, problems: Problems, wordnet: WordNet, within: int, limit: int
) -> SenseCandidates:
    """Return the candidates of a unit; note it if it has none."""
    text = unit.texts["left"]
    word = parse_word(text)
    if word is None:
        message = f"{shorten(text)} names no word; write word#pos, with pos one of n, v, a, r"
        problems.add_line(line, "bad_word", message)
        return SenseCandidates((), 0)
    found = find_candidates(wordnet, *word, within, limit)
    if not wordnet.addresses(*word):
        message = f"{wordnet.name} has no {shorten(text)}; take another word, or write its senses yourself"
        problems.add_line(line, "unknown_word", message)
    elif not found.senses:
        message = (
            f"{wordnet.name} has nothing near {shorten(text)}; take another word, or write senses yourself"
        )
        problems.add_line(line, "unknown_word", message)
    return found
