"""Plays the roles of the route table on a site with hidden files, in each state of release."""

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from io import BytesIO
from typing import Any, Self
from zipfile import ZipFile

import pytest
from sqlalchemy import Column, ColumnElement, Connection, MetaData, Table, and_, event
from werkzeug.test import TestResponse

from server.access import admins, tasks
from server.accounts import tokens
from server.accounts.models import ApiToken
from server.accounts.scopes import SCOPES, Scope
from server.annotation.campaigns import crowd
from server.annotation.campaigns.uploads import UPLOAD_JOB
from server.annotation.models import Assignment, Campaign, Entry, Step, Unit
from server.core import db
from server.core.actors import CONSOLE
from server.core.errors import InvalidFile
from server.corrections import scoring_jobs
from server.gold import versions as gold_versions
from server.gold.models import GoldVersion
from server.jobs import service as jobs
from server.jobs.models import Job
from server.levels import contents, files, service as levels
from server.levels.baseline_files import BaselineFile
from server.mail import announcements, confirmations
from server.mail.announcements import AnnouncementDraft
from server.mail.models import Announcement, Mail
from server.mail.opt_outs import opt_out_url
from server.personal_data.account_management import create_account
from server.planning import baselines, drafts
from server.questions import service as questions
from server.questions.models import Question
from server.releases import scheduling as release_scheduling
from server.releases.creation import ReleaseOptions
from server.runs.models import Run
from server.submissions.models import Rejection, Submission
from server.tasks.models import RoleInvitation
from server.teams.models import Team, TeamInvitation
from tests.server.campaign_of_players import FREE_KEY, OWN_KEY, UNSHOWN, open_campaign, reject_upload
from tests.server.job_runs import change_job
from tests.server.route_cases import ANNOTATOR, ANONYMOUS, CLOSED, FILE, ROLES, WITHDRAWN, Case
from tests.server.route_table import CASES
from tests.server.small_task import PASSWORD
from tests.server.stored_papers import store_release_paper, store_task_paper
from tests.server.world import AFTER, DURING, World

Key = tuple[object, ...]
BAD = b"0.5\nn/a\n2\n3\n"
CANDIDATE = b"2.875\n0.625\n1.875\n3.375\n"
"""A gold that may be published."""
PERSON = {"visitor": None, "stranger": "dee", "member": "bo", "organizer": "ada"}
"""Who plays a role; the others have accounts named for theirs."""


FAILED_JOB = "note"
CEILING = 0.8153246
"""How well people would do at the level p2s."""


def play(world: World, state: str, candidate: bytes = CANDIDATE) -> None:
    """The cast of all roles, a file a level, one for practice, a refused one; a candidate gold; releases."""
    give_roles(world)
    with db.writing(world.session):
        world.phase().runs_public = True
    world.add_human_ceiling(CEILING)
    run = world.run()
    world.upload(run, "p2s", FILE)
    world.upload(run, "s2p", FILE)
    world.upload(world.run("one", "practice"), "p2s", FILE)
    add_own_baseline(world)
    scoring_jobs.score_all(world.site, world.bring_gold("s2p", candidate).id, DURING)
    with pytest.raises(InvalidFile):
        world.upload(run, "p2s", BAD)
    fail_a_mail(world, first_id(world, Submission, run_id=run.id))
    fail_a_job(world)
    with db.writing(world.session):
        phase, manner = world.phase(), ReleaseOptions(anonymous=True)
        release_scheduling.schedule_release(world.session, world.actor("ada"), phase, AFTER, DURING, manner)
    ask(world)
    with db.writing(world.session):
        announcements.announce(
            world.session, world.actor("ada"), world.task, AnnouncementDraft("Hello", "Have fun."), DURING
        )
    world.add_picture()
    world.add_kit_file()
    set_up_a_task(world)
    open_campaign(world)
    reject_upload(world)
    store_task_paper(world, {"tables/gold.csv": UNSHOWN})
    if state != CLOSED:
        release = world.release(DURING, anonymous=state == ANONYMOUS)
        store_release_paper(world, release)
    if state == WITHDRAWN:
        world.withdraw_release("a mistake", DURING)


def add_own_baseline(world: World) -> None:
    """A baseline that ada computed, whose score has digits of its own."""
    file = BaselineFile("p2s", b"0.25\n1.5\n3\n2.75\n", "p2s.tsv")
    with db.writing(world.session):
        baselines.save_own(
            world.session, world.actor("ada"), world.phase(), None, "GloVe", {}, [file], DURING
        )


PRIVATE = b"wagtail"
"""A word that only those may read who may read the questions of bo's team."""


def ask(world: World) -> None:
    """Questions of bo's team: one answered to the team alone, one to everyone in other words."""
    session, ada, word = world.session, world.actor("ada"), PRIVATE.decode()
    with db.writing(session):
        for text in (f"May we use the {word} corpus?", f"Is the {word} model public?"):
            questions.ask_question(session, world.actor("bo"), world.task, text, DURING)
        newest, oldest = questions.list_questions(session, ada, world.task)
        questions.answer_question(session, ada, oldest, f"The {word} corpus is fine.", None, DURING)
        questions.answer_question(session, ada, newest, "Yes.", "Which models are public?", DURING)


def fail_a_mail(world: World, submission_id: int) -> None:
    """A confirmation that the email server did not accept."""
    confirmations.write_confirmation(world.site, {"submission": submission_id}, DURING)
    with db.writing(world.session):
        mail = world.session.query(Mail).order_by(Mail.id.desc()).first()
        mail.state, mail.attempts, mail.error = "failed", 6, "The mail server said 451: try later"


def fail_a_job(world: World) -> None:
    """A job whose error quotes what only people may read who see all of the task."""
    with db.writing(world.session):
        job_id = jobs.add_job(world.session, FAILED_JOB, {"task": world.task.id}, DURING)
        change_job(world.session, job_id, "failed", 6, f"KeyError: '{UNSHOWN.decode()}'")


def set_up_a_task(world: World) -> None:
    """A task that ada is setting up, with the items and the hidden gold of the small task."""
    split = tasks.get_level_split(world.task, "p2s", "test")[1]
    version = gold_versions.find_gold(world.session, split)
    assert version is not None
    session, storage, ada = world.session, world.storage, world.actor("ada")
    uploads = {
        "items": contents.SplitFile(split.items_sha256, storage.size(split.items_sha256), "items.tsv"),
        "gold": contents.SplitFile(version.sha256, storage.size(version.sha256), "gold.tsv"),
    }
    with db.writing(session):
        task = drafts.begin_draft(session, ada, "Tides", "tides", DURING)
        edit = levels.LevelEdit("p2s", "Paragraph to sentence", ("paragraph", "sentence"))
        level = levels.add_level(session, ada, task, edit, DURING)
        state = contents.read_level(session, level)
        prepared = files.prepare_level(state, storage, {"test": files.SplitChange(uploads)})
        files.put_level(session, ada, level, prepared, DURING)


def give_roles(world: World) -> None:
    with db.writing(world.session):
        for role in ROLES:
            if role not in PERSON:
                create_account(world.session, f"{role}@example.org", role, PASSWORD)
    with db.writing(world.session):
        admins.add_admin(world.session, CONSOLE, world.user("admin"), DURING)
    world.give_role("co-organizer", "co-organizer")
    world.give_role("observer", "observer")
    world.found_team("other", "alder")
    world.link()
    world.role_link("observer")


def address_parts(world: World) -> dict[str, object]:
    """The parts of addresses; those of one blueprint alone begin with its name."""
    link = world.session.query(TeamInvitation).order_by(TeamInvitation.id.desc()).first()
    role_link = world.session.query(RoleInvitation).one()
    return {
        "slug": "small",
        "phase": "evaluation",
        "level": "p2s",
        "invitations.token": link.token,
        "invitation_id": link.id,
        "roles.token": role_link.token,
        "link_id": role_link.id,
        "memberships.user_id": world.user("cy").id,
        "api_memberships.user_id": world.user("cy").id,
        "api_roles.user_id": world.user("observer").id,
        "roles.user_id": world.user("observer").id,
        "dashboard.team_id": world.team.id,
        "registrations.user_id": world.user("other").id,
        "api_registrations.user_id": world.user("other").id,
        "team_id": world.session.query(Team).filter_by(name="alder").one().id,
        "run_id": world.run().id,
        "baselines.run_id": first_id(world, Run, baseline="own"),
        "submission_id": first_id(world, Submission, run_id=world.run().id),
        "files": first_id(world, Submission, run_id=world.run().id),
        "rejection_id": first_id(world, Rejection),
        "mails.job_id": first_id(world, Job, kind=FAILED_JOB),
        "mail_id": first_id(world, Mail, state="failed"),
        "mails.token": opt_out_url(world.site.config, world.user("bo").id, "confirmation").rsplit("/", 1)[1],
        "announcement_id": first_id(world, Announcement),
        "name": "lake.png",
        "question_id": first_id(world, Question),
        "version_id": first_id(world, GoldVersion, number=2),
        "campaign": "harbour",
        "campaigns.job_id": first_id(world, Job, kind=UPLOAD_JOB),
        "campaigns.number": 1,
        "campaign_people.entry": "students",
        "campaign_people.name": "A002",
        "results.name": "A001",
        "decisions.unit_id": world.session.query(Unit.id).order_by(Unit.id).limit(1).scalar(),
        "key": FREE_KEY,
        "annotator_crowd.key": find_crowd_key(world),
        "campaign_id": world.session.query(Campaign.id).order_by(Campaign.id).limit(1).scalar(),
        "assignment_id": world.session.query(Assignment.id).order_by(Assignment.id).limit(1).scalar(),
        "step_id": world.session.query(Step.id).order_by(Step.id).limit(1).scalar(),
    }


def find_crowd_key(world: World) -> str:
    """The key of the link of the crowd of the first campaign."""
    entry = world.session.query(Entry).filter_by(kind="crowd").order_by(Entry.id).first()
    return crowd.path_of(world.session, entry).rsplit("/", 1)[1]


def first_id(
    world: World,
    model: type[Announcement | Run | Submission | Rejection | GoldVersion | Mail | Question | Job],
    **values: int | str,
) -> int:
    """The oldest row of a kind."""
    return world.session.query(model.id).filter_by(**values).order_by(model.id).limit(1).scalar()


class Player:
    """One role, who sends the requests of the table."""

    def __init__(self, world: World, role: str) -> None:
        self.parts = address_parts(world)
        self.app = world.app
        self.world, self.role = world, role
        self.sign_in()

    def sign_in(self) -> None:
        """A browser of its own, signed in unless the role is the visitor's."""
        person = PERSON.get(self.role, self.role)
        self.visitor, self.program = self.world.client(person), self.world.client()
        if person is not None:
            self.visitor.give_password()
        self.token = self.visitor.token()
        if self.role == ANNOTATOR:
            self.open_link()
        self.bearer = {} if person is None else {"Authorization": f"Bearer {give_token(self.world, person)}"}

    def open_link(self) -> None:
        """Let the annotator's browser know whose it is."""
        address = f"/a/me/{OWN_KEY}"
        form = read_hidden_fields(self.visitor.get(address))
        assert self.visitor.open(address, method="POST", data=form).status_code == 303

    def address(self, case: Case) -> str:
        names = next(self.app.url_map.iter_rules(case.endpoint)).arguments
        group = case.endpoint.split(".")[0]
        own = {name: self.parts.get(f"{group}.{name}", self.parts.get(name)) for name in names}
        values = {name: case.values.get(name, own[name]) for name in names}
        query = f"?{case.query}" if case.query else ""
        return self.app.url_map.bind("localhost").build(case.endpoint, values) + query

    def send(self, case: Case, method: str | None = None) -> TestResponse:
        method = method or case.method
        if case.endpoint.startswith("api"):
            return self.call(case, method)
        if method != "POST":
            return self.visitor.open(self.address(case), method=method)
        form: dict[str, object] = {"csrf_token": self.token, **self.read_own_form(case), **case.form}
        if case.file is not None:
            form["file"] = (BytesIO(case.file), case.filename)
        return self.visitor.open(self.address(case), method="POST", data=form)

    def read_own_form(self, case: Case) -> dict[str, str]:
        """The hidden fields of an annotators' page, which has tokens of its own; none with a bad token."""
        if not case.page or self.token != self.visitor.token():
            return {}
        return read_hidden_fields(self.visitor.get(self.address(replace(case, endpoint=case.page))))

    def call(self, case: Case, method: str) -> TestResponse:
        """What a program sends: a token and no cookie, a file or JSON."""
        options: dict[str, Any] = {"headers": {**self.bearer, **case.headers}}
        if case.file is not None:
            options["data"] = {**case.form, "file": (BytesIO(case.file), case.filename)}
        elif method in ("POST", "PATCH"):
            options["json"] = case.json
        return self.program.open(self.address(case), method=method, **options)

    def sent(self, cases: tuple[Case, ...] = CASES) -> Iterator[tuple[Case, TestResponse]]:
        for case in cases:
            yield case, self.send(case)


def read_hidden_fields(page: TestResponse) -> dict[str, str]:
    """The hidden fields of a page's forms."""
    return dict(re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)"', page.text))


def give_token(world: World, person: str, scopes: Sequence[Scope] = SCOPES) -> str:
    """A token of a person that may do all that they may do, or less, the same each time."""
    text = "_".join(["assay", person, *scopes])
    if tokens.find_token(world.session, text, DURING) is None:
        with db.writing(world.session):
            hashed = hashlib.sha256(text.encode()).hexdigest()
            row = ApiToken(user_id=world.user(person).id, name="all", scopes=[*scopes], token_sha256=hashed)
            row.made_at, row.ends_at = DURING, AFTER + timedelta(days=90)
            world.session.add(row)
    return text


def got(response: TestResponse) -> str:
    """The status; in brackets for a redirect to the sign-in page."""
    to_sign_in = response.headers.get("Location", "").startswith("/sign-in")
    return f"({response.status_code})" if to_sign_in else str(response.status_code)


def raw(response: TestResponse) -> bytes:
    """Everything that was sent: status, headers, body; of a zip also its extracted members.

    The id of the request is left out, since it is drawn for each.
    """
    headers = "\n".join(
        f"{name}: {value}" for name, value in response.headers if name.lower() != "x-request-id"
    )
    sent = f"{response.status}\n{headers}\n\n".encode() + response.data
    if response.mimetype != "application/zip":
        return sent
    with ZipFile(BytesIO(response.data)) as archive:
        return b"\n".join(
            [sent, *(name.encode() + b"\n" + archive.read(name) for name in archive.namelist())]
        )


class Rewind:
    """Puts the database's rows back as they were: each request of the table meets the same site."""

    def __init__(self, world: World) -> None:
        self.site = world.site
        self.keep()

    def __enter__(self) -> Self:
        event.listen(self.site.engine, "before_cursor_execute", self._note)
        return self

    def __exit__(self, *_: object) -> None:
        event.remove(self.site.engine, "before_cursor_execute", self._note)

    def keep(self) -> None:
        """Take the rows as they are now, those of the browsers that are signed in too."""
        self.site.session.remove()
        self.written: set[str] = set()
        with self.site.engine.connect() as connection:
            self.kept = {table: rows_of(connection, table) for table in db.Base.metadata.sorted_tables}
            if connection.dialect.name == "sqlite":
                self.kept[COUNTERS] = rows_of(connection, COUNTERS)

    def _note(self, _connection: object, _cursor: object, statement: str, *_others: object) -> None:
        if writes := WRITES.match(statement):
            self.written.add(writes[1])

    def __call__(self) -> None:
        """Put back the tables that were written since the last time, if any were."""
        if not self.written:
            return
        session = self.site.session()
        tables = [table for table in self.kept if table.name in self.written or table is COUNTERS]
        with db.writing(session):
            found = {table: rows_of(session.connection(), table) for table in tables}
            for table in tables:  # first, for what has changed may name what is new
                for key, row in self.kept[table].items():
                    if found[table].get(key, row) != row:
                        session.execute(table.update().where(at(table, key)), row)
            for table in reversed(tables):
                for key in found[table].keys() - self.kept[table].keys():
                    session.execute(table.delete().where(at(table, key)))
            for table in tables:
                for key, row in self.kept[table].items():
                    if key not in found[table]:
                        session.execute(table.insert(), row)
        self.site.session.remove()
        self.written.clear()


COUNTERS = Table("sqlite_sequence", MetaData(), Column("name", primary_key=True), Column("seq"))
"""SQLite's newest ids; the answers to what comes next have them."""
WRITES = re.compile(r'(?:INSERT INTO|UPDATE|DELETE FROM) "?(\w+)')


def rows_of(connection: Connection, table: Table) -> dict[Key, dict[str, object]]:
    """The rows of a table by their primary keys."""
    rows = [row._asdict() for row in connection.execute(table.select())]
    return {tuple(row[column.name] for column in table.primary_key): row for row in rows}


def at(table: Table, key: Key) -> ColumnElement[bool]:
    """Where the row with this primary key is."""
    return and_(*(column == part for column, part in zip(table.primary_key, key, strict=True)))
