import pytest

from server.access import tasks
from server.core.actors import VISITOR
from server.core.errors import NotFound
from tests.server.small_task import GOLD
from tests.server.world import DURING, OPENS, World

BEFORE = OPENS.replace(year=2025)


def listed(world: World, actor, at=DURING) -> set[tuple[str, str, str]]:
    files = tasks.list_files(world.session, actor, world.task, at)
    return {(file.level.slug, file.split, file.kind) for file in files}


def test_items_of_a_phase_are_published_when_it_opens(world: World) -> None:
    trial = {("p2s", "trial", "items"), ("p2s", "trial", "gold")}
    assert listed(world, VISITOR, BEFORE) == trial
    assert listed(world, VISITOR, OPENS) == trial | {("p2s", "test", "items"), ("s2p", "test", "items")}


@pytest.mark.parametrize("person", ["bo", "dee"])
def test_hidden_gold_can_only_be_downloaded_by_organizers(world: World, person: str) -> None:
    assert listed(world, world.actor(person)) == listed(world, VISITOR)
    for actor in (world.actor(person), VISITOR):
        with pytest.raises(NotFound, match="This file does not exist or is not available yet"):
            read(world, actor, "p2s", "test", "gold")


def read(world: World, actor, level: str, split: str, kind: str, at=DURING) -> bytes:
    return tasks.read_file(world.session, actor, world.task, level, split, kind, at)[1]


def test_organizers_can_download_gold_and_items_at_any_time(world: World) -> None:
    ada = world.actor("ada")
    assert read(world, ada, "p2s", "test", "gold", BEFORE).split() == [v.encode() for v in GOLD["p2s"]]
    assert read(world, ada, "s2p", "test", "items", BEFORE).startswith(b"the boat came in")


def test_downloaded_file_has_the_bytes_of_the_bundle_and_a_standard_name(world: World) -> None:
    now = tasks.read_file(world.session, VISITOR, world.task, "p2s", "trial", "gold", DURING)
    assert (now[0].filename, now[1]) == ("p2s.trial.gold.tsv", b"0\n2\n3\n4\n")


@pytest.mark.parametrize("kind", ["senses", "Items", "", "../items"])
def test_unlisted_file_is_not_found(world: World, kind: str) -> None:
    with pytest.raises(NotFound):
        read(world, world.actor("ada"), "p2s", "test", kind)
