"""Runs an inference in a subprocess, so that it does not block the site's own processes."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

TIMEOUT_SECONDS = 3600.0
"""The maximum time of a computation in seconds; then it has failed."""
COMMAND = (sys.executable, "-m", "server.inferences.process")
THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
INHERITED_VARIABLES = ("PATH", "PYTHONPATH", "PYTHONHOME", "LD_LIBRARY_PATH", "TMPDIR", "SYSTEMROOT")
"""The environment variables of the subprocess: no settings of the site, and no secrets."""
INTERRUPT_CODES = (-signal.SIGINT, -signal.SIGTERM)
"""The signals of Ctrl-C, which a terminal sends to all its processes, and of `kill`."""
_RUNNING: set[subprocess.Popen[bytes]] = set()
_CANCELLED_PIDS: set[int] = set()


class InferenceFailed(Exception):
    """The computation ended without a result; the text says why, and `printed` is all that it printed."""

    def __init__(self, reason: str, printed: str = "") -> None:
        super().__init__(reason)
        self.printed = printed


class InferenceKilled(InferenceFailed):
    """A signal from outside ended the process: nothing is wrong with the input, and a retry may work."""


class InferenceCancelled(InferenceFailed):
    """The site is stopping; the input is fine, and a retry computes it."""


def run_inference_process(request: Mapping[str, Any]) -> str:
    """Return the scorer's inference for a request, as JSON; equal requests have equal results.

    Raises:
        InferenceFailed: the scorer rejected the request, or the process ended early.
        InferenceKilled: a signal ended the process.
        InferenceCancelled: the site is stopping.
    """
    return run_process(COMMAND, b"".join(encode_request(request)))


def run_process(command: Sequence[str], data: bytes, folder: Path | None = None) -> str:
    """Return what a process of the scorer prints when it reads `data`; it knows no settings and no secrets.

    It runs in `folder`, or by default where the site runs.

    Raises:
        InferenceFailed: the process ended early; the text is its last message.
        InferenceKilled: a signal ended it.
        InferenceCancelled: the site is stopping.
    """
    env = {name: os.environ[name] for name in INHERITED_VARIABLES if name in os.environ} | dict.fromkeys(
        THREAD_VARIABLES, "1"
    )
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, env=env, cwd=folder) as child:  # noqa: S603  (our own words)
        _RUNNING.add(child)
        try:
            out, err = child.communicate(data, TIMEOUT_SECONDS)
        except subprocess.TimeoutExpired as error:
            raise InferenceFailed(f"it took more than {TIMEOUT_SECONDS:.0f} seconds") from error
        finally:
            child.kill()
            _RUNNING.discard(child)
            broken = child.pid in _CANCELLED_PIDS
            _CANCELLED_PIDS.discard(child.pid)
    if child.returncode != 0 and (broken or child.returncode in INTERRUPT_CODES):
        raise InferenceCancelled("it was cancelled because the site is stopping")
    if child.returncode < 0:
        name = signal.Signals(-child.returncode).name
        cause = "; the operating system does this when memory runs out" if name == "SIGKILL" else ""
        raise InferenceKilled(f"its process was killed by {name}{cause}; it will be tried again")
    if child.returncode != 0:
        printed = err.decode("utf-8", "replace").strip()
        reason = printed.splitlines()[-1] if printed else f"its process ended with {child.returncode}"
        raise InferenceFailed(reason, printed)
    return out.decode()


def encode_request(request: Mapping[str, Any]) -> Iterator[bytes]:
    """Yield a request as JSON in parts, because one call for 50 MB would block all threads for seconds."""
    others = {name: value for name, value in request.items() if name != "systems"}
    yield json.dumps(others).encode().removesuffix(b"}") + (b', "systems": [' if others else b'"systems": [')
    for place, system in enumerate(request["systems"]):
        yield (b", " if place else b"") + json.dumps(system).encode()
    yield b"]}"


def cancel_running() -> None:
    """Cancel the computations of this process; their jobs are retried later."""
    for child in list(_RUNNING):
        _CANCELLED_PIDS.add(child.pid)
        child.kill()
