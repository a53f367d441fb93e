import pytest

from server.submissions.models import Standing
from tests.server.visitors import words
from tests.server.world import AFTER, World

pytestmark = pytest.mark.one_database


def test_restored_file_counts_again(world: World) -> None:
    submission = world.upload(world.run(), "p2s")
    world.withdraw(submission)
    path, submission_id = f"/tasks/small/submissions/{submission.id}", submission.id
    cy = world.client("cy")
    assert cy.post(f"{path}/restore").headers["Location"] == path
    page = words(cy.get(path))
    assert "The submission was restored." in page
    assert "This submission was on time and counts." in page
    assert world.session.query(Standing).filter_by(submission_id=submission_id).count() == 1


def test_withdrawn_file_cannot_be_restored_after_the_deadline(world: World) -> None:
    submission = world.upload(world.run(), "p2s")
    world.withdraw(submission)
    path, submission_id = f"/tasks/small/submissions/{submission.id}/restore", submission.id
    bo = world.client("bo")
    world.set_clock(AFTER)
    response = bo.post(path)
    assert response.status_code == 409
    assert "The deadline has passed" in words(response)
    assert world.session.query(Standing).filter_by(submission_id=submission_id).count() == 0


def test_file_that_was_not_withdrawn_cannot_be_restored(world: World) -> None:
    path = f"/tasks/small/submissions/{world.upload(world.run(), 'p2s').id}/restore"
    response = world.client("bo").post(path)
    assert response.status_code == 409
    assert "This submission is not withdrawn." in words(response)
    assert world.client("dee").post(path).status_code == 404
