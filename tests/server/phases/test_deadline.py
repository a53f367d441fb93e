"""A whole deadline by HTTP: twenty teams, files before, across and after it, an extension in between.

The final state is checked against `oracle`, which is written from the rules only and shares no code
with the site.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal

import pytest
from werkzeug.test import TestResponse

from server.boards import service as boards
from server.core import db
from server.core.actors import Actor
from server.personal_data.account_management import create_account
from server.planning import extensions
from server.runs import service as runs
from server.submissions.models import Rejection, Standing, Submission
from server.teams import service as teams
from tests.server.small_task import PASSWORD, variant
from tests.server.visitors import Visitor
from tests.server.world import CLOSES, OPENS, World

pytestmark = pytest.mark.both_databases

TEAMS = 20
LEVELS = ("p2s", "s2p")
QUOTA = 3
GRACE = timedelta(hours=72)
EXTENDED_AT = CLOSES + timedelta(hours=6)
FOR_ALL = CLOSES + timedelta(hours=30)
FOR_ONE = CLOSES + timedelta(hours=54)
MINUTES = (-90, -20, -3, -1, 0, 1, 60, 300, 358, 420, 1000, 1797, 1800, 1801, 3240, 3241, 5000, 7500, 9000)
"""When files come, from the first deadline on."""
LUCKY = (3, 11)
"""The teams that get more time than the others."""
BAD = b"0.5\nn/a\n2\n3\n"
Outcome = Literal["on time", "late", "same", "shut", "quota", "refused", "withdrawn", "settled"]


@dataclass(frozen=True)
class Event:
    """A file that begins to arrive at `at` and is there `takes` later; without data: a withdrawal."""

    at: datetime
    team: int
    run: int
    level: str
    data: bytes | None
    takes: timedelta = timedelta(0)

    @property
    def done(self) -> datetime:
        return self.at + self.takes


@dataclass
class Cell:
    """What the oracle knows of a team's level, or of a run and level."""

    files: list[tuple[datetime, bytes, bool]] = field(default_factory=list)
    gone: set[int] = field(default_factory=set)

    def counting(self, late: bool) -> int | None:
        kept = [k for k, (_, _, was) in enumerate(self.files) if was == late and k not in self.gone]
        return max(kept, default=None)


def closes(team: int, known_at: datetime) -> datetime:
    """The deadline of a team as it is known at a time: both extensions are given at one moment."""
    if known_at < EXTENDED_AT:
        return CLOSES
    return FOR_ONE if team in LUCKY else FOR_ALL


def oracle(events: list[Event]) -> tuple[list[Outcome], dict[tuple[int, int, str], Cell]]:
    """What happens to each event, and what there is in the end."""
    cells = {(t, r, level): Cell() for t in range(TEAMS) for r in (0, 1) for level in LEVELS}
    used: dict[tuple[int, str], int] = {}
    outcomes: list[Outcome] = []
    for event in events:
        cell, end = cells[event.team, event.run, event.level], closes(event.team, event.done)
        late = event.at > end
        now = cell.counting(late)
        if event.data is None:
            newest = cell.counting(False) if cell.counting(False) is not None else cell.counting(True)
            if newest is None:
                raise AssertionError("the plan withdraws what is there")
            fixed = late and not (cell.files[newest][2] and event.at <= end + GRACE)
            outcomes.append("settled" if fixed else "withdrawn")
            if not fixed:
                cell.gone.add(newest)
        elif event.at > end + GRACE:
            outcomes.append("shut")
        elif now is not None and cell.files[now][1] == event.data:
            outcomes.append("same")
        elif used.get((event.team, event.level), 0) >= QUOTA and not (
            not late and {was for _, data, was in cell.files if data == event.data} == {True}
        ):
            outcomes.append("quota")
        elif event.data == BAD:
            outcomes.append("refused")
        else:
            used[event.team, event.level] = used.get((event.team, event.level), 0) + 1
            cell.files.append((event.at, event.data, late))
            outcomes.append("late" if late else "on time")
    return outcomes, cells


def plan(seed: int) -> list[Event]:
    """What people do around a deadline, in the order in which the site has it in hand."""
    chance = random.Random(seed)  # noqa: S311  (a story, no secret)
    events = []
    for team in range(TEAMS):
        for minutes in sorted(chance.sample(MINUTES, 7)):
            at = CLOSES + timedelta(minutes=minutes, microseconds=chance.choice((0, 0, 1)))
            data = BAD if chance.random() < 0.1 else variant(chance.randrange(4))
            takes = timedelta(minutes=chance.choice((0, 0, 5)))
            events.append(Event(at, team, chance.randrange(2), chance.choice(LEVELS), data, takes))
    return sorted(events, key=lambda event: (event.done, event.team))


def with_withdrawals(events: list[Event], seed: int) -> list[Event]:
    """Some of the files are taken back a little later, as far as the oracle finds them there."""
    chance = random.Random(seed)  # noqa: S311  (a story, no secret)
    out: list[Event] = []
    for event in events:
        out.append(event)
        outcomes, cells = oracle(out)
        cell = cells[event.team, event.run, event.level]
        there = any(cell.counting(late) is not None for late in (False, True))
        if outcomes[-1] in ("on time", "late") and there and chance.random() < 0.25:
            out.append(Event(event.done, event.team, event.run, event.level, None))
    return out


@dataclass
class Rivals:
    """The teams' browsers and runs."""

    world: World
    visitors: list[Visitor]
    tokens: list[str]
    runs: list[tuple[int, int]]
    """The ids of each team's runs."""

    def send(self, event: Event) -> TestResponse:
        """The upload as a browser sends it."""
        assert event.data is not None
        path = f"/tasks/small/runs/{self.runs[event.team][event.run]}/{event.level}/upload"
        self.world.set_clock(event.at)
        return self.visitors[event.team].upload_slowly(
            path, event.data, self.tokens[event.team], lambda: self.world.set_clock(event.done)
        )

    def withdraw(self, event: Event) -> TestResponse:
        """Take back what counts: the file on time, else the late one."""
        self.world.session.rollback()
        run_id = self.runs[event.team][event.run]
        level = next(level for level in self.world.task.levels if level.slug == event.level)
        standing = [self.world.session.get(Standing, (run_id, level.id, late)) for late in (False, True)]
        newest = next(one for one in standing if one is not None)
        self.world.set_clock(event.at)
        path = f"/tasks/small/submissions/{newest.submission_id}/withdraw"
        return self.visitors[event.team].open(
            path, method="POST", data={"csrf_token": self.tokens[event.team]}
        )


def gather(world: World) -> Rivals:
    """Twenty teams of one person, signed in, with two runs each."""
    session = world.session
    with db.writing(session):
        captains = [
            create_account(session, f"team{number}@example.org", f"T{number}", PASSWORD).id
            for number in range(TEAMS)
        ]
    ids = []
    for number, captain in enumerate(captains):
        with db.writing(session):
            team = teams.create_team(session, Actor(captain), world.task, f"team {number}", OPENS)
            own = [runs.add_run(session, team, world.phase(), name, "", OPENS) for name in ("one", "two")]
            ids.append((own[0].id, own[1].id))
    world.set_clock(CLOSES - timedelta(days=1))
    visitors = [world.client(f"team{number}") for number in range(TEAMS)]
    return Rivals(world, visitors, [visitor.token() for visitor in visitors], ids)


def extend_all(world: World) -> None:
    session, ada = world.session, world.actor("ada")
    with db.writing(session):
        extensions.extend_deadline(
            session, ada, world.phase(), None, FOR_ALL, "the server was down", EXTENDED_AT
        )
        for number in LUCKY:
            team = teams.find_team_by_name(session, world.task, f"team {number}")
            extensions.extend_deadline(
                session, ada, world.phase(), team, FOR_ONE, "a fire drill", EXTENDED_AT
            )


def outcome_of(world: World, event: Event, response: TestResponse, before: int) -> Outcome:
    """What happened, as a person would conclude from the answer and the list of files."""
    if event.data is None:
        return "withdrawn" if response.status_code == 302 else "settled"
    if response.status_code == 302:
        world.session.rollback()
        newest = world.session.query(Submission).order_by(Submission.id.desc()).first()
        if newest is None or world.session.query(Submission).count() == before:
            return "same"
        return "late" if newest.late else "on time"
    if response.status_code == 422:
        return "refused"
    assert response.status_code == 409, response.text
    return "shut" if "your file arrived on" in response.text else "quota"


def standings(world: World, rivals: Rivals) -> Iterator[tuple[tuple[int, int, str, bool], int]]:
    levels = {level.id: level.slug for level in world.task.levels}
    places = {id_: (team, run) for team, ids in enumerate(rivals.runs) for run, id_ in enumerate(ids)}
    for standing in world.session.query(Standing):
        if standing.run_id in places:
            key = (*places[standing.run_id], levels[standing.level_id], standing.late)
            yield key, standing.submission_id


def test_final_state_after_the_deadline_follows_the_rules(world: World) -> None:
    rivals, extended = gather(world), False
    events = with_withdrawals(plan(7), 8)
    expected, cells = oracle(events)
    assert {*expected} == {"on time", "late", "same", "shut", "quota", "refused", "withdrawn", "settled"}
    found: list[Outcome] = []
    for event in events:
        if not extended and event.done >= EXTENDED_AT:
            world.set_clock(EXTENDED_AT)
            extend_all(world)
            extended = True
        before = world.session.query(Submission).count()
        response = rivals.withdraw(event) if event.data is None else rivals.send(event)
        found.append(outcome_of(world, event, response, before))
    assert [*zip(events, found, strict=True)] == [*zip(events, expected, strict=True)]

    world.session.rollback()
    data = {id_: world.storage.get(sha) for id_, sha in world.session.query(Submission.id, Submission.sha256)}
    arrived = dict(world.session.query(Submission.id, Submission.arrived_at).all())
    standing = {key: (arrived[id_], data[id_]) for key, id_ in standings(world, rivals)}
    wanted = {
        (*key, late): cell.files[newest][:2]
        for key, cell in cells.items()
        for late in (False, True)
        if (newest := cell.counting(late)) is not None
    }
    assert standing == wanted

    board = boards.phase_board(world.session, world.phase())
    ranked = {(row.team, row.run) for row in board.official}
    apart = {(row.team, row.run) for row in board.late}
    names = ("one", "two")
    assert ranked == {(f"team {team}", names[run]) for team, run, _, late in wanted if not late}
    assert apart == {(f"team {team}", names[run]) for team, run, _, late in wanted if late}
    assert all(cell.rank is None for row in board.late for cell in row.cells["p2s"].values())

    ids = [id_ for own in rivals.runs for id_ in own]
    scored = world.session.query(Submission).filter(Submission.run_id.in_(ids))
    assert scored.count() == expected.count("on time") + expected.count("late")
    assert world.session.query(Rejection).count() == expected.count("refused")
