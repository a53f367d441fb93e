from datetime import timedelta
from urllib.parse import urlencode

import pytest

from server.accounts.models import User
from server.audit.models import AuditEntry
from tests.server.mail_sink import Sink
from tests.server.small_task import PASSWORD
from tests.server.visitors import Visitor, words
from tests.server.world import DURING, World

pytestmark = pytest.mark.one_database


def sign_up(visitor: Visitor, **changed: str):
    form = {"name": "Newcomer", "email": "newcomer@example.org", "password": PASSWORD, **changed}
    return visitor.post("/sign-up", form)


def sign_in(visitor: Visitor, email: str = "newcomer@example.org"):
    return visitor.post("/sign-in", {"email": email, "password": PASSWORD})


def test_sign_up_email_link_confirms_the_account(world: World, sink: Sink) -> None:
    visitor = world.client()
    assert "One account is enough for all tasks. You can view released results without an account." in words(
        visitor.get("/sign-up")
    )
    assert sign_up(visitor, name=" Newcomer \t B. ").location == "/sign-up/sent"
    page = words(visitor.get("/sign-up/sent"))
    assert "Check your mail" in page
    assert "We sent an email to newcomer@example.org" in page
    assert "Sign out" not in page
    assert "Confirm your email address first" in words(sign_in(visitor))

    world.work(DURING)
    (mail,) = sink.mails
    assert (mail["From"], mail["Subject"]) == ("Assay <assay@assay.test>", "Your Assay account")
    page = words(visitor.get(sink.link("newcomer@example.org"), follow_redirects=True))
    assert "Your email address is confirmed." in page
    assert "Newcomer B. Sign out" in words(visitor.get("/"))
    newcomer = world.user("newcomer")
    assert newcomer.confirmed_at is not None
    assert [entry.action for entry in world.session.query(AuditEntry).order_by(AuditEntry.number)][-2:] == [
        "account.create",
        "account.confirm",
    ]


def test_confirmation_link_signs_in_and_returns_to_the_page_that_one_came_from(
    world: World, sink: Sink
) -> None:
    visitor = world.client()
    form = {"name": "Newcomer", "email": "newcomer@example.org", "password": PASSWORD}
    visitor.post("/sign-up?next=/tasks/small/rules", form)
    world.work(DURING)
    link = sink.link("newcomer@example.org")
    assert link.endswith("?next=/tasks/small/rules")
    page = visitor.get(link, follow_redirects=True)
    assert page.request.path == "/tasks/small/rules"
    assert "Newcomer Sign out" in words(page)
    asked = visitor.get("/account/tokens/new", follow_redirects=True)
    assert "Confirm your password" in words(asked)  # the link is no password


def test_confirmation_link_in_another_browser_asks_for_the_password_first(world: World, sink: Sink) -> None:
    form = {"name": "Newcomer", "email": "newcomer@example.org", "password": PASSWORD}
    world.client().post("/sign-up?next=/tasks/small/rules", form)
    world.work(DURING)
    elsewhere = world.client()
    page = elsewhere.get(sink.link("newcomer@example.org"), follow_redirects=True)
    assert (page.request.path, page.request.args["next"]) == ("/sign-in", "/tasks/small/rules")
    assert "Enter the password that you signed up with to confirm your email address." in words(page)
    there = "/sign-in?next=/tasks/small/rules"
    wrong = elsewhere.post(there, {"email": "newcomer@example.org", "password": "another long password"})
    assert "Email address or password is wrong." in words(wrong)
    assert world.user("newcomer").confirmed_at is None
    page = elsewhere.post(there, form, follow_redirects=True)
    assert page.request.path == "/tasks/small/rules"
    assert "Your email address is confirmed." in words(page)
    assert "Newcomer Sign out" in words(page)


@pytest.mark.both_databases
def test_later_sign_up_replaces_the_password_of_an_unconfirmed_account_and_voids_its_links(
    world: World, sink: Sink
) -> None:
    sign_up(world.client(), name="Thief", password="the password of a thief")
    world.work(DURING)
    older, owner = sink.link("newcomer@example.org"), world.client()
    sign_up(owner)
    world.work(DURING)
    assert "no longer valid" in words(owner.get(older, follow_redirects=True))
    assert "Newcomer Sign out" in words(owner.get(sink.link("newcomer@example.org"), follow_redirects=True))
    form = {"email": "newcomer@example.org", "password": "the password of a thief"}
    assert "Email address or password is wrong." in words(world.client().post("/sign-in", form))
    assert world.session.query(User).filter_by(email="newcomer@example.org").count() == 1


@pytest.mark.both_databases
def test_link_of_a_later_sign_up_by_someone_else_asks_for_its_password(world: World, sink: Sink) -> None:
    owner = world.client()
    sign_up(owner)
    sign_up(world.client(), password="the password of a thief")
    world.work(DURING)
    page = words(owner.get(sink.link("newcomer@example.org"), follow_redirects=True))
    assert "someone else signed up with your address, sign up again" in page
    assert "Email address or password is wrong." in words(sign_in(owner))
    assert world.user("newcomer").confirmed_at is None
    sign_up(owner)
    world.work(DURING)
    owner.get(sink.link("newcomer@example.org"))
    assert "Newcomer Sign out" in words(owner.get("/"))


def test_confirmation_link_signs_out_the_person_who_was_signed_in(world: World, sink: Sink) -> None:
    sign_up(world.client())
    world.work(DURING)
    bo = world.client("bo")
    page = bo.get(sink.link("newcomer@example.org"), follow_redirects=True)
    assert page.request.path == "/sign-in"
    assert sign_in(bo).status_code == 302
    assert "Newcomer Sign out" in words(bo.get("/"))


@pytest.mark.both_databases
def test_account_that_is_not_confirmed_within_two_days_is_erased(world: World, sink: Sink) -> None:
    visitor = world.client()
    sign_up(visitor)
    newcomer = world.user("newcomer").id
    world.work(DURING)
    world.work(DURING + timedelta(hours=47))
    assert world.user("newcomer").id == newcomer
    world.work(DURING + timedelta(hours=48))
    erased = world.session.get_one(User, newcomer)
    assert (erased.name, erased.password, erased.active) == ("a person who was removed", "", False)
    assert "no longer valid" in words(visitor.get(sink.link("newcomer@example.org"), follow_redirects=True))
    assert "Email address or password is wrong." in words(sign_in(visitor))
    assert sign_up(visitor).status_code == 302
    assert world.user("newcomer").id != newcomer
    count = world.session.query(AuditEntry).count()
    world.work(DURING + timedelta(hours=49))
    assert world.session.query(AuditEntry).count() == count


@pytest.mark.parametrize(
    "path",
    [
        "https://evil.example/",
        "//evil.example/",
        "/\\evil.example/",
        "\\\\evil.example",
        "/\t/evil.example",
        "/" + "a" * 300,
    ],
)
def test_email_and_confirmation_link_lead_to_no_other_site(world: World, sink: Sink, path: str) -> None:
    visitor, query = world.client(), urlencode({"next": path})
    form = {"name": "Newcomer", "email": "newcomer@example.org", "password": PASSWORD}
    visitor.post(f"/sign-up?{query}", form)
    world.work(DURING)
    assert "evil" not in "".join(mail.get_content() for mail in sink.mails)
    sign_up(visitor)  # which Flask-Security accepts, without the other site
    world.work(DURING)
    response = visitor.get(f"{sink.link('newcomer@example.org')}?{query}")
    assert response.headers["Location"] == "/sign-in"


def test_confirmation_link_works_after_an_email_program_prefetched_it(world: World, sink: Sink) -> None:
    visitor = world.client()
    sign_up(visitor)
    world.work(DURING)
    link = sink.link("newcomer@example.org")
    for method in ("HEAD", "GET"):
        assert world.client().open(link, method=method).status_code == 302
    assert "Your email address is confirmed." in words(visitor.get(link, follow_redirects=True))


def test_registered_address_gets_the_same_answer_and_its_owner_an_email(world: World, sink: Sink) -> None:
    answers = []
    for email in ("newcomer@example.org", "BO@Example.org"):
        visitor = world.client()
        response = sign_up(visitor, email=email)
        answers.append((response.status_code, response.headers["Location"], words(visitor.get("/"))))
    assert len({(status, to) for status, to, _ in answers}) == 1
    assert "We sent an email to bo@example.org" in answers[1][2]
    assert answers[0][2].replace("newcomer@", "bo@") == answers[1][2]
    world.work(DURING)
    assert "You already have an Assay account with this address." in sink.last("bo@example.org")
    assert "/reset-password/" in sink.last("bo@example.org")
    assert world.session.query(User).filter_by(email="bo@example.org").count() == 1


def test_confirmation_link_works_once_and_an_invalid_one_says_what_to_do(world: World, sink: Sink) -> None:
    visitor = world.client()
    sign_up(visitor)
    world.work(DURING)
    link = sink.link("newcomer@example.org")
    visitor.get(link)
    assert "Your email address is already confirmed." in words(visitor.get(link, follow_redirects=True))
    page = words(visitor.get("/confirm/nonsense", follow_redirects=True))
    assert "This link is no longer valid. Request a new one here." in page


@pytest.mark.parametrize("email", ["newcomer@example.org", "bo@example.org", "nobody@example.org"])
def test_resend_answers_alike_and_emails_only_unconfirmed_accounts(
    world: World, sink: Sink, email: str
) -> None:
    sign_up(world.client())
    world.work(DURING)
    sink.mails.clear()
    page = words(world.client().post("/confirm", {"email": email}))
    assert f"If there is an unconfirmed account with the address {email}, we sent an email to it." in page
    world.work(DURING)
    assert len(sink.mails) == (email == "newcomer@example.org")


def test_address_gets_at_most_five_emails_per_hour(world: World, sink: Sink) -> None:
    for _ in range(8):
        assert "we sent an email to it" in words(
            world.client().post("/reset-password", {"email": "bo@example.org"})
        )
    world.work(DURING + timedelta(minutes=61))
    assert len(sink.mails) == 5
    world.client().post("/reset-password", {"email": "bo@example.org"})
    world.work(DURING + timedelta(minutes=61))
    assert len(sink.mails) == 6


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"name": "New\u202ecomer"}, "Remove invisible characters."),
        ({"email": "no address"}, "This is not a valid email address."),
        ({"password": "short"}, "Use at least 8 characters."),
        ({"name": "  "}, "Enter a name."),
        ({"name": "n" * 81}, "Use at most 80 characters."),
    ],
)
def test_invalid_sign_up_is_rejected_with_a_message(
    world: World, changed: dict[str, str], message: str
) -> None:
    before = world.session.query(User).count()
    visitor = world.client()
    response = sign_up(visitor, **changed)
    assert message in words(response)
    assert world.session.query(User).count() == before
    assert "Sign out" not in words(visitor.get("/"))


def test_name_is_escaped(world: World, sink: Sink) -> None:
    visitor = world.client()
    sign_up(visitor, name='<img src=x onerror="alert(1)">')
    world.work(DURING)
    visitor.get(sink.link("newcomer@example.org"))
    sign_in(visitor)
    page = visitor.get("/").text
    assert "<img src=x" not in page
    assert "&lt;img src=x" in page


def test_only_an_argon2_hash_of_the_password_is_stored(world: World) -> None:
    sign_up(world.client())
    assert world.user("newcomer").password.startswith("$argon2id$")
