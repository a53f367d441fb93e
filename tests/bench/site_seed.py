"""A site as its bench needs it: many teams, runs and files, and a board that is released.

The task, accounts, teams, the release and the stored files with their scores come from the site's services.
The rows of the many submissions are written in bulk, and share those files.
"""

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from flask import Flask
from sqlalchemy import delete, func, insert, select
from sqlalchemy.orm import Session

from server import bundles
from server.access import tasks
from server.audit import service as audit
from server.audit.models import AuditEntry
from server.core import db
from server.core.actors import CONSOLE, Actor
from server.core.site_resources import Site
from server.gold import versions as gold_versions
from server.jobs import service as jobs
from server.jobs.models import Job
from server.personal_data.account_management import create_account
from server.phases.models import Phase
from server.releases import creation as release_creation
from server.runs.models import Run
from server.scoring import service as scoring
from server.scoring.models import Score
from server.submissions.models import Receipt, Standing, Submission
from server.tasks.models import Level, Task
from server.teams import service as teams
from server.teams.models import Team
from server.web.context import site_of
from tests.bench.site_load import AGENT
from tests.server.job_runs import change_jobs

SLUG, PHASE = "bench", "evaluation"
LEVELS = ("paragraph2sentence", "sentence2phrase", "phrase2word", "word2sense")
N, RUNS = 500, 3
FILES = 60
"""Different files of a level; the submissions share them."""
PASSWORD = "a long password"
SEED = 12345

LEVEL = """
[[level]]
slug = "{0}"
title = "{0}"
test = {{ items = "{0}.items.tsv", gold = "{0}.gold.tsv" }}
"""
TOML = """\
[task]
slug = "bench"
title = "Bench"
description = "How alike are two texts?"
scale = {{ min = 0, max = 4 }}

[board]
runs_per_team = 3
{levels}
[[phase]]
slug = "evaluation"
split = "test"
opens = {opens:%Y-%m-%dT%H:%M:%SZ}
closes = {closes:%Y-%m-%dT%H:%M:%SZ}
feedback = "hidden"
"""


@dataclass(frozen=True, slots=True)
class Player:
    """A person who is signed in: the cookie, the form token, and the ids of the team's runs."""

    cookie: str
    token: str
    runs: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Stored:
    """A file that is stored, with its results."""

    sha256: str
    size: int
    results: Any


def run_file(chance: random.Random, truth: Sequence[float]) -> bytes:
    """A file of 500 lines that is like the gold."""
    return "".join(f"{min(4, max(0, value + chance.gauss(0, 1))):.4f}\n" for value in truth).encode()


def truths() -> dict[str, list[float]]:
    """The gold of each level, the same each time."""
    chance = random.Random(SEED)  # noqa: S311  (a simulation)
    return {level: [chance.randrange(17) / 4 for _ in range(N)] for level in LEVELS}


def fill(app: Flask, folder: Path, n_teams: int, n_files: int, now: datetime) -> None:
    """The task with its teams, their runs, so many submissions, and a release."""
    site = site_of(app)
    with app.app_context():
        _write_bundle(folder, now)
        session, began = site.session(), now - timedelta(days=5)
        plan = bundles.plan_import(folder)
        with db.writing(session):
            task = bundles.import_task(session, CONSOLE, plan, [], began, published=True)
            phase = tasks.get_phase(session, task, PHASE)
            phase.files_per_level = None
        with db.writing(session):
            _add_teams(session, task, phase, n_teams, began)
        add_files(site, _store_all(site), n_files, began + timedelta(days=1), now - timedelta(hours=1))
        with db.writing(session):
            phase = tasks.get_phase(session, tasks.get_task(session, SLUG), PHASE)
            release_creation.make_release(session, CONSOLE, phase, now, release_creation.DEFAULT_OPTIONS)
        _end_jobs(site, now)
        site.session.remove()


def fill_up(app: Flask, n_files: int, now: datetime) -> None:
    """So many submissions more; the release stays as it is."""
    site = site_of(app)
    with app.app_context():
        add_files(site, _store_all(site), n_files, now - timedelta(hours=1), now)
        _end_jobs(site, now)
        site.session.remove()


def _end_jobs(site: Site, now: datetime) -> None:
    """Call all jobs done: which ranks are real is computed for hours with so many systems, and the mails of
    what was sent before are no load of what is measured next.
    """
    with db.writing(site.session()):
        ids = site.session.scalars(select(Job.id)).all()
        change_jobs(site.session(), ids, "done", finished_at=now)


def _store_all(site: Site) -> dict[str, list[Stored]]:
    chance = random.Random(SEED)  # noqa: S311  (a simulation)
    task = tasks.get_task(site.session(), SLUG)
    phase = tasks.get_phase(site.session(), task, PHASE)
    return {level.slug: list(_store(site, phase, level, chance)) for level in task.levels}


def _write_bundle(folder: Path, now: datetime) -> None:
    folder.mkdir()
    levels = "".join(LEVEL.format(level) for level in LEVELS)
    opens, closes = now - timedelta(days=6), now + timedelta(days=6)
    (folder / "task.toml").write_text(
        TOML.format(levels=levels, opens=opens, closes=closes), encoding="utf-8"
    )
    for level, values in truths().items():
        pairs = (f"the boat came in before storm {k}\tthe boat came in\tNews-{k}\n" for k in range(N))
        (folder / f"{level}.items.tsv").write_text("".join(pairs), encoding="utf-8")
        (folder / f"{level}.gold.tsv").write_text("".join(f"{value}\n" for value in values), encoding="utf-8")


def _add_teams(session: Any, task: Task, phase: Phase, count: int, now: datetime) -> None:
    for number in range(count):
        user = create_account(session, f"writer{number}@example.org", f"Writer {number}", PASSWORD)
        team = teams.create_team(session, Actor(user.id), task, f"team {number}", now)
        session.execute(
            insert(Run),
            [
                {
                    "team_id": team.id,
                    "phase_id": phase.id,
                    "number": place,
                    "position": place,
                    "name": f"run {place}",
                    "description": "",
                    "method": "",
                    "resources": "",
                    "links": "",
                    "authors": "",
                    "is_primary": False,
                    "created_at": now,
                }
                for place in range(1, RUNS + 1)
            ],
        )


def _store(site: Site, phase: Phase, level: Level, chance: random.Random) -> Iterator[Stored]:
    """Different files of a level, stored and scored by the site's own scorer."""
    split = tasks.find_split(level, phase.split)
    assert split is not None
    gold = gold_versions.find_gold(site.session(), split)
    assert gold is not None
    values, truth = scoring.gold_of(site.session(), split, gold), truths()[level.slug]
    for _ in range(FILES):
        data = run_file(chance, truth)
        parsed = scoring.parse_run(site.session(), split, data, "run.tsv")
        results = scoring.evaluate_run(values, parsed, level.metrics, None)
        yield Stored(site.storage.put(data), len(data), results)


def add_files(
    site: Site, stored: dict[str, list[Stored]], count: int, since: datetime, until: datetime
) -> None:
    """So many submissions, in turn for each run and level, with scores, receipts and what is in the log."""
    session = site.session()
    books = Books(session, stored)
    step, batch = (until - since) / count, 5000
    for begin in range(0, count, batch):
        rows: Rows = {model: [] for model in (Submission, Score, Receipt, AuditEntry)}
        for index in range(begin, min(count, begin + batch)):
            books.add(rows, index, since + step * index)
        with db.writing(session):
            for model, values in rows.items():
                session.execute(insert(model), values)
            files = [row["id"] for row in rows[Submission]]
            looks = [jobs.NewJob("flags.look", {"submission": file}, since) for file in files]
            change_jobs(session, jobs.add_jobs(session, looks, since), "done", 1, finished_at=since)
    with db.writing(session):
        session.execute(delete(Standing))
        session.execute(
            insert(Standing),
            [
                {"run_id": run_id, "level_id": level_id, "late": False, "submission_id": submission_id}
                for (run_id, level_id), submission_id in books.newest.items()
            ],
        )
    settle(site)


def settle(site: Site) -> None:
    """What a database does by itself in time: PostgreSQL's counters and statistics."""
    if site.engine.dialect.name == "postgresql":
        with site.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.exec_driver_sql(
                "SELECT setval(pg_get_serial_sequence('submission', 'id'), max(id)) FROM submission"
            )
            connection.exec_driver_sql("VACUUM ANALYZE")


Rows = dict[type[Any], list[dict[str, Any]]]


class Books:
    """What the rows of the next submission refer to."""

    def __init__(self, session: Session, stored: dict[str, list[Stored]]) -> None:
        task, head = tasks.get_task(session, SLUG), audit.find_head(session)
        runs = session.execute(select(Run.id, Run.team_id, Team.captain_id).join(Team).order_by(Run.id))
        self.stored, self.task_id, self.runs = stored, task.id, runs.all()
        self.first = (session.scalar(select(func.max(Submission.id))) or 0) + 1
        self.number, self.previous = head or (0, audit.GENESIS)
        self.levels = []
        for level, split in tasks.splits_of(tasks.get_phase(session, task, PHASE)):
            gold = gold_versions.find_gold(session, split)
            assert gold is not None
            self.levels.append((level.id, level.slug, gold.id))
        self.newest: dict[tuple[int, int], int] = {}

    def add(self, rows: Rows, index: int, at: datetime) -> None:
        """The rows of one submission, and the next entry of the log."""
        run_id, team_id, user_id = self.runs[index // len(self.levels) % len(self.runs)]
        level_id, slug, gold_id = self.levels[index % len(self.levels)]
        file, submission_id = self.stored[slug][index * 7 % FILES], self.first + index
        self.newest[run_id, level_id] = submission_id
        of_it: dict[str, Any] = {"submission_id": submission_id}
        rows[Submission].append(
            {
                "id": submission_id,
                "run_id": run_id,
                "level_id": level_id,
                "sha256": file.sha256,
                "size": file.size,
                "filename": "run.tsv",
                "warnings": [],
                "late": False,
                "submitted_by": user_id,
                "arrived_at": at,
            }
        )
        rows[Score] += [
            {
                **of_it,
                "gold_version_id": gold_id,
                "metric": result.metric,
                "value": result.value,
                "n": result.n,
                "signature": result.signature,
                "made_at": at,
            }
            for result in file.results.whole
        ]
        rows[Receipt].append({**of_it, "text": "{}" + " " * 1500})
        details = {"submission": submission_id, "run": run_id, "level": slug, "sha256": file.sha256}
        self._log(rows, at, f"user:{user_id}", team_id, {**details, "receipt": True})

    def _log(self, rows: Rows, at: datetime, actor: str, team_id: int, details: dict[str, Any]) -> None:
        self.number += 1
        values = {
            "number": self.number,
            "at": at,
            "actor": actor,
            "task_id": self.task_id,
            "team_id": team_id,
            "action": "submission.accept",
            "details": details,
            "previous": self.previous,
        }
        self.previous = audit.entry_hash(AuditEntry(**values))
        rows[AuditEntry].append({**values, "sha256": self.previous})


def sign_in(app: Flask, count: int) -> list[Player]:
    """So many people, each signed in by the form, as the captain of a team."""
    site, players = site_of(app), []
    with app.app_context():
        session = site.session()
        runs: dict[int, list[int]] = {}
        for run_id, team_id in session.query(Run.id, Run.team_id).order_by(Run.id):
            runs.setdefault(team_id, []).append(run_id)
        of_teams = [tuple(runs[team.id]) for team in session.query(Team).order_by(Team.id) if team.id in runs]
        site.session.remove()
    for number in range(count):
        client = app.test_client()
        client.environ_base["HTTP_USER_AGENT"] = AGENT
        form = {"email": f"writer{number}@example.org", "password": PASSWORD}
        answer = client.post("/sign-in", data={**form, "csrf_token": _token(client.get("/sign-in").text)})
        assert answer.status_code == 302, answer.text
        token = _token(client.get("/account/").text)
        cookie = client.get_cookie("session")
        assert cookie is not None
        players.append(Player(f"session={cookie.value}", token, of_teams[number]))
    return players


def _token(page: str) -> str:
    found = re.search(r'name="csrf_token"[^>]*value="([^"]+)"', page)
    assert found is not None, page
    return found[1]


def now() -> datetime:
    """The instant, which the site's own clock reads too."""
    return datetime.now(UTC).replace(microsecond=0)
