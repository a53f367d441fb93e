"""The page of a task's pictures and starter kit, and where they are shown."""

import pytest

from server.access import terms
from server.core import db
from server.planning import task_files
from tests.server.drawing import draw_picture
from tests.server.small_task import GOLD
from tests.server.visitors import words
from tests.server.world import DURING, World

pytestmark = pytest.mark.one_database
PATH = "/tasks/small/organize/task-files"
ADDRESS = "/tasks/small/pictures/lake.png"
SHOWN = f'<img src="{ADDRESS}" alt="A lake" width="6" height="4" loading="lazy">'


def test_organizer_uploads_a_picture_that_texts_show(world: World) -> None:
    ada = world.client("ada")
    assert ada.upload(PATH, draw_picture(), "Lake.png").headers["Location"] == PATH
    page = ada.get(PATH)
    assert "lake.png was added." in words(page)
    assert "6 × 4 pixels. Write ![What it shows](lake.png) in a text to show it there." in words(page)
    with db.writing(world.session):
        world.task.description = "![A lake](lake.png) ![No lake](https://example.org/lake.png)"
    shown = world.client().get("/tasks/small/").text
    assert SHOWN in shown
    assert '!<a href="https://example.org/lake.png" rel="noopener nofollow">No lake</a>' in shown
    preview = ada.post("/tasks/small/preview", {"text": "# So\n\n![A lake](lake.png)"})
    assert SHOWN in preview.json["html"]
    assert ada.post(f"{PATH}/lake.png/delete").headers["Location"] == PATH
    assert (
        '!<a href="/tasks/small/pictures/lake.png" rel="noopener nofollow">A lake</a>'
        in world.client().get("/tasks/small/").text
    )


def test_refused_picture_is_explained_at_the_field(world: World) -> None:
    refused = world.client("ada").upload(PATH, b"<svg/>", "lake.svg")
    assert refused.status_code == 422
    assert "This file cannot be read as a PNG, JPEG or WebP picture. Choose another" in words(refused)


def test_logo_is_on_the_pages_of_the_task_and_on_its_card(world: World) -> None:
    world.add_picture()
    ada = world.client("ada")
    logo = f'<img class="logo" src="{ADDRESS}" alt="">'
    for name, n_logos in (("lake.png", 1), ("", 0)):
        assert ada.post(f"{PATH}/logo", {"picture": name}).headers["Location"] == PATH
        for address in ("/", "/tasks/small/", "/tasks/small/rules"):
            assert world.client().get(address).text.count(logo) == n_logos
    assert ada.post(f"{PATH}/logo", {"picture": "none.png"}).status_code == 404


def test_picture_is_cached_by_its_hash_and_hidden_while_the_task_is(world: World) -> None:
    world.add_picture()
    shown = world.client().get(ADDRESS)
    assert (shown.data, shown.content_type) == (draw_picture(), "image/png")
    assert shown.headers["X-Content-Type-Options"] == "nosniff"
    assert shown.headers["Cache-Control"] == "public, no-cache"
    again = world.client().get(ADDRESS, headers={"If-None-Match": shown.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")
    with db.writing(world.session):
        world.task.state = "draft"
    assert world.client().get(ADDRESS).status_code == 404
    assert world.client("bo").get(ADDRESS).status_code == 404
    assert world.client("ada").get(ADDRESS).headers["Cache-Control"] == "private, no-cache"


def test_larger_upload_is_refused_with_the_same_sentence(world: World) -> None:
    ada, size = world.client("ada"), str(2 * task_files.SIZE_LIMIT)
    form = {"csrf_token": ada.token()}
    refused = ada.open(PATH, method="POST", data=form, environ_overrides={"CONTENT_LENGTH": size})
    assert refused.status_code == 413
    assert "A file can have at most 2 MB. Make it smaller" in words(refused)


def test_starter_kit_is_beside_the_data_once_the_terms_are_accepted(world: World) -> None:
    ada, address = world.client("ada"), "/tasks/small/starter-kit/check.py"
    assert ada.upload(PATH, b"print('good')\n", "check.py").headers["Location"] == PATH
    assert "check.py was added." in words(ada.get(PATH))
    assert f'<a href="{address}" download>check.py</a>' in world.client().get("/tasks/small/").text
    sent = world.client().get(address)
    assert (sent.data, sent.content_type) == (b"print('good')\n", "text/plain")
    assert sent.headers["Content-Disposition"] == 'attachment; filename="check.py"'
    with db.writing(world.session):
        terms.put_terms(world.session, world.actor("ada"), world.task, "Be kind.", DURING)
    assert world.client("bo").get(address).headers["Location"] == "/tasks/small/terms"
    assert world.client().get("/api/v1/tasks/small/starter-kit/check.py").status_code == 409
    assert "It will no longer be in the starter kit." in words(ada.get(f"{PATH}/check.py/delete"))
    ada.post(f"{PATH}/check.py/delete")
    assert ada.get(address).status_code == 404
    assert "Starter kit" not in world.client().get("/tasks/small/").text


def test_kit_file_with_hidden_gold_is_explained_at_the_field(world: World) -> None:
    ada = world.client("ada")
    refused = ada.upload(PATH, "\n".join(GOLD["s2p"]).encode(), "gold.txt")
    assert refused.status_code == 422
    assert "gold.txt contains hidden gold labels of Sentence to phrase (Test), and everyone" in words(refused)
    assert "It was not added." in words(refused)
    assert "gold.txt" not in words(ada.get(PATH))
