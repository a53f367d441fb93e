"""A small campaign, and the steps of its organizers and annotators through the services."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from secrets import token_hex

from werkzeug.test import TestResponse

from server.access import tasks
from server.annotation.answers.tickets import Ticket, make_ticket
from server.annotation.assignments import progress, taking
from server.annotation.campaigns import consents, creation, people, service as campaigns
from server.annotation.campaigns.rules import Invitee
from server.annotation.models import (
    AnnotationRound,
    Annotator,
    AnnotatorKey,
    Assignment,
    Campaign,
    Exclusion,
    Step,
    UnitAnswer,
)
from server.core import db
from server.tasks.models import Task
from tests.server.visitors import Visitor, words
from tests.server.world import DURING, World

CONFIG = """\
[campaign]
slug = "harbour"
title = "How similar are these sentences?"
contact = "organizers@example.org"
languages = ["en"]
text_language = "en"
consent = {{ en = "consent.en.md" }}
guide = {{ en = "guide.en.md" }}
scale = {{ min = 0, max = 4, step = 1 }}
labels.en = {{ "0" = "completely different", "4" = "identical" }}
{gold}
[entry.students]
kind = "personal"
lease_hours = 48
assignments_each = {each}
[[round]]
slug = "rate"
kind = "rate"
units = "pairs.tsv"
show = ["left", "right"]
question.en = "How similar are the two sentences?"
ask = {{ comment = true, cannot_judge = true }}
answers = {answers}
assignment = {assignment}
groups = "apart"
seed = 7
"""
GOLD = 'level = "p2s"\nsplit = "test"'
CONSENT = "You rate sentences. **Your ratings are published** under a pseudonym."
GUIDE = "Rate the *meaning*, not the words."
LEASE = timedelta(hours=48)


def write_campaign(
    folder: Path,
    *,
    units: int = 6,
    grouped: bool = False,
    answers: int = 2,
    assignment: int = 3,
    each: int = 1,
    gold: str = "",
) -> Path:
    """Write the files of a campaign; `grouped`: each two units are of one group."""
    folder.mkdir(parents=True, exist_ok=True)
    config = CONFIG.format(gold=gold, answers=answers, assignment=assignment, each=each)
    (folder / "annotation.toml").write_text(config, encoding="utf-8")
    (folder / "consent.en.md").write_text(CONSENT, encoding="utf-8")
    (folder / "guide.en.md").write_text(GUIDE, encoding="utf-8")
    head = ["key", "left", "right", "wanted", *(["group"] if grouped else [])]
    rows = [
        [
            f"u{n}",
            f"Boat {n} came in.",
            f"Ship {n} arrived.",
            f"secret-{n}",
            *([f"g{n // 2}"] if grouped else []),
        ]
        for n in range(units)
    ]
    lines = "".join("\t".join(row) + "\n" for row in [head, *rows])
    (folder / "pairs.tsv").write_text(lines, encoding="utf-8")
    return folder


def finish_upload(world: World, visitor: Visitor, response: TestResponse) -> TestResponse:
    """Let a worker read an upload, and follow its page, which goes on to the campaign or shows problems."""
    assert response.status_code == 302, words(response)
    assert "The site is reading your files" in words(visitor.get(response.location))
    world.work(DURING)
    return visitor.get(response.location, follow_redirects=True)


@dataclass
class Annotating:
    """One campaign of the small task, or of another; each step is one transaction."""

    world: World
    slug: str = "harbour"
    task_slug: str = "small"

    @property
    def task(self) -> Task:
        return tasks.get_task(self.world.session, self.task_slug)

    @property
    def campaign(self) -> Campaign:
        session = self.world.session
        return campaigns.get_campaign(session, self.world.actor("ada"), self.task, self.slug)

    @property
    def round(self) -> AnnotationRound:
        return campaigns.get_round(self.campaign)

    def add(self, prepared: creation.PreparedCampaign, at: datetime = DURING) -> None:
        with db.writing(self.world.session):
            session = self.world.session
            creation.add_campaign(session, self.world.actor("ada"), self.task, prepared, at)

    def open(self, at: datetime = DURING) -> None:
        with db.writing(self.world.session):
            campaigns.open_round(self.world.session, self.world.actor("ada"), self.round, at)

    def pause(self, at: datetime = DURING) -> None:
        with db.writing(self.world.session):
            campaigns.pause_round(self.world.session, self.world.actor("ada"), self.round, at)

    def close(self, at: datetime = DURING) -> None:
        with db.writing(self.world.session):
            campaigns.close_round(self.world.session, self.world.actor("ada"), self.round, at)

    def invite(self, *invitees: Invitee, at: datetime = DURING) -> list[people.NewLink]:
        """Links for these people; the annotators are not loaded any more."""
        session = self.world.session
        with db.writing(session):
            entry = self.campaign.entries[0]
            links = people.add_annotators(session, self.world.actor("ada"), entry, invitees, at)
            return [people.NewLink(link.annotator, link.invitee, link.key) for link in links]

    def annotator(self, name: str) -> Annotator:
        return people.get_annotator(self.world.session, self.campaign, name)

    def consent(
        self, name: str, user: str | None = None, at: datetime = DURING, *, leave: bool = False
    ) -> None:
        session = self.world.session
        with db.writing(session):
            annotator = self.annotator(name)
            user_id = None if user is None else self.world.user(user).id
            number = consents.current_version(session, annotator.campaign).number
            consents.give_consent(session, annotator, number, "en", user_id, at, leave_team=leave)

    def withdraw(self, name: str, at: datetime = DURING) -> None:
        with db.writing(self.world.session):
            consents.withdraw_consent(self.world.session, self.annotator(name), at)

    def take(self, name: str, at: datetime = DURING) -> int:
        """The id of the assignment that an annotator gets."""
        session = self.world.session
        with db.writing(session):
            return taking.take_assignment(session, self.annotator(name), self.round, at).id

    def leave(self, assignment_id: int, at: datetime = DURING) -> None:
        with db.writing(self.world.session):
            assignment = self.world.session.get_one(Assignment, assignment_id)
            progress.add_event(self.world.session, assignment, "left", at)

    def answer(self, assignment_id: int, value: float | None = 3, at: datetime = DURING) -> str | None:
        """Answer the next step, and return the key of its unit; None: there was none."""
        session = self.world.session
        with db.writing(session):
            assignment = session.get_one(Assignment, assignment_id)
            step = progress.next_step(session, assignment)
            if step is not None:
                add_answer(session, step, value, at)
                progress.finish_assignment(session, assignment, at)
            return None if step is None else step.unit.key

    def work(self, name: str, at: datetime = DURING) -> list[str]:
        """Take an assignment and answer all of it; the keys of its units."""
        assignment_id, keys = self.take(name, at), []
        while (key := self.answer(assignment_id, at=at)) is not None:
            keys.append(key)
        return keys

    def exclude(self, name: str, at: datetime = DURING, *, excluded: bool = True) -> None:
        with db.writing(self.world.session):
            self.world.session.add(
                Exclusion(annotator_id=self.annotator(name).id, excluded=excluded, reason="hasty", made_at=at)
            )

    def join(self, count: int = 1, at: datetime = DURING) -> Sequence[str]:
        """New annotators who consented; their pseudonyms."""
        links = self.invite(*[Invitee()] * count, at=at)
        names = [link.annotator.name for link in links]
        for name in names:
            self.consent(name, at=at)
        return names


def make_own_ticket(session: db.Session, step: Step, known: int | None, at: datetime) -> Ticket:
    """The ticket of a step's page, as its annotator sees it."""
    keys = session.query(AnnotatorKey.sha256).filter_by(annotator_id=step.annotator_id, ended_at=None)
    return make_ticket(keys.one()[0], step.id, known, at)


def add_answer(session: db.Session, step: Step, value: float | None, at: datetime) -> UnitAnswer:
    """Insert an answer as the annotators' pages do."""
    answer = UnitAnswer(
        step=step,
        nonce=token_hex(16),
        value=value,
        standing="counts",
        shown_at=at,
        arrived_at=at,
        input="none",
    )
    session.add(answer)
    session.flush()
    return answer
