"""What faults do to a site on several hosts: killed processes, database crashes, cut networks, a wrong clock.

Run it as `make chaos`, or `python -m tests.bench.chaos --seconds 60` for a shorter one. Teams upload by the
API through nginx, annotators answer, and an organizer releases the leaderboard, now and at set times, and
fixes the gold, while one fault follows the other. Each client notes what was acknowledged. When the last
fault is over and the jobs are done, all of it is compared: the command exits 1 if something acknowledged is
lost, doubled, scored otherwise than by the scorer or without its receipt, if a job is stuck, if the audit log
does not verify, if a request was answered by status 500, if a host with a wrong clock was sent a request, or
if the leaderboard is not what the scorer computes from the same files. It ends only what it began.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from http.client import HTTPException
from pathlib import Path
from time import monotonic, sleep
from typing import Any, Literal, get_args

from sqlalchemy import select

from server import bundles
from server.access import tasks
from server.boards import service as boards
from server.core import migrate
from server.core.actors import CONSOLE
from server.core.site_resources import Site, create_site
from server.core.zips import write_package
from server.releases import service as releases
from server.releases.models import ReleasePlan
from tests.bench import bench_annotating as annotating
from tests.bench.bench_kills import running
from tests.bench.chaos_cluster import HOSTS, PARTS, Cluster, Proxy
from tests.bench.kills_checks import Outcome, await_idle, check
from tests.bench.kills_load import BOUNDARY, Client, NotConnected, Organizer, ask
from tests.bench.kills_site import FIXED_GOLD, LEVELS, RELEASED, SLUG, Kind, fill, wait_until

SECONDS = 300.0
UPLOAD_PAUSE = 1.0
ANNOTATORS, EACH = 10, 200
"""How many people annotate, and how many answers each of them can give at most."""
HASTE = 0.2
"""The share of faults that do not wait until everything works again after the one before."""
CUT_SECONDS = (1.0, 10.0)
RETRY_SECONDS = 2.5
"""How long HAProxy tries to connect to a host that has ended; it counts each time as a request to it."""
CLOCK_SECONDS = 5.0
PLAN_SECONDS = 15
WRONG_CLOCK = """
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t id, struct timespec *now) {
    int failed = syscall(SYS_clock_gettime, id, now);
    if (!failed && id == CLOCK_REALTIME) now->tv_sec += 300;
    return failed;
}
"""
"""Loaded before libc. libfaketime does not know how Python sleeps and waits for locks, which then fail."""

GOLD_BODY = (
    f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="reason"\r\n\r\nmistyped\r\n'
    f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="gold.tsv"\r\n\r\n'
    + "".join(f"{value}\n" for value in FIXED_GOLD)
    + f"\r\n--{BOUNDARY}--\r\n"
).encode()
Fault = Literal["page worker", "host", "worker", "restart", "failover", "cut", "clock"]
FAULTS: tuple[Fault, ...] = get_args(Fault)


class Annotator:
    """A person who answers one unit after the other."""

    def __init__(self, port: int, link: str, found: annotating.Found, number: int) -> None:
        self._port, self._link, self._found, self._number = port, link, found, number

    def run(self, stopped: threading.Event) -> None:
        """Answer until stopped, or until everything is answered."""
        browser = annotating.Browser(self._port, self._link, self._found)
        for turn in range(EACH - 1):
            if stopped.wait(UPLOAD_PAUSE):
                break
            browser.answer_next((self._number + turn) % 7)


class BusyOrganizer(Organizer):
    """Releases again and again, now and at set times, and fixes the gold of a level once."""

    def __init__(self, port: int, token: str, fixed_after: float) -> None:
        super().__init__(port, token)
        self._fixed_at = monotonic() + fixed_after
        self._port, self._token = port, token

    def release(self) -> None:
        """Release the current leaderboard, schedule a release, and go on with the gold."""
        super().release()
        at = (datetime.now(UTC) + timedelta(seconds=PLAN_SECONDS)).strftime("%Y-%m-%dT%H:%M:%SZ")
        with suppress(NotConnected, OSError, HTTPException, ValueError):
            self._ask(
                f"phases/{RELEASED}/releases", f'{{"sure": true, "at": "{at}"}}'.encode(), "application/json"
            )
            if monotonic() > self._fixed_at:
                self.fix_gold()

    def fix_gold(self) -> bool:
        """Take the next step to the second version of a gold; whether it is in force."""
        with suppress(NotConnected, OSError, HTTPException, ValueError):
            listed = self._ask("gold", None)["items"]
            newest = [gold for gold in listed if (gold["level"], gold["split"]) == (LEVELS[1], "test")][-1]
            if newest["number"] == 1:
                self._ask(f"gold/{LEVELS[1]}/test", GOLD_BODY, f"multipart/form-data; boundary={BOUNDARY}")
            elif newest["state"] == "candidate":
                self._ask(f"gold/{newest['id']}/publish", b"")
            else:
                return True
        return False

    def _ask(self, path: str, body: bytes | None, kind: str = "text/plain") -> Any:
        path = f"/api/v1/tasks/{SLUG}/{path}"
        status, answer = ask(self._port, self._token, path, body, {"Content-Type": kind})
        self.statuses.append(status)
        if status >= 500:
            raise HTTPException
        return answer


class Chaos:
    """One fault after the other, each of them chosen by chance."""

    def __init__(self, cluster: Cluster, proxy: Proxy, seed: int) -> None:
        self._cluster, self._proxy = cluster, proxy
        self._chance = random.Random(seed)  # noqa: S311  (a simulation)
        self._clock = _compile_clock(cluster.folder)
        self.faults: Counter[Fault] = Counter()
        self.recovery: dict[Fault, float] = {}
        """The longest time after a fault until everything worked again."""
        self.wrong_clock: list[str] = []
        """What went wrong while the clock of a host did."""

    def run(self, seconds: float) -> None:
        """Do so for a while, each fault once before any is there twice."""
        end, order = monotonic() + seconds, list[Fault]()
        while monotonic() < end:
            if not order:
                order = self._chance.sample(FAULTS, len(FAULTS))
            self._commit(order.pop())
        self._recover("the last fault")

    def _commit(self, fault: Fault) -> None:
        acts: dict[Fault, Callable[[], None]] = {
            "page worker": lambda: self._kill("page worker"),
            "host": lambda: self._kill("master"),
            "worker": self._chance.choice(list(self._cluster.workers.values())).kill,
            "restart": lambda: self._cluster.postgres.restart(lambda: self._pause(2.0)),
            "failover": self._fail_over,
            "cut": self._cut,
            "clock": self._set_clock,
        }
        self._pause(1.0)
        print(f"{monotonic():.1f} {fault}", file=sys.stderr, flush=True)
        acts[fault]()
        self.faults[fault] += 1
        if self._chance.random() > HASTE:
            self.recovery[fault] = max(self.recovery.get(fault, 0.0), self._recover(fault))

    def _recover(self, fault: str) -> float:
        return wait_until(
            lambda: self._cluster.is_whole(self._proxy),
            f"not everything works again after: {fault}",
            pause=0.2,
        )

    def _pause(self, most: float) -> None:
        sleep(self._chance.uniform(0, most))

    def _kill(self, kind: Kind) -> None:
        self._cluster.hosts[self._chance.choice(HOSTS)].kill(kind, self._chance)

    def _fail_over(self) -> None:
        # A standby that lacks what the primary has committed must not be promoted, and no manager does.
        wait_until(self._cluster.postgres.is_safe, "the standby does not follow the primary")
        self._cluster.fail_over()

    def _cut(self) -> None:
        part = self._chance.choice(PARTS)
        self._cluster.network.cut(part)
        sleep(self._chance.uniform(*CUT_SECONDS))
        self._cluster.network.heal(part, broken=self._chance.random() < 0.5)

    def _set_clock(self) -> None:
        """Start a host whose clock is wrong, which is sent nothing."""
        name = self._chance.choice(HOSTS)
        host = self._cluster.hosts[name]
        host.stop()
        wait_until(lambda: self._proxy.count(name)[0] == "DOWN", "HAProxy does not see that a host has ended")
        sleep(RETRY_SECONDS)
        before = self._proxy.count(name)
        host.start({**os.environ, "LD_PRELOAD": str(self._clock)})
        sleep(CLOCK_SECONDS)
        if self._proxy.count(name) != before:
            self.wrong_clock.append(f"host {name}: {before}, then {self._proxy.count(name)}")
        host.stop()
        host.start()


def _compile_clock(folder: Path) -> Path:
    """Compile the clock that is wrong."""
    library = folder / "clock.so"
    command = ["cc", "-shared", "-fPIC", "-x", "c", "-", "-o", library]
    subprocess.run(command, input=WRONG_CLOCK, text=True, check=True)
    return library


@dataclass
class Played:
    """What was done, and what was found."""

    chaos: Chaos
    clients: list[Client]
    organizer: BusyOrganizer
    annotated: annotating.Found
    outcome: Outcome
    started: Counter[str]
    planned: int
    idle_seconds: float


def play(folder: Path, seconds: float, seed: int) -> Played:
    """Serve a site on several hosts, load it, hurt it, and look at what is left."""
    cluster, site = Cluster(folder), None
    try:
        cluster.postgres.start()
        site = create_site(cluster.config)
        migrate.migrate(site.engine)
        token, senders = fill(cluster.config, folder / "bundle")
        links = annotating.add_campaign(site, annotating.Size(ANNOTATORS, 0, 0, 0), EACH)
        with cluster.serving() as proxy:
            found, chaos = annotating.Found(), Chaos(cluster, proxy, seed)
            clients = [Client(proxy.port, sender, k, seed, UPLOAD_PAUSE) for k, sender in enumerate(senders)]
            organizer = BusyOrganizer(proxy.port, token, seconds / 3)
            annotators = [Annotator(proxy.port, link, found, k) for k, link in enumerate(links)]
            with running(annotators), running(clients), running([organizer]):
                chaos.run(seconds)
            wait_until(organizer.fix_gold, "the gold is not fixed", pause=1)
            organizer.release()
            wait_until(lambda: not _list_plans(site, ended=False), "a scheduled release is not made", pause=1)
            idle = await_idle(site)
        planned = len(_list_plans(site, ended=True))
        uploads = [upload for client in clients for upload in client.uploads]
        outcome = check(cluster.config, uploads, folder)
        outcome.faults |= {name: [name] * count for name, count in annotating.check(site, found).items()}
        outcome.faults["another leaderboard"] = compare_with_scorer(site, folder)
        return Played(chaos, clients, organizer, found, outcome, cluster.started, planned, idle)
    finally:
        if site is not None:
            site.session.remove()
            site.engine.dispose()
        cluster.network.stop()
        cluster.postgres.stop()


def _list_plans(site: Site, *, ended: bool) -> list[ReleasePlan]:
    with site.reading() as session:
        return list(session.scalars(select(ReleasePlan).where(ReleasePlan.ended_at.is_not(None) == ended)))


def compare_with_scorer(site: Site, folder: Path) -> list[str]:
    """Compare the leaderboard with what the scorer computes from the files."""
    with site.reading() as session:
        task = tasks.get_task(session, SLUG)
        phase = tasks.get_phase(session, task, RELEASED)
        texts = {
            "as it is": boards.board_text(session, phase),
            "as released": releases.get_public(session, phase).text,
        }
        export = bundles.collect_export(session, CONSOLE, task, "names")
        write_package(folder / "export", export.slug, export.readers(site.storage))
    command = [sys.executable, "-m", "scorer.cli", "board", str(folder / "export"), "--phase", RELEASED]
    printed = subprocess.run(
        [*command, "--format", "json"], capture_output=True, text=True, check=True
    ).stdout
    return [f"{name}: {text[:500]}" for name, text in texts.items() if text != printed]


def print_counts(played: Played, seed: int) -> int:
    """Print what happened, and return the number of faults."""
    chaos, outcome = played.chaos, played.outcome
    states = Counter(upload.state for client in played.clients for upload in client.uploads)
    statuses = sum((client.statuses for client in played.clients), Counter[int]())
    print(f"{chaos.faults.total()} faults, seed {seed}; the longest time until everything worked again:")
    for fault in FAULTS:
        longest = chaos.recovery.get(fault)
        print(f"  {fault:<26}{chaos.faults[fault]:>6}{'' if longest is None else f'{longest:>10.1f} s'}")
    for name, counted in (
        ("uploads", states),
        ("answers to uploads", statuses),
        ("answers to the organizer", Counter(played.organizer.statuses)),
        ("answers to annotators", played.annotated.statuses),
        ("jobs by attempts", outcome.attempts),
        ("started again", played.started),
    ):
        print(f"  {name:<26}{', '.join(f'{what}: {count}' for what, count in sorted(counted.items()))}")
    print(f"  {'answers acknowledged':<26}{len(played.annotated.acknowledged):>6}")
    print(f"  {'scheduled releases':<26}{played.planned:>6}")
    print(f"  {'inferences':<26}{outcome.inferences:>6}")
    print(f"  {'until all jobs were done':<26}{played.idle_seconds:>6.0f} s")
    broken = statuses[500] + played.organizer.statuses.count(500) + played.annotated.statuses[500]
    outcome.faults["answered by status 500"] = ["a request"] * broken
    outcome.faults["sent to a wrong clock"] = chaos.wrong_clock
    print("faults:")
    for kind, faults in outcome.faults.items():
        print(f"  {kind:<26}{len(faults):>6}{'   MISSED' if faults else ''}")
        for one in faults[:5]:
            print(f"    {one}")
    return sum(map(len, outcome.faults.values()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o711)  # PostgreSQL has folders inside
        wrong = print_counts(play(Path(folder), asked.seconds, asked.seed), asked.seed)
    raise SystemExit(wrong > 0)


if __name__ == "__main__":
    main()
