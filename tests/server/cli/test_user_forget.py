import pytest

from server.accounts.models import SignIn, User
from server.activity.verification import verify_log
from server.audit.models import AuditEntry
from server.core import db
from server.mail.models import Mail
from server.personal_data.erasure import ERASED_NAME
from server.tasks.models import TaskRole
from server.teams import memberships
from tests.server.commands import Assay
from tests.server.players import fail_a_mail
from tests.server.small_task import PASSWORD
from tests.server.visitors import words
from tests.server.world import DURING, World

pytestmark = pytest.mark.one_database


def test_erased_person_is_only_a_number_and_the_log_still_verifies(world: World, assay: Assay) -> None:
    with db.writing(world.session):
        memberships.hand_over(world.session, world.actor("bo"), world.team, world.user("cy").id, DURING)
    number, run_id = world.user("bo").id, world.run().id
    fail_a_mail(world, world.upload(world.run(), "p2s").id)
    browser, cy = world.client("bo"), world.client("cy")
    done = assay("user", "forget", "bo@example.org", "--yes")
    assert (done.exit_code, done.stdout) == (0, f"Erased the name and the address of account {number}.\n")
    world.session.rollback()

    forgotten = world.session.get(User, number)
    assert (forgotten.name, forgotten.active) == (ERASED_NAME, False)
    assert forgotten.email.endswith("@removed.invalid")
    kept = " ".join(
        f"{getattr(row, column.name)!r}"
        for kind in (User, Mail, SignIn, AuditEntry)
        for row in world.session.query(kind)
        for column in kind.__table__.columns
    )
    assert "bo@" not in kept
    assert "'bo'" not in kept
    assert world.session.query(SignIn).filter_by(user_id=number).all() == []
    assert browser.get("/tasks/small/team/").headers["Location"].startswith("/sign-in")
    again = world.client().post("/sign-in", {"email": "bo@example.org", "password": PASSWORD})
    assert again.status_code == 200

    page = words(cy.get("/tasks/small/team/log"))
    assert "A person who was removed uploaded submission" in page
    assert "A person who was removed made cy the captain of birch" in page
    assert ERASED_NAME in words(cy.get("/tasks/small/team/members"))
    assert cy.get(f"/tasks/small/runs/{run_id}/").status_code == 200
    last = world.session.query(AuditEntry).order_by(AuditEntry.number.desc()).first()
    assert (last.action, last.details) == ("account.forget", {"user": f"user:{number}"})
    world.session.rollback()
    with db.reading(world.session):
        assert verify_log(world.session, ()).problems.count == 0


@pytest.mark.parametrize(
    ("email", "why"),
    [
        ("ada@example.org", "the last organizer of small: make another person one first"),
        ("bo@example.org", "the captain of birch (small), which has other members: name another captain"),
        ("nobody@example.org", "There is no account with the address"),
    ],
)
def test_last_organizer_captain_and_unknown_person_are_not_erased(
    world: World, assay: Assay, email: str, why: str
) -> None:
    refused = assay("user", "forget", email, "--yes")
    assert refused.exit_code == 1
    assert why in refused.stderr
    world.session.rollback()
    assert world.session.query(User).filter_by(name=ERASED_NAME).all() == []


def test_erasing_a_person_asks_for_confirmation_and_ends_their_roles(world: World, assay: Assay) -> None:
    world.give_role("dee", "observer")
    number = world.user("dee").id
    left = assay("user", "forget", "dee@example.org", input="n\n")
    assert left.exit_code == 1
    assert "dee <dee@example.org>" in left.stderr
    assert "Roles: observer of small (will be removed)" in left.stderr
    assert assay("user", "forget", "dee@example.org", input="y\n").exit_code == 0
    world.session.rollback()
    assert world.session.get(TaskRole, (world.task.id, number)).ended_at is not None
