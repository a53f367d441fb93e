"""What the organizers' overview says that a campaign needs, from its creation to its gold."""

from pathlib import Path

import pytest

from server.annotation.campaigns import creation
from server.annotation.results import gold
from server.core import db
from tests.server.annotation.annotating import LEASE, Annotating, write_campaign
from tests.server.annotation.played import GOLD
from tests.server.visitors import words
from tests.server.world import DURING, World

pytestmark = pytest.mark.one_database


def test_overview_says_what_a_campaign_needs_from_its_creation_to_its_gold(
    world: World, tmp_path: Path
) -> None:
    ada = world.client("ada")
    title = "How similar are these sentences?"

    def needed() -> str:
        to_do = words(ada.get("/tasks/small/organize/")).split("To do", 1)[1]
        return next((line for line in SENTENCES if f"{line.format(title)}" in to_do), "")

    campaign = Annotating(world)
    campaign.add(creation.prepare_campaign(write_campaign(tmp_path, gold=GOLD)))
    assert needed() == PLANNED
    campaign.open()
    assert needed() == STALLED
    names = campaign.join(4)
    assert needed() == ""
    for name in names[:3]:
        campaign.work(name)
    stopped = campaign.take(names[3])
    assert needed() == ""
    world.set_clock(DURING + LEASE)
    assert needed() == STALLED
    (helper,) = campaign.join(at=DURING + LEASE)
    assert needed() == ""
    campaign.work(helper, DURING + LEASE)
    assert needed() == COMPLETE
    assert campaign.answer(stopped, at=DURING + LEASE) is None
    campaign.close(DURING + LEASE)
    assert needed() == GOLD_DUE
    with db.writing(world.session):
        gold.add_gold(world.session, world.actor("ada"), campaign.campaign, DURING + LEASE)
    assert needed() == ""


PLANNED = "The campaign {} is not open yet."
STALLED = "The campaign {} lacks answers, and no annotator is left to give them."
COMPLETE = "The campaign {} has all its answers. You can close it."
GOLD_DUE = "The campaign {} is closed. Its gold standard has not been made yet."
SENTENCES = (PLANNED, STALLED, COMPLETE, GOLD_DUE)
