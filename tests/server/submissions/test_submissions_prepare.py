from datetime import timedelta

import pytest

from server.core.actors import CONSOLE
from server.core.errors import Conflict, InvalidFile, NotFound, RateLimited, TooLarge
from server.phases.quotas import MAX_REJECTIONS
from server.runs import service as runs
from server.runs.models import Run
from server.submissions import eligibility, service as submissions
from server.submissions.eligibility import ReceivedFile
from server.submissions.models import Rejection, Submission
from tests.server.small_task import GOOD
from tests.server.world import DURING, OPENS, World

pytestmark = pytest.mark.both_databases


def test_invalid_file_is_rejected_with_every_bad_line_and_nothing_is_written(world: World) -> None:
    run = world.run()
    with pytest.raises(InvalidFile) as refused:
        world.upload(run, "p2s", b"0.5\nn/a\n\n3,5\n")

    assert [(bad.line, bad.before, bad.text, bad.after) for bad in refused.value.problems] == [
        (2, "0.5", "n/a", ""),
        (3, "n/a", "", "3,5"),
        (4, "", "3,5", None),
    ]
    assert world.session.query(Submission).filter_by(run_id=run.id).count() == 0


def test_rejection_is_stored_with_its_lines_and_uses_no_quota(world: World) -> None:
    run, bad = world.run(), b"0.5\nn/a\n2\n3\n"
    for _ in range(5):
        with pytest.raises(InvalidFile):
            world.upload(run, "p2s", bad, at=OPENS)

    rejection = world.session.query(Rejection).first()
    assert rejection is not None
    assert (rejection.count, rejection.problems[0]["line"], rejection.problems[0]["text"]) == (1, 2, "n/a")
    world.upload(run, "p2s")
    assert (
        runs.count_files_used(world.session, world.team, world.phase(), world.task.levels[0], DURING).in_all
        == 1
    )


def invalid(number: int) -> bytes:
    """An invalid file that differs from those of other numbers."""
    return b"x\n" * (number + 1)


def reject_thirty(world: World) -> Run:
    run = world.run()
    for number in range(MAX_REJECTIONS):
        with pytest.raises(InvalidFile):
            world.upload(run, "p2s", invalid(number), at=OPENS)
    return run


def test_the_rate_of_different_invalid_files_is_limited(world: World) -> None:
    run = reject_thirty(world)
    with pytest.raises(RateLimited, match="30 different invalid files"):
        world.upload(run, "p2s", invalid(MAX_REJECTIONS), at=OPENS)
    assert world.session.query(Rejection).count() == MAX_REJECTIONS
    with pytest.raises(InvalidFile):
        world.upload(run, "p2s", invalid(MAX_REJECTIONS), at=OPENS + timedelta(hours=1))


def test_a_valid_file_is_accepted_after_any_number_of_rejected_ones(world: World) -> None:
    run = reject_thirty(world)
    assert world.upload(run, "p2s", at=OPENS).sha256


def test_checks_are_rate_limited_even_for_valid_files(world: World) -> None:
    run = reject_thirty(world)
    target = eligibility.find_target(world.session, run, "p2s", OPENS)
    with pytest.raises(RateLimited, match="Valid files are still accepted"):
        submissions.check_file(world.session, world.actor("bo"), ReceivedFile(target, GOOD, "run.tsv"), OPENS)


def test_identical_invalid_files_count_once(world: World) -> None:
    run = world.run()
    for _ in range(MAX_REJECTIONS + 1):
        with pytest.raises(InvalidFile):
            world.upload(run, "p2s", b"x\n", at=OPENS)


def test_too_large_file_is_rejected(world: World) -> None:
    with pytest.raises(TooLarge, match="can have at most 66 kB"):
        world.upload(world.run(), "p2s", b"1" * 66_561)


def test_run_of_another_team_is_not_found(world: World) -> None:
    run = world.run()
    with pytest.raises(NotFound):
        world.upload(run, "p2s", by="dee")


def test_files_cannot_be_uploaded_to_baselines(world: World) -> None:
    baseline = world.session.query(Run).filter_by(name="LCS", phase_id=world.phase().id).one()
    with pytest.raises(Conflict, match="Baselines are computed"):
        submissions.prepare_file(
            world.session,
            CONSOLE,
            ReceivedFile(
                eligibility.find_own_target(world.session, CONSOLE, baseline.id, "p2s", OPENS),
                GOOD,
                "run.tsv",
            ),
            OPENS,
        )
