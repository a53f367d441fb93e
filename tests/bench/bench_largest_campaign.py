"""The memory and time of the largest campaigns that the site accepts, and of uploads that it refuses.

Run it as `python tests/bench/bench_largest_campaign.py`. Each upload is read, planned and stored by its job
in a process of its own, beside a served site, whose pages are asked for meanwhile. Memory is the most that
the worker has beyond the opened site, and the most that the process with limits has. The bench exits 1 if an
upload has another end than it should. Nothing is asserted about time.
"""

import argparse
import os
import resource
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from io import BytesIO
from itertools import repeat
from pathlib import Path
from threading import Thread
from time import perf_counter, sleep

sys.path.insert(0, str(ROOT := Path(__file__).parents[2]))

from sqlalchemy.orm import Session

from scorer.campaigns.size import MAX_ANSWERS_IN_ALL, MAX_CELLS, MAX_TEXT, MAX_UNITS
from server.access import tasks
from server.accounts.models import User
from server.annotation.assignments import plans
from server.annotation.campaigns import creation, overview, uploads
from server.annotation.models import Campaign
from server.core import db, migrate
from server.core.actors import Actor
from server.core.config import Config
from server.core.site_resources import create_site
from server.core.zips import write_members
from server.jobs import service as jobs
from tests.bench.bench_round_results import read_memory
from tests.bench.bench_site import each_database, free_port, served
from tests.bench.kills_site import SLUG, fill
from tests.bench.site_load import closed, get
from tests.server.job_runs import change_job

HEAD = """\
[campaign]
slug = "{slug}"
title = "Large"
contact = "organizers@example.org"
text_language = "en"
consent = {{ en = "Yes?" }}
scale = {{ min = 0, max = 6, step = 1 }}
[entry.students]
kind = "personal"
"""
ROUND = """\
[[round]]
slug = "round{number}"
kind = "rate"
units = "pairs.tsv"
answers = {answers}
assignment = {assignment}
"""
CHOOSE_ROUND = """\
[[round]]
slug = "choose"
kind = "choose"
units = "summaries.tsv"
reports = "reports.tsv"
answers = 1
assignment = 6
"""


@dataclass(frozen=True, slots=True)
class Case:
    """A campaign: its units and those of a group, columns, answers, the size of an assignment, rounds."""

    units: int
    group: int
    columns: int
    answers: int
    assignment: int
    rounds: int = 1
    text: int = 20
    """The letters of each text."""
    is_accepted: bool = True

    def write(self, slug: str) -> bytes:
        """The campaign as a zip."""
        extra = [f"column{place}" for place in range(self.columns - 4)]
        lines = ["\t".join(["key", "group", "left", "right", *extra])]
        text = ("the boat came in before the storm " * (self.text // 34 + 1))[: self.text - 6]
        for n in range(self.units):
            texts = (f"{text}{n:06}", f"{n:06}{text}")
            lines.append("\t".join([f"u{n}", f"g{n // self.group}", *texts, *repeat("", len(extra))]))
        rounds = "".join(
            ROUND.format(number=number, answers=self.answers, assignment=self.assignment)
            for number in range(self.rounds)
        )
        target, table = BytesIO(), "\n".join(lines) + "\n"
        config = HEAD.format(slug=slug) + rounds
        write_members(target, [("annotation.toml", config.encode()), ("pairs.tsv", table.encode())])
        return target.getvalue()


@dataclass(frozen=True, slots=True)
class ChooseCase:
    """A campaign in which annotators choose sentences of reports: the Czech one has 1,614 incidents."""

    incidents: int
    sentences: int = 24
    report_sentences: int = 80
    is_accepted: bool = True

    def write(self, slug: str) -> bytes:
        """The campaign as a zip."""
        text = "The boat came into the harbour before the storm, said number"
        summaries = [
            f"s{group}-{n}\tg{group}\t{text} {n} of the fishermen."
            for group in range(self.incidents)
            for n in range(self.sentences)
        ]
        reports = [
            f"r{group}-{n}\tg{group}\t{n // 20}\t{text} {n} of the people on the quay."
            for group in range(self.incidents)
            for n in range(self.report_sentences)
        ]
        target = BytesIO()
        files = {
            "annotation.toml": HEAD.format(slug=slug) + CHOOSE_ROUND,
            "summaries.tsv": "\n".join(["key\tgroup\tleft", *summaries, ""]),
            "reports.tsv": "\n".join(["key\tgroup\treport\tsentence", *reports, ""]),
        }
        write_members(target, [(name, text.encode()) for name, text in files.items()])
        return target.getvalue()


CASES: dict[str, Case | ChooseCase] = {
    "usual: 1,200 pairs in groups of 3, 9 answers": Case(1200, 3, 6, 9, 50),
    "most units, cells and answers": Case(MAX_UNITS, 4, MAX_CELLS // MAX_UNITS, 4, 50),
    "most text": Case(20_000, 4, 6, 10, 50, text=MAX_TEXT // 20_000 // 2 - 60),
    "most answers for a unit": Case(MAX_ANSWERS_IN_ALL // 100, 20, 6, 100, 1000),
    "ten rounds that are hard to plan": Case(MAX_ANSWERS_IN_ALL // 200, 50, 6, 20, 1000, rounds=10),
    "most sentences of reports": ChooseCase(1614),
    "refused: ten rounds of 200,000 units": Case(200_000, 1, 50, 1, 50, rounds=10, is_accepted=False),
}


def measure(config: Config, name: str) -> None:
    """Create one campaign in this process, as a worker does, and print its seconds and megabytes."""
    site, case = create_site(config), CASES[name]
    session = site.session()
    task, actor = tasks.get_task(session, SLUG), _organizer(session)
    data, now = case.write(f"large{list(CASES).index(name)}"), datetime.now(UTC)
    upload = uploads.CampaignUpload(site.storage.put(data))
    with db.writing(session):
        job_id = uploads.queue_upload(session, actor, task, upload, now).id
        payload = {
            "task": task.id,
            "user": actor.user_id,
            "sha256": upload.sha256,
            "draft": None,
            "job": job_id,
        }
    locked = [0.0]
    creation.add_campaign = timed(creation.add_campaign, locked)  # type: ignore[assignment]
    before, start = read_memory("VmRSS"), perf_counter()
    uploads.create_uploaded(site, payload, now)
    seconds = perf_counter() - start
    with db.writing(session):
        result = jobs.find_result(session, job_id) or {}
        change_job(session, job_id, "done")
    if case.is_accepted != ("campaign" in result):
        raise SystemExit(f"{name}: {result}")
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(
        f"{name}: zip {len(data) / 1e6:.1f} MB, {seconds:.1f} s, process {children.ru_utime:.1f} s and "
        f"{children.ru_maxrss / 1024:.0f} MB, worker {(read_memory('VmHWM') - before) / 1024:.0f} MB more, "
        f"write lock {locked[0]:.1f} s",
        flush=True,
    )
    if case.is_accepted:
        print_pages(session, result["campaign"])


def timed(act: Callable[..., Campaign], seconds: list[float]) -> Callable[..., Campaign]:
    def timed_act(*arguments: object) -> Campaign:
        start = perf_counter()
        row = act(*arguments)
        seconds[0] += perf_counter() - start
        return row

    return timed_act


def print_pages(session: Session, slug: str) -> None:
    """How long the plan and the texts take on the campaign's page, the first time and the second."""
    seconds = []
    for _ in range(2):
        with db.reading(session):
            campaign = session.query(Campaign).filter_by(slug=slug).one()
            start = perf_counter()
            for round_ in campaign.rounds:
                overview.read_figures(session, round_)
            overview.list_notes(session, campaign)
            seconds.append(perf_counter() - start)
            start = perf_counter()
            plans.find_places(session, campaign.rounds[0])
            seconds.append(perf_counter() - start)
    print(
        f"    page {seconds[0]:.1f} s in a new process, then {seconds[2]:.2f} s; the units of a round, for "
        f"who takes an assignment, {seconds[3]:.2f} s",
        flush=True,
    )


def _organizer(session: Session) -> Actor:
    return Actor(session.query(User.id).order_by(User.id).limit(1).scalar())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--database", choices=("sqlite", "postgresql"), help="one of them alone")
    parser.add_argument("--only", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.only:
        name, url, data = options.only
        measure(Config("k" * 32, Path(data), url), name)
        return 0
    wrong = 0
    for database, url, folder in each_database(options.database):
        config = Config("k" * 32, folder / "data", url, secure_cookies=False, port=free_port(), jobs=False)
        config.data_dir.mkdir(mode=0o700)
        site = create_site(config)
        migrate.migrate(site.engine)
        fill(config, folder / "bundle")
        site.engine.dispose()
        print(database, flush=True)
        with served(replace(config, testing=False)) as (_pid, _start):
            alone = closed(config.port, 2, 10, lambda _number: repeat(get(f"/tasks/{SLUG}/")))
            print(f"a page: 95th percentile {alone.p95:.0f} ms", flush=True)
            for name in CASES:
                wrong += run(config, url, name)
    return min(wrong, 1)


def run(config: Config, url: str, name: str) -> int:
    """Measure one upload in a process of its own, while two clients read a page; whether it ended wrongly."""
    command = [sys.executable, __file__, "--only", name, url, str(config.data_dir)]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    ends = []
    worker = Thread(target=lambda: ends.append(subprocess.run(command, check=False, env=env).returncode))
    worker.start()
    waits: list[float] = []
    writer = Thread(target=write_meanwhile, args=(config, worker, waits))
    writer.start()
    seconds = []
    while worker.is_alive():
        seconds += closed(config.port, 2, 1, lambda _number: repeat(get(f"/tasks/{SLUG}/"))).seconds
    worker.join()
    writer.join()
    seconds.sort()
    print(
        f"    meanwhile a page: 95th percentile {seconds[len(seconds) * 95 // 100] * 1000:.0f} ms; an upload "
        f"waits for the write lock at most {max(waits):.1f} s",
        flush=True,
    )
    return ends[0]


def write_meanwhile(config: Config, worker: Thread, waits: list[float]) -> None:
    """Take the write lock ten times a second, as uploads do, and note how long each waits for it."""
    session = create_site(config).session()
    while worker.is_alive():
        start = perf_counter()
        with db.writing(session):
            waits.append(perf_counter() - start)
        sleep(0.1)


if __name__ == "__main__":
    raise SystemExit(main())
