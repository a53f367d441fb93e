"""Runs an inference in a process of its own."""

import json
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from server.core.child_processes import run_process

COMMAND = (sys.executable, "-m", "server.inferences.process")


def run_inference_process(request: Mapping[str, Any]) -> str:
    """Return the scorer's inference for a request, as JSON; equal requests have equal results.

    Raises:
        ProcessFailed: the scorer rejected the request, or the process ended early.
        ProcessInterrupted: a signal ended the process, or the site is stopping.
    """
    return run_process(COMMAND, b"".join(encode_request(request)))


def encode_request(request: Mapping[str, Any]) -> Iterator[bytes]:
    """Yield a request as JSON in parts, because one call for 50 MB would block all threads for seconds."""
    others = {name: value for name, value in request.items() if name != "systems"}
    yield json.dumps(others).encode().removesuffix(b"}") + (b', "systems": [' if others else b'"systems": [')
    for place, system in enumerate(request["systems"]):
        yield (b", " if place else b"") + json.dumps(system).encode()
    yield b"]}"
