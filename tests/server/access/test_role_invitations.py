from datetime import timedelta
from threading import Barrier

import pytest

from server.access import role_invitations, service as access, tasks
from server.audit.models import AuditEntry
from server.core import db
from server.core.actors import VISITOR
from server.core.errors import Conflict, Forbidden, Gone, NotFound, ServerError
from server.tasks.models import TaskRole
from server.tasks.rules import RoleName
from server.teams import memberships
from server.teams.models import Team
from server.teams.rules import INVITATION_LIFETIME, MAX_OPEN_INVITATIONS
from tests.server.races import run_at_once
from tests.server.world import DURING, World


def accept(world: World, person: str, token: str, at=DURING) -> RoleName:
    with db.writing(world.session):
        return role_invitations.accept(world.session, world.actor(person), world.task, token, at)


@pytest.mark.parametrize("role", ["organizer", "co-organizer", "observer"])
def test_role_link_gives_its_role_to_one_person(world: World, role: RoleName) -> None:
    token = world.role_link(role)
    assert accept(world, "dee", token) == role
    assert access.find_role(world.session, world.actor("dee"), world.task) == role
    with db.writing(world.session):
        memberships.leave_team(world.session, world.actor("cy"), world.task, DURING)
    with pytest.raises(Gone, match=r"has already been used\. Ask an organizer"):
        accept(world, "cy", token)
    actions = [entry.action for entry in world.session.query(AuditEntry).order_by(AuditEntry.number)]
    assert actions[-4:] == ["role.invite", "role.add", "role.accept", "team.leave"]
    assert not [entry for entry in world.session.query(AuditEntry) if token in repr(entry.details)]


def test_role_link_expires_and_can_be_revoked(world: World) -> None:
    token = world.role_link("observer")
    with pytest.raises(Gone, match=r"expired on 17 Mar 2026, 12:00 UTC\. Ask an organizer of the task"):
        accept(world, "dee", token, DURING + INVITATION_LIFETIME + timedelta(seconds=1))
    (link,) = role_invitations.list_open(world.session, world.actor("ada"), world.task, DURING)
    with db.writing(world.session):
        role_invitations.revoke(world.session, world.actor("ada"), world.task, link.id, DURING)
    with pytest.raises(Gone, match="was revoked"):
        accept(world, "dee", token)
    assert role_invitations.list_open(world.session, world.actor("ada"), world.task, DURING) == []


def test_number_of_open_role_links_is_limited(world: World) -> None:
    for _ in range(MAX_OPEN_INVITATIONS):
        world.role_link("observer")
    with pytest.raises(Conflict, match="already 5 invitation links"):
        world.role_link("observer")


@pytest.mark.parametrize("role", ["co-organizer", "observer"])
def test_only_organizers_see_and_create_role_links(world: World, role: RoleName) -> None:
    """A link to become an organizer would give that role to anyone who reads it."""
    world.role_link("organizer")
    world.give_role("dee", role)
    dee = world.actor("dee")
    assert role_invitations.list_open(world.session, dee, world.task, DURING) == []
    with pytest.raises(Forbidden):
        role_invitations.invite(world.session, dee, world.task, "organizer", DURING)
    with pytest.raises(Forbidden):
        role_invitations.revoke(world.session, dee, world.task, 1, DURING)


def test_person_who_accepts_a_role_leaves_their_team_if_possible(world: World) -> None:
    accept(world, "cy", world.role_link("observer"))
    assert access.find_team(world.session, world.actor("cy"), world.task) is None
    accept(world, "bo", world.role_link("observer"))
    assert world.session.query(Team).filter_by(name="birch (dissolved)").one().state == "dissolved"


def test_member_of_a_team_that_cannot_be_left_cannot_accept_a_role(world: World) -> None:
    token = world.role_link("observer")
    with pytest.raises(Conflict, match=r"You are the captain\. Make another member captain before you leave"):
        accept(world, "bo", token)
    world.upload(world.run(), "p2s")
    for person, words in (("bo", "You cannot leave birch because"), ("cy", "You cannot leave birch because")):
        with pytest.raises(Conflict, match=words):
            accept(world, person, token)
        assert access.find_role(world.session, world.actor(person), world.task) is None
    assert access.find_team(world.session, world.actor("cy"), world.task) is world.team


def test_person_with_a_role_cannot_accept_another_by_link(world: World) -> None:
    with pytest.raises(Conflict, match="You are already an organizer of this task"):
        accept(world, "ada", world.role_link("observer"))
    assert access.find_role(world.session, world.actor("ada"), world.task) == "organizer"


def test_role_link_needs_an_account_and_works_only_for_its_task(world: World) -> None:
    token = world.role_link("observer")
    with pytest.raises(Forbidden, match="Sign in first"):
        role_invitations.accept(world.session, VISITOR, world.task, token, DURING)
    for odd in ("", "x", world.link()):
        with pytest.raises(
            NotFound, match=r"This invitation is not valid\. Ask an organizer of the task for a new one"
        ):
            accept(world, "dee", odd)


@pytest.mark.both_databases
def test_of_two_people_who_accept_at_once_one_gets_the_role(world: World) -> None:
    with db.writing(world.session):
        memberships.leave_team(world.session, world.actor("cy"), world.task, DURING)
    token, actors = world.role_link("observer"), [world.actor("cy"), world.actor("dee")]
    world.site.session.remove()
    start, refused = Barrier(2), []

    def act(actor) -> None:
        session = world.site.session()
        try:
            start.wait()
            with db.writing(session):
                role_invitations.accept(session, actor, tasks.get_task(session, "small"), token, DURING)
        except ServerError as error:
            refused.append(str(error))
        finally:
            world.site.session.remove()

    run_at_once(act, [(actor,) for actor in actors])
    assert [words for words in refused if "This link has already been used." in words] == refused
    assert len(refused) == 1
    assert world.session.query(TaskRole).filter_by(role="observer").count() == 1
