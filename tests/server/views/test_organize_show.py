import pytest

from tests.server.conftest import LATE, World, words

PATH = "/tasks/small/organize/"


def test_shows_what_came_in_what_is_released_and_which_gold_is_in_force(world: World) -> None:
    submission = world.upload(world.run(), "p2s")
    world.withdraw(submission)
    world.upload(world.run(), "s2p", at=LATE)
    world.fix_gold("p2s", b"3\n2\n1\n0\n")
    world.release()
    page = words(world.client("ada").get(PATH))
    for said in (
        "Submissions 2",
        "withdrawn Paragraph to sentence one Evaluation",
        "withdrawn",
        "late",
        "release 1 is public",
        "mistyped",
        "imported with the task",
    ):
        assert said in page
    assert page.count("in force") >= 3


@pytest.mark.parametrize(("person", "status"), [("bo", 403), ("dee", 404), (None, 302)])
def test_others_do_not_see_it(world: World, person: str | None, status: int) -> None:
    world.upload(world.run(), "p2s")
    response = world.client(person).get(PATH)
    assert response.status_code == status
    if person == "bo":
        assert "This page is for the organizers of the task." in words(response)
    if person is None:
        assert response.headers["Location"] == f"/sign-in?next={PATH}"


@pytest.mark.parametrize("page", ["0", "-1", "x", "9", "99999999999999999999999"])
def test_an_odd_page_number_is_no_fault(world: World, page: str) -> None:
    world.upload(world.run(), "p2s")
    assert world.client("ada").get(f"{PATH}?page={page}").status_code == 200


def test_long_lists_have_pages(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.views.organize.PER_PAGE", 2)
    for name in ("one", "two"):
        for level in ("p2s", "s2p"):
            world.upload(world.run(name), level)
    ada = world.client("ada")
    first, second = ada.get(PATH), ada.get(f"{PATH}?page=2")
    assert "Page 1 of 2" in words(first)
    assert " two Evaluation" in words(first)
    assert " one Evaluation" not in words(first)
    assert " one Evaluation" in words(second)
