"""The sites, people and accepted files of the rehearsal, and how its steps are run and reported."""

import sys
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO, TypeVar

from tests.rehearsal.browser import Browser
from tests.rehearsal.invented import Invented, Run
from tests.rehearsal.site import Site
from tests.server.mail_sink import Sink

TASK = "/tasks/rehearsal"
ORGANIZE = f"{TASK}/organize"
BOARD = f"{TASK}/boards/evaluation"
CLIENTS = 6
"""How many people are at their browsers at once."""
T = TypeVar("T")


class Failed(Exception):
    """Something is not as it has to be."""


@dataclass
class Team:
    """A team: its captain, its second member, its runs' ids on the site."""

    number: int
    name: str
    captain: Browser
    member: Browser
    runs: list[tuple[int, Run]] = field(default_factory=list)
    warm_up: int = 0


@dataclass
class Filed:
    """A file that the site accepted."""

    team: Team
    phase: str
    run: str
    level: str
    data: bytes
    submission: int
    late: bool = False
    withdrawn: bool = False


@dataclass
class Play:
    """One rehearsal, from an empty site to the last comparison."""

    folder: Path
    invented: Invented
    first: Site
    second: Site
    third: Site
    """The first one, restored from its backup."""
    sink: Sink
    teams: list[Team] = field(default_factory=list)
    files: list[Filed] = field(default_factory=list)
    numbers: set[bytes] = field(default_factory=set)
    """Every long decimal number that anyone but the organizer was shown before the release."""

    def __post_init__(self) -> None:
        self.ada = Browser(self.first.address)
        self.ada_there = Browser(self.second.address)
        self.visitor = Browser(self.first.address, self.numbers)

    def together(self, act: Callable[[Team], T], teams: Sequence[Team] | None = None) -> list[T]:
        """Let teams act at the same time, as many as there are clients."""
        with ThreadPoolExecutor(CLIENTS) as people:
            return list(people.map(act, self.teams if teams is None else teams))


Step = tuple[str, Callable[[Any], str]]
"""What happens, in words, and who does it: it returns the outcome."""


@dataclass
class Rehearsal:
    """The steps that were played, with their times."""

    title: str
    out: TextIO = field(default_factory=lambda: sys.stdout)
    rows: list[tuple[float, str, str]] = field(default_factory=list)
    results: tuple[bytes, bytes] | None = None
    """The board and the inference that all led to: those of the same seed are the same."""

    def play(self, play: Any, steps: Iterable[Step]) -> None:
        """Play the steps, a line each."""
        print(f"\n{self.title}", file=self.out, flush=True)
        for words, act in steps:
            began = time.perf_counter()
            outcome = act(play)
            self.rows.append((time.perf_counter() - began, words, outcome))
            print(f"  {self.rows[-1][0]:6.1f} s  {words}: {outcome}", file=self.out, flush=True)

    @property
    def seconds(self) -> float:
        return sum(seconds for seconds, _, _ in self.rows)


def require(held: object, otherwise: str) -> None:
    """Go on only if something is as it has to be."""
    if not held:
        raise Failed(otherwise)
