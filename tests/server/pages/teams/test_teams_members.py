import re

import pytest

from server.core import db
from tests.server.visitors import words
from tests.server.world import World

pytestmark = pytest.mark.one_database

PATH = "/tasks/small/team/members"


def test_members_page_shows_members_and_captain(world: World) -> None:
    page = words(world.client("cy").get(PATH))
    assert "Team birch" in page
    assert "bo captain cy you Leave the team" in page
    assert "Make captain" not in page


def test_captain_can_remove_members_who_can_leave_until_a_file_is_scored(world: World) -> None:
    bo = world.client("bo")
    page = words(bo.get(PATH))
    assert "bo you captain cy Make captain: cy Remove: cy" in page
    assert "You are the captain. Make another member captain before you leave." in page
    world.upload(world.run(), "p2s")
    page = words(bo.get(PATH))
    assert "cy Make captain: cy Remove: cy" in page
    assert "The team can no longer be renamed because it has a scored submission." in page
    page = words(world.client("cy").get(PATH))
    assert "Leave the team" not in page
    assert "You cannot leave birch because you uploaded a file for it, or were a member when" in page


def test_link_is_replaced_on_the_members_page(world: World) -> None:
    world.link()
    bo = world.client("bo")
    (path,) = re.findall(r'formaction="([^"]+/replace)"', bo.get(PATH).text)
    old = re.findall(r"/join/([^\"]+)", bo.get(PATH).text)
    page = bo.post(path, follow_redirects=True)
    assert "There is a new invitation link. The old one no longer works." in words(page)
    new = re.findall(r"/join/([^\"]+)", page.text)
    assert (len(new), new != old) == (1, True)
    assert world.client("dee").get(f"/tasks/small/join/{old[0]}").status_code == 410
    assert "This link was revoked" in words(bo.post(path, follow_redirects=True))


def test_full_team_is_marked_as_full(world: World) -> None:
    with db.writing(world.session):
        world.task.team_size = 2
    page = words(world.client("bo").get(PATH))
    assert "Members 2 of at most 2" in page
    assert "The team is full." in page


def test_declined_team_sees_the_reason(world: World) -> None:
    with db.writing(world.session):
        world.team.state, world.team.reason = "declined", "not <b>students"
    for path in (PATH, "/tasks/small/team/"):
        page = world.client("bo").get(path)
        assert "The organizers have declined birch: Not <b>students." in words(page)


@pytest.mark.parametrize(("person", "status"), [("dee", 403), ("ada", 403), (None, 302)])
def test_only_members_see_the_members_page(world: World, person: str | None, status: int) -> None:
    assert world.client(person).get(PATH).status_code == status
