"""Finds the rounds of a campaign with which a round is compared, because they are about the same units."""

from sqlalchemy import Text, cast, func, select
from sqlalchemy.orm import Session, aliased

from scorer.bundles.bundle import ScaleSpec
from server.annotation.campaigns import service as campaigns
from server.annotation.models import AnnotationRound, Unit

_TWO_SIDES = ScaleSpec(0, 1, 1)
"""The scale of an expert who says whether the score of an item is below or above .5."""


def list_compared(session: Session, round_: AnnotationRound) -> list[AnnotationRound]:
    """List the rounds with which a round is compared: earlier ratings, or an expert's check of its scores.

    Units are the same if they have the same key and texts. A round is left out if a key means other texts in
    it, because the scorer compares by the keys alone. A round that was not opened yet has nothing to compare.
    """
    ours, theirs = aliased(Unit), aliased(Unit)
    is_same = cast(ours.texts, Text) == cast(theirs.texts, Text)
    query = (
        select(theirs.round_id)
        .join(ours, ours.key == theirs.key)
        .where(
            ours.round_id == round_.id,
            ours.role == ("item" if round_.kind == "bws" else "main"),
            theirs.round_id.in_([each.id for each in round_.campaign.rounds if _fits(round_, each)]),
            theirs.role == "main",
        )
        .group_by(theirs.round_id)
        .having(func.count() == func.count().filter(is_same))
    )
    found = set(session.scalars(query))
    rounds = [each for each in round_.campaign.rounds if each.id in found]
    return [each for each in rounds if campaigns.round_state(session, each) != "planned"]


def _fits(round_: AnnotationRound, other: AnnotationRound) -> bool:
    if other.kind != "rate":
        return False
    if round_.kind == "bws":
        return other.rules.scale == _TWO_SIDES
    return other.position < round_.position
