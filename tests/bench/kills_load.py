"""The load of the bench of kills: clients who upload by the API and note what the site acknowledged."""

import hashlib
import json
import random
import threading
from collections import Counter
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from typing import Any, Literal

from tests.bench.kills_site import GOLD, LEVELS, LIVE, RELEASED, SLUG, Sender
from tests.bench.site_load import BOUNDARY

PAUSE = 0.1
"""Seconds between two uploads of a client, so that jobs and inferences get a share of the processor."""
AGAIN, TIMES = 0.2, 300
"""Seconds until a client that got no answer tries again, and how often it does."""
RELEASE_SECONDS = 5.0
TIMEOUT = 60.0
State = Literal["acknowledged", "unknown", "refused", "never sent"]


class NotConnected(Exception):
    """The connection was refused, so nothing was sent."""


@dataclass(slots=True)
class Upload:
    """A file of its own, and what its client knows of it."""

    sha256: str
    level: str
    phase: str
    run: int
    key: str | None
    state: State = "never sent"
    broken: int = 0
    """How many times the connection broke after it was sent."""
    status: int = 0
    id: int = 0
    receipt: str = ""


class Client:
    """One team: uploads until it is stopped; with a key it sends again what was not answered."""

    def __init__(self, port: int, sender: Sender, number: int, seed: int, pause: float = PAUSE) -> None:
        self.uploads: list[Upload] = []
        self.statuses: Counter[int] = Counter()
        self._pause = pause
        self._port, self._sender, self._number = port, sender, number
        self._chance = random.Random(f"{seed} {number}")  # noqa: S311  (a simulation)

    def run(self, stopped: threading.Event) -> None:
        """Upload until stopped; the last upload is brought to its end."""
        while not stopped.is_set():
            upload, data = self._next()
            self.uploads.append(upload)
            for _ in range(TIMES):
                self._send(upload, data)
                if upload.state in ("acknowledged", "refused") or (upload.broken and upload.key is None):
                    break
                threading.Event().wait(AGAIN)
            stopped.wait(self._pause)

    def _next(self) -> tuple[Upload, bytes]:
        """A file that nobody has sent before, in turn for each phase and level, every second with a key."""
        count, noise = len(self.uploads), self._chance
        data = "".join(f"{min(4, max(0, value + noise.gauss(0, 1))):.4f}\n" for value in GOLD).encode()
        phase, level = (LIVE, RELEASED)[count % 2], LEVELS[count // 2 % 2]
        key = f"{self._number}-{count}" if count // 4 % 2 else None
        sha256 = hashlib.sha256(data).hexdigest()
        return Upload(sha256, level, phase, self._sender.runs[phase], key), data

    def _send(self, upload: Upload, data: bytes) -> None:
        part = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="run.tsv"\r\n\r\n'
        body = part.encode() + data + f"\r\n--{BOUNDARY}--\r\n".encode()
        headers = {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}
        if upload.key is not None:
            headers["Idempotency-Key"] = upload.key
        path = f"/api/v1/runs/{upload.run}/files/{upload.level}"
        try:
            upload.status, answer = ask(self._port, self._sender.token, path, body, headers)
        except NotConnected:
            return
        except (OSError, HTTPException, ValueError):
            upload.state, upload.broken = "unknown", upload.broken + 1
            return
        self.statuses[upload.status] += 1
        if upload.status < 300:
            upload.state, upload.id, upload.receipt = (
                "acknowledged",
                answer["submission"]["id"],
                answer["receipt"],
            )
        elif upload.status < 500:
            upload.state = "refused"
        else:
            upload.state, upload.broken = "unknown", upload.broken + 1


class Organizer:
    """Releases the board of a phase again and again, so that inferences run."""

    def __init__(self, port: int, token: str) -> None:
        self._port, self._token = port, token
        self.statuses: list[int] = []
        """The status of each answer."""

    def run(self, stopped: threading.Event) -> None:
        """Release until stopped."""
        while not stopped.wait(RELEASE_SECONDS):
            self.release()

    def release(self) -> None:
        """Release the current board, if the site answers; every release queues an inference."""
        path, headers = (
            f"/api/v1/tasks/{SLUG}/phases/{RELEASED}/releases",
            {"Content-Type": "application/json"},
        )
        try:
            self.statuses.append(ask(self._port, self._token, path, b'{"sure": true}', headers)[0])
        except (NotConnected, OSError, HTTPException, ValueError):
            return


def ask(port: int, token: str, path: str, body: bytes | None, headers: dict[str, str]) -> tuple[int, Any]:
    """The status and the JSON of an answer to a POST, or to a GET without a body.

    Raises:
        NotConnected: nobody listens, so nothing was sent.
        OSError, HTTPException, ValueError: the connection broke, or the answer is not whole.
    """
    connection = HTTPConnection("127.0.0.1", port, timeout=TIMEOUT)
    try:
        try:
            connection.connect()
        except OSError as error:
            raise NotConnected from error
        method = "GET" if body is None else "POST"
        connection.request(method, path, body, {"Authorization": f"Bearer {token}", **headers})
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read() or "null")
    finally:
        connection.close()
