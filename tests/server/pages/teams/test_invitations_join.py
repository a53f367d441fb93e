import pytest

from server.access import service as access
from server.core import db
from server.teams.rules import INVITATION_LIFETIME
from tests.server.visitors import words
from tests.server.world import DURING, World

pytestmark = pytest.mark.one_database


def address(token: str) -> str:
    return f"/tasks/small/join/{token}"


def test_invitation_link_asks_for_confirmation_before_joining(world: World) -> None:
    path, dee = address(world.link()), world.client("dee")
    assert "bo invites you to the team birch of A small task." in words(dee.get(path))
    assert access.find_team(world.session, world.actor("dee"), world.task) is None
    assert dee.post(path).headers["Location"] == "/tasks/small/team/"
    page = words(dee.get("/tasks/small/team/"))
    assert "You joined the team." in page
    assert "bo, cy, dee." in page


def test_visitor_reads_who_invites_before_signing_in_and_returns_to_the_link(world: World) -> None:
    path, visitor = address(world.link()), world.client()
    page = visitor.get(path)
    assert "bo invites you to the team birch of A small task." in words(page)
    assert f'href="/sign-up?next={path}"' in page.text
    assert visitor.post(path).headers["Location"] == f"/sign-in?next={path}"


def test_member_who_opens_the_link_is_redirected_to_the_team(world: World) -> None:
    path, cy = address(world.link()), world.client("cy")
    assert cy.get(path).headers["Location"] == "/tasks/small/team/"
    assert cy.post(path).headers["Location"] == "/tasks/small/team/"
    assert "bo, cy." in words(cy.get("/tasks/small/team/"))


def test_invalid_link_page_says_whom_to_ask(world: World) -> None:
    response = world.client("dee").get(address("nonsense"))
    assert response.status_code == 404
    assert "This invitation is not valid. Ask a team member for a new link." in words(response)


def test_expired_link_page_says_since_when_and_whom_to_ask(world: World) -> None:
    path = address(world.link(DURING - 2 * INVITATION_LIFETIME))
    for response in (world.client("dee").get(path), world.client("dee").post(path)):
        assert response.status_code == 410
        assert "No longer available" in words(response)
        message = "This link expired on 3 Mar 2026, 12:00 UTC. Ask a member of birch for a new one."
        assert message in words(response)


def test_person_with_a_team_and_organizer_cannot_join(world: World) -> None:
    world.found_team("dee", "alder")
    alder, path = world.link(by="dee"), address(world.link())
    refused = world.client("cy").post(address(alder))
    assert refused.status_code == 409
    assert 'You are already in the team "birch".' in words(refused)
    refused = world.client("ada").post(path)
    assert refused.status_code == 409
    assert "You organize this task" in words(refused)


@pytest.mark.parametrize("method", ["get", "post"])
def test_joining_a_full_team_shows_a_message(world: World, method: str) -> None:
    path = address(world.link())
    with db.writing(world.session):
        world.task.team_size = 2
    response = getattr(world.client("dee"), method)(path)
    assert response.status_code == 409
    assert "birch is full: a team of this task can have 2 members." in words(response)


def test_link_is_not_found_in_another_task(world: World) -> None:
    assert world.client("dee").get(address(world.link()).replace("small", "other")).status_code == 404
