"""The gold of a release stays at the release's own URL, even if the gold changes later."""

from datetime import timedelta

import pytest

from server.access import terms
from server.core import db
from tests.server.small_task import GOLD
from tests.server.visitors import words
from tests.server.world import AFTER, DURING, World

pytestmark = pytest.mark.one_database

RELEASES = "/tasks/small/boards/evaluation/releases"
FIRST, SECOND, THIRD = (f"{RELEASES}/{number}/gold/p2s.tsv" for number in (1, 2, 3))
DATA = "/tasks/small/data/p2s.test.gold.tsv"
FIXED = b"4\n3\n1.5\n0\n"
LATER = AFTER + timedelta(hours=1)


@pytest.fixture
def opened(world: World) -> World:
    """Release 1 while the gold was hidden, release 2 that opened it, a fix, and release 3 under that."""
    world.upload(world.run(), "p2s")
    world.release(DURING)
    answers = [world.client(who).get(FIRST) for who in (None, "bo", "ada")]
    assert [(answer.status_code, "ETag" in answer.headers) for answer in answers] == [(404, False)] * 3
    assert 'id="gold"' not in world.client().get(f"{RELEASES}/1").text
    world.set_clock(LATER)
    world.release(AFTER, opens_gold=True)
    world.fix_gold("p2s", FIXED, AFTER)
    world.bring_gold("p2s", b"0\n1\n2\n3\n", AFTER)
    world.release(LATER)
    return world


def test_each_release_has_its_gold_at_its_own_url(opened: World) -> None:
    visitor = opened.client()
    old = "".join(f"{value}\n" for value in GOLD["p2s"]).encode()
    got = {path: visitor.get(path) for path in (FIRST, SECOND, THIRD, DATA)}
    assert {path: answer.data for path, answer in got.items()} == {
        FIRST: old, SECOND: old, THIRD: FIXED, DATA: FIXED
    }  # fmt: skip
    assert got[SECOND].headers["Content-Disposition"] == (
        'attachment; filename="small-evaluation-release-2-p2s.gold.tsv"'
    )
    assert got[SECOND].headers["Cache-Control"] == "public, no-cache"
    again = visitor.get(SECOND, headers={"If-None-Match": got[SECOND].headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")
    for number, version in ((1, 1), (2, 1), (3, 2)):
        page = visitor.get(f"{RELEASES}/{number}")
        assert f'href="{RELEASES}/{number}/gold/p2s.tsv"' in page.text
        assert f"Paragraph to sentence gold version {version}, SHA-256" in words(page)
    for wrong in ("1/gold/p2s.csv", "1/gold/w2s.tsv", "9/gold/p2s.tsv", "1/gold/p2s.json"):
        assert visitor.get(f"{RELEASES}/{wrong}").status_code == 404
    opened.withdraw_release("a mistake", LATER)
    gone = visitor.get(THIRD, headers={"If-None-Match": got[THIRD].headers["ETag"]})
    assert (gone.status_code, gone.content_type) == (410, "text/plain; charset=utf-8")
    assert visitor.get(SECOND).data == old


def test_released_gold_needs_accepted_terms_and_is_then_not_cached_publicly(opened: World) -> None:
    with db.writing(opened.session):
        version = terms.put_terms(opened.session, opened.actor("ada"), opened.task, "Be kind.", AFTER)
        accepted = {"version": terms.version_hash(version)}
    dee = opened.client("dee")
    assert dee.get(FIRST).headers["Location"] == "/tasks/small/terms"
    dee.post("/tasks/small/terms", accepted)
    assert dee.get(FIRST).headers["Cache-Control"] == "private, no-cache"
    assert opened.client().get(FIRST).status_code == 302
