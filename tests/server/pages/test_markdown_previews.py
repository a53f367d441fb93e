import re

import pytest

from tests.server.visitors import words
from tests.server.world import World

pytestmark = pytest.mark.one_database


def test_preview_renders_markdown_as_pages_do_for_people_who_are_signed_in(world: World) -> None:
    text = {"text": "How *alike*?\n\n<script>alert(1)</script> [x](javascript:alert(1))"}
    shown = world.client("dee").post("/preview", text)
    assert (shown.status_code, shown.headers["Cache-Control"]) == (200, "no-store")
    assert "<p>How <em>alike</em>?</p>" in shown.json["html"]
    assert "<script" not in shown.json["html"]
    assert "href" not in shown.json["html"]
    assert world.client().post("/preview", text).headers["Location"].startswith("/sign-in")


@pytest.mark.parametrize(
    ("path", "count"),
    [
        ("organize/edit", 2),
        ("organize/announcements/new", 1),
        ("organize/boards/evaluation", 1),
    ],
)
def test_fields_in_markdown_have_a_preview_and_say_how_it_is_written(
    world: World, path: str, count: int
) -> None:
    page = world.client("ada").get(f"/tasks/small/{path}")
    assert len(re.findall(r'class="rendered"[^>]* data-url="/tasks/small/preview"', page.text)) == count
    assert words(page).count("In Markdown: **bold**, *italic*") == count
