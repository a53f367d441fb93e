"""The built wheel in an empty environment: what a participant, and what an operator, gets."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from shutil import copy
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).parents[2]
UV = (sys.executable, "-m", "uv")
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith(("ASSAY_", "PYTHON"))}

BUNDLE = ROOT / "server" / "demo" / "harbour-2026"
MODULES = re.compile(r"^(?:scorer|server)/.*", re.MULTILINE)
FOUND_TEAM = """
from datetime import UTC, datetime
from server import db
from server.accounts import create_account
from server.app import create_app
from server.config import from_env
from server.domain.actors import Actor
from server.services import tasks, teams, tokens
from server.views.context import site_of
app = create_app(from_env())
app.app_context().push()
session, now = site_of(app).session(), datetime.now(UTC)
with db.writing(session):
    actor = Actor(user_id=create_account(session, "bo@example.org", "bo", "correct horse battery").id)
with db.writing(session):
    teams.create_team(session, actor, tasks.get_task(session, "harbour-2026"), "birch", now)
    print(tokens.make_token(session, actor, "script", ["read", "submit"], 1, now)[1])
"""
"""bo founds a team and makes a token."""

pytestmark = [pytest.mark.install, pytest.mark.xdist_group("install")]


def run(
    *command: str | Path, cwd: Path, said: str | None = None, **options: str
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end; fail with what it said."""
    result = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=CLEAN | options,
        input=said,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert result.returncode == 0, f"{command}\n{result.stdout}\n{result.stderr}"
    return result


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    source = tmp_path_factory.mktemp("source")
    run("git", "-C", ROOT, "checkout-index", "-a", f"--prefix={source}/", cwd=ROOT)
    pip = (sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation")
    run(*pip, "-w", folder, source, cwd=folder)
    (found,) = folder.glob("assay-*.whl")
    return found


def environment(folder: Path, requirement: str) -> Path:
    """The `bin` folder of a new environment that has nothing but the requirement."""
    lock = (ROOT / "deploy" / "lock" / "server.txt").read_text(encoding="utf-8")
    pins = folder / "constraints.txt"
    pins.write_text("\n".join(re.findall(r"^\w[^\s\\]*==[^\\\n]*", lock, re.MULTILINE)), encoding="utf-8")
    run(*UV, "venv", "-q", "--python", sys.executable, folder / "venv", cwd=folder)
    python = folder / "venv" / "bin" / "python"
    run(*UV, "pip", "install", "-q", "--python", python, "-c", pins, requirement, cwd=folder)
    return python.parent


def test_the_scorer_needs_what_it_counts_draws_and_prints_with(wheel: Path, tmp_path: Path) -> None:
    binaries = environment(tmp_path, str(wheel))
    listed = run(*UV, "pip", "list", "--format=json", "--python", binaries / "python", cwd=tmp_path).stdout
    own = {"assay", "click", "cryptography", "httpx2", "numpy", "rich", "scipy"}
    of_these = {"anyio", "h11", "httpcore2", "idna", "truststore", "typing-extensions"}
    of_these |= {"cffi", "markdown-it-py", "mdurl", "pycparser", "pygments"}
    found = {package["name"].lower() for package in json.loads(listed)} | {"typing-extensions"}
    assert found == own | of_these  # the last one before Python 3.13 alone

    (tmp_path / "gold.tsv").write_text("1\n2\n3\n", encoding="utf-8")
    (tmp_path / "run.tsv").write_text("1\n3\n4\n", encoding="utf-8")
    lines = run(binaries / "scorer", "score", "gold.tsv", "run.tsv", "--format", "tsv", cwd=tmp_path).stdout
    # x = -1 0 1, y = -5 1 4 (thirds): r = 9 / sqrt(2 * 42)
    head, pearson, spearman = (line.split("\t") for line in lines.splitlines())
    assert head == ["metric", "value", "n", "undefined", "signature"]
    assert float(pearson[1]) == pytest.approx(9 / 84**0.5, abs=1e-15)
    assert spearman[:3] == ["spearman", "1.0", "3"]
    board = run(binaries / "scorer", "board", ROOT / "server" / "demo" / "harbour-2026", cwd=tmp_path).stdout
    assert "embed-large" in board


def test_the_site_serves_from_the_wheel(wheel: Path, tmp_path: Path) -> None:
    binaries = environment(tmp_path, f"{wheel}[server]")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    settings = {"ASSAY_SECRET_KEY": "w" * 40, "ASSAY_DATA_DIR": str(tmp_path / "data"), "ASSAY_PORT": port}
    with subprocess.Popen([binaries / "assay", "serve"], cwd=tmp_path, env=CLEAN | settings) as server:
        try:
            site = f"http://127.0.0.1:{port}"
            page = first_answer(f"{site}/", server)
            run(binaries / "assay", "task", "import", BUNDLE, cwd=tmp_path, **settings)
            hosted = first_answer(f"{site}/tasks/harbour-2026/", server)
            token = run(binaries / "python", "-c", FOUND_TEAM, cwd=tmp_path, **settings).stdout.strip()
            (name,) = re.findall(r'href="/packages/([^"#]+)', first_answer(f"{site}/packages/", server))
            served = f"{site}/packages/{name}"
            with urllib.request.urlopen(served, timeout=30) as answer:  # noqa: S310  (our own address)
                (tmp_path / "served").write_bytes(answer.read())
            take_part(tmp_path, site, served, token)
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait(timeout=30)
    assert "<h1" in page
    assert "Cross-Level Similarity in a Harbour Town" in hosted
    assert server.returncode == 0
    with ZipFile(tmp_path / "served") as ours, ZipFile(wheel) as built:
        assert set(ours.namelist()) == set(built.namelist())
        assert all(
            ours.read(name) == built.read(name) for name in MODULES.findall("\n".join(built.namelist()))
        )


def take_part(folder: Path, site: str, wheel: str, token: str) -> None:
    """Three commands lead from nothing to receipts."""
    (folder / "team").mkdir()
    (folder / "quay").mkdir()
    own = environment(folder / "team", wheel)
    for level in ("paragraph2sentence", "phrase2word"):
        copy(BUNDLE / "examples" / f"{level}.trial.tsv", folder / "quay")
    home = {"HOME": str(folder), "XDG_CONFIG_HOME": str(folder / "config")}
    run(own / "scorer", "login", site, cwd=folder, said=token + "\n", **home)
    submit = ("submit", "quay", "--task", "harbour-2026", "--phase", "practice", "--yes")
    told = run(own / "scorer", *submit, cwd=folder, **home).stdout
    scored = re.findall(r"^(\w+): pearson \S+; .*receipt \S+/receipt-\d+\.json$", told, re.MULTILINE)
    assert scored == ["paragraph2sentence", "phrase2word"], told


def first_answer(url: str, server: subprocess.Popen[bytes]) -> str:
    """The page at `url` as soon as the server answers, within half a minute."""
    for _ in range(150):
        assert server.poll() is None, "the server stopped"
        try:
            with urllib.request.urlopen(url, timeout=5) as answer:  # noqa: S310  (our own address)
                return str(answer.read().decode())
        except OSError:
            time.sleep(0.2)
    raise AssertionError(f"no answer from {url}")
