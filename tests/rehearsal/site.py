"""A site as people run one: a folder, a database, `assay serve` with its jobs, on a port of 127.0.0.1."""

import os
import secrets
import socket
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
PATIENCE = 120.0
"""Seconds that a site has to answer, and a command to end."""


class Stopped(Exception):
    """A site or a command that ended otherwise than it should."""


class Site:
    """One site; `command` runs `assay`, `start` and `stop` its server."""

    def __init__(
        self, folder: Path, database_url: str, mail_url: str, *, like: "Site | None" = None, **more: str
    ) -> None:
        """`like`: the site that this one is when it is restored, under its address and with its secret."""
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self.log = folder, folder / "log"
        self.kind = database_url.split(":", maxsplit=1)[0].split("+", maxsplit=1)[0]
        with socket.create_server(("127.0.0.1", 0)) as probe:
            port = probe.getsockname()[1]
        self.address = f"http://127.0.0.1:{port}"
        self.secret_key = secrets.token_hex() if like is None else like.secret_key
        self.settings = {
            "ASSAY_SECRET_KEY": self.secret_key,
            "ASSAY_SITE_URL": self.address if like is None else like.address,
            "ASSAY_DATA_DIR": str(folder / "data"),
            "ASSAY_DATABASE_URL": database_url,
            "ASSAY_PORT": str(port),
            "ASSAY_MAIL_URL": mail_url,
            "ASSAY_SECURE_COOKIES": "false",
            "ASSAY_OPEN_IMPORT": "true",
            **more,
        }
        self.server: subprocess.Popen[bytes] | None = None

    @property
    def environment(self) -> dict[str, str]:
        others = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith("ASSAY_") and name != "DATABASE_URL"
        }
        return others | self.settings

    def command(self, *words: str | Path, expect: int = 0) -> str:
        """Run a command of the site to its end, and return what it printed."""
        return run("server.cli", *words, environment=self.environment, expect=expect)

    def start(self) -> None:
        """Serve, and wait until the site answers."""
        with self.log.open("ab") as log:
            command = [sys.executable, "-m", "server.cli", "serve"]
            self.server = subprocess.Popen(command, env=self.environment, cwd=ROOT, stdout=log, stderr=log)
        host, port = self.address.removeprefix("http://").split(":")
        until = time.monotonic() + PATIENCE
        while True:
            with socket.socket() as probe:
                if probe.connect_ex((host, int(port))) == 0:
                    return
            if self.server.poll() is not None or time.monotonic() > until:
                raise Stopped(f"the site does not answer:\n{self.tail()}")
            time.sleep(0.1)

    def stop(self) -> None:
        """End the server and its jobs."""
        if self.server is not None:
            self.server.terminate()
            try:
                self.server.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                self.server.kill()
                self.server.wait()
            self.server = None

    def tail(self) -> str:
        """The end of what the server said."""
        text = self.log.read_text(encoding="utf-8", errors="replace") if self.log.exists() else ""
        return "\n".join(text.splitlines()[-30:])


def run(module: str, *words: str | Path, environment: dict[str, str] | None = None, expect: int = 0) -> str:
    """Run a command to its end, and return what it printed.

    Raises:
        Stopped: it ended with another status; what it said is in the message.
    """
    command = [sys.executable, "-m", module, *map(str, words)]
    ended = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, timeout=600, check=False)
    if ended.returncode != expect:
        said = (ended.stdout[-1500:] + ended.stderr[-3000:]).decode(errors="replace")
        shown = " ".join(map(str, words))
        raise Stopped(f"{module} {shown}: exit {ended.returncode} in place of {expect}\n{said}")
    return ended.stdout.decode()
