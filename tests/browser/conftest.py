"""A real gunicorn with the demo's task, its evaluation open now, and a real Chromium."""

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner
from playwright.sync_api import Browser, Page

from server.cli.__main__ import main
from server.core.config import Config
from server.core.site_resources import Site, create_site
from tests.browser.looking import validate
from tests.server.mail_sink import Sink

ROOT = Path(__file__).parents[2]
BUNDLE = ROOT / "server" / "demo" / "harbour-2026"
PASSWORD = "a long enough password"


def assay(*arguments: str | Path, **settings: str) -> None:
    """Run a command of the site in this process, where starting it costs nothing."""
    names = {name for name in os.environ if name.startswith("ASSAY_")}
    result = CliRunner(env=dict.fromkeys(names) | settings).invoke(main, [*map(str, arguments)])
    assert result.exit_code == 0, result.output


def environment(settings: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("ASSAY_")} | settings


def open_now(folder: Path) -> Path:
    """The demo's description with an evaluation that is open, and without the runs of its teams."""
    text = (BUNDLE / "task.toml").read_text(encoding="utf-8")
    opens, closes = (datetime.now(UTC) + timedelta(hours=hours) for hours in (-1, 24))
    evaluation = text.index('slug = "evaluation"')
    lines = text[evaluation:].split("\n")
    for number, line in enumerate(lines):
        if line.startswith("opens ="):
            lines[number] = f"opens = {opens:%Y-%m-%dT%H:%M:%SZ}"
        elif line.startswith("closes ="):
            lines[number] = f"closes = {closes:%Y-%m-%dT%H:%M:%SZ}"
            break
    path = folder / "task.toml"
    path.write_text(text[:evaluation] + "\n".join(lines), encoding="utf-8")
    return path


@pytest.fixture
def sink() -> Iterator[Sink]:
    """The email server of the site."""
    sink = Sink()
    yield sink
    sink.stop()


@pytest.fixture
def script() -> bool:
    """Whether browsers run scripts, unless a test says otherwise."""
    return True


ADA = "ada@example.org"
KEY = "b" * 40


@pytest.fixture(scope="session")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of a site where ada organizes the demo's task, to be copied."""
    folder = tmp_path_factory.mktemp("filled")
    settings = {
        "ASSAY_SECRET_KEY": KEY,
        "ASSAY_DATA_DIR": str(folder / "data"),
        "ASSAY_DATABASE_URL": f"sqlite:///{folder / 'assay.sqlite'}",
    }
    assay("migrate", **settings)
    assay("user", "add", ADA, "--name", "Ada", "--password", PASSWORD, **settings)
    assay("task", "import", BUNDLE, "--config", open_now(folder), "--organizer", ADA, "--publish", **settings)
    return folder


@pytest.fixture(scope="session")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder for the HTML of pages, which are validated together: the checker takes seconds to start."""
    folder = tmp_path_factory.mktemp("pages")
    yield folder
    assert validate(folder) == []


@dataclass(frozen=True)
class LastingSite:
    """A site on SQLite that several tests use one after another, its files and its emails."""

    address: str
    folder: Path
    sink: Sink

    @property
    def database_url(self) -> str:
        return f"sqlite:///{self.folder / 'assay.sqlite'}"


@pytest.fixture(scope="session")
def lasting_site(filled: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LastingSite]:
    """A site for tests that leave its task, and the things of one another, as they are."""
    folder = tmp_path_factory.mktemp("lasting")
    shutil.copytree(filled, folder, dirs_exist_ok=True)
    sink = Sink()
    with served(folder, f"sqlite:///{folder / 'assay.sqlite'}", sink) as address:
        yield LastingSite(address, folder, sink)
    sink.stop()


@pytest.fixture
def site(filled: Path, tmp_path: Path, sink: Sink) -> Iterator[str]:
    """The address of a site where ada organizes the demo's task."""
    shutil.copytree(filled, tmp_path, dirs_exist_ok=True)
    with served(tmp_path, f"sqlite:///{tmp_path / 'assay.sqlite'}", sink) as address:
        yield address


@contextmanager
def served(folder: Path, database_url: str, sink: Sink, **others: str) -> Iterator[str]:
    """Serve a filled site; the address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    settings = {
        "ASSAY_SECRET_KEY": KEY,
        "ASSAY_DATA_DIR": str(folder / "data"),
        "ASSAY_DATABASE_URL": database_url,
        "ASSAY_PORT": port,
        "ASSAY_WORKERS": "1",
        "ASSAY_MAIL_URL": sink.url,
        "ASSAY_SECURE_COOKIES": "false",
        **others,
    }
    command = [sys.executable, "-m", "server.cli", "serve"]
    with subprocess.Popen(command, env=environment(settings), cwd=ROOT) as server:
        try:
            address = f"http://127.0.0.1:{port}"
            _wait_for(address, server)
            yield address
        finally:
            server.terminate()
            server.wait(timeout=30)


def _wait_for(address: str, server: subprocess.Popen[bytes]) -> None:
    for _ in range(600):
        assert server.poll() is None, "the server stopped"
        try:
            urllib.request.urlopen(address, timeout=5).close()  # noqa: S310  (our own address)
        except OSError:
            time.sleep(0.2)
        else:
            return
    raise AssertionError("the server does not answer")


@pytest.fixture
def visitor(chromium: Browser, site: str, script: bool) -> Iterator[Callable[[], Page]]:
    """Opens a browser of one more person; what the console complains of fails the test."""
    contexts = []
    complaints: list[str] = []

    def visit() -> Page:
        context = chromium.new_context(base_url=site, java_script_enabled=script)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(60_000)
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        return page

    yield visit
    for context in contexts:
        context.close()
    own = ("status of 4", "net::ERR_FAILED")
    """The messages that rejected requests write there, and those of networks that a test disconnects."""
    assert [text for text in complaints if not any(words in text for words in own)] == []


@pytest.fixture
def rows(lasting_site: LastingSite) -> Iterator[Site]:
    """The database and the files of the site that browsers visit."""
    opened = create_site(
        Config(
            secret_key=KEY,
            data_dir=lasting_site.folder / "data",
            database_url=lasting_site.database_url,
            site_url=lasting_site.address,
        )
    )
    yield opened
    opened.session.remove()
    opened.engine.dispose()
