"""Makes pairs to rate of the texts that annotators wrote, from an export of a round of kind write."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from scorer.campaigns.config import RoundConfig, Unit
from scorer.campaigns.dealing import shuffled
from scorer.campaigns.exported_round import get_exported, read_export_table
from scorer.campaigns.units_reader import WANTED
from scorer.errors import RequestError
from scorer.files.text import count_noun

WRITTEN_FILE = "written.tsv"
DEFINITION = "definition"


@dataclass(frozen=True, slots=True)
class WrittenPair:
    """A text, and what an annotator wrote for it, or the sense that they chose, with its definition."""

    unit: Unit
    annotator: str
    right: str
    definition: str | None

    @property
    def folded(self) -> str:
        """The written text as it is compared with others."""
        return " ".join(self.right.casefold().split())


def pair_texts(folder: Path, round_: RoundConfig, zeros: float, seed: int) -> tuple[list[Unit], list[str]]:
    """Pair texts with what was written for them, and some with what was written for another text.

    Parameters
    ----------
    folder : Path
        The export.
    round_ : RoundConfig
        The round of kind write.
    zeros : float, at least 0 and less than 1/2
        The share of random pairs among all pairs. The two texts of such a pair are of the same genre.
    seed : int

    Returns
    -------
    list of Unit, list of str
        The pairs in random order, with keys that say nothing else; and a sentence about each genre with fewer
        random pairs. The wanted rating is not in a pair.

    Raises
    ------
    DataError
        If a file is missing or has problems.
    RequestError
        If nothing was written.
    """
    units = {unit.key: unit for unit in round_.units}
    written = [
        _read_pair(get_exported(units, row["id"], WRITTEN_FILE), row)
        for row in read_export_table(folder / WRITTEN_FILE, ("id", "annotator", "right"))
    ]
    if not written:
        raise RequestError(f"{WRITTEN_FILE} has no texts; export the round after some were written")
    rng = Random(f"{seed}/next")  # noqa: S311  (who knows the seed shall get the same pairs)
    drawn, notes = _draw_zeros(written, zeros / (1 - zeros), rng)
    pairs = shuffled([*written, *drawn], rng)
    width = len(str(len(pairs)))
    columns = [name for name in round_.columns if name != WANTED]
    return [
        _make_pair(f"p{number:0{width}}", pair, columns) for number, pair in enumerate(pairs, start=1)
    ], notes


def _read_pair(unit: Unit, row: Mapping[str, str]) -> WrittenPair:
    senses = {candidate.key: candidate.text for candidate in unit.candidates}
    return WrittenPair(unit, row["annotator"], row["right"], senses.get(row["right"]))


def _make_pair(key: str, pair: WrittenPair, columns: Sequence[str]) -> Unit:
    texts = {name: pair.unit.texts[name] for name in ("left", *columns)} | {"right": pair.right}
    texts |= {} if pair.definition is None else {DEFINITION: pair.definition}
    return Unit(key, pair.unit.group, pair.unit.genre, texts)


def _draw_zeros(
    written: Sequence[WrittenPair], ratio: float, rng: Random
) -> tuple[list[WrittenPair], list[str]]:
    """Draw random pairs in each genre, `ratio` times as many as the genre has, rounded over all genres."""
    genres: dict[str | None, list[WrittenPair]] = {}
    for pair in written:
        genres.setdefault(pair.unit.genre, []).append(pair)
    zeros: list[WrittenPair] = []
    notes = []
    n_before = 0
    for genre, pairs in genres.items():
        n_after = n_before + len(pairs)
        count = round(n_after * ratio) - round(n_before * ratio)
        n_before = n_after
        drawn = _draw_in_genre(pairs, count, rng)
        if len(drawn) < count:
            where = "" if genre is None else f" of the genre {genre}"
            reason = "too few texts were written by other people for other texts"
            notes.append(f"{count_noun(len(drawn), 'random pair')}{where} instead of {count}: {reason}")
        zeros += drawn
    return zeros, notes


def _draw_in_genre(pairs: Sequence[WrittenPair], count: int, rng: Random) -> list[WrittenPair]:
    """Pair texts with what other people wrote for other texts; each written text is used at most once."""
    people: dict[str, set[str]] = {}
    texts: dict[str, set[str]] = {}
    for pair in pairs:
        left = pair.unit.texts["left"]
        people.setdefault(left, set()).add(pair.annotator)
        texts.setdefault(left, set()).add(pair.folded)
    zeros: list[WrittenPair] = []
    if len({pair.annotator for pair in pairs}) == 1:
        return zeros
    rights = shuffled(pairs, rng)
    for pair in shuffled(pairs, rng):
        if len(zeros) == count:
            break
        left = pair.unit.texts["left"]
        fitting = (
            place
            for place, other in enumerate(rights)
            if other.annotator not in people[left] and other.folded not in texts[left]
        )
        place = next(fitting, None)
        if place is not None:
            zeros.append(replace(rights.pop(place), unit=pair.unit))
    return zeros
