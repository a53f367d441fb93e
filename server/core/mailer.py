"""Email by SMTP, or into the log where there is no mail server."""

import copy
import logging
import re
import smtplib
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from email import message_from_string, policy
from email.header import Header
from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import formatdate
from textwrap import shorten
from typing import cast
from urllib.parse import unquote, urlsplit

from server.core import metrics
from server.core.config import ConfigError

LOG = logging.getLogger("assay.mail")
TIMEOUT = 10.0
"""How many seconds a mail server may take to answer."""
_LOCAL_HOSTS = ("localhost", "127.0.0.1", "::1")
_PORTS = {"smtp": 25, "smtps": 465}
_TITLE_LENGTH = 60
"""The most characters of a title that an email's sender shows."""
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029\u202a-\u202e\u2066-\u2069]")
"""Characters without a meaning in an email; some break lines, some reorder text."""
_ADDRESS = re.compile(r"(?!.*=\?)[^\s@<>()\[\]\\,;:\"]+@[^\s@<>()\[\]\\,;:\"]+")
"""An address that cannot be read as anything else; Python's parser of addresses hangs on some others."""


class MailFailed(Exception):
    """The mail server rejected an email; `final`: it will reject it however often it is sent."""

    def __init__(self, reason: str, *, final: bool = False) -> None:
        super().__init__(reason)
        self.final = final


@dataclass(frozen=True, slots=True)
class OutgoingMail:
    """One email to one person, and perhaps files.

    `stop`: the address by which they opt out of its kind; None: an email of their own, not of a kind.
    `title`: the task or campaign in whose name it is sent; `contact`: who gets answers, if it is an address.
    """

    recipient: str
    subject: str
    text: str
    message_id: str
    html: str | None = None
    stop: str | None = None
    title: str = ""
    contact: str = ""
    attachments: tuple[tuple[str, str], ...] = ()
    """The names and the texts of JSON files that are attached."""


class Mailer:
    """Sends the emails of jobs, which are retried: no request waits for a mail server."""

    def __init__(self, url: str, sender: str) -> None:
        parts = urlsplit(url)
        if parts.scheme not in (*_PORTS, "log") or (parts.scheme in _PORTS and not parts.hostname):
            raise ConfigError("ASSAY_MAIL_URL must be smtp://USER:PASSWORD@HOST:PORT, smtps://... or log:")
        try:
            self._port = parts.port or _PORTS.get(parts.scheme, 0)
            self._sender = Address(addr_spec=sender).addr_spec
        except (ValueError, IndexError) as error:
            raise ConfigError("ASSAY_MAIL_FROM must be an address such as assay@example.org") from error
        self._scheme, self._host = parts.scheme, parts.hostname or ""
        self._user, self._password = unquote(parts.username or ""), unquote(parts.password or "")
        self.check: Callable[[], None] = lambda: None

    @property
    def logs(self) -> bool:
        """Whether emails are written to the log instead of being sent."""
        return self._scheme == "log"

    def with_check(self, check: Callable[[], None]) -> "Mailer":
        """Return a mailer that calls `check` right before each transmission, which its errors prevent."""
        checked = copy.copy(self)
        checked.check = check
        return checked

    def deliver(self, mail: OutgoingMail) -> None:
        """Send one email as plain text, and as HTML if it has any.

        Raises:
            MailFailed: the mail server did not accept it, or it would not arrive as it was written.
        """
        try:
            self._deliver(mail)
        except MailFailed as failure:
            metrics.count(metrics.MAILS, "refused" if failure.final else "failed")
            raise
        metrics.count(metrics.MAILS, "logged" if self.logs else "sent")

    def _deliver(self, mail: OutgoingMail) -> None:
        if self.logs:
            LOG.warning("Mail to %s: %s\n%s", mail.recipient, mail.subject, mail.text)
            return
        message = compose(mail, self._sender)
        try:
            self._transmit(mail.recipient, message)
        except smtplib.SMTPRecipientsRefused as error:
            code, answer = next(iter(error.recipients.values()))
            raise MailFailed(_describe_answer(code, answer, mail.recipient), final=code >= 500) from error
        except smtplib.SMTPResponseException as error:
            raise MailFailed(_describe_answer(error.smtp_code, error.smtp_error, mail.recipient)) from error
        except (OSError, smtplib.SMTPException) as error:
            reason = str(error) or type(error).__name__
            raise MailFailed(f"The mail server did not take it: {reason}") from error

    def _transmit(self, recipient: str, message: str) -> None:
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
            server.ehlo_or_helo_if_needed()  # so that little can happen between the check and the email
            self.check()
            options = () if message.isascii() else ("SMTPUTF8", "BODY=8BITMIME")  # an address that is not
            server.sendmail(self._sender, [recipient], message.encode(), options)


def compose(mail: OutgoingMail, sender: str) -> str:
    """Return an email as it is transmitted, after checking that it reads as it was written.

    The headers are written here, because `EmailMessage` decodes encoded words in the values that it is given:
    before Python 3.11.10 and 3.12.5, a line break in one of them began a new header.

    Raises:
        MailFailed: it would read differently.
    """
    subject, title = (" ".join(_CONTROLS.sub(" ", text).split()) for text in (mail.subject, mail.title))
    name = f"{shorten(title, _TITLE_LENGTH, placeholder='…')} via Assay" if title else "Assay"
    headers = {
        "From": str(Address(name, addr_spec=sender)),
        "To": mail.recipient,
        "Subject": subject,
        "Date": formatdate(),
        "Message-ID": mail.message_id,
        "Auto-Submitted": "auto-generated",
    }
    if mail.contact.isascii() and _ADDRESS.fullmatch(mail.contact):
        headers["Reply-To"] = mail.contact
    if mail.stop is not None:
        headers["List-Unsubscribe"] = f"<{mail.stop}>"
        headers["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    body = EmailMessage(policy.SMTP)
    contents: list[tuple[str | None, str]] = [(None, _clean(mail.text))]
    body.set_content(_clean(mail.text), cte="quoted-printable")
    if mail.html is not None:
        body.add_alternative(_clean(mail.html), subtype="html", cte="quoted-printable")
        contents.append((None, _clean(mail.html)))
    for name, content in mail.attachments:
        body.add_attachment(content.encode(), "application", "json", filename=name)
        contents.append((name, content))
    written = dict(headers)
    if _needs_encoding(subject):
        written["Subject"] = _encode(subject, "Subject")
    if _needs_encoding(name):
        written["From"] = f"{_encode(name, 'From')} <{sender}>"
    message = "".join(f"{name}: {value}\r\n" for name, value in written.items()) + body.as_string()
    expected = [(key, _squeeze(key, value)) for key, value in (*headers.items(), *body.items())], contents
    if not _ADDRESS.fullmatch(mail.recipient) or _read(message) != expected:
        LOG.error("The email %s was not sent: it would not arrive as it was written.", mail.message_id)
        raise MailFailed("It was not sent, because it would not arrive as it was written.", final=True)
    return message


def _needs_encoding(text: str) -> bool:
    """Whether a header with this text has to be encoded: mail programs decode what looks encoded."""
    return "=?" in text or not text.isascii()


def _squeeze(header: str, value: str) -> str:
    """Return the value of a header, without spaces in names: Python's parser adds some to long ones."""
    return value.replace(" ", "") if header == "From" else value


def _encode(text: str, header: str) -> str:
    """Return a text as it is written into a header."""
    return Header(text, "utf-8", header_name=header).encode(linesep="\r\n")


def _clean(text: str) -> str:
    """Return a text without control characters, with the line ends of emails."""
    return "".join(f"{line}\r\n" for line in _CONTROLS.sub("", text).strip().split("\n"))


def _read(message: str) -> tuple[list[tuple[str, str]], list[tuple[str | None, str]]]:
    """Return the headers, and the file names and texts, that a mail program reads."""
    parsed = message_from_string(message, policy=policy.default)
    parts = [part for part in parsed.walk() if not part.is_multipart()]
    texts = [cast(bytes, part.get_payload(decode=True)).decode() for part in parts]
    return (
        [(name, _squeeze(name, str(value))) for name, value in parsed.items()],
        [(part.get_filename(), text) for part, text in zip(parts, texts, strict=True)],
    )


def _describe_answer(code: int, reason: bytes | str, recipient: str) -> str:
    """Describe what a mail server answered, without the address, because organizers read it."""
    text = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else reason
    return f"The mail server said {code}: {' '.join(text.replace(recipient, '(the address)').split())}"
