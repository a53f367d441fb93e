import pytest

from server.models import User
from tests.server.conftest import Visitor, World, words
from tests.server.small_task import PASSWORD


def sign_up(visitor: Visitor, **changed: str):
    form = {"name": "Newcomer", "email": "newcomer@example.org", "password": PASSWORD, **changed}
    return visitor.post("/sign-up", form)


def test_signing_up_signs_in_and_says_who_one_is(world: World) -> None:
    visitor = world.client()
    assert "One account serves for all tasks" in words(visitor.get("/sign-up"))
    assert sign_up(visitor, name=" Newcomer \t B. ").status_code == 302
    page = words(visitor.get("/"))
    assert "Newcomer B. Sign out" in page
    assert world.user("newcomer").created_at.tzinfo is not None


def test_the_page_that_was_asked_for_comes_after_signing_up(world: World) -> None:
    visitor = world.client()
    form = {"name": "Newcomer", "email": "newcomer@example.org", "password": PASSWORD}
    response = visitor.post("/sign-up?next=/tasks/small/team/", form)
    assert response.headers["Location"] == "/tasks/small/team/"


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"email": "BO@Example.org"}, "has an account already"),
        ({"email": "no address"}, "no e-mail address"),
        ({"password": "short"}, "8 characters at least"),
        ({"name": "  "}, "Give a name."),
        ({"name": "n" * 81}, "Use 80 characters at most."),
    ],
)
def test_what_cannot_be_is_refused_with_a_sentence(
    world: World, changed: dict[str, str], message: str
) -> None:
    before = world.session.query(User).count()
    visitor = world.client()
    response = sign_up(visitor, **changed)
    assert message in words(response)
    assert world.session.query(User).count() == before
    assert "Sign out" not in words(visitor.get("/"))


def test_a_name_is_text_and_never_mark_up(world: World) -> None:
    visitor = world.client()
    sign_up(visitor, name='<img src=x onerror="alert(1)">')
    page = visitor.get("/").text
    assert "<img src=x" not in page
    assert "&lt;img src=x" in page


def test_the_password_is_kept_as_an_argon2_hash_only(world: World) -> None:
    sign_up(world.client())
    assert world.user("newcomer").password.startswith("$argon2id$")
