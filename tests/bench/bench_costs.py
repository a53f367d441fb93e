"""What a page, an upload and an answer cost a site on PostgreSQL, for the table of what several hosts carry.

Run it as `python tests/bench/bench_costs.py`; `--small` for a quick look. One client asks at a time, so that
a request costs what it needs and waits for nobody; the rival is the help page, which reads no task. Printed
for each: statements; milliseconds of processor of the page workers, of the jobs that it causes (but for
inferences, which `bench_inference.py` measures) and of PostgreSQL; kB of the answer, of WAL, which is what a
standby is sent, and by which the database and the stored files grow.
"""

import argparse
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from itertools import count, islice, repeat
from pathlib import Path
from time import sleep

import numpy as np
from flask import Flask

sys.path.insert(0, str(ROOT := Path(__file__).parents[2]))

from sqlalchemy import event, text

from server.access import roles, tasks
from server.app import create_app
from server.core import db, migrate
from server.core.actors import CONSOLE, Actor
from server.core.config import Config
from server.core.site_resources import Site
from server.jobs import service as jobs
from server.personal_data.account_management import create_account
from server.submissions.follow_up_jobs import INFERENCE_JOB
from server.web.context import site_of
from tests.bench import site_load as load, site_seed as seed
from tests.bench.bench_annotating import Browser, Found, hidden
from tests.bench.bench_site import FULL, SMALL, Files, each_database, free_port, served, workers_of
from tests.bench.site_seed import PHASE, SLUG
from tests.server.annotation.small_campaign import configure, make_campaign, make_links

REQUESTS, WARM_UP = 200, 40
N_UNITS = WARM_UP + 1 + REQUESTS
TICK = 1000 / os.sysconf("SC_CLK_TCK")
LATE = 300
"""Seconds until the jobs of uploads must be done."""
SINCE = text(
    "SELECT pg_backend_pid(), pg_current_wal_lsn() - '0/0' AS wal,"
    " pg_database_size(current_database()) AS rows"
)
COLUMNS = ("statements", "pages ms", "jobs ms", "database ms", "answer kB", "WAL kB", "rows kB", "files kB")


def times(pid: int) -> list[float]:
    """Return the processor time in ms of a process, and of its children that ended; the id of its parent."""
    stat = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return [(int(stat[11]) + int(stat[12])) * TICK, (int(stat[13]) + int(stat[14])) * TICK, int(stat[1])]


def children_of(pid: int) -> list[int]:
    """Return the ids of the children of a process."""
    return [
        int(child)
        for task in Path(f"/proc/{pid}/task").glob("*/children")
        for child in task.read_text().split()
    ]


def costs(site: Site, master: int) -> np.ndarray:
    """Return all costs since the site began, in the order of the columns from the second on."""
    pages = {int(worker.name) for worker in workers_of(master)}
    with site.engine.connect() as connection:
        backend, wal, rows = connection.execute(SINCE).one()
    postmaster = int(times(backend)[2])
    database = sum(times(postmaster)[:2])
    for child in children_of(postmaster):
        with suppress(FileNotFoundError):  # it ended meanwhile
            database += times(child)[0]
    others = {*children_of(master)} - pages
    files = sum(file.stat().st_size for file in site.config.data_dir.rglob("*") if file.is_file())
    spent = [sum(times(pid)[0] for pid in pids) for pids in (pages, others)]
    return np.array([*spent, database, 0, float(wal) / 1000, rows / 1000, files / 1000])


def await_jobs(site: Site) -> None:
    """Wait until no job waits or runs but inferences."""
    for _ in range(LATE):
        with site.reading() as session:
            states = {
                state for kind, state, _ in jobs.count_jobs(session) if not kind.startswith(INFERENCE_JOB)
            }
        site.session.remove()
        if not states & {"waiting", "running"}:
            return
        sleep(1)
    raise TimeoutError("the jobs of the uploads are late")


@contextmanager
def statements_of(site: Site) -> Iterator[list[str]]:
    """Collect the statements that this process sends."""
    seen: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, *_others: object) -> None:
        seen.append(statement)

    event.listen(site.engine, "before_cursor_execute", note)
    yield seen
    event.remove(site.engine, "before_cursor_execute", note)


def ask_here(app: Flask, request: bytes) -> None:
    """Send a request to the application in this process."""
    head, _, body = request.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    method, path, _ = first.split()
    headers = dict(line.split(": ", 1) for line in lines)
    answer = app.test_client(use_cookies=False).open(path, method=method, headers=headers, data=body)
    assert answer.status_code in (200, 302), answer.status


def ask(port: int, requests: list[bytes]) -> int:
    """Send requests to the site, one after the other, and return the bytes of the largest answer."""
    found = load.closed(port, 1, 600.0, lambda _: iter(requests))
    assert not found.errors, found.errors
    assert not found.unexpected, found.unexpected
    return found.size


def add_campaign(site: Site) -> str:
    """Add a campaign to the task, and return the personal link of an annotator."""
    session, now = site.session(), datetime.now(UTC)
    task = tasks.get_task(session, SLUG)
    with db.writing(session):
        organizer = create_account(session, "ada@example.org", "Ada", seed.PASSWORD)
        roles.give_role(session, CONSOLE, task, organizer.id, "organizer", now)
    config = configure(N_UNITS, answers=1, assignment=N_UNITS)
    campaign = make_campaign(site, Actor(organizer.id), task, config, now)
    (key,) = make_links(site, Actor(organizer.id), campaign, 1, now)
    site.session.remove()
    return f"/a/me/{key}"


def annotate(browser: Browser, answers: int) -> int:
    """Give answers, each after opening its page."""
    for turn in range(answers):
        browser.answer_next(turn % 7)
    assert len(browser.found.acknowledged) >= answers
    return 0


def annotate_here(app: Flask, browser: Browser) -> int:
    """Give an answer in this process, and return how many statements it and its page took."""
    client, headers = app.test_client(use_cookies=False), {"Cookie": browser.cookie}
    with statements_of(site_of(app)) as seen:
        page = client.get(browser.next, headers=headers)
        answer = client.post(browser.next, data=hidden(page.text) | {"value": "3"}, headers=headers)
    assert answer.status_code == 303, answer.status
    browser.next = answer.location
    return len(seen)


def measure(config: Config, app: Flask) -> None:
    """Print what each request costs."""
    site, files = site_of(app), Files(players := seed.sign_in(app, 20))
    with app.app_context():
        link = add_campaign(site)
    cookie, task = players[0].cookie, f"/tasks/{SLUG}/"
    asked: dict[str, Iterator[bytes]] = {
        "help page, the rival": repeat(load.get("/help/")),
        "public leaderboard": repeat(load.get(f"{task}boards/{PHASE}")),
        "task page, signed in": repeat(load.get(task, cookie)),
        "My runs, signed in": repeat(load.get(f"{task}team/", cookie)),
        "upload of 500 lines": (files.next(number % len(players)) for number in count()),
    }
    with served(config) as (master, _started):

        def row(name: str, statements: int, work: Callable[[], int]) -> None:
            await_jobs(site)
            before = costs(site, master)
            size = work()
            await_jobs(site)
            each = (costs(site, master) - before) / REQUESTS
            each[3] = size / 1000
            print(f"{name:<30}{statements:>11}", *(f"{value:>11.2f}" for value in each), flush=True)

        for name, requests in asked.items():
            take = partial(islice, requests)
            ask_here(app, next(requests))
            with statements_of(site) as seen:
                ask_here(app, next(requests))
            ask(config.port, list(take(WARM_UP)))
            row(name, len(seen), partial(ask, config.port, list(take(REQUESTS))))
        browser = Browser(config.port, link, Found())
        annotate(browser, WARM_UP)
        seed.settle(site)
        statements = annotate_here(app, browser)
        row("an answer with its page", statements, partial(annotate, browser, REQUESTS))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true", help="a quick look")
    size = SMALL if parser.parse_args().small else FULL
    for _name, url, folder in each_database("postgresql"):
        config = Config("b" * 32, folder / "data", url, port=free_port(), secure_cookies=False, testing=True)
        config = replace(config, site_url=f"http://127.0.0.1:{config.port}")
        config.data_dir.mkdir(parents=True)
        app = create_app(config)
        migrate.migrate(site_of(app).engine)
        seed.fill(app, folder / "bundle", size.teams, size.files, seed.now())
        print(f"{size.teams} teams, {size.files:,} submissions; each of {REQUESTS} requests, on average:")
        print(f"{'':<30}", *(f"{name:>11}" for name in COLUMNS), sep="")
        measure(config, app)
        site_of(app).engine.dispose()


if __name__ == "__main__":
    main()
