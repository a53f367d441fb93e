"""A wrong label after the deadline, from the candidate to the third release, compared with an oracle.

What the public and the organizer read is held against `Oracle`, which is written from the rules alone: it
reads files and gold, correlates with scipy, and shares no code with the site or its scorer.
"""

import json
import subprocess
import sys
import threading
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from scorer.cli.__main__ import cli as scorer
from server.core import db
from server.core.actors import CONSOLE
from server.core.config import to_env
from server.gold.models import GoldVersion
from server.jobs import service as jobs
from server.jobs.models import Job
from server.planning import phase_editing
from server.releases import scheduling as release_scheduling
from server.releases.creation import ReleaseOptions
from server.releases.models import Release
from server.runs import service as runs
from server.runs.models import Run
from server.scoring.models import Score
from server.submissions.models import Submission
from tests.server.job_runs import run_job
from tests.server.round_trip import packed, unpack
from tests.server.small_task import GOLD
from tests.server.world import World

pytestmark = pytest.mark.one_database

LEVELS, METRICS = ("p2s", "s2p"), ("pearson", "spearman")
NOW = datetime.now(UTC).replace(microsecond=0)
"""This test runs real workers, so it uses the real time."""
DEADLINE = NOW - timedelta(hours=1)
FIXED = ("3.625", "1.375", "2.625", "0.25")
"""The gold of p2s with its first and its last label corrected."""
MANY = 60
"""Files at p2s: two jobs of the site, the first of them in two batches."""
SURVIVES = 30
"""How many files the first worker scores: one batch is written, the next one is lost."""
DYING = """
import os, sys, threading
from server.cli.common import open_site
from server.submissions import rescoring as scoring
from server.worker import run_worker

left, score_stored = int(sys.argv[1]), scoring.score_stored_file

def score(*args):
    global left
    left -= 1
    if left < 0:
        os.kill(os.getpid(), 9)
    return score_stored(*args)

scoring.score_stored_file = score
with open_site() as site:
    run_worker(site, threading.Event())
"""

System = tuple[str, str]
"""Team and run."""
Figures = dict[tuple[str, str], tuple[float | None, int | None]]
"""Value and rank by column and metric."""


@dataclass(frozen=True)
class Oracle:
    """The ranked rows that follow from files and gold."""

    files: Mapping[System, Mapping[str, bytes]]
    """What counts of each system, by level."""
    gold: Mapping[str, Sequence[str]]

    def figures(self) -> dict[System, Figures]:
        found: dict[System, Figures] = defaultdict(dict)
        for metric in METRICS:
            for column in (*LEVELS, "total"):
                values = {system: self._value(system, column, metric) for system in self.files}
                for system, value in values.items():
                    better = [
                        other
                        for other in values.values()
                        if None not in (other, value) and round(other or 0, 12) > round(value or 0, 12)
                    ]
                    found[system][column, metric] = value, None if value is None else 1 + len(better)
        return found

    def _value(self, system: System, column: str, metric: str) -> float | None:
        from scipy import stats  # noqa: PLC0415  (every process that tests imports this module)

        if column == "total":
            values = [self._value(system, level, metric) for level in LEVELS]
            entered = [value for value in values if value is not None]
            return sum(entered) if entered else None
        data = self.files[system].get(column)
        if data is None:
            return None
        pred = [float(line) for line in data.split()]
        statistic = {"pearson": stats.pearsonr, "spearman": stats.spearmanr}[metric]
        return float(statistic([float(value) for value in self.gold[column]], pred).statistic)


def figures_of(row: Mapping[str, Any]) -> Figures:
    """A row of a board as the site publishes it."""
    cells = {**row["levels"], "total": row["total"]}
    return {
        (column, metric): (cells[column][metric]["value"], cells[column][metric]["rank"])
        for column in (*LEVELS, "total")
        for metric in METRICS
    }


def same(found: Figures, expected: Figures) -> bool:
    """Whether ranks are the same, and values to the twelfth decimal."""
    return found.keys() == expected.keys() and all(
        found[key][1] == rank
        and (found[key][0] is None if value is None else found[key][0] == pytest.approx(value, abs=1e-12))
        for key, (value, rank) in expected.items()
    )


def file_of(number: int) -> bytes:
    """Valid files that differ from one another, none of them constant."""
    values = (number % 4, (number // 4) % 3 + 0.5, 3.5 - number % 3, 0.25 + number * 0.05)
    return "".join(f"{value}\n" for value in values).encode()


class Story:
    """The task, what was sent, and what the public reads."""

    def __init__(self, world: World, folder: Path) -> None:
        self.world, self.folder = world, folder
        self.files: dict[System, dict[str, bytes]] = defaultdict(dict)
        world.set_clock(DEADLINE - timedelta(days=1))
        with db.writing(world.session):
            phase = world.phase()
            phase.opens, phase.closes, phase.files_per_level = NOW - timedelta(days=9), DEADLINE, None
            phase.runs_public = True
            edit = phase_editing.PhaseEdit("Afterwards", None, None, 0, 2, None, None, "hidden")
            phase_editing.add_phase(world.session, CONSOLE, world.task, "afterwards", "test", edit, DEADLINE)
        world.found_team("dee", "alder")
        self.ada, self.visitor = world.client("ada"), world.client()
        self.people = {"birch": world.client("bo"), "alder": world.client("dee")}
        self.runs: dict[tuple[str, str], int] = {}

    @property
    def version(self) -> GoldVersion:
        """The newest gold of p2s."""
        self.world.session.rollback()
        return self.world.session.query(GoldVersion).order_by(GoldVersion.id.desc()).first()

    def run(self, team: str, name: str, phase: str = "evaluation") -> int:
        if (phase, name) not in self.runs:
            with db.writing(self.world.session):
                owner = self.world.session.query(type(self.world.team)).filter_by(name=team).one()
                added = runs.add_run(self.world.session, owner, self.world.phase(phase), name, "", DEADLINE)
                self.runs[phase, name] = added.id
        return self.runs[phase, name]

    def upload(self, team: str, name: str, level: str, data: bytes, phase: str = "evaluation") -> int:
        path = f"/tasks/small/runs/{self.run(team, name, phase)}/{level}/upload"
        response = self.people[team].upload(path, data)
        assert response.status_code == 302, response.text
        self.world.session.rollback()
        return self.world.session.query(Submission.id).order_by(Submission.id.desc()).limit(1).scalar()

    def act(self, path: str, form: Mapping[str, str] | None = None) -> str:
        """Press a button of the organizer's; what the page says then."""
        response = self.ada.post(f"/tasks/small/organize/{path}", dict(form or {}))
        assert response.status_code == 302, response.text
        return self.ada.get(response.headers["Location"]).text

    def oracle(self, p2s: Sequence[str]) -> dict[System, Figures]:
        return Oracle(self.files, {**GOLD, "p2s": p2s}).figures()

    def preview(self) -> dict[System, Figures]:
        """The board as the organizer sees it."""
        values = json.loads(self.ada.get("/tasks/small/organize/boards/evaluation.json").text)
        return {(row["team"], row["run"]): figures_of(row) for row in values["official"]}

    def public(self) -> dict[System, Figures] | None:
        """The board as anybody reads it; None: there is none."""
        response = self.visitor.get("/tasks/small/boards/evaluation.json")
        if response.status_code in (404, 410):
            return None
        values = json.loads(response.text)
        assert {row["team"] for row in values["baselines"]} == {"organizers"}
        return {(row["team"], row["run"]): figures_of(row) for row in values["official"]}

    def seen(self) -> list[bytes]:
        """All that a visitor reads of boards and releases, by one clock."""
        self.world.set_clock(NOW + timedelta(minutes=1))
        pages = ["", "boards/evaluation", "boards/evaluation.json", "releases.atom"]
        numbers = range(1, 1 + self.world.session.query(Release).count())
        for number in numbers:
            own = f"boards/evaluation/releases/{number}"
            pages += [own, *(f"{own}.{ending}" for ending in ("json", "csv", "tsv", "md", "tex", "bib"))]
        return [self.visitor.get(f"/tasks/small/{page}").data for page in pages]


def is_like(board: Mapping[System, Figures] | None, expected: Mapping[System, Figures]) -> bool:
    """Whether a board has these systems with these figures."""
    assert board is not None
    return board.keys() == expected.keys() and all(same(board[one], expected[one]) for one in expected)


def is_like_but_for_names(board: Mapping[System, Figures] | None, expected: Mapping[System, Figures]) -> bool:
    """Whether a board has as many systems with these figures."""
    assert board is not None
    rest = list(expected.values())
    for figures in board.values():
        fitting = next((one for one in rest if same(figures, one)), None)
        if fitting is None:
            return False
        rest.remove(fitting)
    return not rest


@pytest.fixture
def story(world: World, tmp_path: Path) -> Story:
    """After the deadline: two teams, three systems, many files of one of them."""
    story = Story(world, tmp_path)
    heron = world.session.get_one(Run, story.run("birch", "heron"))
    for number in range(MANY):
        world.upload(heron, "p2s", file_of(number), DEADLINE - timedelta(minutes=MANY - number))
    story.files["birch", "heron"]["p2s"] = file_of(MANY - 1)
    for system, level, data in (
        (("birch", "heron"), "s2p", b"3\n1\n2\n1.5\n"),
        (("birch", "plover"), "p2s", b"0.5\n1\n3\n3.5\n"),
        (("alder", "dunlin"), "p2s", b"3.5\n1\n3\n0.5\n"),
        (("alder", "dunlin"), "s2p", b"0\n2\n1\n4\n"),
    ):
        story.upload(*system, level, data)
        story.files[system][level] = data
    with db.writing(world.session):
        jobs.delete_kinds(world.session, "")  # emails and probing checks are not part of this test
    return story


def scores_of(world: World, version: GoldVersion) -> int:
    world.session.rollback()
    return world.session.query(Score).filter_by(gold_version_id=version.id, metric="pearson").count()


def test_corrected_gold_label_and_releases_give_the_expected_public_boards(story: Story) -> None:
    world = story.world
    before = story.seen()
    bring_and_kill(story)
    arrive(story)
    assert story.seen() == before

    publish_and_undo(story)
    assert story.seen() == before

    release_at_a_set_time(story)
    withdraw_and_release_again(story)
    recompute_offline(story)
    world.session.rollback()
    assert (
        scores_of(world, story.version) == MANY + 6
    )  # two that arrived, two more, the baseline and one more


def bring_and_kill(story: Story) -> None:
    """The corrected gold is a candidate; the worker that scores files against it is killed half-way."""
    world = story.world
    world.set_clock(NOW - timedelta(minutes=30))  # what is due then is due for a real worker
    file = "".join(f"{value}\n" for value in FIXED).encode()
    response = story.ada.upload(
        "/tasks/small/organize/gold", file, "fix.tsv", target="p2s.test", reason="two labels were changed"
    )
    assert response.status_code == 302, response.text
    env = {**to_env(world.site.config), "PATH": "/usr/bin:/bin"}
    worker = subprocess.run([sys.executable, "-c", DYING, str(SURVIVES)], env=env, timeout=120, check=False)
    assert worker.returncode == -9
    assert 0 < scores_of(world, story.version) < SURVIVES
    assert is_like(story.preview(), story.oracle(GOLD["p2s"]))


def arrive(story: Story) -> None:
    """A late file, and one on a board of its own: both are scored against both versions at once."""
    world = story.world
    world.set_clock(NOW + timedelta(minutes=2))
    new = [
        story.upload("alder", "godwit", "p2s", b"1\n2\n3\n0\n"),
        story.upload("birch", "knot", "p2s", b"3\n2\n1\n0\n", "afterwards"),
    ]
    for submission_id in new:
        rows = world.session.query(Score).filter_by(submission_id=submission_id, metric="pearson")
        assert len({row.gold_version_id for row in rows}) == 2
    said = story.act(f"gold/{story.version.id}/publish")
    assert "no score against version 2 yet" in said
    assert is_like(story.preview(), story.oracle(GOLD["p2s"]))


def publish_and_undo(story: Story) -> None:
    """Another worker goes on with what is left; the fix is published, undone, and published again."""
    world = story.world
    world.work(datetime.now(UTC) + timedelta(minutes=3))
    fix = story.version
    assert scores_of(world, fix) == MANY + 5
    story.act(f"gold/{fix.id}/publish")
    assert is_like(story.preview(), story.oracle(FIXED))

    story.upload("birch", "knot", "p2s", b"3\n2\n1\n0.5\n", "afterwards")  # scored against the fix alone
    old = world.session.query(GoldVersion).filter_by(split_id=fix.split_id, number=1).one()
    story.act(f"gold/{old.id}/put-back", {"reason": "the labels were right"})
    assert is_like(story.preview(), story.oracle(FIXED))  # until that one file is scored too
    world.work(datetime.now(UTC) + timedelta(minutes=4))
    story.act(f"gold/{old.id}/publish")
    assert is_like(story.preview(), story.oracle(GOLD["p2s"]))

    story.act(f"gold/{fix.id}/put-back", {"reason": "they were not"})
    assert is_like(story.preview(), story.oracle(FIXED))  # at once: no file came since


def release_at_a_set_time(story: Story) -> None:
    """Two workers find one plan: it becomes one release, without names until these are shown."""
    world, due = story.world, NOW + timedelta(days=4)
    with db.writing(world.session):
        manner = ReleaseOptions(anonymous=True)
        release_scheduling.schedule_release(
            world.session, CONSOLE, world.phase(), due, NOW + timedelta(hours=1), manner
        )
    world.work(due - timedelta(seconds=1))
    assert story.public() is None
    world.set_clock(due)
    at_once(world)
    world.session.rollback()
    assert [release.made_at for release in world.session.query(Release)] == [due]
    assert is_like_but_for_names(story.public(), story.oracle(FIXED))
    content = b"".join(story.seen())
    assert [
        name for name in (b"birch", b"alder", b"heron", b"plover", b"dunlin", b"godwit") if name in content
    ] == []

    story.act("boards/evaluation/name")
    assert is_like(story.public(), story.oracle(FIXED))
    files = story.visitor.get("/tasks/small/boards/evaluation/releases/1").text
    assert "heron" in files


def at_once(world: World) -> None:
    """Two workers, both of which find the job due."""
    due = world.session.query(Job.id).filter_by(kind=release_scheduling.MAKE_RELEASE).all()
    gate = threading.Barrier(2)

    def work() -> None:
        gate.wait()
        for (job_id,) in due:
            run_job(world.site, job_id)
        world.site.session.remove()

    workers = [threading.Thread(target=work) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()


def withdraw_and_release_again(story: Story) -> None:
    """Nothing of a withdrawn release is left; later ones say what changed since the one that stands."""
    named = story.public()
    assert named is not None
    values = {repr(value) for figures in named.values() for value, _ in figures.values() if value is not None}
    long = {value.encode() for value in values if len(value) > 12}
    old = story.world.session.query(GoldVersion).filter_by(split_id=story.version.split_id, number=1).one()
    story.act(f"gold/{old.id}/put-back", {"reason": "the old labels for once"})
    assert is_like(story.public(), named)  # a release never changes

    story.act("boards/evaluation/withdraw", {"reason": "the wrong labels"})
    assert story.public() is None
    assert story.visitor.get("/tasks/small/boards/evaluation/releases/1").status_code == 410
    content = b"".join(story.seen())
    assert b"the wrong labels" in content
    assert [value for value in long if value in content] == []

    story.act("boards/evaluation/release", {"sure": "y"})
    assert is_like(story.public(), story.oracle(GOLD["p2s"]))
    story.act(f"gold/{story.version.id}/put-back", {"reason": "and the mended ones"})
    story.act("boards/evaluation/release", {"sure": "y"})
    first, second = story.oracle(GOLD["p2s"]), story.oracle(FIXED)
    assert is_like(story.public(), second)
    page = story.visitor.get("/tasks/small/boards/evaluation/releases/3").text
    changes = page[page.index('id="changes"') :]
    boards = [
        json.loads(story.visitor.get(f"/tasks/small/boards/evaluation/releases/{n}.json").text)
        for n in (2, 3)
    ]
    before, after = (
        {(row["team"], row["run"]): figures_of(row) for row in board["official"]} for board in boards
    )
    changed = {
        (system, key)
        for system, figures in first.items()
        for key, (value, _) in figures.items()
        if value is not None and value != pytest.approx(second[system][key][0] or 0.0, abs=1e-12)
    }
    assert changed
    for system, key in changed:
        assert repr(before[system][key][0]) in changes
        assert repr(after[system][key][0]) in changes


def recompute_offline(story: Story) -> None:
    """A reader with the bundle prints the bytes of the current release."""
    folder = unpack(packed(story.world.site), story.folder / "bundle")
    printed = CliRunner().invoke(scorer, ["board", str(folder), "--phase", "evaluation", "--format", "json"])
    public = story.visitor.get("/tasks/small/boards/evaluation/releases/3.json")
    assert (printed.exit_code, printed.stdout) == (0, public.text)
