import pytest

from server.core import db
from server.core.errors import Conflict, NotFound, PhaseClosed
from server.runs import permissions
from server.submissions import withdrawals
from server.submissions.models import Standing, Submission
from tests.server.small_task import variant
from tests.server.world import AFTER, CLOSES, DURING, LATE, World

INSTANT_LATER = CLOSES.replace(microsecond=1)


def counting(world: World, late: bool = False) -> list[int]:
    return [
        row.submission_id for row in world.session.query(Standing).filter_by(run_id=world.run().id, late=late)
    ]


def restore(world: World, submission: Submission, at=DURING, by: str = "bo") -> None:
    with db.writing(world.session):
        withdrawals.restore_submission(world.session, world.actor(by), submission, at)


def test_withdrawing_a_file_makes_the_previous_file_count(world: World) -> None:
    first, second = world.upload(world.run(), "p2s"), world.upload(world.run(), "p2s", variant(2))
    world.withdraw(second)
    assert counting(world) == [first.id]


def test_withdrawing_the_only_file_leaves_the_level_empty(world: World) -> None:
    world.withdraw(world.upload(world.run(), "p2s"))
    assert counting(world) == []


def test_withdrawing_a_file_that_was_replaced_changes_nothing_that_counts(world: World) -> None:
    first, second = world.upload(world.run(), "p2s"), world.upload(world.run(), "p2s", variant(2))
    world.withdraw(first)
    assert counting(world) == [second.id]


def test_effect_of_withdrawing_is_known_in_advance(world: World) -> None:
    first, second = world.upload(world.run(), "p2s"), world.upload(world.run(), "p2s", variant(2))
    preview = withdrawals.preview_withdrawal(world.session, second)
    assert (preview.counts_now, preview.counts_then) == (True, first)
    assert not withdrawals.preview_withdrawal(world.session, first).counts_now
    world.withdraw(first)
    assert withdrawals.preview_withdrawal(world.session, second).counts_then is None


def test_restored_file_counts_again_by_its_upload_time(world: World) -> None:
    first, second = world.upload(world.run(), "p2s"), world.upload(world.run(), "p2s", variant(2))
    world.withdraw(second)
    restore(world, second, by="cy")
    assert counting(world) == [second.id]
    world.withdraw(first)
    restore(world, first)
    assert counting(world) == [second.id]


def test_withdrawn_file_is_not_deleted_and_can_still_be_read(world: World) -> None:
    submission = world.upload(world.run(), "p2s")
    world.withdraw(submission)
    assert world.session.query(Submission).filter_by(id=submission.id).count() == 1
    assert world.storage.get(submission.sha256) == b"0.5\n1.0\n2.5\n3.5\n"


def test_on_time_file_cannot_be_withdrawn_or_restored_after_the_deadline(world: World) -> None:
    submission = world.upload(world.run(), "p2s")
    with pytest.raises(PhaseClosed, match="deadline has passed"):
        world.withdraw(submission, at=INSTANT_LATER)
    world.withdraw(submission, at=CLOSES)
    with pytest.raises(PhaseClosed, match="deadline has passed"):
        restore(world, submission, at=INSTANT_LATER)
    assert counting(world) == []


def test_late_file_can_be_withdrawn_until_the_grace_period_ends(world: World) -> None:
    submission = world.upload(world.run(), "p2s", at=LATE)
    world.withdraw(submission, at=LATE)
    assert counting(world, late=True) == []
    restore(world, submission, at=LATE)
    assert counting(world, late=True) == [submission.id]
    with pytest.raises(PhaseClosed, match="deadline has passed"):
        world.withdraw(submission, at=AFTER)


def test_withdrawing_twice_and_restoring_twice_are_rejected(world: World) -> None:
    submission = world.upload(world.run(), "p2s")
    with pytest.raises(Conflict, match="is not withdrawn"):
        restore(world, submission)
    world.withdraw(submission)
    with pytest.raises(Conflict, match="is already withdrawn"):
        world.withdraw(submission)


@pytest.mark.parametrize("person", ["ada", "dee"])
def test_only_the_team_can_withdraw(world: World, person: str) -> None:
    submission = world.upload(world.run(), "p2s")
    world.found_team("dee", "alder")
    with pytest.raises(NotFound, match="There is no such run"):
        world.withdraw(submission, by=person)
    assert counting(world) == [submission.id]


def test_baseline_cannot_be_withdrawn(world: World) -> None:
    baseline = world.session.query(Submission).first()
    assert baseline is not None
    assert permissions.is_withdrawal_closed(world.session, baseline, DURING)
