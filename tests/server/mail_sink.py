"""A real email server on this machine that stores what it receives."""

import asyncio
import re
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from email import message_from_bytes, policy
from email.message import EmailMessage

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import Envelope, Session


class Sink:
    """An email server that stores what it receives."""

    def __init__(self) -> None:
        self.mails: list[EmailMessage] = []
        self.refused: set[str] = set()
        self.before_next: Callable[[], object] | None = None
        """What happens while the next client waits for the server's greeting."""
        self.port = _free_port()
        self.start()

    def start(self) -> None:
        """Listen."""
        # A controller that was stopped cannot be started again.
        self.controller = Controller(self, hostname="127.0.0.1", port=self.port)
        self.controller.start()

    def stop(self) -> None:
        """Listen no more."""
        self.controller.stop()

    @contextmanager
    def down(self) -> Iterator[None]:
        """A context in which the email server refuses connections."""
        self.stop()
        try:
            yield
        finally:
            self.start()

    async def handle_EHLO(  # noqa: N802  (the name that the server calls)
        self, _server: object, session: Session, _envelope: object, hostname: str, responses: list[str]
    ) -> list[str]:
        session.host_name = hostname
        before, self.before_next = self.before_next, None
        if before is not None:
            await asyncio.to_thread(before)
        return responses

    async def handle_RCPT(  # noqa: N802  (the same)
        self, _server: object, _session: object, envelope: Envelope, address: str, _options: object
    ) -> str:
        if address in self.refused:
            return f"550 no mailbox <{address}> here"
        envelope.rcpt_tos.append(address)
        return "250 known"

    async def handle_DATA(self, _server: object, _session: object, envelope: Envelope) -> str:  # noqa: N802  (the same)
        self.mails.append(message_from_bytes(envelope.content, policy=policy.default))
        return "250 taken"

    @property
    def url(self) -> str:
        return f"smtp://127.0.0.1:{self.port}"

    def last(self, recipient: str) -> str:
        """The text of the newest email to this address."""
        found = next(mail for mail in reversed(self.mails) if mail["To"] == recipient)
        return found.get_body(("plain",)).get_content()

    def wait_for_link(self, recipient: str) -> str:
        """The same for an email that another process may still be sending."""
        for _ in range(1200):
            if any(mail["To"] == recipient for mail in self.mails):
                return self.link(recipient)
            time.sleep(0.1)
        raise AssertionError(f"no email arrived for {recipient}")

    def link(self, recipient: str) -> str:
        """The path of the first link in the newest email to this address."""
        found = re.search(r"https?://[^/\s]+(/\S+)", self.last(recipient))
        assert found is not None
        return found[1]


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="session")
def mail_server() -> Iterator[Sink]:
    sink = Sink()
    yield sink
    sink.stop()


@pytest.fixture
def sink(mail_server: Sink) -> Sink:
    """The emails of this test."""
    mail_server.mails.clear()
    mail_server.refused.clear()
    return mail_server
