import csv
from io import StringIO

import pytest

from server.core import db
from server.teams.models import Team
from tests.server.visitors import words
from tests.server.world import World

pytestmark = pytest.mark.one_database

PATH = "/tasks/small/organize/teams"


@pytest.fixture
def alder(world: World) -> int:
    """The id of dee's team, in a task that approves its teams."""
    with db.writing(world.session):
        world.task.registration = "approved"
    return world.found_team("dee", "alder").id


def state(world: World) -> str:
    world.session.rollback()
    return world.session.query(Team).filter_by(name="alder").one().state


@pytest.mark.usefixtures("alder")
def test_page_shows_each_team_with_people_affiliations_and_state(world: World) -> None:
    with db.writing(world.session):
        world.team.affiliations = "Forest University\nInstitute of Trees"
    world.upload(world.run(), "p2s")
    page = words(world.client("ada").get(PATH))
    assert "New teams can submit only after you have approved them." in page
    assert "alder waiting for approval 0 scored submissions dee Approve alder Decline alder" in page
    assert "birch approved 1 scored submission bo (captain), cy Forest University; Institute of Trees" in page
    assert "Decline birch" not in page


def test_organizer_can_approve_a_team(world: World, alder: int) -> None:
    ada = world.client("ada")
    assert ada.post(f"{PATH}/{alder}/approve").headers["Location"] == PATH
    assert "alder can now submit." in words(ada.get(PATH))
    dee = world.client("dee")
    assert dee.get("/tasks/small/phases/evaluation/runs/new").status_code == 200


def test_organizer_declines_a_team_with_a_reason_the_team_sees(world: World, alder: int) -> None:
    ada, path = world.client("ada"), f"{PATH}/{alder}/decline"
    assert "Decline alder?" in words(ada.get(path))
    refused = ada.post(path, {"reason": " "})
    assert refused.status_code == 422
    assert state(world) == "waiting"
    assert ada.post(path, {"reason": "the same people as birch"}).headers["Location"] == PATH
    assert "Reason: The same people as birch." in words(ada.get(PATH))
    message = "The organizers have declined alder: The same people as birch."
    assert message in words(world.client("dee").get("/tasks/small/team/"))


def test_team_with_a_scored_file_cannot_be_declined(world: World) -> None:
    world.upload(world.run(), "p2s")
    ada = world.client("ada")
    response = ada.post(f"{PATH}/{world.team.id}/decline", {"reason": "x"})
    assert response.status_code == 409
    assert "can no longer be declined" in words(response)


@pytest.mark.parametrize(("person", "status"), [("bo", 403), ("dee", 403), (None, 302)])
def test_people_without_a_role_cannot_see_or_decide_registrations(
    world: World, alder: int, person: str | None, status: int
) -> None:
    visitor = world.client(person)
    assert visitor.get(PATH).status_code == status
    assert visitor.post(f"{PATH}/{alder}/approve").status_code == status
    assert visitor.post(f"{PATH}/{alder}/decline", {"reason": "x"}).status_code == status
    assert state(world) == "waiting"


def test_observer_can_see_but_not_decide_registrations(world: World, alder: int) -> None:
    world.client("cy").post("/tasks/small/team/leave")
    world.give_role("cy", "observer")
    cy = world.client("cy")
    page = cy.get(PATH)
    assert "alder waiting for approval" in words(page)
    assert "<form action=" not in page.text.split("<main")[1]
    assert "Decline" not in words(page)
    assert cy.post(f"{PATH}/{alder}/approve").status_code == 403
    assert cy.get(f"{PATH}/{alder}/decline").status_code == 403
    assert state(world) == "waiting"


def test_team_of_another_task_is_not_found(world: World) -> None:
    assert world.client("ada").post(f"{PATH}/2147483647/approve").status_code == 404


def test_teams_and_affiliations_are_downloaded_as_csv_without_names_of_people(world: World) -> None:
    world.upload(world.run(), "p2s")
    with db.writing(world.session):
        world.team.affiliations = "=Forest University\nInstitute of Trees"
    response = world.client("ada").get(f"{PATH}/teams.csv")
    assert response.headers["Content-Disposition"] == 'attachment; filename="small.teams.csv"'
    assert list(csv.reader(StringIO(response.text, newline=""))) == [
        ["Team", "State", "Affiliations", "Members", "Scored submissions"],
        ["birch", "approved", "'=Forest University; Institute of Trees", "2", "1"],
    ]
    for person, status in (("bo", 403), ("dee", 404), (None, 302)):
        assert world.client(person).get(f"{PATH}/teams.csv").status_code == status
