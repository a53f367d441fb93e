from datetime import timedelta
from threading import Barrier

import pytest

from server.access import service as access, tasks
from server.audit.models import AuditEntry
from server.core import db
from server.core.errors import Conflict, Gone, NotFound, ServerError
from server.personal_data.account_management import create_account
from server.teams import invitations, service as teams
from server.teams.models import Membership, Team
from server.teams.rules import INVITATION_LIFETIME
from tests.server.races import run_at_once
from tests.server.small_task import PASSWORD
from tests.server.world import AFTER, DURING, World


def join(world: World, person: str, token: str, at=DURING) -> Team:
    with db.writing(world.session):
        return invitations.join_team(world.session, world.actor(person), world.task, token, at)


def names(world: World) -> list[str]:
    return [user.name for user in teams.list_members(world.session, world.team)]


def test_joining_person_is_listed_after_earlier_members(world: World) -> None:
    team = join(world, "dee", world.link())

    assert access.find_team(world.session, world.actor("dee"), world.task) is team
    assert names(world) == ["bo", "cy", "dee"]


def test_joining_is_audited_without_the_invitation_secret(world: World) -> None:
    token = world.link()
    join(world, "dee", token)

    last = world.session.query(AuditEntry).order_by(AuditEntry.number.desc()).first()
    assert last is not None
    assert (last.action, last.team_id) == ("team.join", world.team.id)
    assert not [entry for entry in world.session.query(AuditEntry) if token in repr(entry.details)]


@pytest.mark.parametrize("token", ["", "x", "' OR 1=1 --"])
def test_unknown_invitation_link_is_rejected(world: World, token: str) -> None:
    with pytest.raises(NotFound, match=r"This invitation is not valid\. Ask a team member for a new link"):
        join(world, "dee", token)


def test_invitation_link_expires_after_exactly_seven_days(world: World) -> None:
    token = world.link()
    late = DURING + INVITATION_LIFETIME + timedelta(seconds=1)
    with pytest.raises(Gone, match=r"expired on 17 Mar 2026, 12:00 UTC. Ask a member of birch for a new one"):
        join(world, "dee", token, late)
    join(world, "dee", token, DURING + INVITATION_LIFETIME)
    assert names(world) == ["bo", "cy", "dee"]


def test_revoked_invitation_link_is_rejected(world: World) -> None:
    token = world.link()
    with db.writing(world.session):
        (link,) = invitations.list_open(world.session, world.team, DURING)
        invitations.revoke(world.session, world.actor("cy"), world.team, link.id, DURING)
    with pytest.raises(Gone, match=r"was revoked on .* Ask a member of birch for a new one"):
        join(world, "dee", token)


def test_member_opening_any_invitation_link_of_their_team_changes_nothing(world: World) -> None:
    token, entries = world.link(), world.session.query(AuditEntry).count()
    assert join(world, "cy", token, AFTER) is world.team
    assert world.session.query(AuditEntry).count() == entries
    assert names(world) == ["bo", "cy"]


def test_joining_a_second_team_is_rejected(world: World) -> None:
    world.found_team("dee", "alder")
    for person, link in (("cy", world.link(by="dee")), ("dee", world.link())):
        with pytest.raises(Conflict, match="Each person can be in one team per task"):
            join(world, person, link)


@pytest.mark.parametrize("role", ["observer", "co-organizer", "organizer"])
def test_people_with_access_to_gold_cannot_join_a_team_then_or_later(world: World, role) -> None:
    world.give_role("dee", role)
    with pytest.raises(Conflict, match="have access to the gold standard, so they cannot join a team"):
        join(world, "dee", world.link())
    world.end_role("dee")
    with pytest.raises(
        Conflict,
        match="You had a role in this task with access to its gold standard, so you cannot join a team",
    ):
        join(world, "dee", world.link())


def test_joining_a_full_team_is_rejected(world: World) -> None:
    with db.writing(world.session):
        world.task.team_size = 2
    with pytest.raises(Conflict, match=r"birch is full: a team of this task can have 2 members"):
        join(world, "dee", world.link())
    assert names(world) == ["bo", "cy"]


def test_first_person_to_join_a_team_without_captain_becomes_captain(world: World) -> None:
    with db.writing(world.session):
        world.team.captain_id = None
    join(world, "dee", world.link())
    assert world.team.captain_id == world.user("dee").id


def test_invitation_link_works_for_a_team_with_scored_files(world: World) -> None:
    world.upload(world.run(), "p2s")
    assert join(world, "dee", world.link()) is world.team


@pytest.mark.both_databases
def test_parallel_joins_never_exceed_the_team_size(world: World) -> None:
    """Eight at once for the two places that are left."""
    people = [f"guest-{number}" for number in range(8)]
    with db.writing(world.session):
        world.task.team_size = 4
        for name in people:
            create_account(world.session, f"{name}@example.org", "Newcomer", PASSWORD)
    token, actors = world.link(), [world.actor(name) for name in people]
    slug, start, refused = world.task.slug, Barrier(8), []
    world.site.session.remove()

    def try_it(actor) -> None:
        session = world.site.session()
        try:
            start.wait()
            with db.writing(session):
                invitations.join_team(session, actor, tasks.get_task(session, slug), token, DURING)
        except ServerError as error:
            refused.append(str(error))
        finally:
            world.site.session.remove()

    run_at_once(try_it, [(actor,) for actor in actors])
    assert len(refused) == 6
    assert all("is full" in words for words in refused)
    assert world.session.query(Membership).filter_by(team_id=world.team.id).count() == 4


def test_invitations_cannot_be_guessed(world: World) -> None:
    tokens = {world.link(), world.link()}
    assert len(tokens) == 2
    assert min(len(token) for token in tokens) >= 32
