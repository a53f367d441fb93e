"""Editing a task's texts on the page."""

import json
from hashlib import sha256

import pytest

from server.audit.models import AuditEntry
from server.tasks.models import TermsVersion
from tests.server.visitors import words
from tests.server.world import DURING, World

pytestmark = pytest.mark.one_database

PATH = "/tasks/small/organize/edit"
FORM = {
    "title": "A smaller task",
    "description": "How *alike* are\r\ntwo texts?",
    "licence": "CC BY 4.0",
    "terms": "",
}


def entries(world: World, action: str) -> list[AuditEntry]:
    return world.session.query(AuditEntry).filter_by(action=action).all()


def test_edited_texts_change_at_once_and_are_audited_by_hash(world: World) -> None:
    ada = world.client("ada")
    page = ada.get(PATH).text
    assert "How similar are two texts?" in page
    response = ada.post(PATH, FORM)
    assert response.headers["Location"] == "/tasks/small/organize/edit"
    assert "Saved: Title, Description, Licence of the data." in words(ada.get(PATH))
    page = words(world.client().get("/tasks/small/"))
    assert "A smaller task" in page
    assert "How alike are two texts?" in page
    assert "Licence: CC BY 4.0." in page
    assert world.task.description == "How *alike* are\ntwo texts?"
    (entry,) = entries(world, "task.edit")
    assert entry.actor == world.actor("ada").label
    assert entry.details["changed"]["title"] == [
        sha256(text.encode()).hexdigest() for text in ("A small task", "A smaller task")
    ]
    assert "smaller" not in json.dumps(entry.details)


def test_saving_unchanged_texts_changes_nothing(world: World) -> None:
    ada = world.client("ada")
    form = {"title": "A small task", "description": "How similar are two texts?", "licence": "", "terms": ""}
    ada.post(PATH, form)
    assert "Nothing was changed." in words(ada.get("/tasks/small/organize/"))
    assert "Licence:" not in words(world.client().get("/tasks/small/"))
    assert entries(world, "task.edit") == []


def test_terms_are_added_and_removed_as_new_versions(world: World) -> None:
    ada = world.client("ada")
    for text in ("Be kind.", "Be kind.", "Be kinder.", ""):
        ada.post(PATH, {**FORM, "terms": text})
    versions = world.session.query(TermsVersion).order_by(TermsVersion.number).all()
    assert [(version.number, version.text) for version in versions] == [
        (1, "Be kind."),
        (2, "Be kinder."),
        (3, ""),
    ]
    assert versions[0].made_at == DURING
    assert world.task.terms is None
    logged = entries(world, "terms.add")
    assert [entry.details["version"] for entry in logged] == [1, 2, 3]
    assert logged[0].details["sha256"] == sha256(b"Be kind.").hexdigest()
    assert ada.get("/tasks/small/terms").status_code == 404


WRONG = (
    ({"title": "  "}, "Enter a title."),
    ({"title": "x" * 201}, "Use at most 200 characters."),
    ({"title": "a\u202eb"}, "Remove invisible characters."),
    ({"description": "a\x01b"}, "Remove the control character U+0001."),
    ({"description": "a\u202eb"}, "Remove the control character U+202E."),
    ({"terms": "a\x1bb"}, "Remove the control character U+001B."),
    ({"licence": "x" * 2001}, "Use at most 2000 characters."),
)


def test_form_with_an_error_keeps_the_input(world: World) -> None:
    ada = world.client("ada")
    for changed, message in WRONG:
        response = ada.post(PATH, {**FORM, "description": "Typed with care.", **changed})
        assert response.status_code == 422, changed
        assert message in words(response), changed
        assert "CC BY 4.0" in response.text or "licence" in changed, changed
        assert "Typed with care." in response.text or "description" in changed, changed
    assert world.task.title == "A small task"


def test_only_an_organizer_can_send_a_long_description(world: World) -> None:
    long = "A line of the description.\n" * 3000
    assert world.client("ada").post(PATH, {**FORM, "description": long}).status_code == 302
    assert world.client("bo").post(PATH, {**FORM, "description": long}).status_code == 413


@pytest.mark.parametrize(("person", "status"), [("bo", 403), ("dee", 404), (None, 302)])
def test_only_organizers_can_edit_a_task(world: World, person: str | None, status: int) -> None:
    visitor = world.client(person)
    assert visitor.get(PATH).status_code == status
    assert visitor.post(PATH, FORM).status_code == status
    assert world.task.title == "A small task"
