"""What a browser shows of its session is checked once, and never read as more than it is."""

import time
from datetime import timedelta

import pytest
from flask import Request
from itsdangerous import URLSafeTimedSerializer
from werkzeug.test import EnvironBuilder

from server.accounts.cookies import Cookies
from tests.server.world import World

VALUES = {"_user_id": "bo", "_fresh": True, "_flashes": [("success", "Saved.")]}


def shown(cookie: str) -> Request:
    return Request(EnvironBuilder(headers={"Cookie": f"session={cookie}"}).get_environ())


def signed(cookies: Cookies, world: World) -> str:
    serializer = cookies.get_signing_serializer(world.app)
    assert serializer is not None
    return str(serializer.dumps(VALUES))


def test_a_cookie_that_is_shown_again_says_the_same_and_is_checked_once(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    cookies = Cookies(world.app)
    cookie = signed(cookies, world)
    checked: list[str] = []
    loads = URLSafeTimedSerializer.loads
    monkeypatch.setattr(
        URLSafeTimedSerializer, "loads", lambda of, it, **more: checked.append(it) or loads(of, it, **more)
    )
    first, second = (cookies.open_session(world.app, shown(cookie)) for _ in range(2))
    assert dict(first) == dict(second) == VALUES
    assert checked == [cookie]


def test_what_one_request_changes_in_its_session_no_other_reads(world: World) -> None:
    cookies = Cookies(world.app)
    cookie = signed(cookies, world)
    first = cookies.open_session(world.app, shown(cookie))
    first["_flashes"].append(("info", "More."))
    first["_user_id"] = "cy"
    assert dict(cookies.open_session(world.app, shown(cookie))) == VALUES


@pytest.mark.parametrize("known", [False, True])
def test_a_changed_cookie_is_none(world: World, known: bool) -> None:
    cookies = Cookies(world.app)
    cookie = signed(cookies, world)
    if known:
        assert cookies.open_session(world.app, shown(cookie))
    said, signature = cookie.rsplit(".", 1)
    forged = f"{said}.{'B' if signature[0] == 'A' else 'A'}{signature[1:]}"
    for wrong in (forged, "A" + cookie, said, ""):
        assert not cookies.open_session(world.app, shown(wrong))


@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize(("days", "good"), [(-1, False), (29, True), (31, False)])
def test_a_cookie_ends_with_its_time(
    world: World, monkeypatch: pytest.MonkeyPatch, known: bool, days: int, good: bool
) -> None:
    cookies = Cookies(world.app)
    cookie = signed(cookies, world)
    if known:
        assert cookies.open_session(world.app, shown(cookie))
    later = time.time() + timedelta(days=days).total_seconds()
    monkeypatch.setattr(time, "time", lambda: later)
    assert bool(cookies.open_session(world.app, shown(cookie))) is good
