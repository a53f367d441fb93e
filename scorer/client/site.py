"""A connection to a site: what is asked, how often, and what its answers mean."""

import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from scorer._version import __version__
from scorer.client.patience import LONGEST, TRIES, pause_of
from scorer.client.problems import error_of
from scorer.errors import SiteAway

if TYPE_CHECKING:
    from httpx2 import Client

API = "/api/v1"
MOST_BYTES = 200_000_000
"""The most that one answer may have."""
MOST_PAGES = 1000
_LATER = (429, 503)
"""Answers of a site that took nothing."""
_GATEWAY = (502, 504)
"""Answers of what stands before a site, which may have taken what was sent."""
_TIMEOUT = 60.0
"""Seconds without a byte; a rush of uploads may take a while."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a site answered: status of HTTP, headers, body."""

    status: int
    headers: Mapping[str, str]
    data: bytes


class Site:
    """A site of Assay, asked with somebody's token or with none.

    Parameters
    ----------
    address : str
        From `read_address`.
    token : str or None
        The personal token.
    client : httpx2.Client
        From `open_site`.
    sleep : callable
        What waits between tries.
    """

    def __init__(
        self, address: str, token: str | None, client: "Client", sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self.address = address
        self._client, self._sleep = client, sleep
        self._headers = {"User-Agent": f"assay-scorer/{__version__}"}
        if token is not None:
            self._headers["Authorization"] = f"Bearer {token}"

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
        for page in range(1, MOST_PAGES + 1):
            found = self.json(f"{path}{mark}page={page}&per_page=100")
            yield from found["items"]
            if found.get("next") is None:
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

    def upload(self, path: str, name: str, data: bytes, key: str) -> dict[str, Any]:
        """Send a file; by the key, the site takes it once however often it comes.

        Returns
        -------
        dict
            The answer; in that of a file which the site had taken before, by this key too, `new` is False.

        Raises
        ------
        SiteError
            If the site refuses.
        SiteAway
            If it does not answer, or not in words that Assay has: it may have taken the file.
        """
        file = {"file": (name, data, "text/plain")}
        answer = self._ask("POST", API + path, files=file, headers={"Idempotency-Key": key})
        values = self._read(answer)
        return {**values, "new": False} if answer.headers.get("idempotency-replayed") == "true" else values

    def _ask(self, method: str, path: str, *, again: bool = True, **options: Any) -> Answer:
        """Ask, and once more after each fault that may pass, up to `TRIES` times."""
        from httpx2 import HTTPError, TransportError  # noqa: PLC0415  only who asks a site pays for it

        headers = {**self._headers, **options.pop("headers", {})}
        for number in range(1, TRIES + 1):
            try:
                answer = self._once(method, self.address + path, headers, options)
            except HTTPError as error:
                away = away_of(error, self.address)
                passes = again and isinstance(error, TransportError) and not is_settled(error)
                pause = pause_of(number, None) if passes else None
                if pause is None or number == TRIES:
                    raise away from error
            else:
                if answer.status < 300:
                    return answer
                if answer.status < 400:
                    raise SiteAway(_moved(self.address, answer.headers.get("location", "")))
                passes = answer.status in _LATER or (again and answer.status in _GATEWAY)
                pause = pause_of(number, answer.headers.get("retry-after")) if passes else None
                if pause is None or pause > LONGEST or number == TRIES:
                    raise error_of(answer.status, answer.data, self.address)
            self._sleep(pause)
        raise AssertionError("every try returns or raises")

    def _once(self, method: str, url: str, headers: Mapping[str, str], options: Mapping[str, Any]) -> Answer:
        with self._client.stream(method, url, headers=headers, **options) as response:
            parts, size = [], 0
            for part in response.iter_bytes():
                size += len(part)
                if size > MOST_BYTES:
                    raise SiteAway(f"{self.address} answers with more than {MOST_BYTES // 10**6} MB")
                parts.append(part)
            return Answer(response.status_code, dict(response.headers), b"".join(parts))

    def _read(self, answer: Answer) -> dict[str, Any]:
        try:
            values = json.loads(answer.data) if answer.data else {}
        except ValueError as error:
            raise SiteAway(f"{self.address} answers, but not as Assay does; is it the right site?") from error
        if not isinstance(values, dict):
            raise SiteAway(f"{self.address} answers, but not as Assay does; is it the right site?")
        return values


@contextmanager
def open_site(address: str, token: str | None) -> Iterator[Site]:
    """A connection to a site, closed at the end.

    Parameters
    ----------
    address : str
        From `read_address`.
    token : str or None
        The personal token; None asks for what anybody may read.

    Yields
    ------
    Site
        The site.
    """
    from httpx2 import Client  # noqa: PLC0415  only who asks a site pays for it

    with Client(timeout=_TIMEOUT) as client:
        yield Site(address, token, client)


def away_of(error: Exception, site: str) -> SiteAway:
    """A fault of the network, in words that say what to do."""
    import ssl  # noqa: PLC0415  only who asks a site pays for it

    causes = list(_causes(error))
    for cause in causes:
        if isinstance(cause, ssl.SSLCertVerificationError):
            reason = cause.verify_message or "it is not trusted"
            return SiteAway(
                f"the certificate of {site} cannot be trusted: {reason}; check the address, or name the file "
                "of your institution's certificates in SSL_CERT_FILE"
            )
        if isinstance(cause, ssl.SSLError):
            return SiteAway(f"{site} does not speak TLS there; check scheme and port of the address")
    reason = str(causes[-1]) or type(error).__name__
    return SiteAway(
        f"{site} cannot be reached: {reason}; check the address and your connection, then try again"
    )


def is_settled(error: Exception) -> bool:
    """Whether a fault stays one, however often it is tried."""
    import ssl  # noqa: PLC0415  only who asks a site pays for it

    return any(isinstance(cause, ssl.SSLError | ConnectionRefusedError) for cause in _causes(error)) or (
        type(error).__name__ in ("UnsupportedProtocol", "LocalProtocolError", "ProxyError")
    )


def _causes(error: BaseException) -> Iterator[BaseException]:
    found: BaseException | None = error
    while found is not None:
        yield found
        found = found.__cause__ or found.__context__


def _moved(site: str, to: str) -> str:
    return f"{site} sends you to {to[:200]!r}; log in to the site's own address: `scorer login SITE`"
