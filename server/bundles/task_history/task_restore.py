"""Restores a history's people, terms, gold, teams, extensions and announcements.

`RecordRestorer` is the base class of all restorers: it finds rows by the history's names for them, and
attributes what was done to the people of the history."""

from collections.abc import Sequence
from datetime import datetime
from typing import cast

from sqlalchemy.orm import Session

from server.access import tasks
from server.bundles.models import Attribution, AttributionPart, ImportedPerson
from server.bundles.task_history.plan import HistoryPlan
from server.bundles.task_history.records import GoldEventRecord, GoldKey, GoldRecord, TermsRecord
from server.corrections import service as gold
from server.gold.models import GoldEvent, GoldEventName, GoldVersion
from server.mail.models import Announcement, Reminder
from server.phases.models import Extension, Phase
from server.runs.models import Run
from server.scoring import service as scoring
from server.submissions.models import Submission
from server.tasks.models import Level, Split, Task, TermsVersion
from server.teams import service as teams
from server.teams.models import Team, TeamState


class RecordRestorer:
    """One import: the rows that are back, by what the history calls them."""

    def __init__(self, session: Session, task: Task, phases: dict[str, Phase], plan: HistoryPlan) -> None:
        self.session = session
        self.task = task
        self.phases = phases
        self.plan = plan
        self.history = plan.history
        self.levels: dict[str, Level] = {level.slug: level for level in task.levels}
        self.people: dict[str, ImportedPerson] = {}
        self.golds: dict[GoldKey, GoldVersion] = {}
        self.teams: dict[str, Team] = {}
        self.runs: dict[int, Run] = {}
        self.submissions: dict[int, Submission] = {}

    def add(self, rows: Sequence[object]) -> None:
        """Rows in their order, so that ids grow as they did."""
        self.session.add_all(rows)
        self.session.flush()

    def attribute(
        self, part: AttributionPart, row_id: int, person: str | None, at: datetime | None = None
    ) -> None:
        """Say that a person of the history did something."""
        if person is not None:
            self.session.add(
                Attribution(
                    task_id=self.task.id, part=part, row_id=row_id, person_id=self.people[person].id, at=at
                )
            )


class TaskRestorer(RecordRestorer):
    """People, terms, gold, teams, extensions, announcements."""

    def restore_people(self) -> None:
        """The people of the history, who have no accounts here."""
        records = self.history.people
        self.people = {
            person.id: ImportedPerson(task_id=self.task.id, name=person.name) for person in records
        }
        self.add(list(self.people.values()))

    def restore_terms(self) -> None:
        """Every version of the terms, and who accepted it."""
        versions = {}
        for record in self.history.terms:
            version = versions[record.number] = self._terms_version(record)
            self.task.terms = version.text or None
        self.add(list(versions.values()))
        for record in self.history.terms:
            self.attribute("terms", versions[record.number].id, record.made_by)
        for acceptance in self.history.acceptances:
            self.attribute(
                "acceptance", versions[acceptance.number].id, acceptance.person, acceptance.accepted_at
            )

    def _terms_version(self, record: TermsRecord) -> TermsVersion:
        text = "" if record.file is None else self.plan.texts[record.file]
        return TermsVersion(
            task_id=self.task.id, number=record.number, text=text, made_by=None, made_at=record.made_at
        )

    def restore_gold(self) -> None:
        """Every gold version."""
        for record in self.history.gold:
            self.golds[record.level, record.split, record.number] = self._gold_version(record)
        self.add(list(self.golds.values()))
        for record in self.history.gold:
            version = self.golds[record.level, record.split, record.number]
            self.attribute("gold", version.id, record.made_by)
        self._restore_gold_events()

    def _restore_gold_events(self) -> None:
        events = self.history.gold_events or [
            GoldEventRecord(
                record.level,
                record.split,
                record.number,
                "published",
                record.reason,
                record.made_at,
                record.made_by,
            )
            for record in self.history.gold
        ]
        rows = [
            GoldEvent(
                gold_version_id=self.golds[record.level, record.split, record.number].id,
                event=cast(GoldEventName, record.event),  # the plan was checked
                reason=record.reason,
                made_by=None,
                made_at=record.made_at,
            )
            for record in events
        ]
        self.add(rows)
        for row, record in zip(rows, events, strict=True):
            self.attribute("gold-event", row.id, record.made_by)

    def _gold_version(self, record: GoldRecord) -> GoldVersion:
        split: Split | None = tasks.find_split(self.levels[record.level], record.split)
        assert split is not None  # noqa: S101  (the plan was checked)
        return GoldVersion(
            split_id=split.id,
            number=record.number,
            salt=record.salt or gold.draw_salt(),
            sha256=record.sha256,
            scorer=record.scorer or scoring.VERSION,
            reason=record.reason,
            made_by=None,
            made_at=record.made_at,
        )

    def restore_teams(self) -> None:
        """The teams with their members."""
        for record in self.history.teams:
            team = teams.add_team(self.session, self.task, record.name, record.created_at)
            team.affiliations, team.reason = record.affiliations, record.reason
            team.state = cast(TeamState, record.state)  # the plan was checked
            self.teams[record.name] = team
            self.attribute("captain", team.id, record.captain)
        for member in self.history.members:
            self.attribute("member", self.teams[member.team].id, member.person, member.joined_at)

    def restore_extensions(self) -> None:
        """Every extension."""
        rows = [
            Extension(
                phase_id=self.phases[extension.phase].id,
                team_id=None if extension.team is None else self.teams[extension.team].id,
                closes=extension.closes,
                reason=extension.reason,
                made_by=None,
                made_at=extension.made_at,
            )
            for extension in self.history.extensions
        ]
        self.add(rows)
        for row, extension in zip(rows, self.history.extensions, strict=True):
            self.attribute("extension", row.id, extension.made_by)

    def restore_announcements(self) -> None:
        """Every announcement."""
        rows = [
            Announcement(
                task_id=self.task.id,
                audience="all" if announcement.phase is None else "incomplete",
                phase_id=None if announcement.phase is None else self.phases[announcement.phase].id,
                title=announcement.title,
                text=announcement.text,
                made_by=None,
                made_at=announcement.made_at,
            )
            for announcement in self.history.announcements
        ]
        self.add(rows)
        for row, announcement in zip(rows, self.history.announcements, strict=True):
            self.attribute("announcement", row.id, announcement.made_by)

    def restore_reminders(self) -> None:
        """The reminders that went out."""
        self.add(
            [
                Reminder(
                    phase_id=self.phases[reminder.phase].id,
                    team_id=self.teams[reminder.team].id,
                    closes=reminder.closes,
                    hours=reminder.hours,
                    sent_at=reminder.sent_at,
                )
                for reminder in self.history.reminders
            ]
        )
