"""A connection to a site: requests, retries, and errors of the network in words that say what to do."""

import json
import os
import ssl
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from scorer._version import __version__
from scorer.client.proxies import Proxy, find_proxy
from scorer.client.settings import Login
from scorer.client.site_errors import read_error
from scorer.errors import RequestError, SiteUnavailable

if TYPE_CHECKING:
    from httpx2 import Client

API = "/api/v1"
MAX_ANSWER_BYTES = 200_000_000
"""The most that one answer may have."""
MAX_PAGES = 1000
_RETRY_STATUSES = (429, 503)
"""Answers of a site that took nothing."""
_GATEWAY_STATUSES = (502, 504)
"""Answers of what stands before a site, which may have taken what was sent."""
_TIMEOUT = 60.0
"""Seconds without a byte; a rush of uploads may take a while."""


def path_of(*parts: str) -> str:
    """A path of the API whose parts may have any characters.

    >>> path_of("tasks", "a/b", "runs")
    '/tasks/a%2Fb/runs'
    """
    return "".join(f"/{quote(part, safe='')}" for part in parts)


@dataclass(frozen=True, slots=True)
class SiteResponse:
    """What a site answered: status of HTTP, headers, body."""

    status: int
    headers: Mapping[str, str]
    data: bytes


class Connection:
    """A site of Assay, asked with somebody's token or with none.

    Parameters
    ----------
    login : Login
        The site's address, and the personal token.
    client : httpx2.Client
        From `open_site`.
    sleep : callable
        What waits between tries.
    """

    def __init__(self, login: Login, client: "Client", sleep: Callable[[float], None] = time.sleep) -> None:
        self.address = login.site
        self._login, self._client, self._sleep = login, client, sleep
        self._headers = {"User-Agent": f"assay-scorer/{__version__}"}
        if login.token is not None:
            self._headers["Authorization"] = f"Bearer {login.token}"

    def json(self, path: str) -> dict[str, Any]:
        """What the API has at a path.

        Raises
        ------
        SiteError
            If the site refuses, or does not answer.
        """
        return self._read(self._ask("GET", API + path))

    def rows(self, path: str) -> Iterator[dict[str, Any]]:
        """All rows of a list of the API, page by page.

        Raises
        ------
        SiteError
            If the site refuses, or does not answer.
        """
        mark = "&" if "?" in path else "?"
        for page in range(1, MAX_PAGES + 1):
            answer = self.json(f"{path}{mark}page={page}&per_page=100")
            yield from answer["items"]
            if answer.get("next") is None:
                return

    def file(self, path: str) -> bytes:
        """The bytes of a file; the path begins with a slash and is the site's, not the API's.

        Raises
        ------
        SiteError
            If the site refuses, or does not answer.
        """
        return self._ask("GET", path).data

    def make(self, path: str, values: Mapping[str, Any]) -> dict[str, Any]:
        """Send values to the API, once: what was made may not be made twice.

        Raises
        ------
        SiteError
            If the site refuses, or does not answer.
        """
        return self._read(self._ask("POST", API + path, again=False, json=dict(values)))

    def upload(self, path: str, files: Sequence[tuple[str, bytes]], key: str) -> list[dict[str, Any]]:
        """Send the files of a run, all or none; by the key, the site takes them once however often they come.

        Returns
        -------
        list of dict
            What came of each; of those which the site had taken before, by this key too, `new` is False.

        Raises
        ------
        SiteError
            If the site refuses; then it has stored none of them.
        SiteAway
            If it does not answer, or not in words that Assay has: it may have taken them.
        """
        sent = [("file", (name, data, "text/plain")) for name, data in files]
        answer = self._ask("POST", API + path, files=sent, headers={"Idempotency-Key": key})
        values: list[dict[str, Any]] = self._read(answer)["files"]
        again = answer.headers.get("idempotency-replayed") == "true"
        return [{**row, "new": False} for row in values] if again else values

    def _ask(self, method: str, path: str, *, again: bool = True, **options: Any) -> SiteResponse:
        """Ask, and once more after each fault that may pass, up to `TRIES` times."""
        from httpx2 import HTTPError, TransportError  # noqa: PLC0415  only who asks a site pays for it

        headers = {**self._headers, **options.pop("headers", {})}
        for number in range(1, TRIES + 1):
            try:
                answer = self._once(method, self.address + path, headers, options)
            except HTTPError as error:
                away = unreachable_error(error, self.address)
                passes = again and isinstance(error, TransportError) and not is_permanent(error)
                pause = retry_delay(number, None) if passes else None
                if pause is None or number == TRIES:
                    raise away from error
            else:
                if answer.status < 300:
                    return answer
                if answer.status < 400:
                    raise SiteUnavailable(_redirect_message(self.address, answer.headers.get("location", "")))
                passes = answer.status in _RETRY_STATUSES or (again and answer.status in _GATEWAY_STATUSES)
                pause = retry_delay(number, answer.headers.get("retry-after")) if passes else None
                if pause is None or pause > MAX_RETRY_DELAY or number == TRIES:
                    raise read_error(answer.status, answer.data, self._login)
            self._sleep(pause)
        raise AssertionError("every try returns or raises")

    def _once(
        self, method: str, url: str, headers: Mapping[str, str], options: Mapping[str, Any]
    ) -> SiteResponse:
        with self._client.stream(method, url, headers=headers, **options) as response:
            parts, size = [], 0
            for part in response.iter_bytes():
                size += len(part)
                if size > MAX_ANSWER_BYTES:
                    raise SiteUnavailable(
                        f"{self.address} answers with more than {MAX_ANSWER_BYTES // 10**6} MB"
                    )
                parts.append(part)
            return SiteResponse(response.status_code, dict(response.headers), b"".join(parts))

    def _read(self, answer: SiteResponse) -> dict[str, Any]:
        try:
            values = json.loads(answer.data or b"{}")
        except ValueError:
            values = None
        if not isinstance(values, dict):
            raise SiteUnavailable(f"{self.address} answers, but not as Assay does; is it the right site?")
        return values


@contextmanager
def open_site(login: Login, sleep: Callable[[float], None] = time.sleep) -> Iterator[Connection]:
    """A connection to a site, closed at the end.

    Parameters
    ----------
    login : Login
        The site's address, and the personal token; without one it is asked for what anybody may read.
    sleep : callable, optional
        What waits between tries, given seconds.

    Yields
    ------
    Connection
        The site.

    Raises
    ------
    RequestError
        If certificates or a proxy that the environment names cannot be used.
    """
    from httpx2 import Client, HTTPTransport, InvalidURL  # noqa: PLC0415  only who asks a site pays for it

    proxy = find_proxy(login.site)
    try:
        transport = HTTPTransport(proxy=None if proxy is None else proxy.whole)
        client = Client(transport=transport, timeout=_TIMEOUT)
    except (OSError, ImportError, ValueError, InvalidURL) as error:
        raise environment_error(error, proxy) from error
    with client:
        yield Connection(login, client, sleep)


def _redirect_message(site: str, to: str) -> str:
    return f"{site} sends you to {to[:200]!r}; log in to the site's own address: `scorer login SITE`"


TRIES = 5
"""How often one thing is asked for."""
MAX_RETRY_DELAY = 60.0
"""Seconds; a site that wants more is believed, and not waited for."""


def retry_delay(tried: int, retry_after: str | None) -> float:
    """Seconds to wait.

    Parameters
    ----------
    tried : int
        How often it was asked so far, from 1.
    retry_after : str or None
        The header of that name: seconds, or an instant as HTTP writes it.

    Returns
    -------
    float
        What the header says; without one 1, 2, 4, 8 and so on.

    Examples
    --------
    >>> retry_delay(3, None), retry_delay(1, "7"), retry_delay(2, "soon")
    (4.0, 7.0, 2.0)
    """
    usual = float(2 ** (tried - 1))
    if retry_after is None:
        return usual
    if retry_after.isascii() and retry_after.isdigit():
        return float(retry_after[:9])
    try:
        at = parsedate_to_datetime(retry_after)
    except ValueError:
        return usual
    return max(0.0, (at.replace(tzinfo=at.tzinfo or UTC) - datetime.now(UTC)).total_seconds())


def unreachable_error(error: Exception, site: str) -> SiteUnavailable:
    """Why a site does not answer."""
    causes = list(_error_causes(error))
    for cause in causes:
        if isinstance(cause, ssl.SSLCertVerificationError):
            reason = cause.verify_message or "it is not trusted"
            return SiteUnavailable(
                f"the certificate of {site} cannot be trusted: {reason}; check the address, or name the file "
                "of your institution's certificates in SSL_CERT_FILE"
            )
        if isinstance(cause, ssl.SSLError):
            return SiteUnavailable(f"{site} does not speak TLS there; check scheme and port of the address")
    reason = (str(causes[-1]) or type(error).__name__).rstrip(".")
    proxy = find_proxy(site)
    if proxy is None:
        return SiteUnavailable(
            f"{site} cannot be reached: {reason}; check the address and your connection, then try again"
        )
    return SiteUnavailable(
        f"{site} cannot be reached by way of the proxy {proxy.url}, which {proxy.source} names: {reason}; "
        "check the proxy, or name the site's host in NO_PROXY, then try again"
    )


def is_permanent(error: Exception) -> bool:
    """Whether a fault stays one, however often it is tried."""
    return any(
        isinstance(cause, ssl.SSLError | ConnectionRefusedError) for cause in _error_causes(error)
    ) or (type(error).__name__ in ("UnsupportedProtocol", "LocalProtocolError", "ProxyError"))


def environment_error(error: Exception, proxy: Proxy | None) -> RequestError:
    """Why a site cannot be asked: the certificates, or the proxy, that the environment names for it."""
    if isinstance(error, OSError):
        name = "SSL_CERT_FILE" if os.environ.get("SSL_CERT_FILE") else "SSL_CERT_DIR"
        return RequestError(
            f"the certificates in {os.environ.get(name)!r}, which {name} names, cannot be read: "
            f"{error.strerror or error}; name a file of certificates in SSL_CERT_FILE, or unset {name}"
        )
    if proxy is None:
        return RequestError(f"nothing can be asked of a site from here: {error}")
    return RequestError(
        f"{proxy.source} names the proxy {proxy.url}, which scorer cannot go through; "
        f"name one such as http://proxy.example.org:3128 in {proxy.source}, or unset it"
    )


def _error_causes(error: BaseException) -> Iterator[BaseException]:
    cause: BaseException | None = error
    while cause is not None:
        yield cause
        cause = cause.__cause__ or cause.__context__
