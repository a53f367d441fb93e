import pytest
from werkzeug.test import TestResponse

from server.models import GoldVersion, Score
from tests.server.conftest import World, words

PATH = "/tasks/small/organize/gold"
REVERSED = b"3\n2\n1\n0\n"
FORM = {"target": "p2s.test", "reason": "item 3 was mistyped"}


def versions(world: World) -> int:
    return world.session.query(GoldVersion).count()


def test_new_gold_is_in_force_and_says_how_many_were_scored(world: World) -> None:
    submission_id = world.upload(world.run(), "p2s").id
    ada = world.client("ada")
    assert "Every submission of its level and split is scored against it" in words(ada.get(PATH))
    response = ada.upload(PATH, REVERSED, **FORM)
    assert response.headers["Location"] == "/tasks/small/organize/#gold"
    page = words(ada.get("/tasks/small/organize/"))
    assert "Gold version 2 is in force; 2 submissions were scored against it." in page
    assert "item 3 was mistyped" in page
    values = world.session.query(Score.value).filter_by(submission_id=submission_id, metric="spearman").all()
    assert sorted(value for (value,) in values) == [-1.0, 1.0]


def test_invalid_gold_is_refused_with_every_bad_line(world: World) -> None:
    before = versions(world)
    response = world.client("ada").upload(PATH, b"1\nx\n<b>\n9\n", "<i>.tsv", **FORM)
    assert response.status_code == 422
    page = words(response)
    assert 'Line 2 "x" is not a number' in page or "Line 2" in page
    assert "Line 3" in page
    assert "The gold that was in force still is." in page
    assert "<b>" not in response.text
    assert "<i>" not in response.text
    assert versions(world) == before


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"reason": ""}, "Give a reason."),
        ({"target": "p2s.training"}, "Not a valid choice"),
        ({"target": ""}, ""),
    ],
)
def test_a_form_that_is_not_filled_in_is_refused(world: World, changed: dict[str, str], message: str) -> None:
    before = versions(world)
    response = world.client("ada").upload(PATH, REVERSED, **{**FORM, **changed})
    assert response.status_code == 422
    assert message.lower() in words(response).lower()
    assert versions(world) == before


@pytest.mark.parametrize(("person", "status"), [("bo", 403), ("dee", 404), (None, 302)])
def test_others_bring_no_gold(world: World, person: str | None, status: int) -> None:
    before = versions(world)
    assert world.client(person).upload(PATH, REVERSED, **FORM).status_code == status
    assert versions(world) == before


def announce(world: World, person: str, size: int) -> TestResponse:
    """Send a form that says it has so many bytes."""
    visitor = world.client(person)
    form = {"csrf_token": visitor.token(), **FORM}
    return visitor.open(PATH, method="POST", data=form, environ_overrides={"CONTENT_LENGTH": str(size)})


def test_a_file_too_large_is_refused_with_a_sentence(world: World) -> None:
    response = announce(world, "ada", 8 * 1024 * 1024 + 1)
    assert response.status_code == 413
    assert "may have 8192 kB" in words(response)


def test_only_an_organizers_file_may_be_large(world: World) -> None:
    response = announce(world, "bo", 1_000_000)
    assert response.status_code == 413
    assert "may have 64 kB" in words(response)
