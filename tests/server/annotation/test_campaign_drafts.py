"""The site takes the files that the scorer drafts for a table, as they are."""

from dataclasses import replace
from pathlib import Path

import pytest

from scorer.campaigns.drafts.campaign_files import write_campaign_files
from scorer.campaigns.drafts.draft import draft_campaign
from server.annotation.campaigns import creation
from server.annotation.models import Assignment
from tests.server.annotation.annotating import Annotating
from tests.server.world import World

PAIRS = "id,left,right\n" + "".join(f"p{n},Boat {n} leaves.,The boat {n} goes out.\n" for n in range(4))
TEXTS = "".join(f"Boat {n} leaves.\n" for n in range(6))


@pytest.mark.parametrize(("name", "text", "steps"), [("pairs.csv", PAIRS, 4), ("texts.txt", TEXTS, 12)])
def test_drafted_campaign_of_an_uploaded_table_can_be_opened(
    world: World, tmp_path: Path, name: str, text: str, steps: int
) -> None:
    draft = replace(
        draft_campaign(text.encode(), name), languages=("en", "cs", "de"), level="p2s", split="test"
    )
    files = write_campaign_files(draft, text.encode())
    for path, data in files.items():
        (tmp_path / path).write_bytes(data)
    prepared = creation.prepare_campaign(tmp_path)
    campaign = Annotating(world, prepared.config.slug)
    campaign.add(prepared)
    campaign.open()
    (annotator,) = campaign.join()
    assert len(world.session.get_one(Assignment, campaign.take(annotator)).steps) == steps
