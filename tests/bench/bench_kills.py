"""What `kill -9` does to a site under load: page workers, the master, the jobs worker, inferences.

Run it as `python tests/bench/bench_kills.py`; `--small` for a quick look, `--database sqlite` for one.
Eight teams upload by the API, half of the files with an Idempotency-Key, and an organizer releases the
leaderboard again and again. Each client notes what was acknowledged. When the last process was killed and the
jobs are done, all of it is compared: the bench exits 1 if an acknowledged file is lost, doubled, scored
otherwise than by the scorer or without its receipt, if a job is stuck, or if the audit log does not verify.
Nothing is asserted about time. The bench ends only processes that it began, and their children.
"""

import argparse
import random
import sys
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic, sleep

sys.path.insert(0, str(ROOT := Path(__file__).parents[2]))

from sqlalchemy import select

from server.core import db, migrate
from server.core.config import Config
from server.core.site_resources import Site, create_site
from server.jobs.models import Job
from tests.bench.bench_site import each_database, free_port
from tests.bench.kills_checks import Outcome, await_idle, check
from tests.bench.kills_load import Client, Organizer, Upload
from tests.bench.kills_site import BOUND, KINDS, Kind, Served, TooLate, fill, is_alive, wait_until

SHARES: dict[Kind, int] = {"page worker": 48, "master": 14, "jobs worker": 19, "inference": 19}
"""Of a hundred kills; so many of the jobs worker and the master that inferences still come to an end."""
FULL, SMALL = 200, 4
"""How many kills; the small round has one of each kind."""
LONGEST = 900.0
"""Seconds after which nothing more is killed."""
CHILD_SECONDS = 30.0
"""How long the bench waits for an inference to kill."""
HASTE = 0.15
"""The share of kills that do not wait until the site is whole again after the one before."""
AWAITED = 0.4
"""The share of kills of the jobs worker in the middle of an inference, with no other kill until that is taken
over."""
APART = 0.6
"""Seconds, at most, between the site's being whole and the next kill."""

Attempt = tuple[int, int]
"""A job's id, and which of its attempts."""


@dataclass
class Killing:
    """What was killed, and what happened afterwards."""

    kills: Counter[Kind] = field(default_factory=Counter)
    seconds: float = 0.0
    silence: dict[Kind, float] = field(default_factory=dict)
    """The longest time without an answer after a kill."""
    orphans: dict[Kind, float] = field(default_factory=dict)
    """The longest time that a process went on after its parent was killed."""
    taken_over: list[float] = field(default_factory=list)
    """Seconds from a jobs worker's death until another one had its job."""
    disturbed: list[float] = field(default_factory=list)
    """The same where that one was killed in turn, or the master was."""


class Watch:
    """Looks all the time whether the site answers, and who has the jobs of dead workers."""

    def __init__(self, served: Served, site: Site, killing: Killing) -> None:
        self._served, self._site, self._killing = served, site, killing
        self._last: Kind | None = None
        self._orphaned: dict[Attempt, tuple[float, bool]] = {}
        """Since when a dead worker's job waits, and whether there was another kill since then."""
        self._lock = threading.Lock()

    def run(self, stopped: threading.Event) -> None:
        """Look until stopped."""
        before = monotonic()
        while not stopped.wait(0.05):
            if self._served.answers():
                if self._last is not None:
                    longest = self._killing.silence.get(self._last, 0.0)
                    self._killing.silence[self._last] = max(longest, monotonic() - before)
                before = monotonic()
            self._note_taken_over()
        self._site.session.remove()

    def note_kill(self, kind: Kind) -> None:
        """Record an imminent kill; the jobs of a killed worker wait for another worker."""
        with self._lock:
            self._last = kind
            if kind in ("master", "jobs worker"):
                self._orphaned = {attempt: (since, True) for attempt, (since, _) in self._orphaned.items()}

    def note_dead_worker(self) -> None:
        """A jobs worker was killed: note the jobs that it had."""
        with self._lock:
            for attempt in self._running():
                self._orphaned.setdefault(attempt, (monotonic(), False))
        self._site.session.remove()

    @property
    def waits_for_worker(self) -> bool:
        """Whether a job of a dead worker still waits to be taken over."""
        return bool(self._orphaned)

    def _note_taken_over(self) -> None:
        with self._lock:
            gone = self._orphaned.keys() - self._running() if self._orphaned else ()
            for attempt in gone:
                since, disturbed = self._orphaned.pop(attempt)
                seconds = self._killing.disturbed if disturbed else self._killing.taken_over
                seconds.append(monotonic() - since)

    def _running(self) -> set[Attempt]:
        session = self._site.session()
        with db.reading(session):
            rows = session.execute(select(Job.id, Job.attempt).where(Job.state == "running"))
            return {(row.id, row.attempt) for row in rows}


class Killer:
    """Kills processes of the site, one after the other, and starts it again where the master was killed."""

    def __init__(self, served: Served, watch: Watch, organizer: Organizer, seed: int) -> None:
        self._served, self._watch, self._organizer = served, watch, organizer
        self._chance = random.Random(seed)  # noqa: S311  (a simulation)

    def kill_all(self, kills: int, killing: Killing) -> None:
        """So many kills, or as many as there is time for."""
        start = monotonic()
        for kind in self._order(kills):
            if monotonic() > start + LONGEST:
                break
            sleep(self._chance.uniform(0, APART))
            killing.kills[self._kill(kind, killing)] += 1
            if self._chance.random() > HASTE:
                wait_until(self._is_whole, "the site is not whole again after a kill")
        wait_until(self._is_whole, "the site is not whole again after the last kill")
        killing.seconds = monotonic() - start

    def _order(self, kills: int) -> list[Kind]:
        total = sum(SHARES.values())
        counts = {kind: max(1, round(kills * share / total)) for kind, share in SHARES.items()}
        counts["page worker"] += kills - sum(counts.values())
        order = [kind for kind, count in counts.items() for _ in range(count)]
        self._chance.shuffle(order)
        return order

    def _kill(self, kind: Kind, killing: Killing) -> Kind:
        """Kill one process of a kind, a page worker where there is none; what was killed."""
        awaits = kind == "jobs worker" and self._chance.random() < AWAITED
        if kind == "inference" or awaits:
            self._await_inference()
        self._watch.note_kill(kind)
        left = self._served.kill(kind, self._chance)
        if left is None:
            return self._kill("page worker", killing)
        if kind == "jobs worker":
            self._watch.note_dead_worker()
        self._note_orphans(left, killing)
        if awaits:
            wait_until(lambda: not self._watch.waits_for_worker, "the job of a dead worker is nobody's")
        if kind == "master":
            self._served.start()
        return kind

    def _await_inference(self) -> None:
        """Release the board, and wait until that is computed; or go on after a while."""
        if not self._served.processes()["inference"]:
            self._organizer.release()
            try:
                wait_until(lambda: self._served.processes()["inference"], "no inference", CHILD_SECONDS)
            except TooLate:
                return

    @staticmethod
    def _note_orphans(left: dict[int, Kind], killing: Killing) -> None:
        """Wait until those whose parent was killed have ended by themselves.

        Raises:
            TooLate: one of them goes on.
        """
        start = monotonic()
        while left:
            for pid, kind in list(left.items()):
                if not is_alive(pid):
                    del left[pid]
                    killing.orphans[kind] = max(killing.orphans.get(kind, 0.0), monotonic() - start)
            if monotonic() > start + BOUND:
                raise TooLate(f"without their parent go on: {', '.join(left.values())}")
            sleep(0.02)

    def _is_whole(self) -> bool:
        processes = self._served.processes()
        return len(processes["page worker"]) >= self._served.config.workers and self._served.answers()


@dataclass
class Played:
    """One round of the bench."""

    config: Config
    uploads: list[Upload]
    releases: Counter[int]
    killing: Killing
    outcome: Outcome
    idle_seconds: float


def play(database_url: str, folder: Path, kills: int, seed: int) -> Played:
    """Serve a new site, load it, kill, and look at what is left."""
    port = free_port()
    config = Config("k" * 32, folder / "data", database_url, port=port, secure_cookies=False)
    config.data_dir.mkdir(mode=0o700, parents=True)
    site = create_site(config)
    migrate.migrate(site.engine)
    token, senders = fill(config, folder / "bundle")
    served, killing = Served(config, folder), Killing()
    watch, organizer = Watch(served, site, killing), Organizer(port, token)
    clients = [Client(port, sender, number, seed) for number, sender in enumerate(senders)]
    try:
        served.start()
        with running([watch]):
            with running([organizer]), running(clients):
                Killer(served, watch, organizer, seed).kill_all(kills, killing)
                organizer.release()  # with few kills, the site may not have answered before
            idle = await_idle(site)
    finally:
        served.stop()
        site.session.remove()
        site.engine.dispose()
    uploads = [upload for client in clients for upload in client.uploads]
    return Played(config, uploads, Counter(organizer.statuses), killing, check(config, uploads, folder), idle)


@contextmanager
def running(people: Sequence[Client | Organizer | Watch]) -> Iterator[None]:
    """Let each of them act in a thread of its own meanwhile.

    Raises:
        RuntimeError: one of the threads ended early, so that nothing was seen from then on.
    """
    stopped = threading.Event()
    with ThreadPoolExecutor(len(people)) as threads:
        acting = [threads.submit(person.run, stopped) for person in people]
        try:
            yield
        finally:
            stopped.set()
    for one in acting:
        one.result()


def print_table(name: str, seed: int, played: Played) -> int:
    """Print what happened, and return the number of faults."""
    killing, outcome = played.killing, played.outcome
    states = Counter(upload.state for upload in played.uploads)
    again = sum(upload.state == "acknowledged" and upload.broken > 0 for upload in played.uploads)
    print(f"{name}: {killing.kills.total()} kills in {killing.seconds:.0f} s, seed {seed}")
    print(f"  {'':<26}killed   no answer   orphaned, for")
    for kind in KINDS:
        silence, orphaned = (seconds.get(kind) for seconds in (killing.silence, killing.orphans))
        print(f"  {kind:<26}{killing.kills[kind]:>6}{_seconds(silence)}{_seconds(orphaned)}")
    print(f"  {'uploads acknowledged':<26}{states['acknowledged']:>6}   {again} of them sent again by key")
    print(f"  {'not known':<26}{states['unknown']:>6}   {outcome.there} of them are there")
    print(f"  {'refused':<26}{states['refused']:>6}")
    print(f"  {'never sent':<26}{states['never sent']:>6}")
    statuses = ", ".join(f"{count} times {status}" for status, count in sorted(played.releases.items()))
    print(f"  {'releases, inferred':<26}{outcome.inferences:>6}   answers: {statuses}")
    attempts = ", ".join(
        f"{count} by attempt {attempt}" for attempt, count in sorted(outcome.attempts.items())
    )
    print(f"  {'jobs done':<26}{outcome.attempts.total():>6}   {attempts}")
    print(f"  {'until all were':<26}{_seconds(played.idle_seconds)}")
    for words, seconds in (
        ("jobs taken over", killing.taken_over),
        ("after a second kill", killing.disturbed),
    ):
        print(f"  {words:<26}{len(seconds):>6}{_seconds(max(seconds, default=None))}")
    print(f"  {'files that no row names':<26}{outcome.unnamed:>6}   and {outcome.pieces} pieces; all swept")
    for kind, faults in outcome.faults.items():
        print(f"  {kind:<26}{len(faults):>6}{'   MISSED' if faults else ''}")
        for fault in faults[:5]:
            print(f"    {fault}")
    sys.stdout.flush()
    return sum(map(len, outcome.faults.values()))


def _seconds(longest: float | None) -> str:
    return f"{'':>12}" if longest is None else f"{longest:>10.2f} s"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--database", choices=("sqlite", "postgresql"))
    parser.add_argument("--kills", type=int)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    kills = asked.kills or (SMALL if asked.small else FULL)
    wrong = 0
    for name, url, folder in each_database(asked.database):
        wrong += print_table(name, asked.seed, play(url, folder, kills, asked.seed))
    raise SystemExit(wrong > 0)


if __name__ == "__main__":
    main()
