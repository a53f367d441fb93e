"""Limits of networks: on wrong passwords, and on forms that have an email sent."""

from datetime import timedelta

import pytest

from server.accounts import rate_limits
from server.accounts.rate_limits import REQUESTS_FROM_ONE_IP, find_networks
from server.core import db
from tests.server.mail_sink import Sink
from tests.server.small_task import PASSWORD
from tests.server.visitors import Visitor, words
from tests.server.world import DURING, World

pytestmark = pytest.mark.one_database

LOCKED = "Too many failed attempts. Try again at"
WRONG = "one long password"
TOO_MANY = "Too many requests from your network. Try again at"


def guess(visitor: Visitor, name: str, ip: str, password: str = WRONG) -> str:
    form = {"email": f"{name}@example.org", "password": password}
    answer = visitor.post("/sign-in", form, environ_overrides={"REMOTE_ADDR": ip})
    return "in" if answer.status_code == 302 else words(answer)


@pytest.mark.both_databases
def test_one_password_cannot_be_tried_at_sixty_addresses(world: World) -> None:
    visitor = world.client()
    pages = [guess(visitor, f"user{number}", "192.0.2.7") for number in range(60)]
    assert [LOCKED in page for page in pages] == [False] * 30 + [True] * 30
    assert LOCKED in guess(visitor, "bo", "192.0.2.7", PASSWORD)
    assert guess(world.client(), "bo", "192.0.2.8", PASSWORD) == "in"
    world.set_clock(DURING + timedelta(minutes=15, seconds=1))
    assert guess(visitor, "bo", "192.0.2.7", PASSWORD) == "in"


def test_right_passwords_neither_count_nor_reset_the_limits_of_a_network(world: World) -> None:
    for number in range(30):
        assert guess(world.client(), "bo", "192.0.2.7", PASSWORD) == "in"
        guess(world.client(), f"user{number}", "192.0.2.7")
    assert LOCKED in guess(world.client(), "bo", "192.0.2.7", PASSWORD)


def test_network_of_many_ip_addresses_is_limited(world: World) -> None:
    visitor = world.client()
    for number in range(100):
        assert "is wrong" in guess(visitor, f"user{number}", f"192.0.2.{number}")
    assert LOCKED in guess(visitor, "user", "192.0.2.200")
    assert "is wrong" in guess(visitor, "user", "192.0.3.1")
    world.set_clock(DURING + timedelta(minutes=61))
    assert "is wrong" in guess(visitor, "user", "192.0.2.200")


@pytest.mark.parametrize(
    ("address", "ip", "network"),
    [
        ("192.0.2.7", "192.0.2.7/32", "192.0.2.0/24"),
        ("::ffff:192.0.2.7", "192.0.2.7/32", "192.0.2.0/24"),
        ("2001:db8:1:2:3::4", "2001:db8:1:2::/64", "2001:db8:1::/48"),
        ("::1", "::/64", "::/48"),
        ("unknown", "unknown", "unknown"),
    ],
)
def test_ipv6_addresses_count_by_their_network(address: str, ip: str, network: str) -> None:
    assert find_networks(address) == (ip, network)


@pytest.mark.both_databases
def test_ip_address_can_request_two_hundred_emails_per_hour(world: World, sink: Sink) -> None:
    with db.writing(world.session):
        for _ in range(196):
            rate_limits.note_attempt(world.session, [(REQUESTS_FROM_ONE_IP, "127.0.0.1/32")], DURING)
    bo, paths = world.client("bo"), ("/sign-up", "/reset-password", "/confirm", "/account/email")
    bo.give_password()
    visitor = world.client()
    form = {"name": "Newcomer", "email": "new@example.org", "password": PASSWORD}

    def request(path: str) -> str:
        return words((bo if path == "/account/email" else visitor).post(path, form))

    assert [TOO_MANY in request(path) for path in paths] == [False] * 4
    world.work(DURING)
    sent = len(sink.mails)
    assert [f"{TOO_MANY} 10 Mar 2026, 13:00:00 UTC." in request(path) for path in paths] == [True] * 4
    world.work(DURING)
    assert len(sink.mails) == sent > 0
    elsewhere = {"environ_overrides": {"REMOTE_ADDR": "192.0.2.7"}}
    assert visitor.post("/sign-up", form, **elsewhere).status_code == 302
