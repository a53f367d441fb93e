import re

import pytest

from server.access import role_invitations, service as access
from tests.server.visitors import words
from tests.server.world import DURING, World

pytestmark = pytest.mark.one_database

PATH = "/tasks/small/organize/people"
ORGANIZE = "/tasks/small/organize/"


def role_of(world: World, person: str) -> str | None:
    world.session.rollback()
    return access.find_role(world.session, world.actor(person), world.task)


def test_organizer_creates_a_link_and_another_person_accepts_the_role(world: World) -> None:
    ada, dee = world.client("ada"), world.client("dee")
    response = ada.post(f"{PATH}/invitations", {"role": "co-organizer"})
    assert response.headers["Location"] == f"{PATH}#invitations"
    page = ada.get(PATH)
    assert "For one co-organizer, valid until" in words(page)
    link = re.search(r'value="http://localhost(/tasks/small/roles/[^"]+)"', page.text)
    assert link is not None
    assert "ada invites you to be a co-organizer of A small task." in words(dee.get(link[1]))
    assert role_of(world, "dee") is None
    assert dee.post(link[1]).headers["Location"] == ORGANIZE
    assert "You are now a co-organizer of this task." in words(dee.get(ORGANIZE))
    page = ada.get(PATH)
    assert "dee co-organizer" in words(page)
    assert link[1] not in page.text
    refused = world.client("cy").get(link[1])
    assert refused.status_code == 410
    assert "This link has already been used. Ask an organizer of the task for a new one." in words(refused)


def test_visitor_reads_who_invites_to_what_before_they_sign_up_or_in(world: World) -> None:
    path = f"/tasks/small/roles/{world.role_link('observer')}"
    for page in (world.client().get(path), world.client().post(path)):
        assert "ada invites you to be an observer of A small task." in words(page)
        assert f'href="/sign-up?next={path}">Sign up and accept' in page.text
        assert f'href="/sign-in?next={path}"' in page.text


def test_team_member_is_warned_that_accepting_a_role_removes_them_from_the_team(world: World) -> None:
    path, cy = f"/tasks/small/roles/{world.role_link('observer')}", world.client("cy")
    assert "You are a member of birch. Accepting removes you from the team." in words(cy.get(path))
    assert cy.post(path).status_code == 302
    assert "bo. You can upload" in words(world.client("bo").get("/tasks/small/team/"))
    page = words(cy.get("/tasks/small/team/"))
    assert "You observe this task" in page
    assert "Observers have access to the gold standard, so they cannot be in a team." in page


def test_revoked_role_link_is_rejected(world: World) -> None:
    token, ada = world.role_link("observer"), world.client("ada")
    (link,) = role_invitations.list_open(world.session, world.actor("ada"), world.task, DURING)
    assert ada.post(f"{PATH}/invitations/{link.id}/revoke").status_code == 302
    assert "The invitation link was revoked." in words(ada.get(PATH))
    assert world.client("dee").post(f"/tasks/small/roles/{token}").status_code == 410
    assert role_of(world, "dee") is None


def test_organizer_can_change_and_end_a_role(world: World) -> None:
    world.give_role("dee", "observer")
    ada, path = world.client("ada"), f"{PATH}/{world.user('dee').id}"
    assert re.search('<input checked[^>]* value="observer">', ada.get(path).text)
    assert ada.post(path, {"role": "co-organizer"}).headers["Location"] == PATH
    assert role_of(world, "dee") == "co-organizer"
    assert ada.post(f"{path}/remove").headers["Location"] == PATH
    assert role_of(world, "dee") is None
    assert world.client("dee").get(ORGANIZE).status_code == 404
    refused = world.client("dee").get("/tasks/small/teams/new")
    assert (
        "You had a role in this task with access to its gold standard, so you cannot join a team."
        in words(refused)
    )


def test_last_organizer_cannot_be_removed_and_reads_why(world: World) -> None:
    ada, path = world.client("ada"), f"{PATH}/{world.user('ada').id}"
    response = ada.post(path, {"role": "observer"})
    assert response.status_code == 422
    assert "A task needs at least one organizer. Make another person organizer first." in words(response)
    ada.post(f"{path}/remove")
    assert (
        "A task needs at least one organizer. Make another person organizer first." in words(ada.get(PATH))
        or role_of(world, "ada") == "organizer"
    )
    assert role_of(world, "ada") == "organizer"


def test_person_who_ends_their_own_role_is_redirected_to_the_public_page(world: World) -> None:
    world.give_role("dee", "organizer")
    dee = world.client("dee")
    response = dee.post(f"{PATH}/{world.user('dee').id}/remove")
    assert response.headers["Location"] == "/tasks/small/"
    assert "The role was ended." in words(dee.get("/tasks/small/"))


@pytest.mark.parametrize("role", ["", "admin", "captain"])
def test_unknown_role_is_rejected(world: World, role: str) -> None:
    world.give_role("dee", "observer")
    ada = world.client("ada")
    assert ada.post(f"{PATH}/{world.user('dee').id}", {"role": role}).status_code == 422
    ada.post(f"{PATH}/invitations", {"role": role})
    assert "Choose a role." in words(ada.get(PATH))
    assert role_invitations.list_open(world.session, world.actor("ada"), world.task, DURING) == []


@pytest.mark.parametrize("role", ["co-organizer", "observer"])
def test_co_organizers_and_observers_see_people_without_links_or_buttons(world: World, role) -> None:
    token = world.role_link("organizer")
    world.give_role("dee", role)
    dee = world.client("dee")
    page = dee.get(PATH)
    assert f"dee you {role}" in words(page)
    assert token not in page.text
    assert "<form" not in page.text.split("<main")[1]
    for path in (f"{PATH}/invitations", f"{PATH}/{world.user('ada').id}", f"{PATH}/invitations/1/revoke"):
        assert dee.post(path, {"role": "organizer"}).status_code == 403
    assert dee.post(f"/tasks/small/roles/{token}").status_code == 409
    assert role_of(world, "dee") == role


@pytest.mark.parametrize(("person", "status"), [("bo", 403), ("dee", 404), (None, 302)])
def test_people_without_a_role_cannot_see_or_change_roles(
    world: World, person: str | None, status: int
) -> None:
    visitor, user_id = world.client(person), world.user("ada").id
    assert visitor.get(PATH).status_code == status
    for path in (f"{PATH}/invitations", f"{PATH}/{user_id}", f"{PATH}/{user_id}/remove"):
        assert visitor.post(path, {"role": "observer"}).status_code == status
    assert role_of(world, "ada") == "organizer"


def test_observer_sees_everything_and_no_buttons(world: World) -> None:
    world.upload(world.run(), "p2s")
    world.release()
    world.give_role("dee", "observer")
    dee = world.client("dee")
    for path in (ORGANIZE, f"{ORGANIZE}boards/evaluation"):
        page = dee.get(path)
        assert page.status_code == 200
        assert 'method="post"' not in page.text.split("<main")[1]
        assert "Upload a gold file" not in words(page)
    assert "birch" in words(page)
    assert dee.post(f"{ORGANIZE}boards/evaluation/release").status_code == 403
    assert dee.get(f"{ORGANIZE}gold").status_code == 403
