"""`assay serve`: the site under gunicorn."""

import gc
import mmap
import os
import socket
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import Future
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


def choose_core(master: Arbiter, worker: "EvenWorker") -> None:
    """Give a worker the processor that fewest of the others have; none, where some would have no worker.

    Left to themselves its threads change it with each page, and what a processor knows stays behind.
    """
    cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
    taken = Counter(other.core for other in master.WORKERS.values())
    spread = 0 < len(cores) <= master.num_workers
    worker.core = min(cores, key=lambda core: taken[core]) if spread else None


def keep_to_core(_master: Arbiter, worker: "EvenWorker") -> None:
    """Stay where the master has said; called in the worker."""
    if worker.core is not None:
        os.sched_setaffinity(0, {worker.core})


class EvenWorker(ThreadWorker):
    """Takes a connection only while one of its threads is free, and keeps none while all are busy.

    gunicorn's own takes all that knock, and answers on a connection for as long as its client likes. Of many
    who come at once most would wait for one process while another has nothing to do. Here they wait at the
    door, for whichever process is free first.
    """

    busy = 0
    core: int | None = None
    _most_kept = 0

    @property
    def max_keepalived(self) -> int:
        """How many connections stay open for another request."""
        return self._most_kept if self.busy < self.cfg.threads else 0

    @max_keepalived.setter
    def max_keepalived(self, most: int) -> None:
        self._most_kept = most

    def enqueue_req(self, conn: TConn) -> None:
        """Hand a connection to a thread."""
        self.busy += 1
        super().enqueue_req(conn)
        self.set_accept_enabled(self._accepting)

    def finish_request(self, conn: TConn, fs: Future[object]) -> None:
        """Take it back; gunicorn's loop then asks again whether to accept."""
        self.busy -= 1
        super().finish_request(conn, fs)

    def set_accept_enabled(self, enabled: bool) -> None:
        """Accept who knocks, or leave them to the other processes."""
        super().set_accept_enabled(enabled and self.busy < self.cfg.threads)


class Gunicorn(BaseApplication):
    """gunicorn with settings from Config instead of a file."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self._ready = mmap.mmap(-1, 1)  # shared with the workers, who are forked
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
        "pre_fork": choose_core,
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
