"""Mail by SMTP, or into the log where there is no mail server. What cannot be sent is logged, and lost."""

import logging
import smtplib
import ssl
from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import formatdate, make_msgid
from urllib.parse import unquote, urlsplit

from server.config import ConfigError

LOG = logging.getLogger("assay.mail")
TIMEOUT = 10.0
"""Seconds that a mail server has for an answer."""
_HERE = ("localhost", "127.0.0.1", "::1")
_PORTS = {"smtp": 25, "smtps": 465}


class Mailer:
    """Sends plain texts."""

    def __init__(self, url: str, sender: str) -> None:
        parts = urlsplit(url)
        if parts.scheme not in (*_PORTS, "log") or (parts.scheme in _PORTS and not parts.hostname):
            raise ConfigError("ASSAY_MAIL_URL must be smtp://USER:PASSWORD@HOST:PORT, smtps://... or log:")
        try:
            self._port = parts.port or _PORTS.get(parts.scheme, 0)
            self._sender = Address(addr_spec=sender)
        except (ValueError, IndexError) as error:
            raise ConfigError("ASSAY_MAIL_FROM must be an address such as assay@example.org") from error
        self._scheme, self._host = parts.scheme, parts.hostname or ""
        self._user, self._password = unquote(parts.username or ""), unquote(parts.password or "")

    @property
    def logs(self) -> bool:
        """Whether mails go to the log instead of to people."""
        return self._scheme == "log"

    def send(self, recipient: str, subject: str, text: str) -> None:
        """Send one mail; what goes wrong is logged."""
        if self.logs:
            LOG.warning("Mail to %s: %s\n%s", recipient, subject, text)
            return
        message = self._message(recipient, subject, text)
        try:
            self._deliver(message)
        except (OSError, smtplib.SMTPException):
            LOG.exception("A mail could not be sent: %s", subject)

    def _message(self, recipient: str, subject: str, text: str) -> EmailMessage:
        message = EmailMessage()
        message["From"] = Address("Assay", self._sender.username, self._sender.domain)
        message["To"] = recipient
        message["Subject"] = subject
        message["Date"] = formatdate(localtime=False)
        message["Message-ID"] = make_msgid(domain=self._sender.domain)
        message["Auto-Submitted"] = "auto-generated"
        message.set_content(text, cte="quoted-printable")
        return message

    def _deliver(self, message: EmailMessage) -> None:
        context = ssl.create_default_context()
        with (
            smtplib.SMTP_SSL(self._host, self._port, timeout=TIMEOUT, context=context)
            if self._scheme == "smtps"
            else smtplib.SMTP(self._host, self._port, timeout=TIMEOUT)
        ) as server:
            if self._scheme == "smtp" and self._host not in _HERE:
                server.ehlo()
                if server.has_extn("starttls") or self._user:  # no password goes over the net in the clear
                    server.starttls(context=context)
            if self._user:
                server.login(self._user, self._password)
            server.send_message(message)
