"""A connection to a site: sends requests, retries them, and explains network errors."""

import json
import os
import ssl
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from scorer._version import __version__
from scorer.client.proxies import Proxy, find_proxy
from scorer.client.settings import Login
from scorer.client.site_errors import read_error, read_left_out
from scorer.errors import RequestError, SiteError, SiteUnavailable

if TYPE_CHECKING:
    from httpx2 import Client

API = "/api/v1"
MAX_ANSWER_BYTES = 200_000_000
"""The maximum size of a response."""
MAX_PAGES = 1000
_RETRY_STATUSES = (429, 503)
"""Responses after which the site has certainly not processed the request."""
_GATEWAY_STATUSES = (502, 504)
"""Responses of a proxy in front of a site, which may have processed the request."""
_TIMEOUT = 60.0
"""Seconds without any data; many simultaneous uploads can take a while."""


def path_of(*parts: str) -> str:
    """Build a path of the API; its parts may have any characters.

    >>> path_of("tasks", "a/b", "runs")
    '/tasks/a%2Fb/runs'
    """
    return "".join(f"/{quote(part, safe='')}" for part in parts)


@dataclass(frozen=True, slots=True)
class SiteResponse:
    """An HTTP response: status, headers and body."""

    status: int
    headers: Mapping[str, str]
    data: bytes


class Connection:
    """Sends requests to an Assay site, with or without a token. `Client` is the one that programs use.

    Parameters
    ----------
    login : Login
        The address of the site, and the API token.
    client : httpx2.Client
        From `open_http`.
    sleep : callable
        Waits between retries, given seconds.
    """

    def __init__(self, login: Login, client: "Client", sleep: Callable[[float], None] = time.sleep) -> None:
        self.address, self.login = login.site, login
        self._client, self._sleep = client, sleep
        self._headers = {"User-Agent": f"assay-scorer/{__version__}"}
        if login.token is not None:
            self._headers["Authorization"] = f"Bearer {login.token}"

    def json(self, path: str) -> dict[str, Any]:
        """Get the JSON object at a path of the API.

        Raises
        ------
        SiteError
            If the site rejects the request or does not answer.
        """
        return self._read(self._ask("GET", API + path))

    def rows(self, path: str) -> Iterator[dict[str, Any]]:
        """Yield all rows of a list of the API, page by page.

        Raises
        ------
        SiteError
            If the site rejects the request or does not answer.
        """
        mark = "&" if "?" in path else "?"
        for page in range(1, MAX_PAGES + 1):
            answer = self.json(f"{path}{mark}page={page}&per_page=100")
            yield from answer["items"]
            if answer.get("next") is None:
                return

    def file(self, path: str) -> bytes:
        """Download a file; the path is relative to the site, not to the API, and begins with a slash.

        Raises
        ------
        SiteError
            If the site rejects the request or does not answer.
        """
        return self._ask("GET", path).data

    def make(self, path: str, values: Mapping[str, Any]) -> dict[str, Any]:
        """Post values to the API without retries, so that nothing is created twice.

        Raises
        ------
        SiteError
            If the site rejects the request or does not answer.
        """
        return self._read(self._ask("POST", API + path, again=False, json=dict(values)))

    def upload(
        self, path: str, files: Sequence[tuple[str, bytes]], key: str, fields: Mapping[str, str]
    ) -> tuple[list[dict[str, Any]], SiteError | None]:
        """Upload the files of a run, all or none. The idempotency key makes it safe to send them again.

        Returns
        -------
        list of dict
            The result of each file. `new` is False for files that the site already had, also under this key.
        SiteError or None
            Says which files the site has left out, because the quota of their level is used up.

        Raises
        ------
        SiteError
            If the site rejects the files; then it has stored none of them.
        SiteUnavailable
            If there is no valid answer; then the site may have stored the files.
        """
        sent = [("file", (name, data, "text/plain")) for name, data in files]
        answer = self._ask("POST", API + path, files=sent, data=fields, headers={"Idempotency-Key": key})
        values = self._read(answer)
        if answer.headers.get("idempotency-replayed") == "true":
            values["files"] = [{**row, "new": False} for row in values["files"]]
        return values["files"], read_left_out(values.get("left_out"))

    def _ask(self, method: str, path: str, *, again: bool = True, **options: Any) -> SiteResponse:
        """Send a request, and retry it after temporary errors, up to `TRIES` times in all."""
        from httpx2 import HTTPError, TransportError  # noqa: PLC0415  slow to import

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
                    raise read_error(answer.status, answer.data, self.login)
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
                        f"{self.address} sent an answer of more than {MAX_ANSWER_BYTES // 10**6} MB"
                    )
                parts.append(part)
            return SiteResponse(response.status_code, dict(response.headers), b"".join(parts))

    def _read(self, answer: SiteResponse) -> dict[str, Any]:
        try:
            values = json.loads(answer.data or b"{}")
        except ValueError:
            values = None
        if not isinstance(values, dict):
            raise SiteUnavailable(f"{self.address} does not answer like an Assay site; is the address right?")
        return values


def open_http(site: str) -> "Client":
    """Return httpx's client for the address of a site, through the proxy that the environment names for it.

    Raises
    ------
    RequestError
        If certificates or a proxy that the environment names cannot be used.
    """
    from httpx2 import Client, HTTPTransport, InvalidURL  # noqa: PLC0415  slow to import

    proxy = find_proxy(site)
    try:
        transport = HTTPTransport(proxy=None if proxy is None else proxy.whole)
        return Client(transport=transport, timeout=_TIMEOUT)
    except (OSError, ImportError, ValueError, InvalidURL) as error:
        raise environment_error(error, proxy) from error


def _redirect_message(site: str, to: str) -> str:
    return f"{site} redirects to {to[:200]!r}; log in to the address of the site itself: `scorer login SITE`"


TRIES = 5
"""The maximum number of times that a request is sent."""
MAX_RETRY_DELAY = 60.0
"""Seconds. If a site asks for a longer delay, the request fails at once."""


def retry_delay(tried: int, retry_after: str | None) -> float:
    """Return the number of seconds to wait before the next try.

    Parameters
    ----------
    tried : int
        How often the request was sent so far, at least 1.
    retry_after : str or None
        The Retry-After header: seconds, or an HTTP date.

    Returns
    -------
    float
        The value of the header; by default 1, 2, 4, 8 and so on (exponential backoff).

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
    """Return an error that explains why a site does not answer and what to do."""
    causes = list(_error_causes(error))
    for cause in causes:
        if isinstance(cause, ssl.SSLCertVerificationError):
            reason = cause.verify_message or "it is not trusted"
            return SiteUnavailable(
                f"the certificate of {site} cannot be trusted: {reason}; check the address, or set "
                "SSL_CERT_FILE to the file of your institution's certificates"
            )
        if isinstance(cause, ssl.SSLError):
            return SiteUnavailable(f"{site} does not use TLS; check the scheme and the port of the address")
    reason = (str(causes[-1]) or type(error).__name__).rstrip(".")
    proxy = find_proxy(site)
    if proxy is None:
        return SiteUnavailable(
            f"{site} cannot be reached: {reason}; check the address and your connection, then try again"
        )
    return SiteUnavailable(
        f"{site} cannot be reached through the proxy {proxy.url}, which is set by {proxy.source}: {reason}; "
        "check the proxy, or add the host of the site to NO_PROXY, then try again"
    )


def is_permanent(error: Exception) -> bool:
    """Whether an error is permanent, so that a retry is useless."""
    return any(
        isinstance(cause, ssl.SSLError | ConnectionRefusedError) for cause in _error_causes(error)
    ) or (type(error).__name__ in ("UnsupportedProtocol", "LocalProtocolError", "ProxyError"))


def environment_error(error: Exception, proxy: Proxy | None) -> RequestError:
    """Return an error that explains which certificates or proxy in the environment cannot be used."""
    if isinstance(error, OSError):
        name = "SSL_CERT_FILE" if os.environ.get("SSL_CERT_FILE") else "SSL_CERT_DIR"
        return RequestError(
            f"the certificates in {os.environ.get(name)!r}, which is set by {name}, cannot be read: "
            f"{error.strerror or error}; set SSL_CERT_FILE to a file of certificates, or unset {name}"
        )
    if proxy is None:
        return RequestError(f"scorer cannot connect to a site: {error}")
    return RequestError(
        f"{proxy.source} is set to the proxy {proxy.url}, which scorer cannot use; "
        f"set {proxy.source} to one such as http://proxy.example.org:3128, or unset it"
    )


def _error_causes(error: BaseException) -> Iterator[BaseException]:
    cause: BaseException | None = error
    while cause is not None:
        yield cause
        cause = cause.__cause__ or cause.__context__
