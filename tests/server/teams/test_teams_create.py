import pytest

from server.access import service as access
from server.audit.models import AuditEntry
from server.core import db
from server.core.actors import CONSOLE, VISITOR
from server.core.errors import Conflict, Forbidden, NameTaken
from server.teams import service as teams
from server.teams.models import Membership, Team
from tests.server.world import DURING, World


def create(world: World, person: str, name: str) -> Team:
    with db.writing(world.session):
        return teams.create_team(world.session, world.actor(person), world.task, name, DURING)


def test_team_creator_becomes_member_and_captain(world: World) -> None:
    team = create(world, "dee", "alder")

    assert team.captain_id == world.user("dee").id
    assert access.find_team(world.session, world.actor("dee"), world.task) is team
    assert [user.name for user in teams.list_members(world.session, team)] == ["dee"]
    assert (team.state, team.affiliations) == ("approved", "")
    last = world.session.query(AuditEntry).order_by(AuditEntry.number.desc()).first()
    assert last is not None
    assert (last.action, last.actor, last.team_id) == ("team.create", world.actor("dee").label, team.id)


@pytest.mark.parametrize(
    "name", ["birch", "BIRCH", "  Birch ", "ｂｉｒｃｈ", "bir\u200bch", "\u202ebirch", "organizers"]
)
def test_confusable_team_names_are_rejected(world: World, name: str) -> None:
    with pytest.raises(NameTaken, match="Choose another name"):
        create(world, "dee", name)
    assert world.session.query(Membership).filter_by(user_id=world.user("dee").id).count() == 0


def test_whitespace_in_a_team_name_is_collapsed_to_single_spaces(world: World) -> None:
    assert create(world, "dee", " red \t  alder\u2003").name == "red alder"


def test_each_person_can_have_one_team_per_task(world: World) -> None:
    with pytest.raises(Conflict, match='already in the team "birch"'):
        create(world, "cy", "alder")
    assert teams.find_team_by_name(world.session, world.task, "alder") is None


def test_organizers_cannot_create_a_team_because_they_have_access_to_gold(world: World) -> None:
    with pytest.raises(
        Conflict,
        match="Organizers have access to the gold standard, so they cannot join a team",
    ):
        create(world, "ada", "alder")


@pytest.mark.parametrize("actor", [VISITOR, CONSOLE])
def test_creating_a_team_needs_an_account(world: World, actor) -> None:
    with pytest.raises(Forbidden, match="Sign in first"):
        teams.create_team(world.session, actor, world.task, "alder", DURING)


def test_name_of_the_organizers_own_team_is_reserved(world: World) -> None:
    with pytest.raises(NameTaken, match=r"is reserved for baselines\. Choose another name"):
        create(world, "dee", "Organizers")
