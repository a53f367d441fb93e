"""The pairs of a data set: in an order and with names that do not depend on where they came from."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from scorer.annotation.ratings import Ratings
from scorer.campaigns.config import Unit
from scorer.datasets.export_reader import CampaignExport, ChosenPair
from scorer.errors import RequestError

Texts = tuple[str, str]
"""The left and the right text."""


@dataclass(frozen=True, slots=True)
class RatedPair:
    """A pair of the test set.

    Parameters
    ----------
    id : str
        The name by which it is published.
    unit : Unit
        What was rated.
    ratings : tuple of mapping of str to float
        For each pass, the ratings by annotator, in the order of the export.
    decisions : tuple of float or None
        For each pass, what the organizers decided, if they did.
    first : ChosenPair, optional
        The pair of the first round, with its choice and rating.
    """

    id: str
    unit: Unit
    ratings: tuple[Mapping[str, float], ...]
    decisions: tuple[float | None, ...]
    first: ChosenPair | None


def draw_key(seed: int, values: object) -> bytes:
    """Compute a sort key from published values alone, so that an order by it reveals nothing else.

    A random order of the lines of a file would not do: who knows the seed can undo it, and then neighbours
    are pairs of the same report again.

    Examples
    --------
    >>> sorted("abc", key=lambda text: draw_key(1, text))
    ['c', 'a', 'b']
    """
    return hashlib.sha256(json.dumps([seed, values], ensure_ascii=False).encode()).digest()


def name_pairs(prefix: str, count: int) -> list[str]:
    """Return names with as many digits as the last one needs.

    Examples
    --------
    >>> name_pairs("test", 10)[-2:]
    ['test09', 'test10']
    """
    width = len(str(count))
    return [f"{prefix}{number:0{width}}" for number in range(1, count + 1)]


def rated_pairs(export: CampaignExport, seed: int, at_least: int) -> tuple[RatedPair, ...]:
    """Choose the units with enough ratings or a decision in each pass, and draw their order and names.

    Parameters
    ----------
    export : CampaignExport
    seed : int, at least 0
    at_least : int, at least 1
        The minimum number of ratings in each pass.

    Returns
    -------
    tuple of RatedPair
        In an order that depends on the texts and the seed alone.

    Raises
    ------
    RequestError
        If no unit has enough ratings.
    """
    tables = [_ratings_by_unit(ratings) for ratings in export.passes]
    passes = list(zip(tables, export.decisions, strict=True))
    chosen = [
        unit
        for unit in export.units
        if all(len(table.get(unit.key, ())) >= at_least or unit.key in decided for table, decided in passes)
    ]
    if not chosen:
        raise RequestError(f"no unit has {at_least} ratings in each pass; lower --at-least")
    chosen.sort(key=lambda unit: draw_key(seed, _texts(unit)))
    first = find_first_pairs(chosen, export.choices or ())
    return tuple(
        RatedPair(
            name,
            unit,
            tuple(table.get(unit.key, {}) for table in tables),
            tuple(decided.get(unit.key) for decided in export.decisions),
            first.get(unit.key),
        )
        for name, unit in zip(name_pairs("test", len(chosen)), chosen, strict=True)
    )


def training_pairs(export: CampaignExport, seed: int) -> tuple[ChosenPair, ...]:
    """Return the pairs of the first round that were no units of this round, in a drawn order.

    A pair is a unit if it has its key, or its two texts.
    """
    keys = {unit.key for unit in export.units}
    texts = {_texts(unit) for unit in export.units}
    training = (
        pair for pair in export.choices or () if pair.id not in keys and (pair.left, pair.right) not in texts
    )
    return tuple(
        sorted(training, key=lambda pair: draw_key(seed, [pair.left, pair.right, pair.choice, pair.rating]))
    )


def name_annotators(pairs: Iterable[RatedPair], seed: int) -> dict[str, str]:
    """Draw a new pseudonym for each annotator, from the ratings that are published of them."""
    answers: dict[str, list[list[object]]] = {}
    for pair in pairs:
        for number, ratings in enumerate(pair.ratings):
            for annotator, value in ratings.items():
                answers.setdefault(annotator, []).append([pair.id, number, value])
    published = {annotator: sorted(values, key=repr) for annotator, values in answers.items()}
    return draw_names("R", published, seed)


def draw_names(prefix: str, published: Mapping[str, object], seed: int) -> dict[str, str]:
    """Draw names for what is known by these published values."""
    order = sorted(published, key=lambda name: draw_key(seed, published[name]))
    return dict(zip(order, name_pairs(prefix, len(order)), strict=True))


def _ratings_by_unit(ratings: Ratings) -> dict[str, dict[str, float]]:
    table: dict[str, dict[str, float]] = {}
    rows = zip(ratings.unit.tolist(), ratings.annotator.tolist(), ratings.value.tolist(), strict=True)
    for unit, annotator, value in rows:
        table.setdefault(ratings.units[unit], {})[ratings.annotators[annotator]] = value
    return table


def _texts(unit: Unit) -> Texts:
    return unit.texts["left"], unit.texts["right"]


def find_first_pairs(units: Iterable[Unit], choices: Sequence[ChosenPair]) -> dict[str, ChosenPair]:
    """Return the pair of the first round that each unit was, by its key; pairs match by key or by texts."""
    by_key = {pair.id: pair for pair in choices if pair.id}
    by_texts = {(pair.left, pair.right): pair for pair in choices}
    found = ((unit.key, by_key.get(unit.key, by_texts.get(_texts(unit)))) for unit in units)
    return {key: pair for key, pair in found if pair is not None}
