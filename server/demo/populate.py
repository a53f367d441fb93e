"""Fills the demo's site through the services: the actions of people at set times."""

import uuid
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy.orm import Session

from server import bundles
from server.access import tasks
from server.accounts.models import User
from server.core import db
from server.core.actors import CONSOLE, Actor
from server.core.errors import InvalidFile
from server.core.site_resources import Site
from server.corrections import service as gold
from server.demo import demo_campaign, logos
from server.demo.island_bundle import write_island_bundle
from server.jobs import service as jobs
from server.mail import announcements
from server.personal_data.account_management import create_account
from server.phases.models import Phase
from server.planning import extensions, task_files
from server.questions import service as questions
from server.releases import creation as release_creation, live_boards
from server.runs import service as runs
from server.runs.models import Run
from server.signing import service as signing_keys
from server.submissions import eligibility
from server.submissions.uploads import receive_file
from server.tasks.models import Task
from server.teams import invitations, service as teams
from server.teams.models import Team

PASSWORD = "assay-demo"  # noqa: S105  (the demo listens on this machine only)
ACCOUNTS = {
    "ada@demo.example": "organizes both tasks",
    "bo@demo.example": 'captain of the team "quay"',
    "cy@demo.example": 'member of the team "quay"',
    "dee@demo.example": "has no team yet",
}
LINK_FILE = "annotator_link"
"""The file with the personal link of the demo's campaign that nobody has opened yet."""
FOLDER = Path(__file__).parent / "harbour-2026"
STARTER_KIT = Path(__file__).parent / "starter-kit"
CAPTAINS = ("Eve", "Finn", "Gail", "Hana", "Iris", "Jon", "Kim", "Lea", "Max", "Nia", "Oto", "Pam")
"""The captains of the other teams, one for each team of a task."""
CORRECTED_LABELS = {3: "0", 8: "4", 12: "0.5"}
"""Lines of the gold file of paragraph2sentence that are corrected, with their new labels."""
ISLAND_CLOSED = datetime(2025, 2, 1, 11, 59, 59, tzinfo=UTC)
ISLAND_NOTE = "Thank you all for taking part. The gold is public with this release."
CLOSED_AGO = timedelta(hours=26)
"""How long ago the demo's evaluation closed; its grace period of 72 hours has not ended."""


def populate_site(site: Site, now: datetime) -> None:
    """Fill an empty site."""
    session = site.session()
    plan = bundles.plan_import(FOLDER)
    with db.writing(session):
        people = {}
        for email in ACCOUNTS:
            name = email.split("@")[0]
            people[name] = create_account(session, email, name.capitalize(), PASSWORD)
        captains = [_add_captain(session, name, people["dee"]) for name in CAPTAINS]
        signing_keys.ensure_key(session, ISLAND_CLOSED - timedelta(days=61))
    _host_island(site, session, people, captains)
    DemoTask(site, session, plan, people, iter(captains), now).tell()
    ada, task = Actor(user_id=people["ada"].id), tasks.get_task(session, FOLDER.name)
    link = demo_campaign.begin(site, session, ada, task, now - timedelta(days=3))
    (site.config.data_dir / LINK_FILE).write_text(link, encoding="ascii")
    with db.writing(session):
        jobs.delete_kinds(session, "mail.", "question.")  # about what happened in the past


def _add_captain(session: Session, name: str, like: User) -> User:
    """Add an account with the password of another one: each hash takes long."""
    captain = User(
        email=f"{name.lower()}@demo.example",
        name=name,
        password=like.password,
        active=True,
        fs_uniquifier=uuid.uuid4().hex,
        confirmed_at=like.confirmed_at,
        created_at=like.created_at,
    )
    session.add(captain)
    session.flush()
    return captain


def _host_island(site: Site, session: Session, people: dict[str, User], captains: list[User]) -> None:
    """Host a finished task, with a public leaderboard, gold standard and files of its 24 systems."""
    with TemporaryDirectory() as folder:
        write_island_bundle(Path(folder))
        plan = bundles.plan_import(Path(folder))
        now = ISLAND_CLOSED + CLOSED_AGO
        DemoTask(site, session, plan, people, iter(captains), now).take_place(Path(folder))


@dataclass(frozen=True, slots=True)
class DemoTask:
    """The state of the demo's first task while its story is played."""

    site: Site
    session: Session
    plan: bundles.ImportPlan
    people: dict[str, User]
    captains: Iterator[User]
    """Those who have no team of the task yet."""
    now: datetime

    def _at(self, **after: float) -> datetime:
        """Return the time that is so long after the deadline of the evaluation."""
        return (self.now - CLOSED_AGO).replace(minute=0, second=0, microsecond=0) + timedelta(**after)

    def tell(self) -> None:
        """Import the task, let teams upload, and release the leaderboard."""
        task = self._import()
        self._add_files(task, "lighthouse.png", logos.draw_lighthouse())
        quay = self._found_quay(task)
        practice = tasks.get_phase(self.session, task, "practice")
        evaluation = tasks.get_phase(self.session, task, "evaluation")
        self._practise(practice, quay)
        self._announce(task)
        self._ask(task)
        self._extend(evaluation)
        for spec in self.plan.bundle.runs:
            if spec.baseline is None:
                team = quay if spec.team == quay.name else self._team(task, spec.team)
                actor = self._actor("bo") if team is quay else CONSOLE
                with db.writing(self.session):
                    at = self._at(days=-5)
                    run = runs.add_run(self.session, team, evaluation, spec.name, spec.description, at)
                    bundles.describe_run(run, spec)
                if spec.name == "cross-encoder":
                    broken = FOLDER / "runs-refused" / "quay-paragraph2sentence.tsv"
                    self._upload(actor, run, "paragraph2sentence", broken, self._at(hours=-3))
                for hours, (level, path) in enumerate(spec.files.items(), start=1):
                    at = self._at(hours=5 if level in spec.late else -hours / 2)
                    self._upload(actor, run, level, FOLDER / path, at)
        with db.writing(self.session):
            release_creation.release_board(self.session, self._actor("ada"), evaluation, self._at(hours=24))
        self._mend_gold(task)

    def take_place(self, folder: Path) -> None:
        """Import a task, let teams upload from a folder, mostly on the last days, and release everything."""
        with db.writing(self.session):
            at, ada = self._at(days=-30), self.people["ada"]
            plan = self._without_runs()
            task = bundles.import_task(self.session, CONSOLE, plan, [ada], at, published=True)
        self._add_files(task, "island.png", logos.draw_island())
        phase = tasks.get_phase(self.session, task, "evaluation")
        for number, spec in enumerate(run_spec for run_spec in plan.bundle.runs if run_spec.baseline is None):
            team = self._team(task, spec.team)
            hours = 1 + 400 * (number * 37 % 40 / 40) ** 3
            with db.writing(self.session):
                run = runs.add_run(self.session, team, phase, spec.name, spec.description, at)
            for minutes, (level, path) in enumerate(spec.files.items()):
                sent_at = self._at(hours=5 if level in spec.late else -hours, minutes=minutes)
                self._upload(CONSOLE, run, level, folder / path, sent_at)
        with db.writing(self.session):
            manner = replace(release_creation.DEFAULT_OPTIONS, opens_gold=True, note=ISLAND_NOTE)
            released = self._at(days=9)
            release_creation.release_board(self.session, self._actor("ada"), phase, released, manner)

    def _without_runs(self) -> bundles.ImportPlan:
        """Return the plan with its baselines only: the runs are uploaded later."""
        answers = tuple(answer for answer in self.plan.answers if answer.run.baseline is not None)
        return replace(self.plan, answers=answers)

    def _mend_gold(self, task: Task) -> None:
        """Upload a candidate that corrects three wrong gold labels, for ada to review."""
        _, split = tasks.get_level_split(task, "paragraph2sentence", "test")
        lines = (FOLDER / "gold" / "test" / "paragraph2sentence.tsv").read_text("utf-8").splitlines()
        for number, label in CORRECTED_LABELS.items():
            lines[number - 1] = label
        data, reason = "\n".join([*lines, ""]).encode(), "Three labels had slipped to other lines."
        ada = self._actor("ada")
        prepared = gold.prepare_gold(self.session, ada, split, data, "paragraph2sentence.gold.tsv", reason)
        with db.writing(self.session):
            gold.add_gold(self.session, ada, prepared, self.now - timedelta(hours=1))

    def _extend(self, evaluation: Phase) -> None:
        """Extend the deadline for all teams by a day, a day before it."""
        reason, at = "The power was cut in the whole old town.", self._at(days=-2)
        with db.writing(self.session):
            ada, closes = self._actor("ada"), self._at()
            extensions.extend_deadline(self.session, ada, evaluation, None, closes, reason, at)

    def _import(self) -> Task:
        """Import the task with its baselines; its evaluation closed a day ago. Runs are uploaded later."""
        bundle = self.plan.bundle
        by_slug = {phase.slug: phase for phase in bundle.phases}
        practice = replace(by_slug["practice"], opens=self._at(days=-60), closes=self._at(days=365))
        evaluation = replace(by_slug["evaluation"], opens=self._at(days=-14), closes=self._at(days=-1))
        afterwards = replace(by_slug["afterwards"], opens=self._at(days=4))
        plan = replace(
            self._without_runs(), bundle=replace(bundle, phases=(practice, evaluation, afterwards))
        )
        with db.writing(self.session):
            at = self._at(days=-61)
            return bundles.import_task(self.session, CONSOLE, plan, [self.people["ada"]], at, published=True)

    def _add_files(self, task: Task, logo: str, picture: bytes) -> None:
        """Add a logo and the starter kit, as ada does with the task."""
        storage, ada, at = self.site.storage, self._actor("ada"), self._at(days=-30)
        files = {logo: picture} | {path.name: path.read_bytes() for path in STARTER_KIT.glob("*.py")}
        clean = [task_files.clean_file(storage, name, data) for name, data in files.items()]
        with db.writing(self.session):
            for file in clean:
                task_files.save_file(self.session, ada, task, file, at)
            task_files.choose_logo(self.session, ada, task, logo, at)

    def _found_quay(self, task: Task) -> Team:
        with db.writing(self.session):
            at = self._at(days=-50)
            quay = teams.create_team(self.session, self._actor("bo"), task, "quay", at)
            link = invitations.invite(self.session, self._actor("bo"), quay, at).token
            teams.edit_team(self.session, self._actor("bo"), task, None, "University of the Pier", at)
            invitations.join_team(self.session, self._actor("cy"), task, link, at + timedelta(hours=1))
        return quay

    def _team(self, task: Task, name: str) -> Team:
        with db.writing(self.session):
            team = teams.find_team_by_name(self.session, task, name)
            at = self._at(days=-30)
            if team is None:
                captain = Actor(user_id=next(self.captains).id)
                team = teams.create_team(self.session, captain, task, name, at)
            return team

    def _announce(self, task: Task) -> None:
        """Send the announcement to all teams two weeks before the deadline."""
        text = "The test items come out with the evaluation. **Check your files** with `scorer check` first."
        with db.writing(self.session):
            draft = announcements.AnnouncementDraft("How the evaluation goes", text, None)
            at = self._at(days=-15)
            announcements.announce(self.session, self._actor("ada"), task, draft, at)

    def _ask(self, task: Task) -> None:
        """Ask two questions for quay: one is answered for everyone, the other waits."""
        bo, ada, at = self._actor("bo"), self._actor("ada"), self._at(days=-12)
        with db.writing(self.session):
            asked = questions.ask_question(
                self.session, bo, task, "May our cross-encoder be trained on the **trial** gold?", at
            )
            public = "May systems be trained on the gold labels of the trial items?"
            answer = "Yes. Say so in the description of the run."
            questions.answer_question(self.session, ada, asked, answer, public, at + timedelta(hours=3))
            late = "Our file for phrase to word was late by a minute. Does it count?"
            questions.ask_question(self.session, bo, task, late, self._at(hours=6))

    def _practise(self, practice: Phase, quay: Team) -> None:
        """Upload one run on the trial data: files for three of the levels, one of them twice."""
        at = self._at(days=-20)
        with db.writing(self.session):
            run = runs.add_run(
                self.session, quay, practice, "first-try", "Word overlap, to see how it works.", at
            )
        for minutes, level in enumerate(
            ("paragraph2sentence", "sentence2phrase", "phrase2word", "sentence2phrase")
        ):
            path = FOLDER / "examples" / f"{level}.trial.tsv"
            self._upload(self._actor("cy"), run, level, path, at + timedelta(minutes=4 * minutes))
        with db.writing(self.session):
            live_boards.release_live_board(self.session, practice, at + timedelta(minutes=13))

    def _upload(self, actor: Actor, run: Run, level: str, path: Path, at: datetime) -> None:
        """Upload a file as the page does: it is scored, or rejected with every bad line."""
        data = path.read_bytes()
        try:
            target = eligibility.find_own_target(self.session, actor, run.id, level, at)
            receive_file(self.session, actor, eligibility.ReceivedFile(target, data, path.name), at)
        except InvalidFile:
            return

    def _actor(self, name: str) -> Actor:
        return Actor(user_id=self.people[name].id)
