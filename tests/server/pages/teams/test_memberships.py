import pytest

from server.teams import service as teams
from tests.server.visitors import words
from tests.server.world import World

pytestmark = pytest.mark.one_database

TEAM = "/tasks/small/team"


def names(world: World) -> list[str]:
    world.session.rollback()
    return [user.name for user in teams.list_members(world.session, world.team)]


def test_leaving_asks_for_confirmation(world: World) -> None:
    cy = world.client("cy")
    assert "You will no longer see its runs. To join again, you need an invitation link." in words(
        cy.get(f"{TEAM}/leave")
    )
    assert names(world) == ["bo", "cy"]
    assert cy.post(f"{TEAM}/leave").headers["Location"] == f"{TEAM}/"
    page = words(cy.get(f"{TEAM}/"))
    assert "You have left birch." in page
    assert "You are not in a team yet" in page
    assert names(world) == ["bo"]


def test_last_member_is_warned_that_leaving_dissolves_the_team(world: World) -> None:
    world.client("cy").post(f"{TEAM}/leave")
    bo = world.client("bo")
    assert "You are its only member, so the team will be dissolved." in words(bo.get(f"{TEAM}/leave"))
    bo.post(f"{TEAM}/leave")
    assert "You are not in a team yet" in words(bo.get(f"{TEAM}/"))
    assert "birch (dissolved) 0 scored submissions no members" in words(
        world.client("ada").get("/tasks/small/organize/teams")
    )


def test_captain_with_other_members_and_member_of_a_fixed_team_cannot_leave(world: World) -> None:
    for response in (world.client("bo").get(f"{TEAM}/leave"), world.client("bo").post(f"{TEAM}/leave")):
        assert response.status_code == 409
        assert "You are the captain. Make another member captain before you leave." in words(response)
    world.upload(world.run(), "p2s")
    for response in (world.client("cy").get(f"{TEAM}/leave"), world.client("cy").post(f"{TEAM}/leave")):
        assert response.status_code == 409
        assert "You cannot leave birch because you uploaded a file for it, or were a member when" in words(
            response
        )
        assert "submit the form again" not in words(response)
        assert f'<a class="button" href="{TEAM}/">My runs</a>' in response.text
    assert names(world) == ["bo", "cy"]


def test_captain_can_remove_a_member(world: World) -> None:
    bo, path = world.client("bo"), f"{TEAM}/members/{world.user('cy').id}/remove"
    assert "Remove cy from birch?" in words(bo.get(path))
    assert names(world) == ["bo", "cy"]
    assert bo.post(path).headers["Location"] == f"{TEAM}/members"
    assert names(world) == ["bo"]
    assert bo.post(path).status_code == 404


def test_captain_can_hand_the_team_over(world: World) -> None:
    bo, path = world.client("bo"), f"{TEAM}/members/{world.user('cy').id}/captain"
    assert "Make cy captain of birch?" in words(bo.get(path))
    assert bo.post(path).headers["Location"] == f"{TEAM}/members"
    page = words(bo.get(f"{TEAM}/members"))
    assert "The team has a new captain." in page
    assert "cy captain" in page
    assert bo.post(path).status_code == 403


def test_page_for_the_captain_does_not_send_members_to_the_organizers(world: World) -> None:
    page = words(world.client("cy").get(f"{TEAM}/members/{world.user('bo').id}/captain"))
    assert "Only the captain of birch can do this. Ask the captain." in page
    assert "ask the organizers" not in page


def test_organizer_removes_a_member_and_sees_former_members(world: World) -> None:
    ada, organize = world.client("ada"), f"/tasks/small/organize/teams/{world.team.id}"
    path = f"{organize}/members/{world.user('bo').id}/remove"
    assert path in ada.get(organize).text
    assert "Remove bo from birch?" in words(ada.get(path))
    assert ada.post(path).headers["Location"] == organize
    page = words(ada.get(organize))
    assert "Members cy Former members bo (removed 10 Mar 2026, 12:00 UTC)" in page
    assert "/remove" not in ada.get(organize).text
    assert "bo removed" not in words(world.client("cy").get(f"{TEAM}/"))
    assert "An organizer removed bo from birch" in words(world.client("cy").get("/tasks/small/team/log"))


def test_member_who_left_and_came_back_is_no_former_member(world: World) -> None:
    world.client("cy").post(f"{TEAM}/leave")
    organize, ada = f"/tasks/small/organize/teams/{world.team.id}", world.client("ada")
    assert "Former members cy (left 10 Mar 2026, 12:00 UTC)" in words(ada.get(organize))
    world.client("cy").post(f"/tasks/small/join/{world.link()}")
    assert "Former members" not in words(ada.get(organize))
