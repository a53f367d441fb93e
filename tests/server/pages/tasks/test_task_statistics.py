"""Task statistics: only what anybody may download, and files of phases that are over."""

from datetime import timedelta

import pytest

from server.access import tasks
from server.core import db
from server.organize.task_statistics import list_scale_places
from server.releases import release_gold
from tests.server.visitors import words
from tests.server.world import AFTER, CLOSES, DURING, LATE, OPENS, World

pytestmark = pytest.mark.one_database

PAGE = "/tasks/small/statistics"


def test_statistics_cover_items_once_published_and_gold_once_public(world: World) -> None:
    world.set_clock(OPENS - timedelta(days=1))
    early = words(world.client("ada").get(PAGE))
    assert "4 items at one level" in early  # of the practice: trial items, whose gold is public
    assert "Test" not in early
    world.set_clock(DURING)
    page = words(world.client().get(PAGE))
    assert "8 items at 2 levels" in page
    assert "Paragraph to sentence 4 6.2 6 6–7 3.5 3.5 3–4" in page
    assert (
        "The gold standard of these items is not public yet. Its distribution will be shown here once it is."
        in page
    )
    trial = words(world.client().get(f"{PAGE}?split=trial"))
    assert "0 1 0.5 0 1 0 1.5 0 2 1 2.5 0 3 1 3.5 0 4 1" in trial
    with db.writing(world.session):
        release_gold.open_gold(world.session, world.actor("ada"), world.phase(), AFTER)
    opened = words(world.client().get(PAGE))
    assert "0 1 0 0.5 0 1" in opened  # .125 and .375 lie nearest to 0 and .5


def test_genre_equal_to_a_whole_level_is_not_listed_separately(world: World) -> None:
    world.set_clock(DURING)
    assert "items each at every level." not in world.client().get(PAGE).text
    for level, prefix in zip(world.task.levels, (b"Web", b"s2p"), strict=True):
        split = tasks.find_split(level, "test")
        assert split is not None
        items = world.storage.get(split.items_sha256)
        items = (
            items.replace(b"News-3", prefix + b"-3") if prefix == b"Web" else items.replace(b"News", prefix)
        )
        with db.writing(world.session):
            split.items_sha256 = world.storage.put(items)
    assert "Genre Paragraph to sentence News 3 Web 1" in words(world.client().get(PAGE))


def test_file_counts_are_public_after_the_last_deadline(world: World) -> None:
    for level in ("p2s", "s2p"):
        world.upload(world.run(), level, at=DURING)
    world.upload(world.run(), "p2s", at=LATE)
    late = LATE + timedelta(hours=1)
    for at in (late, CLOSES + timedelta(hours=72)):
        world.set_clock(at)
        assert "submissions were accepted. Days are in UTC." not in words(world.client("bo").get(PAGE))
    world.set_clock(AFTER)
    page = words(world.client().get(PAGE))
    assert "3 submissions were accepted. Days are in UTC." in page
    assert "10 Mar 2026 2 0 11 Mar 2026 0 0" in page
    assert "15 Mar 2026 Deadline 0 1" in page
    assert "birch" not in page


@pytest.mark.parametrize(
    ("scale", "places"),
    [
        ((0, 1, 0.25), [0, 0.25, 0.5, 0.75, 1]),
        ((1, 5, None), [1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5]),
        ((0, 100, 1), [0, 12.5, 25, 37.5, 50, 62.5, 75, 87.5, 100]),
    ],
)
def test_histogram_bins_follow_the_rating_scale(
    scale: tuple[float, float, float | None], places: list[float]
) -> None:
    assert list_scale_places(*scale) == places
