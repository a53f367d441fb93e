"""A page that anybody gets is sent packed, and one that is made for a browser never is."""

import gzip

import pytest

from tests.server.world import World

GZIP = {"Accept-Encoding": "gzip, br"}
BOARD = "/tasks/small/boards/evaluation"
RELEASE = f"{BOARD}/releases/1"


def test_a_page_for_anybody_is_packed_and_asked_for_again(world: World) -> None:
    world.upload(world.run(), "p2s")
    world.release()
    for path in ("/", "/tasks/small/", BOARD, RELEASE):
        plain, packed = world.client().get(path), world.client().get(path, headers=GZIP)
        assert "Accept-Encoding" in plain.headers["Vary"], path
        assert "Accept-Encoding" in packed.headers["Vary"], path
        assert (plain.content_encoding, packed.content_encoding) == (None, "gzip")
        assert gzip.decompress(packed.data) == plain.data
        assert int(packed.headers["Content-Length"]) == len(packed.data) < len(plain.data) / 2
    weak = packed.headers["ETag"]
    assert weak == f"W/{plain.headers['ETag']}", "packed, the same words are other bytes"
    for tag in (weak, plain.headers["ETag"]):
        again = world.client().get(RELEASE, headers={**GZIP, "If-None-Match": tag})
        assert (again.status_code, again.data, again.headers["ETag"]) == (304, b"", weak)
        assert {"Cookie", "Accept-Encoding"} <= set(again.vary)
    head = world.client().open(RELEASE, method="HEAD", headers=GZIP)
    assert (head.data, head.headers["Content-Length"]) == (b"", str(len(packed.data)))


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("ada", RELEASE),
        ("bo", BOARD),
        ("dee", "/"),
        (None, "/sign-in"),
        (None, "/reset"),
        (None, f"{BOARD}x"),
    ],
)
def test_a_page_with_a_token_or_for_one_reader_is_sent_as_it_is(
    world: World, name: str | None, path: str
) -> None:
    world.upload(world.run(), "p2s")
    world.release()
    answer = world.client(name).get(path, headers=GZIP)
    assert answer.content_encoding is None
    assert answer.status_code == 404 or "csrf_token" in answer.text


def test_a_browser_that_has_seen_a_form_gets_nothing_packed(world: World) -> None:
    visitor = world.client()
    assert visitor.get("/", headers=GZIP).content_encoding == "gzip"
    visitor.get("/sign-in", headers=GZIP)
    assert visitor.get("/", headers=GZIP).content_encoding is None
