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

from tests.install.written import commands_of, type_in

ROOT = Path(__file__).parents[2]
UV = (sys.executable, "-m", "uv")
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith(("ASSAY_", "PYTHON"))}

BUNDLE = ROOT / "server" / "demo" / "harbour-2026"
MODULES = re.compile(r"^(?:scorer|server)/.*", re.MULTILINE)
FOUND_TEAM = """
from datetime import UTC, datetime
from server.core import db
from server.personal_data.account_management import create_account
from server.app import create_app
from server.core.config import from_env
from server.core.actors import Actor
from server.access import tasks
from server.teams import service as teams
from server.accounts import tokens
from server.web.context import site_of
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


@pytest.fixture(scope="module")
def binaries(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `bin` folder of an environment with the wheel and what the scorer needs."""
    return environment(tmp_path_factory.mktemp("scorer"), str(wheel))


def environment(folder: Path, requirement: str) -> Path:
    """The `bin` folder of a new environment that has nothing but the requirement."""
    run(*UV, "venv", "-q", "--python", sys.executable, folder / "venv", cwd=folder)
    python = folder / "venv" / "bin" / "python"
    run(*UV, "pip", "install", "-q", "--python", python, "-c", pins(folder), requirement, cwd=folder)
    return python.parent


def empty_environment(folder: Path) -> dict[str, str]:
    """A shell's variables in a new, empty environment; its pip is uv's, and keeps to our versions."""
    run(*UV, "venv", "-q", "--python", sys.executable, folder / "venv", cwd=folder)
    binaries = folder / "venv" / "bin"
    words = f'"$1" --python {binaries / "python"} -c {pins(folder)} "$2"'
    (binaries / "pip").write_text(f"#!/bin/sh\nexec {sys.executable} -m uv pip {words}\n", encoding="utf-8")
    (binaries / "pip").chmod(0o755)
    return CLEAN | {"PATH": f"{binaries}:{CLEAN['PATH']}"}


def pins(folder: Path) -> Path:
    """The versions that we lock, as constraints."""
    lock = (ROOT / "deploy" / "lock" / "server.txt").read_text(encoding="utf-8")
    written = folder / "constraints.txt"
    written.write_text("\n".join(re.findall(r"^\w[^\s\\]*==[^\\\n]*", lock, re.MULTILINE)), encoding="utf-8")
    return written


def test_scorer_wheel_has_its_minimal_dependencies(binaries: Path, tmp_path: Path) -> None:
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


def test_site_command_says_what_is_missing_with_the_scorer_only_install(
    binaries: Path, tmp_path: Path
) -> None:
    asked = [binaries / "assay", "--help"]
    done = subprocess.run(asked, cwd=tmp_path, env=CLEAN, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (1, "", 1)
    assert (
        'is not installed. `assay` runs a site, and needs the extra "server" of this package' in done.stderr
    )


def test_site_runs_from_the_wheel(wheel: Path, tmp_path: Path) -> None:
    binaries = environment(tmp_path, f"{wheel}[server]")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    settings = {"ASSAY_SECRET_KEY": "w" * 40, "ASSAY_DATA_DIR": str(tmp_path / "data"), "ASSAY_PORT": port}
    with subprocess.Popen([binaries / "assay", "serve"], cwd=tmp_path, env=CLEAN | settings) as server:
        try:
            site = f"http://127.0.0.1:{port}"
            page = first_answer(f"{site}/", server)
            run(binaries / "assay", "task", "import", BUNDLE, "--publish", cwd=tmp_path, **settings)
            hosted = first_answer(f"{site}/tasks/harbour-2026/", server)
            token = run(binaries / "python", "-c", FOUND_TEAM, cwd=tmp_path, **settings).stdout.strip()
            (name,) = re.findall(r'href="/packages/([^"#]+)', first_answer(f"{site}/packages/", server))
            served = f"{site}/packages/{name}"
            with urllib.request.urlopen(served, timeout=30) as answer:  # noqa: S310  (our own address)
                (tmp_path / "served").write_bytes(answer.read())
            pages = first_answer(f"{site}/help/teams", server), first_answer(f"{site}/help/api", server)
            take_part(tmp_path / "team", site, token, pages)
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


def take_part(folder: Path, site: str, token: str, pages: tuple[str, str]) -> None:
    """The commands in the help lead from an empty machine to receipts, and to a manual upload."""
    (folder / "quay").mkdir(parents=True)
    for level in ("paragraph2sentence", "phrase2word"):
        copy(BUNDLE / "examples" / f"{level}.trial.tsv", folder / "quay")
    copy(BUNDLE / "data" / "trial" / "phrase2word.tsv", folder / "phrase2word.test.items.tsv")
    copy(BUNDLE / "examples" / "phrase2word.trial.tsv", folder / "phrase2word.run1.tsv")
    shell = empty_environment(folder) | {"HOME": str(folder), "XDG_CONFIG_HOME": str(folder / "config")}
    names = {"TASK": "harbour-2026", "PHASE": "practice", "RUN_DIR": "quay", "NAME": "quay"}
    output = ""
    for command in commands_of(pages[0], names):
        if command.startswith("scorer verify"):
            keep_as_the_help_does(folder, site)
        is_login = command.startswith("scorer login")
        output += type_in(command, folder, f"{token}\n" if is_login else "y\n", shell, hidden=is_login)
    scored = re.findall(r"^(\w+): pearson \S+; .*receipt \S+/receipt-\d+\.json$", output, re.MULTILINE)
    assert scored == ["paragraph2sentence", "phrase2word"], output

    copy(BUNDLE / "examples" / "sentence2phrase.trial.tsv", folder / "sentence2phrase.tsv")
    status = json.loads(type_in("scorer status harbour-2026 --format json", folder, "", shell))
    (run_id,) = {run["run"]["id"] for phase in status["tasks"][0]["phases"] for run in phase["runs"]}
    names = {"RUN": str(run_id), "LEVEL": "sentence2phrase", "TASK": "harbour-2026"}
    public, asked, changed, sent = (
        json.loads(type_in(command, folder, "", shell | {"ASSAY_TOKEN": token}))
        for command in commands_of(pages[1], names)
    )
    assert [task["slug"] for task in public["items"]] == ["harbour-2026"]
    assert asked["name"] == "bo"
    assert changed["affiliations"] == "University of the Forest"
    assert sent["submission"]["level"] == "sentence2phrase"


def keep_as_the_help_does(folder: Path, site: str) -> None:
    """A receipt, its run and the site's keys, under the names that the help gives them."""
    signed = next(path for path in (folder / "receipts").iterdir() if "phrase2word" in path.read_text())
    signed.rename(folder / "receipt-17.json")
    copy(folder / "quay" / "phrase2word.trial.tsv", folder / "run.tsv")
    with urllib.request.urlopen(f"{site}/keys.json", timeout=30) as answer:  # noqa: S310  (our own address)
        (folder / "keys.json").write_bytes(answer.read())


def first_answer(url: str, server: subprocess.Popen[bytes]) -> str:
    """The page at `url` as soon as the server answers, within two minutes."""
    for _ in range(600):
        assert server.poll() is None, "the server stopped"
        try:
            with urllib.request.urlopen(url, timeout=5) as answer:  # noqa: S310  (our own address)
                return str(answer.read().decode())
        except OSError:
            time.sleep(0.2)
    raise AssertionError(f"no answer from {url}")
