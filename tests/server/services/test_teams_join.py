import pytest

from server import db
from server.errors import Conflict, NotFound
from server.models import AuditEntry, Team
from server.services import access, teams
from tests.server.conftest import DURING, World


def join(world: World, person: str, token: str) -> Team:
    with db.writing(world.session):
        return teams.join_team(world.session, world.actor(person), world.task, token, DURING)


def test_who_joins_is_in_the_team_after_those_before(world: World) -> None:
    team = join(world, "dee", world.team.invitation)

    assert access.find_team(world.session, world.actor("dee"), world.task) is team
    assert [user.name for user in teams.list_members(world.session, team)] == ["bo", "cy", "dee"]


def test_joining_is_audited_without_the_link(world: World) -> None:
    token = world.team.invitation
    join(world, "dee", token)

    last = world.session.query(AuditEntry).order_by(AuditEntry.number.desc()).first()
    assert last is not None
    assert (last.action, last.details) == ("team.join", {"team": world.team.id})
    assert token not in repr(last.details)


@pytest.mark.parametrize("token", ["", "x", "' OR 1=1 --"])
def test_a_link_of_no_team_is_refused(world: World, token: str) -> None:
    with pytest.raises(NotFound, match="ask a member of the team for its link"):
        join(world, "dee", token)


def test_a_second_team_is_refused(world: World) -> None:
    alder = world.found_team("dee", "alder")
    with pytest.raises(Conflict, match='in the team "birch" of this task already'):
        join(world, "cy", alder.invitation)
    with pytest.raises(Conflict, match='in the team "birch" of this task already'):
        join(world, "cy", world.team.invitation)


def test_organizers_join_no_team(world: World) -> None:
    with pytest.raises(Conflict, match="You organize this task"):
        join(world, "ada", world.team.invitation)


def test_invitations_cannot_be_guessed(world: World) -> None:
    tokens = {world.team.invitation, world.found_team("dee", "alder").invitation}
    assert len(tokens) == 2
    assert min(len(token) for token in tokens) >= 32
