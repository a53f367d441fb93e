import re

import pytest

from server.teams import invitations
from tests.server.visitors import words
from tests.server.world import DURING, OPENS, World

pytestmark = pytest.mark.one_database

PATH = "/tasks/small/team/invitations"
PAGE = "/tasks/small/team/members"


def open_links(world: World) -> list[int]:
    world.session.rollback()
    return [link.id for link in invitations.list_open(world.session, world.team, DURING)]


@pytest.mark.parametrize("person", ["bo", "cy"])
def test_member_creates_an_invitation_link_and_sees_when_it_expires(world: World, person: str) -> None:
    member = world.client(person)
    assert "There is no invitation link." in words(member.get(PAGE))
    assert member.post(PATH).headers["Location"] == f"{PAGE}#invitations"
    page = member.get(PAGE)
    assert "Until 17 March 2026, 12:00 UTC" in words(page) or "17 Mar" in words(page)
    link = re.search(r'value="http://localhost(/tasks/small/join/[^"]+)"', page.text)
    assert link is not None
    assert f"{person} invites you to the team birch" in words(world.client("dee").get(link[1]))


def test_revoked_link_disappears_from_the_page(world: World) -> None:
    bo = world.client("bo")
    bo.post(PATH)
    (link,) = open_links(world)
    assert bo.post(f"{PATH}/{link}/revoke").headers["Location"] == f"{PAGE}#invitations"
    page = words(bo.get(PAGE))
    assert "The invitation link was revoked." in page
    assert "There is no invitation link." in page
    assert open_links(world) == []


def test_sixth_open_link_is_rejected_with_a_message(world: World) -> None:
    bo = world.client("bo")
    for _ in range(6):
        bo.post(PATH)
    assert "The team already has 5 invitation links." in words(bo.get(PAGE))
    assert len(open_links(world)) == 5


@pytest.mark.parametrize(("person", "status"), [("dee", 403), ("ada", 403), (None, 302)])
def test_only_members_create_and_revoke_links(world: World, person: str | None, status: int) -> None:
    world.link(OPENS)
    token = world.link()
    (link,) = open_links(world)
    visitor = world.client(person)
    assert visitor.post(PATH).status_code == status
    assert visitor.post(f"{PATH}/{link}/revoke").status_code == status
    assert open_links(world) == [link]
    assert token not in visitor.get(PAGE).text
