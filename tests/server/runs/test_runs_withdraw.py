"""A withdrawn run: nothing of it counts, its place and its quota stay used, and it can come back."""

import pytest

from server.audit.models import AuditEntry
from server.boards import service as boards
from server.core import db
from server.core.errors import Conflict, NotFound, PhaseClosed, QuotaExceeded
from server.runs import service as runs, withdrawals as run_withdrawals
from server.runs.models import Run
from server.submissions import withdrawals
from server.submissions.models import Standing
from tests.server.small_task import variant
from tests.server.world import AFTER, CLOSES, DURING, LATE, World


def mark(world: World, run: Run, withdrawn: bool = True, at=DURING, by: str = "bo") -> None:
    act = run_withdrawals.withdraw_run if withdrawn else run_withdrawals.restore_run
    with db.writing(world.session):
        act(world.session, world.actor(by), run, at)


def counting(world: World, run: Run) -> set[int]:
    return {row.submission_id for row in world.session.query(Standing).filter_by(run_id=run.id)}


def on_board(world: World) -> bool:
    return '"birch"' in boards.board_text(world.session, world.phase())


def test_withdrawn_run_does_not_count_and_is_restored_unchanged(world: World) -> None:
    run = world.run()
    world.upload(run, "p2s")
    taken = world.upload(run, "p2s", variant(1))
    world.upload(run, "s2p")
    world.withdraw(taken)
    before = counting(world, run)
    assert (len(before), on_board(world)) == (2, True)
    preview = run_withdrawals.preview_run_withdrawal(world.session, run)
    assert {submission.id for submission in preview.counting} == before

    mark(world, run)
    assert (counting(world, run), on_board(world)) == (set(), False)
    (state,) = runs.list_runs(world.session, world.team, [world.phase()], DURING)[run.phase_id]
    assert (state.withdrawn, [level.scored for level in state.levels]) == (True, [2, 1])
    mark(world, run, withdrawn=False, at=CLOSES)
    assert (counting(world, run), on_board(world)) == (before, True)
    actions = [entry.action for entry in world.session.query(AuditEntry).order_by(AuditEntry.number)]
    assert actions[-2:] == ["run.withdraw", "run.restore"]


def test_file_restored_in_a_withdrawn_run_counts_only_once_the_run_is_restored(world: World) -> None:
    run = world.run()
    submission = world.upload(run, "p2s")
    world.withdraw(submission)
    mark(world, run)
    with db.writing(world.session):
        withdrawals.restore_submission(world.session, world.actor("bo"), submission, DURING)
    assert counting(world, run) == set()
    mark(world, run, withdrawn=False)
    assert counting(world, run) == {submission.id}


def test_withdrawn_run_accepts_no_files_and_still_uses_run_limit_and_quota(world: World) -> None:
    run = world.run("one")
    for number in range(3):
        world.upload(run, "p2s", variant(number))
    other = world.run("two")
    mark(world, run)
    with pytest.raises(
        Conflict, match=r"This run is withdrawn, so its submissions would not count\. Restore the run first"
    ):
        world.upload(run, "s2p")
    with pytest.raises(QuotaExceeded):
        world.upload(other, "p2s")
    with pytest.raises(QuotaExceeded, match="yours already has them"):
        runs.create_run(world.session, world.actor("bo"), world.phase(), "three", runs.RunTexts(), DURING)


def test_run_can_be_withdrawn_once_by_its_team_until_the_deadline(world: World) -> None:
    run = world.run()
    with pytest.raises(NotFound):
        mark(world, run, by="dee")
    with pytest.raises(Conflict, match="not withdrawn"):
        mark(world, run, withdrawn=False)
    mark(world, run, at=CLOSES)
    with pytest.raises(Conflict, match="already withdrawn"):
        mark(world, run)
    for at in (LATE, AFTER):
        with pytest.raises(PhaseClosed, match="so it cannot be withdrawn or restored"):
            mark(world, run, withdrawn=False, at=at)
