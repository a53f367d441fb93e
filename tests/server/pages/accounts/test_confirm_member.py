"""An organizer confirms a person who never received the email."""

import pytest

from server.audit.models import AuditEntry
from tests.server.small_task import PASSWORD
from tests.server.visitors import words
from tests.server.world import World

pytestmark = pytest.mark.one_database

PAGE = "/tasks/small/organize/confirm"
NEWCOMER = {"name": "Newcomer", "email": "newcomer@example.org", "password": PASSWORD}


def test_confirmed_account_can_sign_in_and_the_log_says_who_confirmed_it(world: World) -> None:
    world.client().post("/sign-up", NEWCOMER)
    ada = world.client("ada")
    assert "Confirm an account" in words(ada.get(PAGE))
    answer = ada.post(PAGE, {"email": " Newcomer@example.org "}, follow_redirects=True)
    assert "If there was an unconfirmed account with the address" in words(answer)
    assert world.client().post("/sign-in", NEWCOMER).status_code == 302
    entry = world.session.query(AuditEntry).order_by(AuditEntry.number.desc()).first()
    assert entry is not None
    assert (entry.action, entry.actor) == ("account.confirm", f"user:{world.user('ada').id}")
    assert entry.details == {"user": f"user:{world.user('newcomer').id}"}


@pytest.mark.parametrize("email", ["bo@example.org", "nobody@example.org"])
def test_answer_is_the_same_for_every_other_address_and_nothing_changes(world: World, email: str) -> None:
    before = world.session.query(AuditEntry).count()
    answer = world.client("ada").post(PAGE, {"email": email}, follow_redirects=True)
    assert f"If there was an unconfirmed account with the address {email}, it is now confirmed" in words(
        answer
    )
    assert world.session.query(AuditEntry).count() == before


@pytest.mark.parametrize(
    ("email", "message"),
    [(" ", "Enter an email address."), ("nonsense", "This is not a valid email address.")],
)
def test_invalid_email_address_is_reported(world: World, email: str, message: str) -> None:
    answer = world.client("ada").post(PAGE, {"email": email})
    assert answer.status_code == 422
    assert message in words(answer)
