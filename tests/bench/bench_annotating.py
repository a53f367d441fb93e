"""How long annotators wait beside uploads, and what `kill -9` does to their answers.

Run it as `python tests/bench/bench_annotating.py`; `--small` for a quick look. A hundred annotators send ten
answers a second and open ten pages a second for two minutes, while two teams upload a file each second; then
the same while a hundred of the site's processes are killed: page workers, and every seventh time the master,
after which the site is started again. Each annotator sends a form again until there is a reply.
The bench exits 1 if an acknowledged answer is lost, an answer is there twice, or a page is an error. Nothing
is asserted about time. It ends only processes that it began.
"""

import argparse
import random
import re
import sys
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.client import HTTPConnection, HTTPException, HTTPResponse
from pathlib import Path
from statistics import quantiles
from time import monotonic, sleep
from urllib.parse import urlencode

sys.path.insert(0, str(ROOT := Path(__file__).parents[2]))

from server.access import tasks
from server.accounts.models import User
from server.annotation.models import Step, UnitAnswer
from server.core import migrate
from server.core.actors import Actor
from server.core.config import Config
from server.core.site_resources import Site, create_site
from tests.bench.bench_site import each_database, free_port
from tests.bench.kills_load import Client
from tests.bench.kills_site import SLUG, Served, fill
from tests.server.annotation.small_campaign import configure, make_campaign, make_links

PAUSE = 0.1
"""Seconds until a form that got no answer is sent again."""
MOST = 600
"""How often."""
AWAY = (502, 503, 504)
"""Answered by a proxy whose site is away, or by a site whose database is."""
MASTER_EVERY = 7
"""Of so many kills, one is of the master."""
UPLOAD_PAUSE = 1.0


@dataclass(frozen=True, slots=True)
class Size:
    """How much of it all."""

    annotators: int
    seconds: float
    answers_a_second: float
    kills: int


FULL, SMALL = Size(100, 120.0, 10.0, 100), Size(20, 10.0, 10.0, 5)


@dataclass
class Found:
    """Seconds of each answer and page, what the site acknowledged, and what went wrong."""

    answers: list[float] = field(default_factory=list)
    pages: list[float] = field(default_factory=list)
    acknowledged: dict[int, float] = field(default_factory=dict)
    """The value of each step."""
    statuses: Counter[int] = field(default_factory=Counter)
    broken: int = 0
    """How many requests got no reply."""


class Browser:
    """An annotator's browser without a script, which sends again what got no reply."""

    def __init__(self, port: int, link: str, found: Found) -> None:
        self.port, self.found, self.cookie = port, found, ""
        page = self.read("GET", link)
        head, _ = self.ask("POST", link, hidden(page))
        self.cookie = (head.getheader("Set-Cookie") or "").partition(";")[0]
        campaign = head.getheader("Location") or ""
        head, _ = self.ask("POST", f"{campaign}assignments", hidden(self.read("GET", campaign)))
        head, _ = self.ask("GET", head.getheader("Location") or "")
        self.next = head.getheader("Location") or ""

    def answer_next(self, value: int) -> None:
        """Open the next page and answer it; both are timed, without what a lost reply takes."""
        address = self.next
        start, broken = monotonic(), self.found.broken
        page = self.read("GET", address)
        if self.found.broken == broken:
            self.found.pages.append(monotonic() - start)
        fields = hidden(page) | {"value": str(value)}
        start, broken = monotonic(), self.found.broken
        head, _ = self.ask("POST", address, fields)
        if self.found.broken == broken:
            self.found.answers.append(monotonic() - start)
        if head.status == 303:
            self.found.acknowledged[int(address.rpartition("/")[2])] = value
            self.next = head.getheader("Location") or ""

    def read(self, method: str, path: str) -> str:
        return self.ask(method, path)[1]

    def ask(self, method: str, path: str, form: dict[str, str] | None = None) -> tuple[HTTPResponse, str]:
        """Send a request until there is a reply."""
        headers = {"Cookie": self.cookie, "Content-Type": "application/x-www-form-urlencoded"}
        for _ in range(MOST):
            connection = HTTPConnection("127.0.0.1", self.port, timeout=30)
            try:
                connection.request(method, path, urlencode(form or {}), headers)
                response = connection.getresponse()
                text = response.read().decode()
            except (OSError, HTTPException):
                self.found.broken += 1
                sleep(PAUSE)
                continue
            finally:
                connection.close()
            self.found.statuses[response.status] += 1
            if response.status not in AWAY:
                return response, text
            sleep(PAUSE)
        raise TimeoutError("the site does not answer")


def hidden(page: str) -> dict[str, str]:
    return dict(re.findall(r'type="hidden" name="([^"]*)" value="([^"]*)"', page))


def play(config: Config, folder: Path, size: Size, *, kills: bool) -> tuple[Found, dict[str, int]]:
    """All annotators at work, and what is wrong with the answers afterwards."""
    _, senders = fill(config, folder / "bundle")
    site = create_site(config)
    each = int(size.seconds * size.answers_a_second / size.annotators) + 1
    links = add_campaign(site, size, each)
    served, found, stopped = Served(config, folder), Found(), SlowEvent()
    served.start()
    try:
        browsers = [Browser(config.port, link, found) for link in links]
        with ThreadPoolExecutor(size.annotators + 4) as pool:
            others = [pool.submit(Client(config.port, senders[k], k, seed=1).run, stopped) for k in range(2)]
            if kills:
                others.append(pool.submit(kill, served, size.kills, stopped))
            begun = monotonic()
            work = [
                pool.submit(annotate, browser, k, size, each, begun) for k, browser in enumerate(browsers)
            ]
            for future in work:
                future.result()
            if kills:
                others[-1].result()
            stopped.set()
            for future in others:
                future.result()
    finally:
        stopped.set()
        served.stop()
    faults = check(site, found)
    site.session.remove()
    site.engine.dispose()
    return found, faults


def add_campaign(site: Site, size: Size, each: int) -> list[str]:
    """A campaign with an assignment for each annotator, and their links."""
    session, now = site.session(), datetime.now(UTC)
    ada = Actor(user_id=session.query(User).order_by(User.id).first().id)  # type: ignore[union-attr]
    config = configure(size.annotators * each, answers=1, assignment=each)
    campaign_id = make_campaign(site, ada, tasks.get_task(session, SLUG), config, now)
    keys = make_links(site, ada, campaign_id, size.annotators, now)
    site.session.remove()
    return [f"/a/me/{key}" for key in keys]


def annotate(browser: Browser, number: int, size: Size, each: int, begun: float) -> None:
    """One annotator: so many answers, at even distances, each annotator at other times."""
    distance = size.annotators / size.answers_a_second
    for turn in range(each - 1):
        due = begun + distance * (turn + number / size.annotators)
        sleep(max(0.0, due - monotonic()))
        browser.answer_next((number + turn) % 7)


class SlowEvent(threading.Event):
    """Stops an uploading client, which until then waits longer between two files than it wants to."""

    def wait(self, timeout: float | None = None) -> bool:  # noqa: ARG002
        return super().wait(UPLOAD_PAUSE)


def kill(served: Served, kills: int, stopped: threading.Event) -> None:
    """Kill page workers and masters until it is enough, each once the site answers again."""
    chance, done = random.Random(1), 0  # noqa: S311  (a simulation)
    while done < kills and not stopped.is_set():
        is_master = done % MASTER_EVERY == MASTER_EVERY - 1
        if served.kill("master" if is_master else "page worker", chance) is not None:
            done += 1
            if is_master:
                served.start()
        sleep(chance.random())


def check(site: Site, found: Found) -> dict[str, int]:
    """Count acknowledged answers that are lost or changed, and answers that are there twice."""
    site.session.remove()
    stored: dict[int, list[float | None]] = {}
    for answer in site.session().query(UnitAnswer).join(Step, Step.id == UnitAnswer.step_id):
        stored.setdefault(answer.step_id, []).append(answer.value)
    return {
        "lost": sum(value not in stored.get(step, []) for step, value in found.acknowledged.items()),
        "doubled": sum(len(values) > 1 for values in stored.values()),
        "error pages": sum(
            count for status, count in found.statuses.items() if status >= 400 and status not in AWAY
        ),
    }


def p95(seconds: list[float]) -> float:
    """The 95th percentile, in milliseconds."""
    return quantiles(seconds, n=20)[-1] * 1000


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true", help="a quick look")
    parser.add_argument("--database", choices=("sqlite", "postgresql"), help="one of them alone")
    options = parser.parse_args()
    size, failed = SMALL if options.small else FULL, False
    print(f"{size.annotators} annotators, {size.answers_a_second:g} answers a second, {size.seconds:g} s")
    for kills in (False, True):
        for name, url, folder in each_database(options.database):
            config = Config("k" * 32, folder / "data", url, port=free_port(), secure_cookies=False)
            config.data_dir.mkdir(mode=0o700)
            site = create_site(config)
            migrate.migrate(site.engine)
            site.engine.dispose()
            found, faults = play(config, folder, size, kills=kills)
            print(
                f"{name}{f', {size.kills} kills' if kills else ''}: {len(found.acknowledged)} answers, "
                f"p95 {p95(found.answers):.0f} ms; pages p95 {p95(found.pages):.0f} ms; "
                f"{found.broken} requests without a reply; faults {faults}"
            )
            failed |= any(faults.values())
    return int(failed)


if __name__ == "__main__":
    raise SystemExit(main())
