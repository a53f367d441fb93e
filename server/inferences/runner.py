"""Runs an inference in a subprocess, so that it costs the site neither memory nor processor time."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from typing import Any

TIMEOUT_SECONDS = 3600.0
"""Seconds after which a computation has gone wrong."""
COMMAND = (sys.executable, "-m", "server.inferences.process")
THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
INHERITED_VARIABLES = ("PATH", "PYTHONPATH", "PYTHONHOME", "LD_LIBRARY_PATH", "TMPDIR", "SYSTEMROOT")
"""What it is told of the surroundings: no setting of the site, and no secret."""
INTERRUPT_CODES = (-signal.SIGINT, -signal.SIGTERM)
"""As by Ctrl-C, which goes to every process of a terminal."""
_RUNNING: set[subprocess.Popen[bytes]] = set()
_CANCELLED_PIDS: set[int] = set()


class InferenceFailed(Exception):
    """The computation ended without a result; the text says why."""


class InferenceKilled(InferenceFailed):
    """A signal from outside ended the process: nothing is wrong with the input, and a retry may work."""


class InferenceCancelled(InferenceFailed):
    """The site stops meanwhile; nothing is wrong, and another attempt computes it."""


def run_inference_process(request: Mapping[str, Any]) -> str:
    """What the scorer infers from a request, as JSON; the same for the same request.

    Raises:
        InferenceFailed: the scorer refused, or the process ended early.
        InferenceKilled: a signal ended the process.
        BrokenOff: whoever started it stops.
    """
    env = {name: os.environ[name] for name in INHERITED_VARIABLES if name in os.environ} | dict.fromkeys(
        THREAD_VARIABLES, "1"
    )
    pipe = subprocess.PIPE
    with subprocess.Popen(COMMAND, stdin=pipe, stdout=pipe, stderr=pipe, env=env) as child:  # noqa: S603  (our own words)
        _RUNNING.add(child)
        try:
            out, err = child.communicate(b"".join(encode_request(request)), TIMEOUT_SECONDS)
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
        error_lines = err.decode("utf-8", "replace").strip().splitlines()
        raise InferenceFailed(
            error_lines[-1] if error_lines else f"its process ended with {child.returncode}"
        )
    return out.decode()


def encode_request(request: Mapping[str, Any]) -> Iterator[bytes]:
    """A request as JSON, system by system: of a large task it is 50 MB, which as one call would hold up all
    threads of the process for seconds, and with them whoever waits for what one of them has locked."""
    others = {name: value for name, value in request.items() if name != "systems"}
    yield json.dumps(others).encode().removesuffix(b"}") + (b', "systems": [' if others else b'"systems": [')
    for place, system in enumerate(request["systems"]):
        yield (b", " if place else b"") + json.dumps(system).encode()
    yield b"]}"


def cancel_running() -> None:
    """End what is being computed in this process's name; its jobs wait for another attempt."""
    for child in list(_RUNNING):
        _CANCELLED_PIDS.add(child.pid)
        child.kill()
