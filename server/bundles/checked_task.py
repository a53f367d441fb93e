"""Checking what organizers did with a task, and who was in which team."""

import re
from collections import defaultdict
from collections.abc import Mapping
from typing import get_args

from server.bundles.checked_rows import CheckedRows
from server.bundles.history import people_of
from server.bundles.records import GoldKey
from server.gold.models import GoldEventName
from server.teams.models import TeamState
from server.teams.service import name_key

_SALT = re.compile(r"[0-9a-f]{64}")


class CheckedTask(CheckedRows):
    """People, terms, gold, teams, extensions, announcements."""

    def check_people(self) -> None:
        """Whoever is mentioned is among the people."""
        self.once("people", [person.id for person in self.history.people])
        known = {person.id for person in self.history.people}
        for person, where in people_of(self.history):
            if person not in known:
                self.refuse(where, f'"{person}" is not in people')

    def check_terms(self) -> None:
        """Versions in order, the newest as task.toml has it."""
        versions = self.history.terms
        self.counted("terms", [version.number for version in versions])
        text = None
        for k, version in enumerate(versions):
            text = None
            if version.file is not None:
                data = self.read(f"terms[{k}].file", version.file, version.sha256)
                text = self._text(f"terms[{k}].file", data)
        if text != self.bundle.task.terms:
            self.refuse("terms", "the newest version is not the text that task.toml has")
        self.once("acceptances", [(one.number, one.person) for one in self.history.acceptances])
        for k, acceptance in enumerate(self.history.acceptances):
            if not 1 <= acceptance.number <= len(versions):
                self.refuse(f"acceptances[{k}].number", "there is no such version of the terms")

    def _text(self, where: str, data: bytes | None) -> str | None:
        try:
            return None if data is None else data.decode("utf-8-sig")
        except UnicodeDecodeError:
            self.refuse(where, "is not UTF-8")
            return None

    def check_gold(self) -> None:
        """Versions in order, and those in force as task.toml has them."""
        numbers: dict[tuple[str, str], list[int]] = defaultdict(list)
        files: dict[GoldKey, str] = {}
        in_force: dict[tuple[str, str], str] = {}
        for k, version in enumerate(self.history.gold):
            level = self.levels.get(version.level)
            if level is None or version.split not in level.splits:
                self.refuse(f"gold[{k}]", f"there is no level {version.level} with a split {version.split}")
                continue
            self.read(f"gold[{k}].file", version.file, version.sha256)
            if version.salt is not None and not _SALT.fullmatch(version.salt):
                self.refuse(f"gold[{k}].salt", "must be 64 hexadecimal digits in lower case")
            numbers[version.level, version.split].append(version.number)
            files[version.level, version.split, version.number] = version.file
            if not self.history.gold_events:
                in_force[version.level, version.split] = version.file
        in_force |= self._gold_events(files)
        for (slug, split), found in numbers.items():
            self.counted(f"gold of {slug}, {split}", found)
        for level in self.bundle.levels:
            for name, spec in level.splits.items():
                if spec.gold != in_force.get((level.slug, name)):
                    self.refuse("gold", f"task.toml has another file in force for {level.slug}, {name}")

    def _gold_events(self, files: Mapping[GoldKey, str]) -> dict[tuple[str, str], str]:
        """What became of each version; the files of those in force."""
        in_force = {}
        for k, one in enumerate(self.history.gold_events):
            file = files.get((one.level, one.split, one.number))
            if file is None:
                self.refuse(f"gold_events[{k}]", "there is no such gold version")
            elif one.event not in get_args(GoldEventName):
                self.refuse(f"gold_events[{k}].event", f"must be one of {', '.join(get_args(GoldEventName))}")
            elif one.event == "published":
                in_force[one.level, one.split] = file
        return in_force

    def check_teams(self) -> None:
        """Teams with plain names, each person in one."""
        self.once("teams", [name_key(team.name) for team in self.history.teams])
        self.once("members", [member.person for member in self.history.members])
        for k, team in enumerate(self.history.teams):
            self.plain_name(f"teams[{k}].name", team.name)
            if team.state not in get_args(TeamState):
                self.refuse(f"teams[{k}].state", f"must be one of {', '.join(get_args(TeamState))}")
            if team.state == "declined" and not team.reason:
                self.refuse(f"teams[{k}].reason", "is missing; a declined team reads why")
        for k, member in enumerate(self.history.members):
            if member.team not in self.teams:
                self.refuse(f"members[{k}].team", f'there is no team "{member.team}"')

    def check_extensions(self) -> None:
        """Phases and teams that are there."""
        for k, one in enumerate(self.history.extensions):
            if one.phase not in self.phases:
                self.refuse(f"extensions[{k}].phase", f'there is no phase "{one.phase}"')
            if one.team is not None and one.team not in self.teams:
                self.refuse(f"extensions[{k}].team", f'there is no team "{one.team}"')

    def check_announcements(self) -> None:
        """Phases that are there."""
        for k, one in enumerate(self.history.announcements):
            if one.phase is not None and one.phase not in self.phases:
                self.refuse(f"announcements[{k}].phase", f'there is no phase "{one.phase}"')

    def check_reminders(self) -> None:
        """Phases and teams that are there, each reminder once."""
        self.once(
            "reminders", [(one.phase, one.team, one.closes, one.hours) for one in self.history.reminders]
        )
        for k, one in enumerate(self.history.reminders):
            if one.phase not in self.phases:
                self.refuse(f"reminders[{k}].phase", f'there is no phase "{one.phase}"')
            if one.team not in self.teams:
                self.refuse(f"reminders[{k}].team", f'there is no team "{one.team}"')
