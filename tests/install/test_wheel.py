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

import pytest

ROOT = Path(__file__).parents[2]
UV = (sys.executable, "-m", "uv")
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith(("ASSAY_", "PYTHON"))}

pytestmark = [pytest.mark.install, pytest.mark.xdist_group("install")]


def run(*command: str | Path, cwd: Path, **options: str) -> subprocess.CompletedProcess[str]:
    """Run a command to its end; fail with what it said."""
    result = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=CLEAN | options,
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
    own = {"assay", "click", "cryptography", "numpy", "rich", "scipy"}
    of_these = {"cffi", "markdown-it-py", "mdurl", "pycparser", "pygments"}
    assert {package["name"].lower() for package in json.loads(listed)} == own | of_these

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
            page = first_answer(f"http://127.0.0.1:{port}/", server)
            bundle = ROOT / "server" / "demo" / "harbour-2026"
            run(binaries / "assay", "task", "import", bundle, cwd=tmp_path, **settings)
            hosted = first_answer(f"http://127.0.0.1:{port}/tasks/harbour-2026/", server)
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait(timeout=30)
    assert "<h1" in page
    assert "Cross-Level Similarity in a Harbour Town" in hosted
    assert server.returncode == 0


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
