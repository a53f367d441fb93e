import pytest

from server.access import admins, service as access, tasks
from server.accounts.models import User
from server.audit.models import AuditEntry
from server.core import db
from server.core.actors import CONSOLE, VISITOR
from server.core.errors import NameTaken, NotFound
from tests.server.world import DURING, World


@pytest.fixture
def dee(world: World) -> User:
    """An admin, made by the console."""
    with db.writing(world.session):
        admins.add_admin(world.session, CONSOLE, world.user("dee"), DURING)
    return world.user("dee")


def test_site_admin_is_added_once_and_removed(world: World, dee: User) -> None:
    assert access.is_admin(world.session, world.actor("dee"))
    with pytest.raises(NameTaken, match="This person is already a site administrator"):
        admins.add_admin(world.session, CONSOLE, dee, DURING)
    with db.writing(world.session):
        admins.remove_admin(world.session, CONSOLE, dee, DURING)
    assert not access.is_admin(world.session, world.actor("dee"))
    with pytest.raises(NotFound, match="not a site administrator"):
        admins.remove_admin(world.session, CONSOLE, dee, DURING)
    entries = world.session.query(AuditEntry).order_by(AuditEntry.number).all()[-2:]
    details = {"user": world.actor("dee").label}
    assert [(entry.action, entry.details) for entry in entries] == [
        ("admin.add", details),
        ("admin.remove", details),
    ]


@pytest.mark.usefixtures("dee")
def test_only_site_admins_can_add_site_admins(world: World) -> None:
    with db.writing(world.session):
        admins.add_admin(world.session, world.actor("dee"), world.user("cy"), DURING)
    assert access.is_admin(world.session, world.actor("cy"))
    for actor in (world.actor("ada"), world.actor("bo"), VISITOR):
        with pytest.raises(NotFound):
            admins.add_admin(world.session, actor, world.user("bo"), DURING)
        with pytest.raises(NotFound):
            access.require_admin(world.session, actor)


@pytest.mark.usefixtures("dee")
def test_site_admin_has_no_access_to_tasks(world: World) -> None:
    actor = world.actor("dee")
    assert access.find_role(world.session, actor, world.task) is None
    assert not access.sees_all(world.session, actor, world.task)
    with pytest.raises(NotFound):
        access.require_observer(world.session, actor, world.task)
    files = tasks.list_files(world.session, actor, world.task, DURING)
    assert {file.kind for file in files if file.split == "test"} == {"items"}
