"""Inferences in a process of their own: neither memory nor processor of whoever asks is at stake."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from typing import Any

LONGEST = 3600.0
"""Seconds after which a computation has gone wrong."""
COMMAND = (sys.executable, "-m", "server.inferences.process")
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
KEPT = ("PATH", "PYTHONPATH", "PYTHONHOME", "LD_LIBRARY_PATH", "TMPDIR", "SYSTEMROOT")
"""What it is told of the surroundings: no setting of the site, and no secret."""
ENDED_FROM_OUTSIDE = (-signal.SIGINT, -signal.SIGTERM)
"""As by Ctrl-C, which goes to every process of a terminal."""
_RUNNING: set[subprocess.Popen[bytes]] = set()
_BROKEN_OFF: set[int] = set()


class InferenceFailed(Exception):
    """The computation ended without a result; the text says why."""


class InferenceKilled(InferenceFailed):
    """A signal from outside ended the process: nothing is wrong with the input, and a retry may work."""


class BrokenOff(InferenceFailed):
    """The site stops meanwhile; nothing is wrong, and another attempt computes it."""


def compute(request: Mapping[str, Any]) -> str:
    """What the scorer infers from a request, as JSON; the same for the same request.

    Raises:
        InferenceFailed: the scorer refused, or the process ended early.
        InferenceKilled: a signal ended the process.
        BrokenOff: whoever started it stops.
    """
    env = {name: os.environ[name] for name in KEPT if name in os.environ} | dict.fromkeys(THREADS, "1")
    pipe = subprocess.PIPE
    with subprocess.Popen(COMMAND, stdin=pipe, stdout=pipe, stderr=pipe, env=env) as child:  # noqa: S603  (our own words)
        _RUNNING.add(child)
        try:
            out, err = child.communicate(b"".join(written(request)), LONGEST)
        except subprocess.TimeoutExpired as error:
            raise InferenceFailed(f"it took more than {LONGEST:.0f} seconds") from error
        finally:
            child.kill()
            _RUNNING.discard(child)
            broken = child.pid in _BROKEN_OFF
            _BROKEN_OFF.discard(child.pid)
    if child.returncode != 0 and (broken or child.returncode in ENDED_FROM_OUTSIDE):
        raise BrokenOff("it was broken off, because the site stops")
    if child.returncode < 0:
        name = signal.Signals(-child.returncode).name
        cause = "; the system does that when memory runs out" if name == "SIGKILL" else ""
        raise InferenceKilled(f"its process was killed by {name}{cause}; it will be tried again")
    if child.returncode != 0:
        told = err.decode("utf-8", "replace").strip().splitlines()
        raise InferenceFailed(told[-1] if told else f"its process ended with {child.returncode}")
    return out.decode()


def written(request: Mapping[str, Any]) -> Iterator[bytes]:
    """A request as JSON, system by system: of a large task it is 50 MB, which as one call would hold up all
    threads of the process for seconds, and with them whoever waits for what one of them has locked."""
    others = {name: value for name, value in request.items() if name != "systems"}
    yield json.dumps(others).encode().removesuffix(b"}") + (b', "systems": [' if others else b'"systems": [')
    for place, system in enumerate(request["systems"]):
        yield (b", " if place else b"") + json.dumps(system).encode()
    yield b"]}"


def break_off() -> None:
    """End what is being computed in this process's name; its jobs wait for another attempt."""
    for child in list(_RUNNING):
        _BROKEN_OFF.add(child.pid)
        child.kill()
