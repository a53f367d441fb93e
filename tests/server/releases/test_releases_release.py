import hashlib
import json

import pytest

from server.audit.models import AuditEntry
from server.boards import service as boards
from server.core import db
from server.core.actors import VISITOR
from server.core.errors import Conflict, Forbidden, NotFound
from server.releases import creation as release_creation, service as releases
from server.releases.models import Release
from tests.server.world import AFTER, DURING, World


def public(world: World) -> Release:
    return releases.get_public(world.session, world.phase()).release


def test_release_is_the_current_board_with_its_hash(world: World) -> None:
    world.upload(world.run(), "p2s")
    expected = boards.board_text(world.session, world.phase())
    release = world.release()

    assert release.board == expected
    assert release.sha256 == hashlib.sha256(expected.encode()).hexdigest()
    assert json.loads(expected)["official"][0]["team"] == "birch"
    assert public(world) is release


def test_later_files_do_not_change_a_release(world: World) -> None:
    world.upload(world.run(), "p2s")
    release = world.release()
    board, sha256 = release.board, release.sha256
    world.upload(world.run("two"), "p2s", b"4\n3\n2\n1\n")
    world.fix_gold("p2s", b"3\n2\n1\n0\n")
    world.session.expire_all()

    assert (public(world).board, public(world).sha256) == (board, sha256)
    assert boards.board_text(world.session, world.phase()) != board


def test_second_release_supersedes_the_first_without_changing_it(world: World) -> None:
    world.upload(world.run(), "p2s")
    first = world.release()
    text = first.board
    world.upload(world.run(), "s2p")
    second = world.release()

    assert (second.number, public(world)) == (2, second)
    assert [state.release.number for state in releases.list_releases(world.session, world.phase())] == [2, 1]
    world.session.refresh(first)
    assert first.board == text != second.board


def test_unchanged_board_cannot_be_released_twice(world: World) -> None:
    world.release()
    with pytest.raises(Conflict, match="Release 1 already shows this leaderboard"):
        world.release()


def test_empty_board_cannot_be_released(world: World) -> None:
    with db.writing(world.session):
        for table in ("standing", "score"):
            world.session.connection().exec_driver_sql(f"DELETE FROM {table}")  # noqa: S608  (of ours)
    with pytest.raises(Conflict, match="nothing to release: Evaluation has no submissions"):
        world.release()
    with pytest.raises(
        Conflict, match="has no submissions, and baselines are hidden until 15 Mar 2026, 12:00 UTC"
    ):
        world.release(DURING)


def test_nothing_is_public_before_a_release(world: World) -> None:
    world.upload(world.run(), "p2s")
    with pytest.raises(NotFound, match="No results of this phase have been released"):
        public(world)


def test_a_release_is_audited_with_its_hash(world: World) -> None:
    release = world.release()
    last = world.session.query(AuditEntry).filter_by(action="release.add").one()
    assert last.actor == world.actor("ada").label
    said = {"phase": "evaluation", "number": 1, "sha256": release.sha256, "statement": True}
    assert last.details == said


def test_only_organizers_can_release(world: World) -> None:
    for actor, error in ((world.actor("bo"), Forbidden), (world.actor("dee"), NotFound), (VISITOR, NotFound)):
        with pytest.raises(error):
            release_creation.release_board(world.session, actor, world.phase(), AFTER)
    assert releases.find_newest(world.session, world.phase()) is None
