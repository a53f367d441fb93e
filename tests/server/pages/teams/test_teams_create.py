import pytest

from server.core import db
from server.teams import service as teams
from tests.server.visitors import words
from tests.server.world import AFTER, CLOSES, World

pytestmark = pytest.mark.one_database

PATH = "/tasks/small/teams/new"


def test_created_team_page_can_create_invitation_links(world: World) -> None:
    dee = world.client("dee")
    assert "You can be in only one team of this task." in words(dee.get(PATH))
    response = dee.post(PATH, {"name": "alder"})
    assert response.headers["Location"] == "/tasks/small/team/"
    page = dee.get("/tasks/small/team/")
    assert "Your team was created. Invite your colleagues under Team and invitations." in words(page)
    assert 'href="/tasks/small/team/members"' in page.text


def test_new_team_reads_that_it_waits_for_approval(world: World) -> None:
    with db.writing(world.session):
        world.task.registration = "approved"
        world.task.team_size = 4
    dee = world.client("dee")
    page = words(dee.get("/tasks/small/"))
    assert (
        "A team can have up to 4 members. New teams can submit once the organizers have approved them."
        in page
    )
    assert "New teams can submit once the organizers have approved them." not in words(
        world.client("bo").get("/tasks/small/")
    ), "birch is there already"
    dee.post(PATH, {"name": "alder"})
    assert "New teams can submit once the organizers have approved them." in words(dee.get("/tasks/small/"))
    page = dee.get("/tasks/small/team/")
    assert "alder is waiting for the organizers’ approval." in words(page)
    assert "/runs/new" not in page.text
    refused = dee.get("/tasks/small/phases/evaluation/runs/new")
    assert refused.status_code == 409
    assert "once it is approved" in words(refused)


NO_NAMES = (
    ("Birch", 'There is already a team "Birch" in this task.'),
    ("", "Enter a name."),
    ("n" * 81, "Use at most 80 characters."),
    ("n" * 500, "Use at most 80 characters."),
    ("../../etc", "Remove slashes."),
    ("c:\\alder", "Remove slashes."),
    ("al\u202eder", "Remove invisible characters."),
    ("Organizers", "Choose another name"),
)


def test_invalid_input_is_reported_at_its_field(world: World) -> None:
    dee = world.client("dee")
    for name, message in NO_NAMES:
        response = dee.post(PATH, {"name": name})
        assert response.status_code == 422, name
        assert message in words(response), name
        assert 'aria-invalid="true"' in response.text, name
    assert teams.find_team_by_name(world.session, world.task, "alder") is None


@pytest.mark.parametrize(
    "name", ["<b>alder</b>", '"><script>alert(1)</script>', "=1+1", "{{ 7*7 }}", "فريق الحور"]
)
def test_hostile_team_name_is_escaped_everywhere(world: World, name: str) -> None:
    dee = world.client("dee")
    response = dee.post(PATH, {"name": name.replace("/", "")})
    assert response.status_code == 302
    page = dee.get("/tasks/small/team/")
    assert name.replace("/", "") in words(page) or "<" in name
    assert "<b>" not in page.text
    assert "<script>" not in page.text
    assert "Runs of 49" not in words(page)


@pytest.mark.parametrize(
    ("person", "message"),
    [("bo", 'You are already in the team "birch".'), ("ada", "You organize this task")],
)
def test_person_who_cannot_have_a_team_sees_the_reason_in_place_of_the_form(
    world: World, person: str, message: str
) -> None:
    for response in (world.client(person).get(PATH), world.client(person).post(PATH, {"name": "alder"})):
        assert response.status_code == 409
        assert message in words(response)
    assert teams.find_team_by_name(world.session, world.task, "alder") is None


def test_finished_task_does_not_invite_to_create_a_team(world: World) -> None:
    with db.writing(world.session):
        world.phase("practice").closes = CLOSES
    world.set_clock(AFTER)
    dee = world.client("dee")
    for path in (PATH, "/tasks/small/team/"):
        page = dee.get(path)
        assert (
            "This task is over It no longer accepts submissions. You are not in a team of this task."
            in words(page)
        )
        assert 'name="name"' not in page.text
        assert "Create a team" not in words(page)
