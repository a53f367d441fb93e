"""Recompute the human ceiling of a release from the ratings that its gold was made from."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from scorer.annotation.human_ceiling import AnnotatorRatings, compute_human_ceiling
from scorer.boards.people import PeopleScore
from scorer.bundles.bundle import LevelSpec
from scorer.errors import RequestError
from scorer.files.text import count_noun
from scorer.proof.evidence import RULES, Evidence
from scorer.proof.findings import Finding, claimed, failed, not_covered, proved
from scorer.values import Undefined

if TYPE_CHECKING:
    from scorer.annotation.ratings import Ratings


def check_human_ceiling(evidence: Evidence, ratings: "Mapping[str, Ratings]") -> Iterator[Finding]:
    """Compare how well people would do, as the release says, with what the ratings give.

    Parameters
    ----------
    evidence : Evidence
        The evidence, which was verified.
    ratings : mapping of str to Ratings
        The ratings of levels by the slug of the level. The ratings of items without a gold value are left
        out, if the evidence has the gold and the units are called as the items.

    Yields
    ------
    Finding
        One for each level and metric: without ratings, what the site claims.

    Raises
    ------
    RequestError
        If there are ratings of a level that has no human ceiling.
    """
    scores = {} if evidence.people is None else evidence.people.scores
    levels = {slug for slug, _metric in scores}
    if unknown := [slug for slug in ratings if slug not in levels]:
        raise RequestError(f'the evidence has no human ceiling for "{unknown[0]}"; leave out its ratings')
    for (slug, metric), score in scores.items():
        if slug is not None and slug in ratings:
            level = next(level for level in evidence.bundle.levels if level.slug == slug)
            yield _compare(evidence, level, metric, score, ratings[slug])
        else:
            yield claimed(
                f"According to {RULES}, people would reach {metric} {score.value} at {slug} "
                f"({_counts(score.annotators, score.units)}). The evidence does not have their ratings. If "
                f"they are published, recompute it with --ratings {slug}=FILE."
            )


def _compare(
    evidence: Evidence, level: LevelSpec, metric: str, score: PeopleScore, ratings: "Ratings"
) -> Finding:
    split = evidence.board.split
    items = evidence.bundle.items(level, split)
    if level.splits[split].gold is not None:
        values = evidence.bundle.gold(level, split, items).values
        scored = {id_ for id_, value in zip(items.ids, values, strict=True) if value is not None}
        ratings = ratings.of_units(scored) if scored.intersection(ratings.units) else ratings
    groups = dict(zip(items.ids, items.groups or (), strict=False))
    found = compute_human_ceiling(_by_annotator(ratings), metric, groups)
    if isinstance(found.value, Undefined):
        why = f"{metric} has no value on {ratings.source}: {found.value.reason}"
        return not_covered(f"The human ceiling at {level.slug} cannot be recomputed. {why}.")
    recomputed = f"The human ceiling at {level.slug} was recomputed from {ratings.source}"
    counts = _counts(found.annotators, found.units)
    if (found.value, found.annotators, found.units) == (score.value, score.annotators, score.units):
        return proved(f"{recomputed}: {metric} {score.value} ({counts}). It is the same as in {RULES}.")
    return failed(
        f"{recomputed}: {metric} {found.value} ({counts}). It is different from {RULES}, which has "
        f"{score.value} ({_counts(score.annotators, score.units)}); the difference is "
        f"{found.value - score.value:+.3g}."
    )


def _by_annotator(ratings: "Ratings") -> AnnotatorRatings:
    by_annotator: dict[str, dict[str, float]] = defaultdict(dict)
    columns = ratings.unit.tolist(), ratings.annotator.tolist(), ratings.value.tolist()
    for unit, annotator, value in zip(*columns, strict=True):
        by_annotator[ratings.annotators[annotator]].setdefault(ratings.units[unit], value)
    return by_annotator


def _counts(annotators: int, units: int) -> str:
    return f"{count_noun(annotators, 'annotator')}, {count_noun(units, 'item')}"
