import pytest

from server.runs.models import Run
from server.submissions.models import Standing, Submission
from tests.server.visitors import words
from tests.server.world import AFTER, LATE, World

pytestmark = pytest.mark.one_database


def counting(world: World) -> list[int]:
    return [row.submission_id for row in world.session.query(Standing).filter_by(run_id=world.run().id)]


def test_page_says_what_will_count_before_withdrawing(world: World) -> None:
    first = world.upload(world.run(), "p2s", b"1\n2\n3\n4\n")
    second = world.upload(world.run(), "p2s")
    first_id, sha256, path = first.id, first.sha256[:10], f"/tasks/small/submissions/{second.id}/withdraw"
    bo = world.client("bo")
    page = words(bo.get(path))
    assert f"The previous submission will count again: {sha256}" in page
    assert counting(world) == [second.id]
    assert bo.post(path).headers["Location"] == "/tasks/small/team/"
    assert counting(world) == [first_id]
    assert "The submission was withdrawn." in words(bo.get("/tasks/small/team/"))


def test_page_says_that_no_file_counts_after_withdrawing_the_only_one(world: World) -> None:
    submission = world.upload(world.run(), "p2s")
    path = f"/tasks/small/submissions/{submission.id}/withdraw"
    page = words(world.client("cy").get(path))
    assert "This run will have no submission for Paragraph to sentence" in page
    assert "You can restore the submission while the phase is open. It still uses your quota." in page


def test_late_file_can_be_restored_until_the_grace_period_ends(world: World) -> None:
    submission = world.upload(world.run(), "p2s", at=LATE)
    world.set_clock(LATE)
    page = words(world.client("bo").get(f"/tasks/small/submissions/{submission.id}/withdraw"))
    assert "You can restore the submission until the grace period ends." in page


def test_file_cannot_be_withdrawn_after_the_deadline(world: World) -> None:
    submission = world.upload(world.run(), "p2s")
    path, submission_id = f"/tasks/small/submissions/{submission.id}/withdraw", submission.id
    bo = world.client("bo")
    world.set_clock(AFTER)
    page = words(bo.get(path))
    assert "The deadline has passed, so this submission can no longer be withdrawn. It still counts." in page
    assert "Withdraw" not in page
    assert "will have no submission" not in page
    response = bo.post(path)
    assert response.status_code == 409
    assert "The deadline has passed" in words(response)
    assert counting(world) == [submission_id]


def test_withdrawing_twice_is_rejected_with_a_message(world: World) -> None:
    submission = world.upload(world.run(), "p2s")
    path, bo = f"/tasks/small/submissions/{submission.id}/withdraw", world.client("bo")
    bo.post(path)
    page = bo.get(path)
    assert "This submission is already withdrawn." in words(page)
    assert "Withdraw the submission" not in page.text
    response = bo.post(path)
    assert response.status_code == 409
    assert "This submission is already withdrawn." in words(response)


def test_baseline_cannot_be_withdrawn(world: World) -> None:
    baseline = world.session.query(Submission).join(Run).filter(Run.baseline == "lcs").first()
    assert baseline is not None
    path = f"/tasks/small/submissions/{baseline.id}/withdraw"
    for person in ("bo", "ada"):
        assert world.client(person).post(path).status_code == 404
