"""`assay serve`: the site under gunicorn."""

import gc
import mmap
import os
import selectors
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Container
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from typing import Any

import click
from gunicorn.app.base import BaseApplication
from gunicorn.arbiter import Arbiter
from gunicorn.workers.gthread import TConn, ThreadWorker

from server import db
from server.app import create_app
from server.cli.site import migrate_database
from server.config import Config, ConfigError, from_env, to_env
from server.identity import IDENTITY, Identity
from server.services import keys

SEARCH_AFTER = 20_000
"""Objects more than there were, until a worker looks for garbage: a page makes some thousands for a moment,
and a search after each 700, as is usual, took a twentieth of the time."""
SPARE = 8
"""Workers more than are set that may be there at once, by signals of an operator or while one ends."""
HELD_UP = 0.1
"""Seconds without an answer, after which a worker whose threads are all busy waits for slow clients."""
FRESH = 3.0
"""Seconds for which a worker is believed: it tells its load each second, if it lives and is not stuck."""
SILENT = 5.0
"""Seconds that somebody may be connected without a word; browsers connect ahead of time."""
DRAINED = 65_536
"""Bytes that are read at once of what a client still sends whose answer is out."""
WORKER_REST = 5.0
"""Seconds until a worker is started again that ended."""


class Master(Arbiter):
    """gunicorn's master, which keeps a worker for jobs beside those for pages."""

    jobs: "Worker | None" = None

    def manage_workers(self) -> None:
        """Keep the processes going; called about once a second. Jobs wait until pages are served."""
        super().manage_workers()
        if self.jobs is not None and self.app.serves_pages:
            self.jobs.keep()


class Worker:
    """A child process that works off jobs; it ends by itself when its parent does."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self._process: subprocess.Popen[bytes] | None = None
        self._started = 0.0

    def keep(self) -> None:
        """Start it if it does not run: a fresh interpreter, that shares no thread and no connection."""
        if self._process is not None and self._process.poll() is None:
            return
        if self._process is not None and time.monotonic() < self._started + WORKER_REST:
            return
        command = [sys.executable, "-m", "server.cli", "worker", "--parent", str(os.getpid())]
        self._process = subprocess.Popen(command, env=to_env(self._config))  # noqa: S603  (our own words)
        self._started = time.monotonic()


class Loads:
    """How many requests each worker has, for all of them to see; who takes nobody in now tells nothing."""

    def __init__(self, places: int) -> None:
        # shared with the workers, who are forked: of each its load, and when it told that
        self._told = memoryview(mmap.mmap(-1, places * 16)).cast("d")
        for place in range(places):
            self.tell(place, None)

    def tell(self, place: int, load: int | None) -> None:
        """What one of them has."""
        self._told[2 * place] = -1 if load is None else load
        self._told[2 * place + 1] = time.monotonic()  # one clock for all processes

    def least(self, but: int) -> int | None:
        """The least that any other has; None: no other takes anybody in."""
        told, since = self._told.tolist(), time.monotonic() - FRESH
        others = [
            load
            for place, (load, at) in enumerate(zip(told[::2], told[1::2], strict=True))
            if load >= 0 and at >= since and place != but
        ]
        return int(min(others)) if others else None

    def free_place(self, taken: Container[int]) -> int:
        """One that no worker has; the last, where each has one."""
        last = len(self._told) // 2 - 1
        place = next((place for place in range(last) if place not in taken), last)
        self.tell(place, None)
        return place


def choose_place(master: Arbiter, worker: "EvenWorker") -> None:
    """Give a worker its place among the others, and the processor that fewest of them have.

    Left to themselves its threads change that with each page, and what a processor knows stays behind. There
    is none for it where some would have no worker.
    """
    others = [other for other in master.WORKERS.values() if other is not worker]
    worker.place = master.app.loads.free_place({other.place for other in others})
    cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
    taken = Counter(other.core for other in others)
    spread = 0 < len(cores) <= master.num_workers
    worker.core = min(cores, key=lambda core: taken[core]) if spread else None


def keep_to_core(_master: Arbiter, worker: "EvenWorker") -> None:
    """Stay where the master has said; called in the worker."""
    if worker.core is not None:
        os.sched_setaffinity(0, {worker.core})


class EvenWorker(ThreadWorker):
    """Takes a connection if no other worker has fewer requests, and lets one go that would wait less there.

    gunicorn's own takes all that knock, and answers on a connection for as long as its client likes: of many
    who come at once most would wait for one process while another has nothing to do. And it waits for each
    client that is to close its connection, up to two seconds in which it serves nobody else.
    """

    busy = 0
    core: int | None = None
    place = 0
    _most_kept = 0
    _moved = 0.0

    @property
    def max_keepalived(self) -> int:
        """How many connections stay open for another request."""
        least = self._loads.least(self.place)
        return self._most_kept if least is None or self.busy <= least + 1 else 0

    @max_keepalived.setter
    def max_keepalived(self, most: int) -> None:
        self._most_kept = most

    def notify(self) -> None:
        """Say that the worker lives, and what it has: after whatever happens, and each second at least."""
        super().notify()
        self._tell()

    def enqueue_req(self, conn: TConn) -> None:
        """Hand a connection to a thread."""
        self.busy += 1
        super().enqueue_req(conn)
        self.set_accept_enabled(self._accepting)

    def finish_request(self, conn: TConn, fs: Future[object]) -> None:
        """Take it back; gunicorn's loop then asks again whether to accept."""
        self.busy -= 1
        self._moved = time.monotonic()
        if not fs.cancelled() and fs.exception() is None and fs.result() is False:
            self._part(conn)
        else:
            super().finish_request(conn, fs)

    def set_accept_enabled(self, enabled: bool) -> None:
        """Accept who knocks, or leave them to the other processes."""
        super().set_accept_enabled(enabled and self._may_take(1 if self._accepting else 0))
        self._tell()

    def accept(self, listener: socket.socket) -> None:
        """Take somebody in, unless that is another's turn by now; no thread waits for their first word."""
        if not self._may_take(0):
            self.set_accept_enabled(False)
            return
        try:
            client, address = listener.accept()
        except (BlockingIOError, ConnectionAbortedError):
            return  # another process was first, or the client is gone
        self.nr_conns += 1
        conn = TConn(self.cfg, client, address, listener.getsockname())
        self._wait_for(conn, SILENT, self.on_pending_socket_readable)

    @property
    def _loads(self) -> Loads:
        loads: Loads = self.app.loads
        return loads

    def _may_take(self, more: int) -> bool:
        """Whether no other has fewer requests, or so many `more`; never while all threads are held up."""
        if self.busy >= self.cfg.threads and time.monotonic() > self._moved + HELD_UP:
            return False
        least = self._loads.least(self.place)
        return least is None or self.busy <= least + more

    def _tell(self) -> None:
        self._loads.tell(self.place, self.busy if self._accepting else None)

    def _part(self, conn: TConn) -> None:
        """Send nothing more, and close once the client has closed, or after a while; nobody waits for it."""
        try:
            conn.sock.setblocking(False)
            conn.sock.shutdown(socket.SHUT_WR)
        except OSError:
            self._close(conn)
            return
        self._wait_for(conn, self.cfg.keepalive, self._drain)

    def _wait_for(self, conn: TConn, seconds: float, then: Callable[[TConn, socket.socket], None]) -> None:
        """Call `then` each time that the client has said something, or close after so many seconds."""
        conn.timeout = time.monotonic() + seconds
        self.pending_conns.append(conn)
        self.poller.register(conn.sock, selectors.EVENT_READ, partial(then, conn))

    def _drain(self, conn: TConn, client: socket.socket) -> None:
        with suppress(OSError):
            if client.recv(DRAINED):
                return
        self.poller.unregister(client)
        self.pending_conns.remove(conn)
        self._close(conn)

    def _close(self, conn: TConn) -> None:
        self.nr_conns -= 1
        conn.close()


class Gunicorn(BaseApplication):
    """gunicorn with settings from Config instead of a file."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self._ready = mmap.mmap(-1, 1)  # shared with the workers, who are forked
        self.loads = Loads(2 * config.workers + SPARE)
        super().__init__()

    @property
    def serves_pages(self) -> bool:
        """Whether a worker has made its app."""
        return self._ready[0] == 1

    def load_config(self) -> None:
        """Hand gunicorn its settings."""
        for name, value in settings(self.config).items():
            self.cfg.set(name, value)

    def run(self) -> None:
        """Serve, and work off jobs beside it unless another process does."""
        master = Master(self)
        if self.config.jobs:
            master.jobs = Worker(self.config)
        master.run()

    def load(self) -> Any:
        """The app, made in each worker after the fork, so that none shares a connection."""
        app = create_app(self.config)
        gc.freeze()  # all that was made so far stays
        gc.set_threshold(SEARCH_AFTER)
        self._ready[0] = 1
        return app


def settings(config: Config) -> dict[str, Any]:
    """gunicorn's settings: threads, so that a slow client holds up one of them and not a process."""
    return {
        "bind": f"{config.host}:{config.port}",
        "workers": config.workers,
        "worker_class": EvenWorker,
        "pre_fork": choose_place,
        "post_fork": keep_to_core,
        "threads": config.threads,
        "timeout": 60,
        "graceful_timeout": 30,
        "limit_request_line": 8190,
        "control_socket_disable": True,
        "loglevel": "warning",
    }


@click.command("serve")
def command() -> None:
    """Serve the site on ASSAY_HOST and ASSAY_PORT; the database is migrated first.

    \b
    Exit:  0 stopped, 2 settings
    """
    config = from_env()
    if config.testing:
        raise ConfigError("ASSAY_TESTING is for tests; it weakens password hashes")
    serve(config)


def require_free_port(config: Config) -> None:
    """Say that the port is taken before anything is made or announced.

    Raises:
        ConfigError: another program listens there, or the address is not this machine's.
    """
    try:
        socket.create_server((config.host, config.port)).close()
    except OSError as error:
        raise ConfigError(
            f"port {config.port} of {config.host} cannot be used ({os.strerror(error.errno or 0)}); "
            "choose another with ASSAY_PORT, in the demo with --port"
        ) from error


def _require_signing_key(config: Config) -> None:
    """Refuse to start where no receipt could be signed.

    Raises:
        ConfigError: the site's key was sealed with another secret.
    """
    engine = db.open_engine(config.database_url)
    try:
        session = db.open_sessions(engine, **{IDENTITY: Identity.of(config)})
        with db.reading(session()):
            keys.require_usable(session())
        session.remove()
    finally:
        engine.dispose()


def serve(config: Config) -> None:
    """Migrate, then serve until stopped."""
    require_free_port(config)
    migrate_database(config)
    _require_signing_key(config)
    if config.secure_cookies and config.site_url.startswith("http:"):
        click.echo(
            "Cookies go over HTTPS only; nobody can sign in over plain HTTP. Name the address of a proxy "
            "that speaks HTTPS in ASSAY_SITE_URL, or set ASSAY_SECURE_COOKIES=false.",
            err=True,
        )
    click.echo(f"Assay listens on http://{config.host}:{config.port}/ (Ctrl-C stops it)")
    Gunicorn(config).run()
