"""Runs the scorer as a person at a terminal does."""

import os
import pty
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def scorer_in_terminal(*arguments: str | Path, typed: str) -> subprocess.CompletedProcess[str]:
    """Call `scorer` with a terminal as its standard input, in which this is typed."""
    ours, theirs = pty.openpty()
    try:
        os.write(ours, typed.encode())
        command = [sys.executable, "-m", "scorer.cli", *map(str, arguments)]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        return subprocess.run(
            command, stdin=theirs, capture_output=True, text=True, check=False, timeout=60, env=environment
        )
    finally:
        os.close(ours)
        os.close(theirs)
