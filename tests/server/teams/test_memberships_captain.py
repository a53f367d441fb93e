import pytest

from server.audit.models import AuditEntry
from server.core import db
from server.core.actors import CONSOLE
from server.core.errors import Conflict, Forbidden, NotFound
from server.teams import memberships
from server.teams import service as teams
from tests.server.world import DURING, World


def remove(world: World, by: str, whom: str) -> None:
    with db.writing(world.session):
        actor, user_id = world.actor(by), world.user(whom).id
        memberships.remove_member(world.session, actor, world.team, user_id, DURING)


def hand_over(world: World, by: str, whom: str) -> None:
    with db.writing(world.session):
        actor, user_id = world.actor(by), world.user(whom).id
        memberships.hand_over(world.session, actor, world.team, user_id, DURING)


def names(world: World) -> list[str]:
    return [user.name for user in teams.list_members(world.session, world.team)]


def test_captain_can_remove_a_member(world: World) -> None:
    remove(world, "bo", "cy")
    assert names(world) == ["bo"]
    last = world.session.query(AuditEntry).order_by(AuditEntry.number.desc()).first()
    assert last is not None
    assert (last.action, last.team_id) == ("team.remove", world.team.id)
    assert last.details == {"user": world.actor("cy").label}


@pytest.mark.parametrize("person", ["cy", "dee", "ada"])
def test_only_the_captain_removes_members_and_hands_over(world: World, person: str) -> None:
    with pytest.raises(Forbidden, match="Only the captain of birch"):
        remove(world, person, "bo")
    with pytest.raises(Forbidden, match="Only the captain of birch"):
        hand_over(world, person, "cy")
    assert names(world) == ["bo", "cy"]
    assert world.team.captain_id == world.user("bo").id


def test_captain_cannot_remove_themselves_or_a_non_member(world: World) -> None:
    with pytest.raises(Conflict, match=r"The captain cannot be removed\. Make another member captain first"):
        remove(world, "bo", "bo")
    world.found_team("dee", "alder")
    for act in (remove, hand_over):
        with pytest.raises(NotFound, match="There is no such team member"):
            act(world, "bo", "dee")


def test_scored_file_fixes_the_members_but_not_the_captain(world: World) -> None:
    world.upload(world.run(), "p2s")
    with pytest.raises(
        Conflict,
        match="can no longer be removed because it has a scored submission",
    ):
        remove(world, "bo", "cy")
    hand_over(world, "bo", "cy")
    assert world.team.captain_id == world.user("cy").id


def test_former_captain_loses_captain_rights_after_handing_over(world: World) -> None:
    hand_over(world, "bo", "cy")
    with pytest.raises(Forbidden):
        hand_over(world, "bo", "bo")
    remove(world, "cy", "bo")
    assert names(world) == ["cy"]


def test_console_can_appoint_a_captain_for_a_team_without_one(world: World) -> None:
    with db.writing(world.session):
        memberships.hand_over(world.session, CONSOLE, world.team, world.user("cy").id, DURING)
    assert world.team.captain_id == world.user("cy").id
