"""Load on a served site: clients that ask again as soon as they are answered, and arrivals by a schedule."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from statistics import quantiles
from time import perf_counter

TIMEOUT = 60.0
BOUNDARY = "a-boundary-of-our-own"
AGENT = "bench"
"""What each client calls itself, from its sign-in on, as a browser does."""


Requests = Callable[[int], Iterator[bytes]]
"""What each client asks, by its number."""


@dataclass
class Measured:
    """Seconds of each answer, how many there were of each status, and what went wrong.

    `cpu`: seconds that the site worked for them; `host`: the share of the cores that was not the machine's.
    """

    seconds: list[float] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)
    errors: list[str] = field(default_factory=list)
    size: int = 0
    cpu: float = 0.0
    host: float = 0.0
    cold: list[float] = field(default_factory=list)
    """Seconds of the first answers after a start, which are none of those above."""
    taken: list[bytes] = field(default_factory=list)
    """The requests that were answered by the way to a page: files that the site has said it has."""

    @property
    def cpu_each(self) -> float:
        """Milliseconds of processor time that the site took for an answer, whatever else the machine did."""
        return self.cpu * 1000 / max(1, len(self.seconds))

    @property
    def unexpected(self) -> dict[int, int]:
        """How many answers there were that are neither a page nor the way to one, by their status."""
        return {status: count for status, count in self.statuses.items() if status not in (200, 302)}

    @property
    def p50(self) -> float:
        """The median, in milliseconds."""
        return quantiles(self.seconds, n=2)[0] * 1000

    @property
    def p95(self) -> float:
        """The 95th percentile, in milliseconds."""
        return quantiles(self.seconds, n=20)[-1] * 1000

    def note(self, seconds: float, status: int, size: int) -> None:
        """One answer."""
        self.seconds.append(seconds)
        self.statuses[status] += 1
        self.size = max(self.size, size)


def get(path: str, cookie: str = "") -> bytes:
    """A page, as a browser asks for it."""
    cookie_header = f"Cookie: {cookie}\r\n" if cookie else ""
    head = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: {AGENT}\r\nAccept-Encoding: gzip\r\n"
    return f"{head}{cookie_header}\r\n".encode()


def upload(path: str, cookie: str, token: str, data: bytes) -> bytes:
    """A file, as the form sends it."""
    part = f"--{BOUNDARY}\r\nContent-Disposition: form-data; name="
    body = b"".join(
        (
            f'{part}"csrf_token"\r\n\r\n{token}\r\n{part}"file"; filename="run.tsv"\r\n\r\n'.encode(),
            data,
            f"\r\n--{BOUNDARY}--\r\n".encode(),
        )
    )
    head = (
        f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: {AGENT}\r\nCookie: {cookie}\r\n"
        f"Content-Length: {len(body)}\r\n"
        f"Content-Type: multipart/form-data; boundary={BOUNDARY}\r\n\r\n"
    )
    return head.encode() + body


class Connection:
    """One connection to the site, opened again where the site has closed it."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def send(self, request: bytes) -> tuple[int, int]:
        """The status of the answer, and how many bytes it has."""
        if self._streams is None:
            self._streams = await asyncio.open_connection("127.0.0.1", self._port, limit=2**20)
        reader, writer = self._streams
        writer.write(request)
        await writer.drain()
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        status = int(head.split(b" ", 2)[1])
        size = (
            int(head.split(b"content-length: ", 1)[1].split(b"\r\n", 1)[0])
            if b"content-length:" in head
            else 0
        )
        await reader.readexactly(size)
        if b"connection: close" in head:
            await self.close()
        return status, size

    async def close(self) -> None:
        """End it."""
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None


async def _measure(connection: Connection, request: bytes, since: float, measured: Measured) -> None:
    try:
        async with asyncio.timeout(TIMEOUT):
            status, size = await connection.send(request)
    except (OSError, EOFError, TimeoutError) as error:
        measured.errors.append(repr(error))
        await connection.close()
    else:
        measured.note(perf_counter() - since, status, size)
        if status == 302:
            measured.taken.append(request)


def closed(port: int, clients: int, seconds: float, requests: Requests) -> Measured:
    """So many clients that ask again as soon as they have an answer, for so many seconds."""
    measured = Measured()

    async def client(number: int, end: float) -> None:
        connection = Connection(port)
        for request in requests(number):
            if perf_counter() > end:
                break
            await _measure(connection, request, perf_counter(), measured)
        await connection.close()

    async def run() -> None:
        end = perf_counter() + seconds
        await asyncio.gather(*(client(number, end) for number in range(clients)))

    asyncio.run(run())
    return measured


def scheduled(port: int, seconds: float, requests: list[bytes]) -> Measured:
    """Requests at even distances, each by a connection of its own, timed from the instant that it was due."""
    measured = Measured()

    async def one(request: bytes, due: float) -> None:
        await asyncio.sleep(max(0.0, due - perf_counter()))
        connection = Connection(port)
        await _measure(connection, request, due, measured)
        await connection.close()

    async def run() -> None:
        start, apart = perf_counter() + 0.1, seconds / len(requests)
        await asyncio.gather(*(one(request, start + apart * k) for k, request in enumerate(requests)))

    asyncio.run(run())
    return measured
