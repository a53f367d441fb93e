import pytest

from server.audit.models import AuditEntry
from server.core import db
from server.core.errors import Conflict, Forbidden, NameTaken
from server.teams import service as teams
from server.teams.models import Team
from tests.server.world import DURING, World


def edit(world: World, by: str, name: str | None, affiliations: str = "") -> Team:
    with db.writing(world.session):
        return teams.edit_team(world.session, world.actor(by), world.task, name, affiliations, DURING)


def actions(world: World) -> list[str]:
    return [entry.action for entry in world.session.query(AuditEntry).order_by(AuditEntry.number)]


def test_captain_can_rename_the_team_until_a_file_is_scored(world: World) -> None:
    team = edit(world, "bo", "  silver   birch ")
    assert (team.name, team.name_key) == ("silver birch", "silver birch")
    assert actions(world)[-1] == "team.rename"
    edit(world, "bo", "Silver Birch")  # a name may come to read like itself
    edit(world, "bo", "birch")
    world.upload(world.run(), "p2s")
    with pytest.raises(Conflict, match="can no longer be renamed"):
        edit(world, "bo", "alder")
    assert world.team.name == "birch"


def test_any_member_can_edit_affiliations_at_any_time(world: World) -> None:
    world.upload(world.run(), "p2s")
    team = edit(world, "cy", None, "  Forest   University \r\n\r\n Institute of Trees\n")
    assert team.affiliations == "Forest University\n\nInstitute of Trees"
    assert actions(world)[-1] == "team.affiliations"
    assert "Forest" not in repr([entry.details for entry in world.session.query(AuditEntry)])


def test_saving_without_changes_is_not_audited(world: World) -> None:
    before = actions(world)
    edit(world, "cy", "birch")
    assert actions(world) == before


def test_only_the_captain_renames_the_team(world: World) -> None:
    with pytest.raises(Forbidden, match="Only the captain of birch"):
        edit(world, "cy", "alder")
    with pytest.raises(
        Forbidden,
        match=r"Only team members can do this\. Create a team, or join one with its invitation link",
    ):
        edit(world, "dee", None, "Forest University")


@pytest.mark.parametrize("name", ["alder", "ALDER", "organizers"])
def test_name_already_in_use_is_rejected(world: World, name: str) -> None:
    world.found_team("dee", "alder")
    with pytest.raises(NameTaken, match="Choose another name"):
        edit(world, "bo", name)
    assert world.team.name == "birch"
