"""`assay serve`: runs the site under gunicorn."""

import contextlib
import os
import shutil
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
from server.core import logs, metrics
from server.core.config import Config, ConfigError, from_env, to_env
from server.core.scratch import use_scratch

RESTART_SECONDS = 5.0
"""The delay before a jobs worker that ended is started again."""


class Gunicorn(BaseApplication):
    """gunicorn with the settings of Config instead of a file; see gunicorn's "Custom Application"."""

    def __init__(self, config: Config) -> None:
        self.config = config
        super().__init__()

    def load_config(self) -> None:
        """Set gunicorn's settings."""
        for name, value in gunicorn_settings(self.config).items():
            self.cfg.set(name, value)

    def load(self) -> Flask:
        """Create the app; each worker does this after the fork, so that no two share a connection."""
        use_scratch(self.config)
        return create_app(self.config)


def gunicorn_settings(config: Config) -> dict[str, Any]:
    """Return gunicorn's settings: workers with threads, which also wait for connections that are idle yet."""
    chosen: dict[str, Any] = {
        "bind": f"{config.host}:{config.port}",
        "workers": config.workers,
        "worker_class": "gthread",
        "threads": config.threads,
        # Each thread answers one connection, and one more waits for it; the others wait in the one queue of
        # all workers, and none is kept: otherwise one worker accepts most clients while another is idle.
        "worker_connections": 2 * config.threads,
        "keepalive": 0,
        "timeout": 60,
        "graceful_timeout": 30,
        "limit_request_line": 8190,
        "control_socket_disable": True,
        "loglevel": "warning",
    }
    if config.metrics:
        chosen["bind"] = [chosen["bind"], config.metrics]
    if config.log == "json":
        chosen["logconfig_dict"] = logs.json_settings()
    if config.jobs:
        chosen["when_ready"] = lambda master: start_jobs_worker(config, master.LISTENERS)
    return chosen


def start_jobs_worker(config: Config, listeners: Sequence[Any]) -> None:
    """Keep one `assay worker` running while this process runs; it does not inherit the listeners."""
    threading.Thread(target=_run_jobs_worker, args=(config, listeners), daemon=True).start()


def _run_jobs_worker(config: Config, listeners: Sequence[Any]) -> None:
    command = [sys.executable, "-m", "server.cli", "worker", "--parent", str(os.getpid())]
    while True:
        # subprocess would read from a pipe until the program has begun, and wait for ever if gunicorn forks
        # at that instant, since the page worker would inherit the other end of the pipe. gunicorn lets every
        # child inherit its sockets. The jobs worker may outlive the master while it finishes a job, and would
        # keep the port: nothing answers there, and the next master cannot use it.
        closed = [(os.POSIX_SPAWN_CLOSE, listener.fileno()) for listener in listeners]
        worker = os.posix_spawn(sys.executable, command, to_env(config), file_actions=closed)
        with contextlib.suppress(ChildProcessError):  # gunicorn may have reaped it first
            os.waitpid(worker, 0)
        time.sleep(RESTART_SECONDS)


@click.command("serve")
def command() -> None:
    """Serve the site on ASSAY_HOST and ASSAY_PORT.

    The database is migrated first.

    \b
    Exit:  0 stopped, 2 settings
    """
    config = from_env()
    if config.testing:
        raise ConfigError("ASSAY_TESTING is for tests only, because it weakens password hashes")
    serve(config)


def require_free_port(config: Config) -> None:
    """Check that the ports are free before anything is created or announced.

    Raises:
        ConfigError: another program uses a port, or its address is not this machine's.
    """
    _require_free(config.host, config.port, "ASSAY_PORT, or with --port for the demo")
    if config.metrics:
        host, _, port = config.metrics.rpartition(":")
        _require_free(host.strip("[]"), int(port), metrics.SETTING)


def _require_free(host: str, port: int, setting: str) -> None:
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        socket.create_server((host, port), family=family).close()
    except OSError as error:
        raise ConfigError(
            f"port {port} of {host} cannot be used ({os.strerror(error.errno or 0)}). "
            f"Choose another with {setting}"
        ) from error


def serve(config: Config) -> None:
    """Migrate the database, then serve until stopped."""
    logs.start(config)
    require_free_port(config)
    migrate_database(config)
    require_signing_key(config)
    if config.secure_cookies and config.site_url.startswith("http:"):
        click.echo(
            "warning: cookies are sent over HTTPS only, so nobody can sign in over plain HTTP. Set "
            "ASSAY_SITE_URL to the https address of your proxy, or set ASSAY_SECURE_COOKIES=false.",
            err=True,
        )
    gunicorn, folder = Gunicorn(config), metrics.make_folder(config)
    if folder is not None:  # not by `with`: each page worker, too, leaves this function when it ends
        gunicorn.cfg.set("on_exit", lambda _master: shutil.rmtree(folder, ignore_errors=True))
    metrics.start(config)
    click.echo(f"Assay is listening on http://{config.host}:{config.port}/ (press Ctrl-C to stop)")
    gunicorn.run()
