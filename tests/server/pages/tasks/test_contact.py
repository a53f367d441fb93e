"""Who organizes a task, and how to reach them, is on its pages, and needed to publish it."""

import pytest

from server.bundles.task_toml import task_values
from server.core import db
from tests.server.programs import Program
from tests.server.visitors import words
from tests.server.world import World

pytestmark = pytest.mark.one_database

EDIT = "/tasks/small/organize/edit"
TEXTS = {"title": "A small task", "description": "How similar are two texts?", "licence": "", "terms": ""}
CONTACT = {
    "organizers": "River Group, Inc.",
    "contact": "river@example.org",
    "mailing_list": "https://lists.example.org/small",
    "citation": "@misc{small,\n  title = {A <small> task}\n}",
}


def test_contact_is_on_the_task_page_the_rules_questions_and_error_pages(world: World) -> None:
    for path in ("", "rules", "questions", "boards/nothing"):
        page = world.client().get(f"/tasks/small/{path}")
        assert "Organizers: The Forest Group." in words(page), path
        assert '<a href="https://forest.example/task">https://forest.example/task</a>' in page.text, path


def test_organizers_edit_the_contact(world: World) -> None:
    ada = world.client("ada")
    saved = ada.post(EDIT, TEXTS | CONTACT, follow_redirects=True)
    assert "Saved: Organizers, Contact, Mailing list, How to cite." in words(saved)
    page = world.client("bo").get("/tasks/small/").text
    assert "Organizers: River Group, Inc. " in words(world.client("bo").get("/tasks/small/"))
    assert '<a href="mailto:river@example.org">river@example.org</a>' in page
    assert '<a href="https://lists.example.org/small">Mailing list</a>' in page
    assert world.client().get("/api/v1/tasks/small").json["contact"] == CONTACT["contact"]
    assert "<code>@misc{small,\n  title = {A &lt;small&gt; task}\n}</code>" in page
    world.session.rollback()
    assert CONTACT.items() <= task_values(world.task).items()


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"contact": "Ada"}, "Enter an email address, or a link that begins with https://."),
        ({"contact": "javascript:alert(1)"}, "Enter an email address, or a link"),
        ({"mailing_list": "list@example.org"}, "Enter a link that begins with https:// or http://."),
        ({"citation": "@misc{a"}, "Enter one or more BibTeX entries: a brace is not closed."),
        ({"citation": "x" * 10_001}, "Use at most 10000 characters."),
        ({"organizers": "x" * 501}, "Use at most 500 characters."),
    ],
)
def test_wrong_contact_is_rejected(world: World, changed: dict[str, str], message: str) -> None:
    refused = world.client("ada").post(EDIT, TEXTS | CONTACT | changed)
    assert refused.status_code == 422
    assert message in words(refused)
    ((name, value),) = changed.items()
    by_api = Program(world, "ada", "organize").post("/tasks/small", {name: value}, "PATCH")
    assert by_api.status_code == 422


@pytest.mark.parametrize("missing", ["organizers", "contact"])
def test_published_task_keeps_its_contact(world: World, missing: str) -> None:
    ada = world.client("ada")
    assert ada.post(EDIT, TEXTS | CONTACT).status_code == 302
    refused = ada.post(EDIT, TEXTS | CONTACT | {missing: ""})
    assert "A published task needs its organizers and a contact." in words(refused)
    by_api = Program(world, "ada", "organize").post("/tasks/small", {missing: ""}, "PATCH")
    assert by_api.status_code == 409
    world.session.rollback()
    assert getattr(world.task, missing) == CONTACT[missing]


@pytest.mark.parametrize("missing", ["organizers", "contact"])
def test_task_without_contact_cannot_be_published(world: World, missing: str) -> None:
    with db.writing(world.session):
        world.task.state = "draft"
        setattr(world.task, missing, "TODO: who")
    ada = world.client("ada")
    asked = ada.get("/tasks/small/organize/state/published")
    assert "You cannot publish the task yet. Teams need to know who organizes the task" in words(asked)
    refused = ada.post("/tasks/small/organize/state/published", follow_redirects=True)
    assert "Enter the organizers and a contact" in words(refused)
    world.session.rollback()
    assert world.task.state == "draft"
    assert ada.post(EDIT, TEXTS | CONTACT).status_code == 302
    ada.post("/tasks/small/organize/state/published")
    world.session.rollback()
    assert world.task.state == "published"
