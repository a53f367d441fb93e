"""Whether a history can be believed: its references lead somewhere, its files are what their hashes say."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import get_args

from scorer.board_reader import is_board
from scorer.bundle import BASELINES, Bundle
from server.domain.feedback import FEEDBACKS
from server.domain.links import is_link, links_of
from server.domain.probing import FlagCode
from server.domain.standing import Filed, counting
from server.errors import BadLine
from server.models.gold import GoldEventName
from server.models.teams import TeamState
from server.services.bundles.history import SOURCE, people_of
from server.services.bundles.records import GoldKey, History, ReleaseRecord, SubmissionRecord
from server.services.teams import name_key


class HistoryChecker:
    """Looks at every record of a history beside its bundle; what is wrong goes to `problems`."""

    def __init__(self, bundle: Bundle, history: History, problems: list[BadLine]) -> None:
        self.bundle = bundle
        self.history = history
        self.problems = problems
        self.phases = {phase.slug: phase for phase in bundle.phases}
        self.levels = {level.slug: level for level in bundle.levels}
        self.runs = {run.id: run for run in history.runs}
        self.teams = {team.name for team in history.teams}

    def refuse(self, where: str, message: str) -> None:
        """Note a problem of one record."""
        self.problems.append(BadLine(SOURCE, None, "bad_history", f"{where}: {message}"))

    def check(self) -> None:
        """Every reference, every file, every order."""
        self._people()
        self._terms()
        self._gold()
        self._teams()
        self._runs()
        self._run_withdrawals()
        self._submissions()
        self._withdrawals()
        self._flags()
        self._refusals()
        self._releases()
        self._extensions()
        self._announcements()
        self._reminders()

    def read(self, where: str, file: str | None, sha256: str | None) -> bytes | None:
        """A file of the bundle, if it is the one whose hash the record has."""
        path = self.bundle.folder / (file or "")
        root = self.bundle.folder.resolve()
        if not file or Path(file).is_absolute() or not path.resolve().is_relative_to(root):
            self.refuse(where, f'"{file}" lies outside the bundle')
        elif not path.is_file():
            self.refuse(where, f'there is no file "{file}" in the bundle')
        elif hashlib.sha256(data := path.read_bytes()).hexdigest() != sha256:
            self.refuse(where, f'"{file}" is not the file that was exported: its SHA-256 differs')
        else:
            return data
        return None

    def _people(self) -> None:
        self._once("people", [person.id for person in self.history.people])
        known = {person.id for person in self.history.people}
        for person, where in people_of(self.history):
            if person not in known:
                self.refuse(where, f'"{person}" is not in people')

    def _once(self, where: str, keys: Iterable[object]) -> None:
        seen: set[object] = set()
        for number, key in enumerate(keys):
            if key in seen:
                self.refuse(f"{where}[{number}]", "stands there twice")
            seen.add(key)

    def _counted(self, where: str, numbers: Sequence[int]) -> None:
        if list(numbers) != list(range(1, len(numbers) + 1)):
            self.refuse(where, "its numbers must be 1, 2, 3 and so on, in this order")

    def _terms(self) -> None:
        versions = self.history.terms
        self._counted("terms", [version.number for version in versions])
        text = None
        for k, version in enumerate(versions):
            text = None
            if version.file is not None:
                data = self.read(f"terms[{k}].file", version.file, version.sha256)
                text = self._text(f"terms[{k}].file", data)
        if text != self.bundle.task.terms:
            self.refuse("terms", "the newest version is not the text that task.toml has")
        self._once("acceptances", [(one.number, one.person) for one in self.history.acceptances])
        for k, acceptance in enumerate(self.history.acceptances):
            if not 1 <= acceptance.number <= len(versions):
                self.refuse(f"acceptances[{k}].number", "there is no such version of the terms")

    def _text(self, where: str, data: bytes | None) -> str | None:
        try:
            return None if data is None else data.decode("utf-8-sig")
        except UnicodeDecodeError:
            self.refuse(where, "is not UTF-8")
            return None

    def _gold(self) -> None:
        numbers: dict[tuple[str, str], list[int]] = defaultdict(list)
        files: dict[GoldKey, str] = {}
        in_force: dict[tuple[str, str], str] = {}
        for k, version in enumerate(self.history.gold):
            level = self.levels.get(version.level)
            if level is None or version.split not in level.splits:
                self.refuse(f"gold[{k}]", f"there is no level {version.level} with a split {version.split}")
                continue
            self.read(f"gold[{k}].file", version.file, version.sha256)
            numbers[version.level, version.split].append(version.number)
            files[version.level, version.split, version.number] = version.file
            if not self.history.gold_events:
                in_force[version.level, version.split] = version.file
        in_force |= self._gold_events(files)
        for (slug, split), found in numbers.items():
            self._counted(f"gold of {slug}, {split}", found)
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

    def _teams(self) -> None:
        self._once("teams", [name_key(team.name) for team in self.history.teams])
        self._once("members", [member.person for member in self.history.members])
        for k, team in enumerate(self.history.teams):
            self._plain_name(f"teams[{k}].name", team.name)
            if team.state not in get_args(TeamState):
                self.refuse(f"teams[{k}].state", f"must be one of {', '.join(get_args(TeamState))}")
            if team.state == "declined" and not team.reason:
                self.refuse(f"teams[{k}].reason", "is missing; a declined team reads why")
        for k, member in enumerate(self.history.members):
            if member.team not in self.teams:
                self.refuse(f"members[{k}].team", f'there is no team "{member.team}"')

    def _plain_name(self, where: str, name: str) -> None:
        if not name or name != " ".join(name.split()) or "/" in name or "\\" in name:
            self.refuse(where, "must be a name of one line, without slashes and doubled blanks")

    def _runs(self) -> None:
        runs = self.history.runs
        self._once("runs", [run.id for run in runs])
        self._once("runs", [(run.phase, run.team, run.name) for run in runs])
        self._once("runs", [(run.phase, run.team, run.number) for run in runs])
        for k, run in enumerate(runs):
            self._plain_name(f"runs[{k}].name", run.name)
            if run.phase not in self.phases:
                self.refuse(f"runs[{k}].phase", f'there is no phase "{run.phase}"')
            if run.team not in self.teams:
                self.refuse(f"runs[{k}].team", f'there is no team "{run.team}"')
            if run.baseline is not None and run.baseline not in BASELINES:
                self.refuse(f"runs[{k}].baseline", f'there is no baseline "{run.baseline}"')

            for link in links_of(run.links):
                if not is_link(link):
                    self.refuse(f"runs[{k}].links", "each line is an address that begins with https://")
        primary = [(run.phase, run.team) for run in runs if run.is_primary]
        for phase, team in sorted({key for key in primary if primary.count(key) > 1}):
            self.refuse("runs", f"{team} has two primary runs in {phase}")

    def _run_withdrawals(self) -> None:
        state: dict[int, bool] = defaultdict(bool)
        for k, one in enumerate(self.history.run_withdrawals):
            run = self.runs.get(one.run)
            if run is None or run.baseline is not None:
                self.refuse(f"run_withdrawals[{k}].run", f"there is no run {one.run} that can be withdrawn")
            elif one.made_at < run.created_at:
                self.refuse(f"run_withdrawals[{k}].made_at", "is before the run was added")
            elif one.withdrawn == state[one.run]:
                self.refuse(f"run_withdrawals[{k}].withdrawn", "changes nothing")
            state[one.run] = one.withdrawn

    def _answers(self, where: str, run: int, level: str) -> bool:
        """Whether a file of a run can be for this level."""
        found = self.runs.get(run)
        if found is None:
            self.refuse(f"{where}.run", f"there is no run {run}")
        elif level not in self.levels:
            self.refuse(f"{where}.level", f'there is no level "{level}"')
        elif found.phase in self.phases and self.phases[found.phase].split not in self.levels[level].splits:
            self.refuse(f"{where}.level", f"{level} has no items in the phase {found.phase}")
        else:
            return found.phase in self.phases
        return False

    def _submissions(self) -> None:
        before = 0
        for k, submission in enumerate(self.history.submissions):
            if submission.id <= before:
                self.refuse(f"submissions[{k}].id", "ids grow in the order of arrival")
            before = submission.id
            self.read(f"submissions[{k}].file", submission.file, submission.sha256)
            self._answers(f"submissions[{k}]", submission.run, submission.level)
        self._counting()

    def _counting(self) -> None:
        """What counts by the history is what task.toml names."""
        withdrawn = {one.submission: one.withdrawn for one in self.history.withdrawals}
        gone = {one.run: one.withdrawn for one in self.history.run_withdrawals}
        filed: dict[tuple[int, str], list[SubmissionRecord]] = defaultdict(list)
        for one in self.history.submissions:
            filed[one.run, one.level].append(one)
        expected: set[tuple[str, str, str, str, bool, str]] = set()
        for (run_id, level), files in filed.items():
            run = self.runs.get(run_id)
            if run is None or run.baseline is not None or gone.get(run_id, False):
                continue
            by_id = {one.id: one for one in files}
            states = [Filed(one.id, one.arrived_at, one.late, withdrawn.get(one.id, False)) for one in files]
            for late in (False, True):
                newest = counting(states, late=late)
                if newest is not None:
                    expected.add((run.phase, run.team, run.name, level, late, by_id[newest].file))
        named = {
            (phase.slug, run.team, run.name, level.slug, late, file)
            for phase in self.bundle.phases
            for run in self.bundle.runs
            for level in self.bundle.levels
            for late in (False, True)
            if self.bundle.belongs(run, phase) and (file := run.file(level.slug, late=late)) is not None
        }
        for phase, team, name, level, late, _file in sorted(expected ^ named):
            what = f"the {'late ' if late else ''}file of {team}, {name} at {level} in {phase}"
            self.refuse("submissions", f"{what} that counts is not the one that task.toml names")
        self._baselines()

    def _baselines(self) -> None:
        kept = {(run.phase, run.team, run.name, run.baseline) for run in self.history.runs if run.baseline}
        named = {
            (phase.slug, run.team, run.name, run.baseline)
            for phase in self.bundle.phases
            for run in self.bundle.runs
            if run.baseline is not None and self.bundle.belongs(run, phase)
        }
        for phase, team, name, _baseline in sorted(kept ^ named):
            self.refuse("runs", f"the baseline {team}, {name} in {phase} is not as task.toml has it")

    def _withdrawals(self) -> None:
        arrived = {one.id: one.arrived_at for one in self.history.submissions}
        state: dict[int, bool] = defaultdict(bool)
        for k, one in enumerate(self.history.withdrawals):
            if one.submission not in arrived:
                self.refuse(f"withdrawals[{k}].submission", f"there is no submission {one.submission}")
            elif one.made_at < arrived[one.submission]:
                self.refuse(f"withdrawals[{k}].made_at", "is before the submission arrived")
            elif one.withdrawn == state[one.submission]:
                self.refuse(f"withdrawals[{k}].withdrawn", "changes nothing")
            state[one.submission] = one.withdrawn

    def _flags(self) -> None:
        known = {one.id for one in self.history.submissions}
        self._once("flags", [(one.submission, one.code) for one in self.history.flags])
        for k, one in enumerate(self.history.flags):
            if one.submission not in known or one.other not in known | {None}:
                self.refuse(f"flags[{k}]", "there is no such submission")
            if one.code not in get_args(FlagCode):
                self.refuse(f"flags[{k}].code", f"must be one of {', '.join(get_args(FlagCode))}")

    def _refusals(self) -> None:
        for k, refusal in enumerate(self.history.refusals):
            self._answers(f"refusals[{k}]", refusal.run, refusal.level)
            if refusal.count < len(refusal.problems):
                self.refuse(f"refusals[{k}].count", "is less than the problems that are listed")

    def _releases(self) -> None:
        numbers: dict[str, list[int]] = defaultdict(list)
        for k, release in enumerate(self.history.releases):
            numbers[release.phase].append(release.number)
            if release.phase not in self.phases:
                self.refuse(f"releases[{k}].phase", f'there is no phase "{release.phase}"')
            self._release(f"releases[{k}]", release)
        for phase, found in numbers.items():
            self._counted(f"releases of {phase}", found)

    def _extensions(self) -> None:
        for k, one in enumerate(self.history.extensions):
            if one.phase not in self.phases:
                self.refuse(f"extensions[{k}].phase", f'there is no phase "{one.phase}"')
            if one.team is not None and one.team not in self.teams:
                self.refuse(f"extensions[{k}].team", f'there is no team "{one.team}"')

    def _announcements(self) -> None:
        for k, one in enumerate(self.history.announcements):
            if one.phase is not None and one.phase not in self.phases:
                self.refuse(f"announcements[{k}].phase", f'there is no phase "{one.phase}"')

    def _reminders(self) -> None:
        self._once(
            "reminders", [(one.phase, one.team, one.closes, one.hours) for one in self.history.reminders]
        )
        for k, one in enumerate(self.history.reminders):
            if one.phase not in self.phases:
                self.refuse(f"reminders[{k}].phase", f'there is no phase "{one.phase}"')
            if one.team not in self.teams:
                self.refuse(f"reminders[{k}].team", f'there is no team "{one.team}"')

    def _release(self, where: str, release: ReleaseRecord) -> None:
        if release.feedback not in (None, *FEEDBACKS):
            self.refuse(f"{where}.feedback", f'"{release.feedback}" is not one of {", ".join(FEEDBACKS)}')
        if (release.withdrawn_at is None) != (release.withdrawn_reason is None):
            self.refuse(where, "a withdrawal has a time and a reason")
        elif release.withdrawn_at is not None and release.withdrawn_at < release.made_at:
            self.refuse(f"{where}.withdrawn_at", "is before the release")
        data = self.read(f"{where}.file", release.file, release.sha256)
        if data is not None and not is_board(data):
            self.refuse(f"{where}.file", "is not a board as `scorer board --format json` prints it")
