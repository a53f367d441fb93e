"""deploy/: units, alerts and the runbook, read by the tools that will read them."""

import re
import shutil
import subprocess
from dataclasses import fields
from pathlib import Path

import pytest

from server.core.config import Config

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
MONITORING = DEPLOY / "monitoring"
UNITS = DEPLOY / "systemd"
PROGRAMS = ("opt/assay/bin/assay", "bin/sh", "usr/bin/find")
OTHER_VARIABLES = {"ASSAY_SECRET_KEY_FILE", "ASSAY_DATABASE_URL_FILE"}


def run(*command: str | Path, folder: Path = DEPLOY) -> subprocess.CompletedProcess[str]:
    """Run a tool that reads files of deploy/."""
    if shutil.which(str(command[0])) is None:
        pytest.skip(f"missed: {command[0]} is not installed")
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=60)


@pytest.fixture
def prefix(tmp_path: Path) -> Path:
    """A folder with the units, and with files in place of the programs that they start."""
    system = tmp_path / "etc" / "systemd" / "system"
    shutil.copytree(UNITS, system)
    for unit in Path("/lib/systemd/system").glob("*.target"):
        shutil.copy(unit, system)
    for name in PROGRAMS:
        program = tmp_path / name
        program.parent.mkdir(parents=True)
        program.write_text("#!/bin/sh\n")
        program.chmod(0o755)
    return tmp_path


def test_units_are_valid(prefix: Path) -> None:
    units = sorted(path.name for path in UNITS.glob("assay-*.*") if path.is_file())
    answer = run("systemd-analyze", "verify", "--man=no", f"--root={prefix}", *units)
    assert (answer.returncode, answer.stderr) == (0, "")


def test_units_are_hardened(prefix: Path) -> None:
    services = sorted(path.name for path in UNITS.glob("assay-*.service"))
    answer = run(
        "systemd-analyze", "security", "--offline=yes", "--threshold=20", f"--root={prefix}", *services
    )
    assert answer.returncode == 0, answer.stdout
    assert answer.stdout.count("Overall exposure level") == len(services)


def test_each_fault_fires_its_alert() -> None:
    answer = run("promtool", "test", "rules", "alerts_test.yml", folder=MONITORING)
    assert answer.returncode == 0, answer.stdout + answer.stderr


def test_each_alert_is_tested_and_has_a_line_in_the_runbook() -> None:
    alerts = re.findall(r"- alert: (\w+)", (MONITORING / "alerts.yml").read_text(encoding="utf-8"))
    tests = (MONITORING / "alerts_test.yml").read_text(encoding="utf-8")
    fired = re.findall(r"alertname: (\w+)\n\s+exp_alerts:", tests)
    rows = re.findall(r"^\| (Assay\w+) \|", (DEPLOY / "runbook.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert rows == alerts
    assert set(fired) == set(alerts)


def test_metrics_of_alerts_and_of_the_dashboard_are_those_that_the_site_has() -> None:
    sources = (ROOT / "server" / "core" / "metrics.py", ROOT / "server" / "health" / "scrapes.py")
    known = {name for path in sources for name in re.findall(r'"(assay_\w+)"', path.read_text("utf-8"))}
    used = {
        name.removesuffix("_bucket")
        for file in ("alerts.yml", "dashboard.json")
        for name in re.findall(r"assay_\w+", (MONITORING / file).read_text("utf-8"))
    }
    assert used == known


def test_settings_of_the_runbook_and_of_containers_exist() -> None:
    known = {f"ASSAY_{field.name.upper()}" for field in fields(Config)} | OTHER_VARIABLES
    paths = [DEPLOY / "runbook.md", DEPLOY / "compose.yaml", DEPLOY / "Containerfile", *UNITS.rglob("*.*")]
    named = {
        name
        for path in paths
        if path.is_file()
        for name in re.findall(r"ASSAY_[A-Z_]+", path.read_text("utf-8"))
    }
    assert named <= known
