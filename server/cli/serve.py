"""`assay serve`: the site under gunicorn."""

import contextlib
import os
import socket
import sys
import threading
import time
from collections.abc import Sequence
from typing import Any

import click
from flask import Flask
from gunicorn.app.base import BaseApplication

from server.app import create_app
from server.cli.common import migrate_database, require_signing_key
from server.core.config import Config, ConfigError, from_env, to_env

RESTART_SECONDS = 5.0
"""How long to wait before a jobs worker that ended is started again."""


class Gunicorn(BaseApplication):
    """gunicorn with settings from Config instead of a file; see gunicorn's "Custom Application"."""

    def __init__(self, config: Config) -> None:
        self.config = config
        super().__init__()

    def load_config(self) -> None:
        """Give gunicorn its settings."""
        for name, value in gunicorn_settings(self.config).items():
            self.cfg.set(name, value)

    def load(self) -> Flask:
        """Create the app; each worker does so after the fork, so that no two share a connection."""
        return create_app(self.config)


def gunicorn_settings(config: Config) -> dict[str, Any]:
    """gunicorn's settings: a worker with threads, which also waits for connections that send nothing yet."""
    chosen: dict[str, Any] = {
        "bind": f"{config.host}:{config.port}",
        "workers": config.workers,
        "worker_class": "gthread",
        "threads": config.threads,
        # A worker accepts no more than it can soon answer, and lets each connection go: otherwise one of them
        # accepts most clients while another is idle.
        "worker_connections": max(8, 4 * config.threads),
        "keepalive": 0,
        "timeout": 60,
        "graceful_timeout": 30,
        "limit_request_line": 8190,
        "control_socket_disable": True,
        "loglevel": "warning",
    }
    if config.jobs:
        chosen["when_ready"] = lambda master: start_jobs_worker(config, master.LISTENERS)
    return chosen


def start_jobs_worker(config: Config, listeners: Sequence[Any]) -> None:
    """Keep one `assay worker` running for as long as this process runs; it gets none of the listeners."""
    threading.Thread(target=_run_jobs_worker, args=(config, listeners), daemon=True).start()


def _run_jobs_worker(config: Config, listeners: Sequence[Any]) -> None:
    command = [sys.executable, "-m", "server.cli", "worker", "--parent", str(os.getpid())]
    while True:
        # Not by subprocess: it reads from a pipe until the program has begun, and would wait for ever where
        # gunicorn forks at that instant, since the page worker then has the other end of the pipe, too.
        # gunicorn lets every child inherit its sockets. The jobs worker may outlive the master while it ends
        # a job, and would keep the port: nobody answers there, and the next master cannot have it.
        closed = [(os.POSIX_SPAWN_CLOSE, listener.fileno()) for listener in listeners]
        worker = os.posix_spawn(sys.executable, command, to_env(config), file_actions=closed)
        with contextlib.suppress(ChildProcessError):  # gunicorn may have collected it first
            os.waitpid(worker, 0)
        time.sleep(RESTART_SECONDS)


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


def serve(config: Config) -> None:
    """Migrate, then serve until stopped."""
    require_free_port(config)
    migrate_database(config)
    require_signing_key(config)
    if config.secure_cookies and config.site_url.startswith("http:"):
        click.echo(
            "Cookies go over HTTPS only; nobody can sign in over plain HTTP. Name the address of a proxy "
            "that speaks HTTPS in ASSAY_SITE_URL, or set ASSAY_SECURE_COOKIES=false.",
            err=True,
        )
    click.echo(f"Assay listens on http://{config.host}:{config.port}/ (Ctrl-C stops it)")
    Gunicorn(config).run()
