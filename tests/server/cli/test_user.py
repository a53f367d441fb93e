import pytest
from flask import Flask

from server.access.accounts import find_account
from server.accounts import tokens
from server.audit.models import AuditEntry
from server.core import db
from server.core.actors import Actor
from server.web.context import site_of
from tests.server.commands import Assay
from tests.server.small_task import PASSWORD
from tests.server.visitors import Visitor
from tests.server.world import DURING

pytestmark = pytest.mark.one_database


def sign_in(app: Flask, email: str, password: str) -> int:
    return Visitor(app.test_client()).post("/sign-in", {"email": email, "password": password}).status_code


def test_an_added_account_can_sign_in(assay: Assay, app: Flask) -> None:
    added = assay("user", "add", "Ada@Example.org", "--name", " Ada  L. ", "--password", PASSWORD)
    assert (added.exit_code, added.stdout) == (0, "Created account 1 for ada@example.org.\n")
    assert sign_in(app, "ada@example.org", PASSWORD) == 302
    assert sign_in(app, "ada@example.org", PASSWORD + "x") == 200


def test_accounts_are_listed_by_number_address_and_name(assay: Assay) -> None:
    assert assay("user", "list").stdout == ""
    for name in ("ada", "bo"):
        assay("user", "add", f"{name}@example.org", "--name", name.upper(), "--password", PASSWORD)
    assert assay("user", "list").stdout == "1\tada@example.org\tADA\n2\tbo@example.org\tBO\n"


def test_the_password_is_asked_for_twice_and_never_shown(assay: Assay) -> None:
    asked = assay("user", "add", "ada@example.org", "--name", "Ada", input=f"{PASSWORD}\n{PASSWORD}\n")
    assert asked.exit_code == 0
    assert PASSWORD not in asked.output


def test_email_address_is_unique(assay: Assay) -> None:
    assay("user", "add", "ada@example.org", "--name", "Ada", "--password", PASSWORD)
    again = assay("user", "add", "ADA@example.org", "--name", "Other", "--password", PASSWORD)
    assert (again.exit_code, again.stdout) == (1, "")
    assert again.stderr == "assay: There is already an account with the address ada@example.org.\n"
    assert len(assay("user", "list").stdout.splitlines()) == 1


@pytest.mark.parametrize(
    "arguments", [["add", "ada@example.org", "--name", "Ada"], ["password", "ada@example.org"]]
)
@pytest.mark.parametrize(
    ("password", "message"), [("short", "use at least 8 characters"), ("Ada@2026", "is too easy to guess")]
)
def test_weak_password_is_a_usage_error(
    assay: Assay, arguments: list[str], password: str, message: str
) -> None:
    result = assay("user", *arguments, "--password", password)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr
    assert password not in result.stderr


@pytest.mark.parametrize("email", ["not an address", "ada", "@example.org", "a" * 250 + "@example.org"])
def test_invalid_email_address_is_rejected(assay: Assay, email: str) -> None:
    result = assay("user", "add", email, "--name", "Ada", "--password", PASSWORD)
    assert result.exit_code in (1, 2)
    assert assay("user", "list").stdout == ""


@pytest.mark.parametrize("name", ["", "  ", "n" * 81])
def test_a_name_has_1_to_80_characters(assay: Assay, name: str) -> None:
    result = assay("user", "add", "ada@example.org", "--name", name, "--password", PASSWORD)
    assert result.exit_code in (1, 2)
    assert assay("user", "list").stdout == ""


def test_new_password_replaces_the_old_one_and_ends_sessions(assay: Assay, app: Flask) -> None:
    assay("user", "add", "ada@example.org", "--name", "Ada", "--password", PASSWORD)
    browser = Visitor(app.test_client())
    browser.post("/sign-in", {"email": "ada@example.org", "password": PASSWORD})
    assert "Sign out" in browser.get("/").text

    assert assay("user", "password", "ada@example.org", "--password", "another one").exit_code == 0
    assert "Sign out" not in browser.get("/").text
    assert sign_in(app, "ada@example.org", PASSWORD) == 200
    assert sign_in(app, "ada@example.org", "another one") == 302


@pytest.mark.usefixtures("set_clock")
@pytest.mark.parametrize("keep", [(), ("--keep-tokens",)])
@pytest.mark.parametrize("command", [("password", "--password", "another one"), ("second-factor-off",)])
def test_operator_change_ends_sessions_and_tokens_unless_they_are_kept(
    assay: Assay, app: Flask, command: tuple[str, ...], keep: tuple[str, ...]
) -> None:
    assay("user", "add", "ada@example.org", "--name", "Ada", "--password", PASSWORD)
    browser, session = Visitor(app.test_client()), site_of(app).session
    browser.post("/sign-in", {"email": "ada@example.org", "password": PASSWORD})
    with app.app_context(), db.writing(session()):
        ada = Actor(user_id=find_account(session(), "ada@example.org").id)
        _row, text = tokens.make_token(session(), ada, "laptop", ["read"], 30, DURING)

    assert assay("user", command[0], "ada@example.org", *command[1:], *keep).exit_code == 0
    assert "Sign out" not in browser.get("/").text
    headers = {"Authorization": f"Bearer {text}"}
    assert browser.get("/api/v1/me", headers=headers).status_code == (200 if keep else 401)
    actions = [(entry.actor, entry.action) for entry in session().query(AuditEntry)]
    assert (("console", "token.revoke") in actions) == (not keep)


def test_changing_the_password_of_an_unknown_account_is_rejected(assay: Assay) -> None:
    result = assay("user", "password", "ada@example.org", "--password", PASSWORD)
    assert result.exit_code == 1
    assert result.stderr == (
        "assay: There is no account with the address ada@example.org; `assay user add` creates one.\n"
    )


def test_site_admin_can_be_added_and_removed(assay: Assay) -> None:
    assay("user", "add", "ada@example.org", "--name", "Ada", "--password", PASSWORD)
    made = assay("user", "admin", "ada@example.org")
    assert (made.exit_code, made.stdout) == (0, "ada@example.org is now a site administrator.\n")
    again = assay("user", "admin", "ada@example.org")
    assert (again.exit_code, again.stderr) == (1, "assay: This person is already a site administrator.\n")
    assert assay("user", "admin", "ada@example.org", "--remove").exit_code == 0
    gone = assay("user", "admin", "ada@example.org", "--remove")
    assert (gone.exit_code, gone.stderr) == (1, "assay: This person is not a site administrator.\n")
