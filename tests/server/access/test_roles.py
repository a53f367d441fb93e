import pytest

from server.access import admins, roles, service as access
from server.audit.models import AuditEntry
from server.core import db
from server.core.actors import CONSOLE, Actor
from server.core.errors import Conflict, Forbidden, NameTaken, NotFound
from server.tasks.models import TaskRole
from server.tasks.rules import RoleName
from tests.server.world import DURING, World


def add(world: World, by: Actor, whom: str, role: RoleName = "organizer") -> TaskRole:
    with db.writing(world.session):
        return roles.add_person(world.session, by, world.task, world.user(whom), role, DURING)


def change(world: World, by: str, whom: str, role: RoleName) -> None:
    with db.writing(world.session):
        roles.change_role(world.session, world.actor(by), world.task, world.user(whom).id, role, DURING)


def remove(world: World, by: str, whom: str) -> None:
    with db.writing(world.session):
        roles.remove_person(world.session, world.actor(by), world.task, world.user(whom).id, DURING)


def people(world: World) -> dict[str, str]:
    listed = roles.list_people(world.session, world.actor("ada"), world.task)
    return {holder.user.name: holder.held.role for holder in listed}


@pytest.mark.parametrize("role", ["organizer", "co-organizer", "observer"])
def test_role_can_be_given_once(world: World, role: RoleName) -> None:
    add(world, world.actor("ada"), "dee", role)
    assert people(world) == {"ada": "organizer", "dee": role}
    assert access.sees_all(world.session, world.actor("dee"), world.task)
    with pytest.raises(NameTaken, match=f"This person is already {roles.with_article(role)} of the task"):
        add(world, CONSOLE, "dee", role)
    last = world.session.query(AuditEntry).order_by(AuditEntry.number.desc()).first()
    assert last is not None
    assert (last.action, last.details) == ("role.add", {"user": world.actor("dee").label, "role": role})


def test_only_organizers_can_give_roles(world: World) -> None:
    world.give_role("dee", "co-organizer")
    for person, error in (("dee", Forbidden), ("bo", Forbidden)):
        for act in (lambda by: add(world, world.actor(by), "cy"), lambda by: remove(world, by, "ada")):
            with pytest.raises(error, match=r"Only organizers (and observers )?of the task can"):
                act(person)
        with pytest.raises(error):
            change(world, person, "ada", "observer")
    assert people(world) == {"ada": "organizer", "dee": "co-organizer"}


def test_account_with_an_unconfirmed_address_gets_no_role(world: World) -> None:
    with db.writing(world.session):
        world.user("dee").confirmed_at = None
    for give in (
        lambda: roles.add_person(world.session, CONSOLE, world.task, world.user("dee"), "observer", DURING),
        lambda: admins.add_admin(world.session, CONSOLE, world.user("dee"), DURING),
    ):
        with pytest.raises(Conflict, match=r"dee@example\.org is not confirmed, so the account may belong"):
            give()
    assert people(world) == {"ada": "organizer"}


def test_team_member_cannot_be_given_a_role(world: World) -> None:
    with pytest.raises(Conflict, match="in a team of the task"):
        add(world, CONSOLE, "bo", "observer")
    assert people(world) == {"ada": "organizer"}


def test_last_organizer_cannot_be_removed(world: World) -> None:
    for act in (lambda: remove(world, "ada", "ada"), lambda: change(world, "ada", "ada", "observer")):
        with pytest.raises(
            Conflict, match=r"A task needs at least one organizer\. Make another person organizer first"
        ):
            act()
    world.give_role("dee", "co-organizer")
    with pytest.raises(
        Conflict, match=r"A task needs at least one organizer\. Make another person organizer first"
    ):
        remove(world, "ada", "ada")
    change(world, "ada", "dee", "organizer")
    remove(world, "dee", "ada")
    assert {name for name, _ in people_of(world, "dee")} == {"dee"}


def people_of(world: World, reader: str) -> list[tuple[str, str]]:
    listed = roles.list_people(world.session, world.actor(reader), world.task)
    return [(holder.user.name, holder.held.role) for holder in listed]


def test_ended_role_gives_no_access_and_can_be_given_again(world: World) -> None:
    world.give_role("dee", "observer")
    remove(world, "ada", "dee")
    assert not access.sees_all(world.session, world.actor("dee"), world.task)
    with pytest.raises(NotFound, match="no role"):
        change(world, "ada", "dee", "organizer")
    add(world, world.actor("ada"), "dee", "co-organizer")
    assert people(world) == {"ada": "organizer", "dee": "co-organizer"}


def test_role_applies_to_one_task(world: World) -> None:
    with pytest.raises(NotFound):
        roles.get_holder(world.session, world.actor("ada"), world.task, world.user("dee").id)
