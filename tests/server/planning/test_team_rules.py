"""The rules for teams: how large a team can be, and whether organizers approve it."""

import pytest

from server.audit.models import AuditEntry
from server.core import db
from server.core.errors import Conflict, Forbidden, NotFound
from server.planning import task_editing
from tests.server.visitors import words
from tests.server.world import DURING, World

PATH = "/tasks/small/organize/teams"


def edit(world: World, person: str = "ada", **rules: object) -> list[str]:
    with db.writing(world.session):
        return task_editing.edit_task(
            world.session, world.actor(person), world.task, task_editing.edit_of(world.task, **rules), DURING
        )


def changes(world: World) -> list[object]:
    query = world.session.query(AuditEntry).filter_by(action="task.edit").order_by(AuditEntry.number)
    return [entry.details["changed"] for entry in query]


def test_changed_rules_are_audited_with_old_and_new_values(world: World) -> None:
    assert edit(world, team_size=3, registration="approved") == ["team_size", "registration"]
    assert edit(world, team_size=3, registration="approved") == []
    assert edit(world, team_size=None) == ["team_size"]
    assert changes(world) == [
        {"team_size": [None, 3], "registration": ["open", "approved"]},
        {"team_size": [3, None]},
    ]
    assert world.found_team("dee", "alder").state == "waiting"


def test_team_size_stays_at_least_that_of_the_largest_team(world: World) -> None:
    with pytest.raises(Conflict, match="A team already has 2 members"):
        edit(world, team_size=1)
    assert world.task.team_size is None
    assert edit(world, team_size=2) == ["team_size"]


def test_rules_of_an_archived_task_do_not_change_but_its_texts_do(world: World) -> None:
    with db.writing(world.session):
        world.task.state = "archived"
    with pytest.raises(Conflict, match="archived"):
        edit(world, team_size=5)
    assert edit(world, title="A finished task") == ["title"]


@pytest.mark.parametrize(("person", "error"), [("bo", Forbidden), ("dee", NotFound)])
def test_only_organizers_change_the_rules(world: World, person: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        edit(world, person, team_size=5)


@pytest.mark.one_database
def test_rules_are_edited_on_the_page_of_teams_and_shown_to_everyone(world: World) -> None:
    ada = world.client("ada")
    assert "Rules for teams" in words(ada.get(PATH))
    assert ada.post(PATH, {"size": "4", "registration": "approved"}).headers["Location"] == PATH
    page = words(ada.get(PATH))
    assert "Saved." in page
    assert "New teams can submit only after you have approved them. Teams can have up to 4 members." in page
    assert "A team can have up to 4 members." in words(world.client().get("/tasks/small/rules"))
    assert "team size from none to 4; registration from open to approved" in words(
        world.client("bo").get("/tasks/small/team/log")
    )


@pytest.mark.one_database
@pytest.mark.parametrize(
    ("size", "message"),
    [
        ("1", "A team already has 2 members. Enter at least 2, or leave it empty."),
        ("0", "Enter a number from 1 to 1000000."),
        ("many", "Enter a number from 1 to 1000000."),
    ],
)
def test_rejected_rules_are_explained_beside_the_teams(world: World, size: str, message: str) -> None:
    response = world.client("ada").post(PATH, {"size": size, "registration": "open"})
    assert response.status_code == 422
    page = words(response)
    assert message in page
    assert "birch" in page


@pytest.mark.one_database
def test_observers_see_no_form_for_the_rules(world: World) -> None:
    world.give_role("dee", "observer")
    page = world.client("dee").get(PATH)
    assert "birch" in words(page)
    assert "Rules for teams" not in words(page)
