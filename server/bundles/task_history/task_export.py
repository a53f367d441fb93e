"""Exports a task's terms, gold, teams, extensions and announcements as records.

`RecordExporter` is the base class of all exporters."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Select, select
from sqlalchemy.orm import Session, joinedload

from server.access import terms
from server.bundles.export_files import ExportFiles
from server.bundles.export_people import ExportPeople
from server.bundles.task_history.records import (
    AcceptanceRecord,
    AnnouncementRecord,
    ExtensionRecord,
    GoldEventRecord,
    GoldRecord,
    MemberRecord,
    ReminderRecord,
    TeamRecord,
    TermsRecord,
)
from server.gold import versions as gold_versions
from server.gold.models import GoldEvent, GoldVersion
from server.mail.models import Announcement, Reminder
from server.phases.models import Extension, Phase
from server.tasks.models import Level, Split, Task, TermsAcceptance, TermsVersion
from server.teams.models import Membership, Team


class RecordExporter:
    """One export: its task, the files that it names, the people whom it has met."""

    def __init__(self, session: Session, task: Task, files: ExportFiles, people: ExportPeople) -> None:
        self.session = session
        self.task = task
        self.files = files
        self.people = people

    def all(self, query: Select[Any]) -> list[Any]:
        """The rows of a query."""
        return list(self.session.scalars(query))


class TaskExporter(RecordExporter):
    """Terms, gold, teams, extensions, announcements; `gold_files`: the gold in force, by split."""

    def __init__(self, session: Session, task: Task, files: ExportFiles, people: ExportPeople) -> None:
        super().__init__(session, task, files, people)
        self.gold_files: dict[int, str] = {}

    def terms(self, versions: Sequence[TermsVersion]) -> list[TermsRecord]:
        """Every version of the terms."""
        return [
            TermsRecord(
                number=version.number,
                made_at=version.made_at,
                file=self.files.terms(version.text, None if version is versions[-1] else version.number)
                if version.text
                else None,
                sha256=terms.version_hash(version) if version.text else None,
                made_by=self.people.who("terms", version.id, version.made_by),
            )
            for version in versions
        ]

    def acceptances(self, versions: Sequence[TermsVersion]) -> list[AcceptanceRecord]:
        """Who accepted which version."""
        query = select(TermsAcceptance).join(TermsVersion).where(TermsVersion.task_id == self.task.id)
        accepted: dict[int, list[TermsAcceptance]] = defaultdict(list)
        for acceptance in self.all(query.order_by(TermsAcceptance.accepted_at, TermsAcceptance.user_id)):
            accepted[acceptance.terms_version_id].append(acceptance)
        records = []
        for version in versions:
            came_with = self.people.came_with("acceptance", version.id)
            records += [AcceptanceRecord(version.number, who, at) for who, at in came_with]
            records += [
                AcceptanceRecord(
                    version.number, self.people.account(acceptance.user_id), acceptance.accepted_at
                )
                for acceptance in accepted[version.id]
            ]
        return records

    def gold(self) -> list[GoldRecord]:
        """Every gold version; the file of the one in force is kept by its split."""
        versions = self.all(
            select(GoldVersion)
            .join(Split)
            .join(Level)
            .where(Level.task_id == self.task.id)
            .options(joinedload(GoldVersion.split).joinedload(Split.level))
            .order_by(Level.position, Split.id, GoldVersion.number)
        )
        in_force = set(
            self.session.scalars(
                gold_versions.select_in_force(GoldVersion.id.in_([version.id for version in versions]))
            )
        )
        records = []
        for version in versions:
            older = None if version.id in in_force else version.number
            file = self.files.gold(version.split, version.sha256, older)
            if older is None:
                self.gold_files[version.split_id] = file
            records.append(
                GoldRecord(
                    level=version.split.level.slug,
                    split=version.split.name,
                    number=version.number,
                    file=file,
                    sha256=version.sha256,
                    reason=version.reason,
                    made_at=version.made_at,
                    made_by=self.people.who("gold", version.id, version.made_by),
                    scorer=version.scorer,
                    salt=version.salt,
                )
            )
        return records

    def gold_events(self) -> list[GoldEventRecord]:
        """What became of each gold version."""
        query = (
            select(GoldEvent)
            .join(GoldVersion)
            .join(Split)
            .join(Level)
            .where(Level.task_id == self.task.id)
            .options(joinedload(GoldEvent.version).joinedload(GoldVersion.split).joinedload(Split.level))
            .order_by(GoldEvent.id)
        )
        return [
            GoldEventRecord(
                level=gold_event.version.split.level.slug,
                split=gold_event.version.split.name,
                number=gold_event.version.number,
                event=gold_event.event,
                reason=gold_event.reason,
                made_at=gold_event.made_at,
                made_by=self.people.who("gold-event", gold_event.id, gold_event.made_by),
            )
            for gold_event in self.all(query)
        ]

    def team(self, team: Team) -> TeamRecord:
        """One team."""
        return TeamRecord(
            name=team.name,
            created_at=team.created_at,
            captain=self.people.who("captain", team.id, team.captain_id),
            affiliations=team.affiliations,
            state=team.state,
            reason=team.reason,
        )

    def members(self, teams: Sequence[Team]) -> list[MemberRecord]:
        """The people of the teams."""
        query = select(Membership).where(Membership.task_id == self.task.id)
        members: dict[int, list[Membership]] = defaultdict(list)
        for membership in self.all(query.order_by(Membership.joined_at, Membership.user_id)):
            members[membership.team_id].append(membership)
        records = []
        for team in teams:
            came_with = self.people.came_with("member", team.id)
            records += [MemberRecord(team.name, who, at) for who, at in came_with]
            records += [
                MemberRecord(team.name, self.people.account(membership.user_id), membership.joined_at)
                for membership in members[team.id]
            ]
        return records

    def extensions(self) -> list[ExtensionRecord]:
        """Every extension."""
        query = (
            select(Extension)
            .join(Phase)
            .where(Phase.task_id == self.task.id)
            .options(joinedload(Extension.phase), joinedload(Extension.team))
            .order_by(Extension.id)
        )
        return [
            ExtensionRecord(
                phase=extension.phase.slug,
                team=None if extension.team is None else extension.team.name,
                closes=extension.closes,
                reason=extension.reason,
                made_at=extension.made_at,
                made_by=self.people.who("extension", extension.id, extension.made_by),
            )
            for extension in self.all(query)
        ]

    def announcements(self) -> list[AnnouncementRecord]:
        """Every announcement."""
        query = select(Announcement).where(Announcement.task_id == self.task.id).order_by(Announcement.id)
        return [
            AnnouncementRecord(
                title=announcement.title,
                text=announcement.text,
                made_at=announcement.made_at,
                phase=None if announcement.phase is None else announcement.phase.slug,
                made_by=self.people.who("announcement", announcement.id, announcement.made_by),
            )
            for announcement in self.all(query.options(joinedload(Announcement.phase)))
        ]

    def reminders(self) -> list[ReminderRecord]:
        """The reminders that went out."""
        query = (
            select(Reminder, Phase.slug, Team.name)
            .join(Phase, Phase.id == Reminder.phase_id)
            .join(Team, Team.id == Reminder.team_id)
            .where(Phase.task_id == self.task.id)
            .order_by(Reminder.sent_at, Phase.position, Team.name_key, Reminder.hours)
        )
        return [
            ReminderRecord(phase, team, reminder.closes, reminder.hours, reminder.sent_at)
            for reminder, phase, team in self.session.execute(query)
        ]
