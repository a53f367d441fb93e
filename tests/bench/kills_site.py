"""The site of the bench of kills: a small task with several teams, `assay serve`, and its processes."""

import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from time import monotonic, sleep
from typing import Literal, get_args

from server import bundles
from server.access import tasks
from server.accounts import tokens
from server.accounts.models import User
from server.app import create_app
from server.core import db
from server.core.actors import CONSOLE, Actor
from server.core.config import Config, to_env
from server.personal_data.account_management import create_account
from server.runs import service as runs
from server.teams import service as teams
from server.web.context import site_of

ROOT = Path(__file__).parents[2]
SLUG, LIVE, RELEASED = "kills", "practice", "evaluation"
LEVELS = ("one", "two")
N, TEAMS = 60, 8
GOLD = tuple(place * 7 % 17 / 4 for place in range(N))
FIXED_GOLD = (4.0 - GOLD[0], *GOLD[1:])
"""The second version of a level's gold, if it was fixed."""
TOML = """\
[task]
slug = "kills"
title = "Kills"
description = "How alike are two texts?"
scale = {{ min = 0, max = 4 }}

[board]
runs_per_team = 1

[[level]]
slug = "one"
title = "One"
test = {{ items = "items.tsv", gold = "gold.tsv" }}
trial = {{ items = "items.tsv", gold = "gold.tsv", public_gold = true }}

[[level]]
slug = "two"
title = "Two"
test = {{ items = "items.tsv", gold = "gold.tsv" }}
trial = {{ items = "items.tsv", gold = "gold.tsv", public_gold = true }}

[[phase]]
slug = "practice"
split = "trial"
feedback = "scores"
board = "live"

[[phase]]
slug = "evaluation"
split = "test"
opens = {opens:%Y-%m-%dT%H:%M:%SZ}
closes = {closes:%Y-%m-%dT%H:%M:%SZ}
feedback = "hidden"
"""
PASSWORD = "a long password"
BOUND = 120.0
"""Seconds after which what should happen soon has not happened."""
Kind = Literal["page worker", "master", "jobs worker", "inference"]
KINDS: tuple[Kind, ...] = get_args(Kind)


class TooLate(Exception):
    """Something did not happen within its bound."""


@dataclass(frozen=True, slots=True)
class Sender:
    """A team's token, and the id of its run in each phase."""

    token: str
    runs: dict[str, int]


def fill(config: Config, folder: Path) -> tuple[str, list[Sender]]:
    """Host the task on an empty site; the organizer's token, and the teams."""
    folder.mkdir()
    now = datetime.now(UTC).replace(microsecond=0)
    opens, closes = now - timedelta(days=1), now + timedelta(days=1)
    (folder / "task.toml").write_text(TOML.format(opens=opens, closes=closes), encoding="utf-8")
    items = "".join(f"the boat came in before storm {k}\tthe boat came in\tNews-{k}\n" for k in range(N))
    (folder / "items.tsv").write_text(items, encoding="utf-8")
    (folder / "gold.tsv").write_text("".join(f"{value}\n" for value in GOLD), encoding="utf-8")
    app = create_app(replace(config, testing=True))
    site = site_of(app)
    with app.app_context():
        session = site.session()
        with db.writing(session):
            people = [
                create_account(session, f"person{k}@example.org", f"Person {k}", PASSWORD).id
                for k in range(TEAMS + 1)
            ]
        plan = bundles.plan_import(folder)
        with db.writing(session):
            ada = session.get_one(User, people[0])
            task = bundles.import_task(session, CONSOLE, plan, [ada], opens, published=True)
            phases = {slug: tasks.get_phase(session, task, slug) for slug in (LIVE, RELEASED)}
            organizer = tokens.make_token(session, Actor(ada.id), "bench", ["organize"], 1, now)[1]
            senders = []
            for number, user_id in enumerate(people[1:]):
                actor = Actor(user_id)
                team = teams.create_team(session, actor, task, f"team {number}", now)
                own = {
                    slug: runs.add_run(session, team, phase, "run", "", now).id
                    for slug, phase in phases.items()
                }
                token = tokens.make_token(session, actor, "bench", ["submit", "read"], 1, now)[1]
                senders.append(Sender(token, own))
        site.session.remove()
    site.engine.dispose()
    return organizer, senders


class Served:
    """The site under `assay serve`, which is started again where its master was killed."""

    def __init__(self, config: Config, folder: Path) -> None:
        self.config, self.log = replace(config, testing=False), folder / "log"
        self._master: subprocess.Popen[bytes] | None = None
        self._seen: set[int] = set()

    def start(self, environ: Mapping[str, str] = os.environ) -> None:
        """Serve, and wait until the site answers.

        Raises:
            TooLate: it does not.
        """
        command = [sys.executable, "-m", "server.cli", "serve"]
        env = to_env(self.config, environ)
        with self.log.open("ab") as log:
            self._master = subprocess.Popen(command, env=env, cwd=ROOT, stdout=log, stderr=log)
        wait_until(lambda: self.answers() or self._has_ended(), "the site does not answer")
        if self._has_ended():
            raise TooLate(f"the site ended: {self.log.read_text(errors='replace')[-1000:]}")

    def stop(self) -> None:
        """End the site, and what was seen of its processes and goes on.

        Raises:
            TooLate: something went on.
        """
        self.processes()
        if self._master is not None:
            self._master.terminate()
            with suppress(subprocess.TimeoutExpired):
                self._master.wait(BOUND)
            self._forget_master()
        try:
            wait_until(lambda: not self._left(), "processes of the site go on")
        finally:
            for pid in self._left():
                os.kill(pid, signal.SIGKILL)

    def _left(self) -> list[int]:
        ours = {
            "server.cli",
            "server.inferences.process",
        }  # the id may be reused by another program
        return [pid for pid in self._seen if is_alive(pid) and ours & set(words_of(pid))]

    def kill(self, kind: Kind, chance: random.Random) -> dict[int, Kind] | None:
        """Kill one process of a kind; those below it, without a parent from now on. None: there is none.

        It is stopped first, so that it neither ends by itself nor has a child that the bench does not know.
        """
        there = self.processes()[kind]
        if not there:
            return None
        victim = chance.choice(there)
        with suppress(ProcessLookupError):
            os.kill(victim, signal.SIGSTOP)
        found = self.processes()
        if victim not in found[kind]:
            return None
        os.kill(victim, signal.SIGKILL)
        if kind == "master":
            self._forget_master()
        wait_until(lambda: not is_alive(victim), "a killed process is there")
        below: dict[Kind, tuple[Kind, ...]] = {"master": KINDS, "jobs worker": ("inference",)}
        return {pid: other for other in below.get(kind, ()) for pid in found[other] if pid != victim}

    def _forget_master(self) -> None:
        assert self._master is not None
        self._master.kill()
        self._master.wait()
        self._master = None

    def processes(self) -> dict[Kind, list[int]]:
        """The site's processes by what they are."""
        found: dict[Kind, list[int]] = {kind: [] for kind in KINDS}
        if self._master is not None and not self._has_ended():
            found["master"] = [self._master.pid]
            for pid in children(self._master.pid):
                is_jobs = "worker" in words_of(pid)
                found["jobs worker" if is_jobs else "page worker"].append(pid)
        for pid in found["jobs worker"]:
            found["inference"] += [
                one for one in children(pid) if "server.inferences.process" in words_of(one)
            ]
        self._seen.update(pid for pids in found.values() for pid in pids)
        return found

    def answers(self) -> bool:
        """Whether a page comes back."""
        connection = HTTPConnection("127.0.0.1", self.config.port, timeout=30)
        try:
            connection.request("GET", "/sign-in")
            return connection.getresponse().status == 200
        except (OSError, HTTPException):
            return False
        finally:
            connection.close()

    def _has_ended(self) -> bool:
        return self._master is not None and self._master.poll() is not None


def children(pid: int) -> list[int]:
    """The processes that a process began and that were not yet waited for."""
    found: list[int] = []
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):  # of a thread that ended meanwhile
            found += map(int, path.read_text().split())
    return found


def words_of(pid: int) -> list[str]:
    """The command line of a process; none if it has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace").split("\0")
    except OSError:
        return []


def is_alive(pid: int) -> bool:
    """Whether a process still runs; one that ended may not have been waited for yet."""
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


def wait_until(
    happened: Callable[[], object], otherwise: str, seconds: float = BOUND, pause: float = 0.02
) -> float:
    """Wait until something is so; how many seconds that took.

    Raises:
        TooLate: it was not so within the bound.
    """
    start = monotonic()
    while not happened():
        if monotonic() > start + seconds:
            raise TooLate(otherwise)
        sleep(pause)
    return monotonic() - start
