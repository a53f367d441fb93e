"""Email by SMTP, or into the log where there is no mail server."""

import logging
import smtplib
import ssl
from dataclasses import dataclass
from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import formatdate, make_msgid
from urllib.parse import unquote, urlsplit

from server.core.config import ConfigError

LOG = logging.getLogger("assay.mail")
TIMEOUT = 10.0
"""How many seconds a mail server may take to answer."""
_LOCAL_HOSTS = ("localhost", "127.0.0.1", "::1")
_PORTS = {"smtp": 25, "smtps": 465}


class MailFailed(Exception):
    """The mail server rejected an email; `final`: it will reject it however often it is sent."""

    def __init__(self, reason: str, *, final: bool = False) -> None:
        super().__init__(reason)
        self.final = final


@dataclass(frozen=True, slots=True)
class OutgoingMail:
    """One email to one person, and perhaps files.

    `stop`: the address by which they opt out of its kind; None: an email of their own, not of a kind.
    """

    recipient: str
    subject: str
    text: str
    html: str
    message_id: str
    stop: str | None
    attachments: tuple[tuple[str, str], ...] = ()
    """The names and the texts of JSON files that are attached."""


class Mailer:
    """Sends emails: plain ones of a request, which are tried once, and those of jobs, which are retried."""

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
        """Whether emails are written to the log instead of being sent."""
        return self._scheme == "log"

    def send(self, recipient: str, subject: str, text: str) -> None:
        """Send one plain email; an error is logged, and the email is lost."""
        if self.logs:
            LOG.warning("Mail to %s: %s\n%s", recipient, subject, text)
            return
        message = self._message(recipient, subject, text, make_msgid(domain=self._sender.domain))
        try:
            self._transmit(message)
        except (OSError, smtplib.SMTPException):
            LOG.exception("A mail could not be sent: %s", subject)

    def deliver(self, mail: OutgoingMail) -> None:
        """Send one email as plain text and as HTML.

        Raises:
            MailFailed: the mail server did not accept it.
        """
        if self.logs:
            LOG.warning("Mail to %s: %s\n%s", mail.recipient, mail.subject, mail.text)
            return
        message = self._message(mail.recipient, mail.subject, mail.text, mail.message_id)
        message.add_alternative(mail.html, subtype="html", cte="quoted-printable")
        for name, content in mail.attachments:
            message.add_attachment(content.encode(), "application", "json", filename=name)
        if mail.stop is not None:
            message["List-Unsubscribe"] = f"<{mail.stop}>"
            message["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
        try:
            self._transmit(message)
        except smtplib.SMTPRecipientsRefused as error:
            code, answer = next(iter(error.recipients.values()))
            raise MailFailed(_describe_answer(code, answer, mail.recipient), final=code >= 500) from error
        except smtplib.SMTPResponseException as error:
            raise MailFailed(_describe_answer(error.smtp_code, error.smtp_error, mail.recipient)) from error
        except (OSError, smtplib.SMTPException) as error:
            reason = str(error) or type(error).__name__
            raise MailFailed(f"The mail server did not take it: {reason}") from error

    def _message(self, recipient: str, subject: str, text: str, message_id: str) -> EmailMessage:
        message = EmailMessage()
        message["From"] = Address("Assay", self._sender.username, self._sender.domain)
        message["To"] = recipient
        message["Subject"] = subject
        message["Date"] = formatdate(localtime=False)
        message["Message-ID"] = message_id
        message["Auto-Submitted"] = "auto-generated"
        message.set_content(text, cte="quoted-printable")
        return message

    def _transmit(self, message: EmailMessage) -> None:
        certified = ssl.create_default_context  # slow: reads all certificates of the machine
        with (
            smtplib.SMTP_SSL(self._host, self._port, timeout=TIMEOUT, context=certified())
            if self._scheme == "smtps"
            else smtplib.SMTP(self._host, self._port, timeout=TIMEOUT)
        ) as server:
            if self._scheme == "smtp" and self._host not in _LOCAL_HOSTS:
                server.ehlo()
                if server.has_extn("starttls") or self._user:  # never send a password unencrypted
                    server.starttls(context=certified())
            if self._user:
                server.login(self._user, self._password)
            server.send_message(message)


def _describe_answer(code: int, reason: bytes | str, recipient: str) -> str:
    """Describe what a mail server answered, without the address, because organizers read it."""
    text = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else reason
    return f"The mail server said {code}: {' '.join(text.replace(recipient, '(the address)').split())}"
