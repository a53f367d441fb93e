from server.services import access
from tests.server.conftest import World, words


def link(world: World) -> str:
    return f"/tasks/small/join/{world.team.invitation}"


def test_the_link_asks_first_and_joins_then(world: World) -> None:
    path, dee = link(world), world.client("dee")
    assert "You were invited to the team birch of A small task." in words(dee.get(path))
    assert access.find_team(world.session, world.actor("dee"), world.task) is None
    assert dee.post(path).headers["Location"] == "/tasks/small/team/"
    page = words(dee.get("/tasks/small/team/"))
    assert "You are in the team now." in page
    assert "bo, cy, dee." in page


def test_a_visitor_signs_in_and_comes_back_to_the_link(world: World) -> None:
    path = link(world)
    response = world.client().get(path)
    assert (response.status_code, response.headers["Location"]) == (302, f"/sign-in?next={path}")


def test_a_member_who_opens_the_link_is_shown_the_team(world: World) -> None:
    assert world.client("cy").get(link(world)).headers["Location"] == "/tasks/small/team/"


def test_a_link_that_is_not_valid_says_whom_to_ask(world: World) -> None:
    response = world.client("dee").get("/tasks/small/join/nonsense")
    assert response.status_code == 404
    assert "ask a member of the team for its link" in words(response)


def test_a_second_team_and_an_organizer_are_refused(world: World) -> None:
    alder = world.found_team("dee", "alder").invitation
    path = link(world)
    refused = world.client("cy").post(f"/tasks/small/join/{alder}")
    assert refused.status_code == 409
    assert 'You are in the team "birch" of this task already' in words(refused)
    refused = world.client("ada").post(path)
    assert refused.status_code == 409
    assert "You organize this task" in words(refused)


def test_a_link_does_not_fit_another_task(world: World) -> None:
    assert world.client("dee").get(link(world).replace("small", "other")).status_code == 404
