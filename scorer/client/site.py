"""A connection to a site: what is asked, how often, and what its answers mean."""

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from scorer._version import __version__
from scorer.client.faults import away_of, is_settled, unusable
from scorer.client.patience import LONGEST, TRIES, pause_of
from scorer.client.problems import error_of
from scorer.client.proxies import proxy_of
from scorer.client.settings import Login
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
class Response:
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
        return [{**one, "new": False} for one in values] if again else values

    def _ask(self, method: str, path: str, *, again: bool = True, **options: Any) -> Response:
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
                    raise error_of(answer.status, answer.data, self._login)
            self._sleep(pause)
        raise AssertionError("every try returns or raises")

    def _once(
        self, method: str, url: str, headers: Mapping[str, str], options: Mapping[str, Any]
    ) -> Response:
        with self._client.stream(method, url, headers=headers, **options) as response:
            parts, size = [], 0
            for part in response.iter_bytes():
                size += len(part)
                if size > MOST_BYTES:
                    raise SiteAway(f"{self.address} answers with more than {MOST_BYTES // 10**6} MB")
                parts.append(part)
            return Response(response.status_code, dict(response.headers), b"".join(parts))

    def _read(self, answer: Response) -> dict[str, Any]:
        try:
            values = json.loads(answer.data) if answer.data else {}
        except ValueError as error:
            raise SiteAway(f"{self.address} answers, but not as Assay does; is it the right site?") from error
        if not isinstance(values, dict):
            raise SiteAway(f"{self.address} answers, but not as Assay does; is it the right site?")
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

    proxy = proxy_of(login.site)
    try:
        transport = HTTPTransport(proxy=None if proxy is None else proxy.whole)
        client = Client(transport=transport, timeout=_TIMEOUT)
    except (OSError, ImportError, ValueError, InvalidURL) as error:
        raise unusable(error, proxy) from error
    with client:
        yield Connection(login, client, sleep)


def _moved(site: str, to: str) -> str:
    return f"{site} sends you to {to[:200]!r}; log in to the site's own address: `scorer login SITE`"
