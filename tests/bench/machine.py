"""Measure the machine itself, so that figures taken at different times can be compared."""

import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter

OBJECTS = 50_000
"""To make them takes about as long as an answer to one of twenty clients who ask at once."""


@dataclass
class Share:
    """How much of the processor time that was wanted the host gave to others, from 0 to 1."""

    taken: float = 0.0


@contextmanager
def shared() -> Iterator[Share]:
    """Measures what the host takes while the block runs."""
    share, before = Share(), _ticks()
    yield share
    taken, wanted = (after - then for after, then in zip(_ticks(), before, strict=True))
    share.taken = taken / max(1, wanted)


def loops(seconds: float) -> list[float]:
    """Seconds of each time that so many objects are made, on all cores at once: it waits for nothing.

    A page makes objects too, and goes up and down with this as the machine does; a loop that only counts
    stays in the processor, and tells half of it.
    """
    cores = os.cpu_count() or 1
    with ProcessPoolExecutor(cores, mp_context=get_context("spawn")) as pool:
        return list(chain.from_iterable(pool.map(_on_core, [seconds] * cores)))


def _on_core(seconds: float) -> list[float]:
    """The same on one core."""
    found, end = [], perf_counter() + seconds
    while (start := perf_counter()) < end:
        sorted({str(number): number / 3 for number in range(OBJECTS)})  # nothing for a search of garbage
        found.append(perf_counter() - start)
    return found


def _ticks() -> tuple[int, int]:
    """The processor time that the host took, and the total that was wanted (given or taken)."""
    counts = [int(ticks) for ticks in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
    user, nice, system, _idle, _waits, hard, soft, taken = counts
    return taken, user + nice + system + hard + soft + taken
