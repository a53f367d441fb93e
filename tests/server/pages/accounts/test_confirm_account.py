"""A site administrator confirms a person who never received the email; organizers cannot."""

import pytest

from server.access import admins
from server.audit.models import AuditEntry
from server.core import db
from server.core.actors import CONSOLE
from tests.server.small_task import PASSWORD
from tests.server.visitors import Visitor, words
from tests.server.world import DURING, World

pytestmark = pytest.mark.one_database

PAGE = "/accounts/confirm"
NEWCOMER = {"name": "Newcomer", "email": "newcomer@example.org", "password": PASSWORD}


@pytest.fixture
def dee(world: World) -> Visitor:
    """The browser of a site administrator."""
    with db.writing(world.session):
        admins.add_admin(world.session, CONSOLE, world.user("dee"), DURING)
    return world.client("dee")


def test_confirmed_account_can_sign_in_and_the_log_says_who_confirmed_it(world: World, dee: Visitor) -> None:
    world.client().post("/sign-up", NEWCOMER)
    assert "You are a site administrator: confirm an account" in words(dee.get("/account/"))
    assert "Confirm an account" in words(dee.get(PAGE))
    answer = dee.post(PAGE, {"email": " Newcomer@example.org "}, follow_redirects=True)
    assert "If there was an unconfirmed account with the address" in words(answer)
    assert world.client().post("/sign-in", NEWCOMER).status_code == 302
    entry = world.session.query(AuditEntry).order_by(AuditEntry.number.desc()).first()
    assert entry is not None
    assert (entry.action, entry.actor) == ("account.confirm", f"user:{world.user('dee').id}")
    assert entry.details == {"user": f"user:{world.user('newcomer').id}"}


def test_organizer_cannot_confirm_an_account(world: World) -> None:
    world.client().post("/sign-up", NEWCOMER)
    for page in (PAGE, "/tasks/small/organize/confirm"):
        assert world.client("ada").post(page, {"email": "newcomer@example.org"}).status_code == 404
    assert world.user("newcomer").confirmed_at is None


@pytest.mark.parametrize("email", ["bo@example.org", "nobody@example.org"])
def test_answer_is_the_same_for_every_other_address_and_nothing_changes(
    world: World, dee: Visitor, email: str
) -> None:
    before = world.session.query(AuditEntry).count()
    answer = dee.post(PAGE, {"email": email}, follow_redirects=True)
    assert f"If there was an unconfirmed account with the address {email}, it is now confirmed" in words(
        answer
    )
    assert world.session.query(AuditEntry).count() == before


@pytest.mark.parametrize(
    ("email", "message"),
    [(" ", "Enter an email address."), ("nonsense", "This is not a valid email address.")],
)
def test_invalid_email_address_is_reported(dee: Visitor, email: str, message: str) -> None:
    answer = dee.post(PAGE, {"email": email})
    assert answer.status_code == 422
    assert message in words(answer)
