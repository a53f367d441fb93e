"""A small task and its cast (ada organizes, bo and cy are a team, dee is a stranger); each step is a call."""

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from flask import Flask, Response, request, request_finished
from sqlalchemy import event, func, select
from sqlalchemy.orm import Session

from scorer.errors import ScorerError
from server import bundles
from server.access import role_invitations, roles, service as access, tasks
from server.accounts import sign_ins
from server.accounts.models import User
from server.accounts.sign_in_cookie import TOKEN_KEY
from server.core import clock, db
from server.core.actors import CONSOLE, Actor
from server.core.child_processes import ProcessFailed, run_process
from server.core.site_resources import Site
from server.core.storage import Storage
from server.corrections import publishing as gold_publishing, scoring_jobs, service as gold
from server.gold import versions as gold_versions
from server.gold.models import GoldVersion
from server.inferences import runner as inference_runner
from server.job_handlers import HANDLERS, Handler, run_periodic_tasks
from server.jobs import table_queue
from server.jobs.models import Job
from server.personal_data.account_management import create_account
from server.phases.models import Phase
from server.planning import task_files
from server.planning.task_deletion import KEPT_TABLES
from server.releases import creation as release_creation, service as releases
from server.releases.inference_parts import PART_JOB
from server.releases.models import Release
from server.runs import service as runs
from server.runs.models import Run
from server.submissions import eligibility, withdrawals
from server.submissions.follow_up_jobs import INFERENCE_JOB, PAPER_JOB
from server.submissions.models import Submission
from server.submissions.uploads import receive_file
from server.tasks.models import Task
from server.tasks.picture_process import describe_picture
from server.tasks.rules import RoleName
from server.teams import invitations, service as teams
from server.teams.models import Team
from server.web.context import EXTENSION, site_of
from tests.server.drawing import draw_picture
from tests.server.job_runs import run_due, run_job
from tests.server.small_task import GOOD, PASSWORD
from tests.server.visitors import Visitor

OPENS = datetime(2026, 3, 1, tzinfo=UTC)
CLOSES = datetime(2026, 3, 15, 12, tzinfo=UTC)
DURING = datetime(2026, 3, 10, 12, tzinfo=UTC)
LATE = CLOSES + timedelta(hours=1)
AFTER = CLOSES + timedelta(hours=100)
"""The evaluation takes late files for 72 hours."""

INFERENCE_PROCESS = inference_runner.COMMAND

COOKIES: dict[tuple[str, str | None], tuple[dict[str, Any], dict[str, str]]] = {}
"""The values of the cookie that each person got when they first signed in, and its tokens of forms."""


@dataclass
class World:
    """The site and its cast; each step is one transaction through the services."""

    app: Flask
    set_clock: Callable[[datetime], None]

    @property
    def site(self) -> Site:
        return site_of(self.app)

    def set_time_zone(self, name: str) -> None:
        """Set the time zone of the site."""
        config = replace(self.site.config, time_zone=name)
        self.app.extensions[EXTENSION] = replace(self.site, config=config)

    @property
    def session(self) -> Session:
        return self.site.session()

    @property
    def storage(self) -> Storage:
        return self.site.storage

    def user(self, name: str) -> User:
        return self.session.query(User).filter_by(email=f"{name}@example.org").one()

    def actor(self, name: str) -> Actor:
        return Actor(user_id=self.user(name).id)

    @property
    def task(self) -> Task:
        return tasks.get_task(self.session, "small")

    def phase(self, slug: str = "evaluation") -> Phase:
        return tasks.get_phase(self.session, self.task, slug)

    @property
    def team(self) -> Team:
        team = teams.find_team_by_name(self.session, self.task, "birch")
        assert team is not None
        return team

    def run(self, name: str = "one", phase: str = "evaluation") -> Run:
        """A run of bo's and cy's team, made if it is not there."""
        target, team = self.phase(phase), self.team
        found = (
            self.session.query(Run).filter_by(team_id=team.id, phase_id=target.id, name=name).one_or_none()
        )
        if found is not None:
            return found
        with db.writing(self.session):
            return runs.add_run(self.session, team, target, name, "", DURING)

    def upload(
        self, run: Run, level: str, data: bytes = GOOD, at: datetime = DURING, by: str = "bo"
    ) -> Submission:
        """What the page does, at a set time."""
        target = eligibility.find_own_target(self.session, self.actor(by), run.id, level, at)
        stored = receive_file(
            self.session, self.actor(by), eligibility.ReceivedFile(target, data, "run.tsv", sure=True), at
        )
        return self.session.get_one(Submission, stored.submission_id)

    def add_picture(self, name: str = "lake.png", width: int = 6) -> None:
        """A picture of the task, uploaded by ada."""
        data = draw_picture(width=width)
        facts = describe_picture(data)
        size = facts.width, facts.height
        self._save_file(task_files.CleanFile(name, self.storage.put(data), facts.content_type, size))

    def add_kit_file(self, name: str = "check.py", data: bytes = b"print('good')\n") -> None:
        """A file of the task's starter kit, uploaded by ada."""
        self._save_file(task_files.clean_file(self.storage, name, data))

    def _save_file(self, clean: task_files.CleanFile) -> None:
        with db.writing(self.session):
            task_files.save_file(self.session, self.actor("ada"), self.task, clean, DURING)

    def found_team(self, captain: str, name: str) -> Team:
        """Another team, of one."""
        with db.writing(self.session):
            return teams.create_team(self.session, self.actor(captain), self.task, name, OPENS)

    def link(self, at: datetime = DURING, by: str = "bo") -> str:
        """The token of a new link of a person's team."""
        with db.writing(self.session):
            team = access.require_team(self.session, self.actor(by), self.task)
            return invitations.invite(self.session, self.actor(by), team, at).token

    def give_role(self, name: str, role: RoleName, at: datetime = OPENS) -> None:
        """A role in the task, given by ada."""
        with db.writing(self.session):
            roles.add_person(self.session, self.actor("ada"), self.task, self.user(name), role, at)

    def role_link(self, role: RoleName, at: datetime = DURING) -> str:
        """The token of a new link that gives a role."""
        with db.writing(self.session):
            return role_invitations.invite(self.session, self.actor("ada"), self.task, role, at).token

    def end_role(self, name: str, at: datetime = DURING) -> None:
        """The end of a role, by ada."""
        with db.writing(self.session):
            roles.remove_person(self.session, self.actor("ada"), self.task, self.user(name).id, at)

    def withdraw(self, submission: Submission, at: datetime = DURING, by: str = "bo") -> None:
        """Take a submission back."""
        with db.writing(self.session):
            withdrawals.withdraw_submission(self.session, self.actor(by), submission, at)

    def bring_gold(
        self, level: str, data: bytes, at: datetime = DURING, split: str = "test", reason: str = "mistyped"
    ) -> GoldVersion:
        """A new gold version as a candidate, uploaded by ada; nothing is scored yet."""
        actor, target = self.actor("ada"), tasks.get_level_split(self.task, level, split)[1]
        prepared = gold.prepare_gold(self.session, actor, target, data, "fix.tsv", reason)
        with db.writing(self.session):
            return gold.add_gold(self.session, actor, prepared, at)

    def publish_gold(self, version: GoldVersion, at: datetime = DURING) -> None:
        """The candidate in force."""
        with db.writing(self.session):
            gold_publishing.publish_version(self.session, self.actor("ada"), version, at)

    def fix_gold(self, level: str, data: bytes, at: datetime = DURING, split: str = "test") -> GoldVersion:
        """A new version of the gold, scored and published."""
        version = self.bring_gold(level, data, at, split)
        scoring_jobs.score_all(self.site, version.id, at)
        self.publish_gold(version, at)
        return version

    def add_human_ceiling(self, value: float) -> None:
        """Give the gold of the evaluation's first level what gold from a campaign has."""
        version = gold_versions.find_gold(self.session, tasks.get_level_split(self.task, "p2s", "test")[1])
        assert version is not None
        with db.writing(self.session):
            version.human_ceiling = [
                {
                    "metric": metric,
                    "value": value,
                    "annotators": 12,
                    "units": 4,
                    "signature": f"human-{metric}|n:4|annotators:12|v:0.1.0",
                }
                for metric in ("pearson", "mae")
            ]

    def release(self, at: datetime = AFTER, **manner: Any) -> Release:
        """Publish the board of the evaluation, in some manner."""
        with db.writing(self.session):
            phase, how = self.phase(), release_creation.ReleaseOptions(**manner)
            return release_creation.release_board(self.session, self.actor("ada"), phase, at, how)

    def withdraw_release(self, reason: str = "a mistake", at: datetime = AFTER) -> Release:
        """Take the newest release of the evaluation back."""
        with db.writing(self.session):
            return releases.withdraw_release(self.session, self.actor("ada"), self.phase(), reason, at)

    def work(
        self,
        at: datetime,
        handlers: Mapping[str, Handler] = HANDLERS,
        but: Collection[str] = (INFERENCE_JOB, PART_JOB, PAPER_JOB),
    ) -> list[int]:
        """All that a worker does at a set time, until nothing is due; the jobs that it did.

        Inferences and papers are left alone unless `but` says otherwise: each is a process of its own.
        """
        self.set_clock(at)
        run_periodic_tasks(self.site, at)
        done: list[int] = []
        while due := table_queue.list_due_jobs(self.session, at, but=but):
            done += run_due(self.site, due, handlers)
        return done

    def infer(self, what: str = "inference", at: datetime = AFTER + timedelta(minutes=3)) -> None:
        """Compute the due inferences of one kind: of manual releases, of "live" ones, or a "draft"."""
        self.set_clock(at)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(inference_runner, "run_process", compute_inference)
            while due := self._list_due_inferences(what, at):
                run_due(self.site, due, HANDLERS)

    def _list_due_inferences(self, what: str, at: datetime) -> list[int]:
        due = table_queue.list_due_jobs(self.session, at, only=[INFERENCE_JOB, PART_JOB])
        return [job_id for job_id in due if what in self.session.get_one(Job, job_id).payload]

    def make_papers(self, at: datetime = AFTER + timedelta(minutes=3)) -> None:
        """Make the tables and figures that are due."""
        self.set_clock(at)
        for job_id in table_queue.list_due_jobs(self.session, at, only=[PAPER_JOB]):
            run_job(self.site, job_id)

    def client(self, name: str | None = None) -> "Visitor":
        """A browser in which this person is signed in, or nobody if none is given.

        Only the first sign-in sends the form, which takes longer than most pages. The next ones add a row and
        have the same cookie, but for its token.
        """
        visitor = Visitor(self.app.test_client())
        if name is None:
            return visitor
        self.site.session.remove()
        user = self.user(name)
        key = (user.fs_uniquifier, user.tf_primary_method)
        if key in COOKIES:
            values, visitor.tokens = COOKIES[key][0], dict(COOKIES[key][1])
            browser = visitor.client.environ_base["HTTP_USER_AGENT"]
            with db.writing(self.session):
                token = sign_ins.open_sign_in(self.session, user, browser, clock.now(), lasting=True)
            visitor.set_session({**values, TOKEN_KEY: token})
        else:
            form = {"email": user.email, "password": PASSWORD, "remember": "y"}
            response = visitor.post("/sign-in", form)
            assert response.status_code == 302, response.text
            if TOKEN_KEY in visitor.session():  # no second factor is asked for
                COOKIES[key] = visitor.session(), visitor.tokens
        return visitor


def compute_inference(command: Sequence[str], data: bytes) -> str:
    """What the process of an inference prints, computed in this one, as a new one takes longer to start."""
    if command != INFERENCE_PROCESS:  # a test has set another
        return run_process(command, data)
    from server.inferences.process import compute  # noqa: PLC0415  (slow to import, seldom needed)

    try:
        results = compute(json.loads(data))
    except ScorerError as error:
        raise ProcessFailed(str(error)) from error
    return "".join(json.dumps(values, ensure_ascii=False) + "\n" for values in results)


def count_rows(world: World) -> dict[str, int]:
    """The number of rows of each table that can lose some."""
    tables = [table for table in db.Base.metadata.sorted_tables if table.name not in KEPT_TABLES]
    count = select(func.count())
    return {table.name: world.session.scalar(count.select_from(table)) or 0 for table in tables}


@contextmanager
def count_queries(world: World) -> Iterator[list[str]]:
    """Collect the site's statements; fail if a request meanwhile was not answered with what it asked for."""
    statements: list[str] = []
    failures: list[str] = []

    def note_statement(_connection: object, _cursor: object, statement: str, *_others: object) -> None:
        if not statement.startswith(("BEGIN", "PRAGMA")):
            statements.append(statement)

    def note_answer(_app: object, response: Response) -> None:
        if response.status_code >= (300 if request.method == "GET" else 400):
            failures.append(f"{request.method} {request.path}: {response.status}")

    event.listen(world.site.engine, "before_cursor_execute", note_statement)
    try:
        with request_finished.connected_to(note_answer, world.app):
            yield statements
    finally:
        event.remove(world.site.engine, "before_cursor_execute", note_statement)
    assert not failures, "\n".join(failures)


@contextmanager
def max_queries(world: World, n: int) -> Iterator[list[str]]:
    """Fail if the site runs more than `n` statements; yields them."""
    with count_queries(world) as statements:
        yield statements
    assert len(statements) <= n, "\n".join(statements)


def host_small_task(world: World, bundle: Path) -> None:
    """Fill an empty site: the cast, the task that ada organizes, the team of bo and cy."""
    session = world.session
    with db.writing(session):
        for name in ("ada", "bo", "cy", "dee"):
            create_account(session, f"{name}@example.org", name, PASSWORD)
    plan = bundles.plan_import(bundle)
    with db.writing(session):
        bundles.import_task(session, CONSOLE, plan, [world.user("ada")], OPENS, published=True)
    with db.writing(session):
        team = teams.create_team(session, world.actor("bo"), world.task, "birch", OPENS)
        link = invitations.invite(session, world.actor("bo"), team, OPENS).token
        invitations.join_team(session, world.actor("cy"), world.task, link, OPENS)
    session.expunge_all()


@pytest.fixture
def set_clock(monkeypatch: pytest.MonkeyPatch) -> Callable[[datetime], None]:
    """Sets the server's time."""

    def set_to(at: datetime) -> None:
        monkeypatch.setattr(clock, "now", lambda: at)

    set_to(DURING)
    return set_to


@pytest.fixture
def world(app: Flask, set_clock: Callable[[datetime], None]) -> Iterator[World]:
    """The small task, hosted, during its evaluation."""
    with app.app_context():
        yield World(app, set_clock)
