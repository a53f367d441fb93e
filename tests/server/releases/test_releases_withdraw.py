import pytest

from server.audit.models import AuditEntry
from server.core.actors import VISITOR
from server.core.errors import Conflict, Forbidden, NotFound, ReleaseWithdrawn
from server.releases import service as releases
from tests.server.world import AFTER, World


def test_withdrawn_release_is_not_public_and_shows_the_reason(world: World) -> None:
    world.release()
    world.withdraw_release(" item 3 was mistyped ")

    newest = releases.find_newest(world.session, world.phase())
    assert newest is not None
    assert newest.withdrawal is not None
    assert newest.withdrawal.reason == "item 3 was mistyped"
    with pytest.raises(ReleaseWithdrawn, match="was withdrawn on"):
        releases.get_public(world.session, world.phase())


def test_withdrawing_never_makes_an_older_release_current(world: World) -> None:
    world.release()
    world.upload(world.run(), "p2s")
    world.release()
    world.withdraw_release()

    with pytest.raises(ReleaseWithdrawn, match="was withdrawn on"):
        releases.get_public(world.session, world.phase())
    with pytest.raises(Conflict, match="Release 2 is already withdrawn"):
        world.withdraw_release()


def test_the_same_board_may_be_released_again_after_it_was_withdrawn(world: World) -> None:
    first = world.release()
    world.withdraw_release()
    second = world.release()
    assert (second.number, second.sha256) == (2, first.sha256)
    assert releases.get_public(world.session, world.phase()).release is second


def test_withdrawing_without_a_release_is_rejected(world: World) -> None:
    with pytest.raises(Conflict, match="There is no release to withdraw"):
        world.withdraw_release()


def test_only_organizers_can_withdraw_a_release(world: World) -> None:
    world.release()
    for actor, error in ((world.actor("bo"), Forbidden), (world.actor("dee"), NotFound), (VISITOR, NotFound)):
        with pytest.raises(error):
            releases.withdraw_release(world.session, actor, world.phase(), "no", AFTER)
    assert releases.get_public(world.session, world.phase()).release.number == 1


def test_reason_is_stored_with_the_withdrawal_and_not_in_the_audit_entry(world: World) -> None:
    world.release()
    world.withdraw_release("item 3 was mistyped")
    last = world.session.query(AuditEntry).order_by(AuditEntry.number.desc()).first()
    assert last is not None
    assert (last.action, last.details) == ("release.withdraw", {"phase": "evaluation", "number": 1})
