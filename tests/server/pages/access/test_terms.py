"""Terms come before data and uploads, where there are any; changed ones are asked for again."""

from hashlib import sha256

import pytest

from server.access import terms
from server.audit.models import AuditEntry
from server.core import db
from server.tasks.models import TermsAcceptance
from server.teams.models import TeamState
from tests.server.small_task import GOOD
from tests.server.visitors import words
from tests.server.world import DURING, World

pytestmark = pytest.mark.one_database

PATH = "/tasks/small/terms"
ITEMS = "/tasks/small/data/p2s.test.items.tsv"
TEXT = "Use it for <b>science</b>, *nothing* else."
VERSION = {"version": sha256(TEXT.encode()).hexdigest()}


@pytest.fixture(autouse=True)
def with_terms(world: World) -> None:
    put(world, TEXT)


def put(world: World, text: str) -> None:
    with db.writing(world.session):
        terms.put_terms(world.session, world.actor("ada"), world.task, text, DURING)


def acceptances(world: World) -> list[tuple[int, object]]:
    return [(row.user_id, row.accepted_at) for row in world.session.query(TermsAcceptance)]


def test_data_is_served_once_terms_are_accepted(world: World) -> None:
    dee = world.client("dee")
    response = dee.get(ITEMS)
    assert (response.status_code, response.headers["Location"]) == (302, PATH)
    page = dee.get(PATH)
    assert "Read and accept the terms before you download the data." in words(page)
    assert "<em>nothing</em>" in page.text
    assert "<b>science" not in page.text
    assert VERSION["version"] in page.text
    response = dee.post(PATH, VERSION)
    assert response.headers["Location"] == "/tasks/small/#data"
    assert dee.get(ITEMS).status_code == 200
    assert acceptances(world) == [(world.user("dee").id, DURING)]
    assert "You accepted it on" in words(dee.get(PATH))
    (entry,) = world.session.query(AuditEntry).filter_by(action="terms.accept")
    assert (entry.actor, entry.details) == (
        world.actor("dee").label,
        {"version": 1, "sha256": VERSION["version"]},
    )


def test_visitor_can_read_terms_and_is_asked_to_sign_in(world: World) -> None:
    visitor = world.client()
    assert visitor.get(ITEMS).headers["Location"] == PATH
    page = visitor.get(PATH)
    assert "Sign in to accept them" in words(page)
    assert "/sign-in?next=/tasks/small/terms" in page.text
    assert visitor.post(PATH, VERSION).headers["Location"].startswith("/sign-in")
    assert acceptances(world) == []


def test_unpublished_gold_is_not_found_whether_or_not_there_are_terms(world: World) -> None:
    assert world.client().get("/tasks/small/data/p2s.test.gold.tsv").status_code == 404


def test_each_person_must_accept_terms_before_uploading(world: World) -> None:
    run = world.run()
    upload = f"/tasks/small/runs/{run.id}/p2s/upload"
    bo, cy = world.client("bo"), world.client("cy")
    assert bo.get(upload).headers["Location"] == PATH
    assert bo.upload(upload, GOOD).headers["Location"] == PATH
    assert bo.post(PATH, VERSION).headers["Location"] == "/tasks/small/team/"
    assert bo.get(upload).status_code == 200
    assert "/submissions/" in bo.upload(upload, GOOD).headers["Location"]
    assert cy.upload(upload, GOOD).headers["Location"] == PATH


@pytest.mark.parametrize(
    ("state", "promise"),
    [
        ("approved", "You can now upload files and download the data."),
        ("waiting", "You can now download the data, and upload files once the team is approved."),
        ("declined", "You can now download the data."),
    ],
)
def test_accepted_terms_promise_uploads_only_to_an_approved_team(
    world: World, state: TeamState, promise: str
) -> None:
    with db.writing(world.session):
        world.team.state, world.team.reason = state, "a duplicate" if state == "declined" else None
    page = words(world.client("bo").post(PATH, VERSION, follow_redirects=True))
    assert f"You accepted the terms. {promise}" in page
    assert ("can upload and withdraw submissions." in page) == (state == "approved")


def test_organizers_need_not_accept_terms(world: World) -> None:
    ada = world.client("ada")
    assert ada.get(ITEMS).status_code == 200
    assert "I accept these terms" not in ada.get(PATH).text


def test_changed_terms_must_be_accepted_again_and_old_versions_are_kept(world: World) -> None:
    dee = world.client("dee")
    dee.post(PATH, VERSION)
    put(world, "Other terms.")
    assert dee.get(ITEMS).headers["Location"] == PATH
    assert "Version 2" in words(dee.get(PATH))
    dee.post(PATH, {"version": sha256(b"Other terms.").hexdigest()})
    assert dee.get(ITEMS).status_code == 200
    assert len(acceptances(world)) == 2


def test_accepting_terms_that_changed_meanwhile_is_rejected(world: World) -> None:
    dee = world.client("dee")
    dee.get(PATH)
    put(world, "Other terms.")
    assert dee.post(PATH, VERSION).headers["Location"] == PATH
    assert "The terms have changed in the meantime. Read and accept the new version." in words(dee.get(PATH))
    assert acceptances(world) == []


def test_accepting_terms_twice_is_recorded_once(world: World) -> None:
    dee = world.client("dee")
    for _ in range(2):
        assert dee.post(PATH, VERSION).status_code == 302
    assert len(acceptances(world)) == 1


@pytest.mark.parametrize("text", ["", "none", "  \n"])
def test_removed_terms_no_longer_block_data(world: World, text: str) -> None:
    put(world, text)
    assert world.client().get(ITEMS).status_code == 200
    assert world.client("dee").get(PATH).status_code == 404


def test_task_page_says_that_terms_must_be_accepted_before_downloading(world: World) -> None:
    dee = world.client("dee")
    assert "Read and accept the terms before you download the data." in words(dee.get("/tasks/small/"))
    dee.post(PATH, VERSION)
    assert "Read and accept the terms before you download the data." not in words(dee.get("/tasks/small/"))
