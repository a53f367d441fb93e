"""Compares best-worst scores with experts who said of items whether their score is above or below .5."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from scorer.annotation.agreement_report import ALL
from scorer.annotation.ratings import Ratings
from scorer.annotation.ratings_reader import RatingsLayout, parse_ratings
from scorer.bws.scores import ItemScore
from scorer.errors import RequestError
from scorer.reports.table_report import ReportTable, TableCell
from scorer.values import Undefined

_LAYOUT = RatingsLayout(unit=("unit",), annotator="annotator", rating="rating", scale=(0, 1))
_MIDDLE = 0.5


@dataclass(frozen=True, slots=True)
class Judgment:
    """What an expert said of an item, and its score; `above`: the expert puts the score above .5."""

    annotator: str
    above: bool
    score: ItemScore

    @property
    def agrees(self) -> bool | None:
        """Whether the scaled score is on the expert's side of .5; None: it is .5."""
        scaled = self.score.scaled
        return None if scaled == _MIDDLE else (scaled > _MIDDLE) == self.above


def parse_judgments(data: bytes, source: str) -> Ratings:
    """Parse a table with the columns unit, annotator and rating: 0 for below .5 and 1 for above.

    Raises
    ------
    RatingsError
        If there are problems, such as missing columns or a rating that is not from 0 to 1.
    """
    return parse_ratings(data, source, _LAYOUT)


def match_judgments(scores: Sequence[ItemScore], ratings: Ratings) -> list[Judgment]:
    """Find the score of each item that an expert judged.

    Parameters
    ----------
    scores : sequence of ItemScore
        The scores. No two groups may have an item of the same name.
    ratings : Ratings
        The ratings of experts, whose units are items. Repeats, ratings of .5 and items without a score are
        left out.

    Returns
    -------
    list of Judgment
        In the order of the ratings.

    Raises
    ------
    RequestError
        If no judgment is about an item with a score, or if two groups have an item of the same name.
    """
    by_item = {score.item: score for score in scores}
    if len(by_item) < len(scores):
        raise RequestError("two groups have an item of the same name, so an expert's rating can mean either")
    first = ratings.first()
    triples = zip(first.unit.tolist(), first.annotator.tolist(), first.value.tolist(), strict=True)
    named = [
        (ratings.units[unit], ratings.annotators[annotator], value) for unit, annotator, value in triples
    ]
    judgments = [
        Judgment(annotator, value > _MIDDLE, by_item[item])
        for item, annotator, value in named
        if item in by_item and value != _MIDDLE
    ]
    if not judgments:
        raise RequestError(f"{ratings.source} has no rating above or below .5 of an item that has a score")
    return judgments


def expert_tables(judgments: Sequence[Judgment]) -> Iterator[ReportTable]:
    """Count the judgments that agree with the scores, and list those that do not.

    References
    ----------
    Asaadi, Kolagar, Liebel & Zarcone (2022), GiCCS: A German in-Context Conversational Similarity Benchmark,
    GEM, doi:10.18653/v1/2022.gem-1.30, section 4.3: an expert disagreed with the scores of 2 of 300 pairs.
    """
    sides = (("above .5", [True]), ("below .5", [False]), (ALL, [True, False]))
    yield ReportTable(
        "expert",
        "How many judgments of an expert agree with the scaled scores",
        ("expert says", "judgments", "agree", "differ", "score of .5", "share"),
        [[name, *_count([each for each in judgments if each.above in above])] for name, above in sides],
        words=("expert says",),
    )
    differing = [each for each in judgments if each.agrees is False]
    differing.sort(key=lambda each: (-abs(each.score.scaled - _MIDDLE), each.score.item, each.annotator))
    yield ReportTable(
        "differences",
        "Items whose score is on the other side of .5",
        ("item", "annotator", "expert says", "scaled"),
        [
            [each.score.item, each.annotator, "above .5" if each.above else "below .5", each.score.scaled]
            for each in differing
        ],
        words=("item", "annotator", "expert says"),
    )


def _count(judgments: Sequence[Judgment]) -> list[TableCell]:
    """Count the judgments, those that agree, differ, or are about a score of .5, and the share that agree."""
    agree, differ, neither = (sum(each.agrees is kind for each in judgments) for kind in (True, False, None))
    nothing = Undefined("no_judgment", "the expert judged no item so")
    share = agree / len(judgments) if judgments else nothing
    return [len(judgments), agree, differ, neither, share]
