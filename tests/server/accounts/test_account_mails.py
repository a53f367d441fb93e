"""Emails about accounts are jobs: no page waits for the mail server, and no link is stored in clear."""

import re
from datetime import timedelta

import pytest
from sqlalchemy import select

from server.accounts.account_mails import USEFUL_FOR
from server.jobs import service as jobs
from server.jobs.models import Job
from tests.server.mail_sink import Sink
from tests.server.world import DURING, World

pytestmark = pytest.mark.both_databases


def ask_for_reset(world: World) -> None:
    answer = world.client().post("/reset-password", {"email": "bo@example.org"})
    assert "we sent an email to it" in answer.text


def only_job(world: World) -> Job:
    world.session.rollback()
    return world.session.scalars(select(Job).where(Job.kind == "account.mail")).one()


def test_page_leaves_its_email_to_the_worker_without_storing_it_in_clear(world: World, sink: Sink) -> None:
    ask_for_reset(world)
    assert sink.mails == []
    assert not re.search("bo@|reset", str(only_job(world).payload))
    world.work(DURING)
    assert "/reset-password/" in sink.last("bo@example.org")
    assert only_job(world).state == "done"
    assert only_job(world).payload.keys() == {"useful_until"}


def test_email_is_retried_and_forgotten_once_it_has_failed(world: World, sink: Sink) -> None:
    ask_for_reset(world)
    at = DURING
    with sink.down():
        for rest in (*jobs.BACK_OFF, timedelta(0)):
            world.work(at)
            at += rest
    assert (only_job(world).state, only_job(world).payload.keys()) == ("failed", {"useful_until"})
    assert "The mail server did not take it" in str(only_job(world).error)


def test_email_is_sent_once_the_mail_server_is_back(world: World, sink: Sink) -> None:
    ask_for_reset(world)
    with sink.down():
        world.work(DURING)
    world.work(DURING + jobs.BACK_OFF[0])
    assert "/reset-password/" in sink.last("bo@example.org")


def test_email_is_not_sent_a_day_late(world: World, sink: Sink) -> None:
    ask_for_reset(world)
    world.work(DURING + USEFUL_FOR)
    assert (sink.mails, only_job(world).state) == ([], "done")


def test_refused_address_fails_at_once_and_is_not_stored(world: World, sink: Sink) -> None:
    sink.refused.add("bo@example.org")
    ask_for_reset(world)
    world.work(DURING)
    assert (only_job(world).state, only_job(world).attempt) == ("failed", 1)
    assert only_job(world).error == "The mail server said 550: no mailbox <(the address)> here"
