import pytest

from tests.server.visitors import words
from tests.server.world import World

pytestmark = pytest.mark.one_database

PATH = "/tasks/small/team/edit"
PAGE = "/tasks/small/team/members"


def test_captain_can_edit_name_and_affiliations(world: World) -> None:
    bo = world.client("bo")
    assert 'value="birch"' in bo.get(PATH).text
    given = {"name": "silver birch", "affiliations": "Forest University\r\nInstitute of Trees"}
    assert bo.post(PATH, given).headers["Location"] == PAGE
    page = words(bo.get(PAGE))
    assert "Team silver birch" in page
    assert "Affiliations Forest University Institute of Trees" in page
    assert "Forest University\nInstitute of Trees" in bo.get(PATH).text.replace("\r", "")


def test_member_can_edit_affiliations_but_not_the_name(world: World) -> None:
    cy = world.client("cy")
    page = cy.get(PATH)
    assert 'name="name"' not in page.text
    assert "Only the captain can rename the team." in words(page)
    assert cy.post(PATH, {"name": "elm", "affiliations": "Forest"}).status_code == 302
    assert "Team birch" in words(cy.get(PAGE))
    assert "Forest" in words(cy.get(PAGE))


def test_team_name_is_fixed_once_a_file_is_scored(world: World) -> None:
    world.upload(world.run(), "p2s")
    bo = world.client("bo")
    page = bo.get(PATH)
    assert 'name="name"' not in page.text
    assert "The team can no longer be renamed, because it has a scored submission." in words(page)
    bo.post(PATH, {"name": "elm", "affiliations": "Forest"})
    assert "Team birch" in words(bo.get(PAGE))


WRONG = (
    ({"name": ""}, "Enter a name."),
    ({"name": "a/b"}, "Remove slashes."),
    ({"name": ".."}, "A name needs a letter or a digit."),
    ({"name": "elm", "affiliations": "Forest\u202eUni"}, "Remove invisible characters."),
    ({"name": "organizers"}, "Choose another name"),
    ({"name": "Alder"}, 'There is already a team "Alder" in this task.'),
    ({"name": "elm", "affiliations": "x" * 1001}, "Use at most 1000 characters."),
)


def test_invalid_input_is_reported_at_its_field_and_kept_in_the_form(world: World) -> None:
    world.found_team("dee", "alder")
    bo = world.client("bo")
    for given, message in WRONG:
        response = bo.post(PATH, {"affiliations": "Forest", **given})
        assert response.status_code == 422, given
        assert message in words(response), given
        assert given.get("affiliations", "Forest") in response.text
    assert "Team birch" in words(bo.get(PAGE))
    assert "Forest" not in words(bo.get(PAGE))


@pytest.mark.parametrize(("person", "status"), [("dee", 403), ("ada", 403), (None, 302)])
def test_only_members_can_edit_a_team(world: World, person: str | None, status: int) -> None:
    assert world.client(person).get(PATH).status_code == status
    assert world.client(person).post(PATH, {"name": "elm", "affiliations": ""}).status_code == status
    assert world.team.name == "birch"
