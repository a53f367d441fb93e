"""Runs a program of the scorer in a process of its own, so that it does not block the site's processes."""

import atexit
import gc
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

TIMEOUT_SECONDS = 3600.0
"""The maximum time of a process in seconds; then it has failed."""
MEMORY_LIMIT = 1 << 30
"""The maximum address space of a process that reads uploads, which may be made to exhaust it."""
TIME_LIMIT = 60
"""Its maximum time on the processor in seconds."""
_NO_MEMORY = "out of memory"
"""What such a process prints if its memory runs out; one that takes too long is killed."""
THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
INHERITED_VARIABLES = ("PATH", "PYTHONPATH", "PYTHONHOME", "LD_LIBRARY_PATH", "TMPDIR", "SYSTEMROOT")
"""The environment variables of the process: no settings of the site, and no secrets."""
INTERRUPT_CODES = (-signal.SIGINT, -signal.SIGTERM)
"""The signals of Ctrl-C, which a terminal sends to all its processes, and of `kill`."""
_RUNNING: set[subprocess.Popen[bytes]] = set()
_CANCELLED_PIDS: set[int] = set()


class ProcessFailed(Exception):
    """The process ended without a result; the text says why, and `printed` is all that it printed."""

    def __init__(self, reason: str, printed: str = "") -> None:
        super().__init__(reason)
        self.printed = printed


class ProcessTimeout(ProcessFailed):
    """The process took too long."""


class ProcessInterrupted(Exception):
    """A signal ended the process, or the site is stopping. The input is fine, and a retry may work."""


class ProcessKilled(ProcessInterrupted):
    """A signal ended the process that neither the site nor a terminal sends: its time or memory ran out."""


class LimitsExceeded(Exception):
    """Reading an upload takes more memory or time than its process may use."""


@contextmanager
def limited(seconds: int = TIME_LIMIT) -> Iterator[None]:
    """Limit the memory and time of this process, even if its parent is gone; `run_limited` has started it."""
    atexit.register(gc.freeze)  # looking for garbage at the end takes a third of the time
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT, MEMORY_LIMIT))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    try:
        yield
    except MemoryError:
        sys.exit(_NO_MEMORY)


def run_limited(command: Sequence[str], *, timeout: float) -> str:
    """Run a process that limits itself by `limited`, and return what it prints.

    Raises:
        LimitsExceeded: it takes more memory or time.
        ProcessFailed, ProcessInterrupted: as `run_process` does.
    """
    try:
        return run_process(command, timeout=timeout)
    except (ProcessTimeout, ProcessKilled) as error:
        raise LimitsExceeded from error
    except ProcessFailed as error:
        if str(error) == _NO_MEMORY:
            raise LimitsExceeded from error
        raise


def run_process(
    command: Sequence[str],
    data: bytes = b"",
    folder: Path | None = None,
    *,
    timeout: float = TIMEOUT_SECONDS,
) -> str:
    """Return what a process of the scorer prints when it reads `data`; it knows no settings and no secrets.

    It runs in `folder`, or by default where the site runs.

    Raises:
        ProcessFailed: the process ended early; the text is its last message.
        ProcessInterrupted: a signal ended it, or the site is stopping.
    """
    env = {name: os.environ[name] for name in INHERITED_VARIABLES if name in os.environ} | dict.fromkeys(
        THREAD_VARIABLES, "1"
    )
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, env=env, cwd=folder) as child:  # noqa: S603  (our own words)
        _RUNNING.add(child)
        try:
            out, err = child.communicate(data, timeout)
        except subprocess.TimeoutExpired as error:
            raise ProcessTimeout(f"it took more than {timeout:.0f} seconds") from error
        finally:
            child.kill()
            _RUNNING.discard(child)
            broken = child.pid in _CANCELLED_PIDS
            _CANCELLED_PIDS.discard(child.pid)
    if child.returncode != 0 and (broken or child.returncode in INTERRUPT_CODES):
        raise ProcessInterrupted("it was cancelled because the site is stopping")
    if child.returncode < 0:
        name = signal.Signals(-child.returncode).name
        cause = "; the operating system does this when memory runs out" if name == "SIGKILL" else ""
        raise ProcessKilled(f"its process was killed by {name}{cause}; it will be tried again")
    if child.returncode != 0:
        printed = err.decode("utf-8", "replace").strip()
        reason = printed.splitlines()[-1] if printed else f"its process ended with {child.returncode}"
        raise ProcessFailed(reason, printed)
    return out.decode()


def cancel_running() -> None:
    """Cancel the processes that run; their jobs are retried later."""
    for child in list(_RUNNING):
        _CANCELLED_PIDS.add(child.pid)
        child.kill()
