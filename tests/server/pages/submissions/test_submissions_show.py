import pytest

from server.core import db
from tests.server.route_cases import FILE
from tests.server.small_task import GOOD
from tests.server.visitors import words
from tests.server.world import World

pytestmark = pytest.mark.one_database


def address(world: World, level: str = "p2s", phase: str = "evaluation", data: bytes = FILE) -> str:
    return f"/tasks/small/submissions/{world.upload(world.run('one', phase), level, data).id}"


def test_team_sees_the_result_of_its_file(world: World) -> None:
    page = words(world.client("cy").get(address(world)))
    assert "Paragraph to sentence: accepted" in page
    assert f"run.tsv, {len(FILE)} bytes" in page
    assert "Withdraw" in page


def test_organizer_sees_hidden_scores(world: World) -> None:
    path = address(world)
    page = words(world.client("ada").get(path))
    assert "Paragraph to sentence: scored" in page
    assert "Pearson official 0.8" in page
    assert "Withdraw" not in page


def test_replaced_file_is_marked_as_replaced(world: World) -> None:
    first = address(world)
    address(world, data=GOOD)
    assert "This submission does not count because a newer one replaced it." in words(
        world.client("bo").get(first)
    )


def test_withdrawn_file_is_marked_and_can_be_restored(world: World) -> None:
    submission = world.upload(world.run(), "p2s")
    world.withdraw(submission)
    path = f"/tasks/small/submissions/{submission.id}"
    page = words(world.client("bo").get(path))
    assert "Paragraph to sentence: withdrawn" in page
    assert "Restore" in page


def test_undefined_score_has_its_reason(world: World) -> None:
    page = words(world.client("bo").get(address(world, phase="practice", data=b"2\n2\n2\n2\n")))
    assert "This submission has no official score" in page
    assert "0.000" not in page


@pytest.mark.parametrize("person", ["dee", None])
def test_others_cannot_see_a_submission(world: World, person: str | None) -> None:
    path = address(world)
    if person is None:
        assert world.client().get(path).headers["Location"] == f"/sign-in?next={path}"
        return
    world.found_team("dee", "alder")
    dee = world.client(person)
    response, nowhere = dee.get(path), dee.get("/tasks/small/submissions/999")
    assert response.status_code == nowhere.status_code == 404
    assert words(response) == words(nowhere)


def test_submission_is_not_found_under_another_task(world: World) -> None:
    assert world.client("bo").get(address(world).replace("/small/", "/other/")).status_code == 404


def test_submission_page_links_to_the_released_leaderboard(world: World) -> None:
    path = address(world)
    assert "stay hidden until the organizers release" in words(world.client("bo").get(path))
    world.client("ada").post("/tasks/small/organize/boards/evaluation/release", {"sure": "y"})
    page = world.client("bo").get(path)
    assert "The scores of submissions that count are on the released leaderboard." in words(page)
    assert 'href="/tasks/small/boards/evaluation"' in page.text


def test_file_without_a_score_says_so_once_and_how_to_restore_the_previous_file(world: World) -> None:
    with db.writing(world.session):
        world.phase().feedback = "scores"
    first = address(world)
    page = world.client("bo").get(address(world, data=b"1\n" * 4))
    said = words(page)
    assert "This submission has no official score" in said
    assert said.count("correlates with nothing") == 1
    assert (
        "It still counts. Upload a better file, or withdraw it to make the previous submission count again."
        in said
    )
    assert f'<a href="{first}">the previous submission</a>' in page.text
