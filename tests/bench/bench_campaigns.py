"""Play the example campaigns, from personal links to a leaderboard, and recompute their figures.

Run it as `python tests/bench/bench_campaigns.py` for a part of both campaigns; `--whole` for all of
`deploy/campaigns/`. Invented annotators answer through the site's pages on a set clock. Some leave, newcomers
do what is missing, and some of those who left return. The bench exits 1 if an acknowledged answer is not in
the export exactly once, a unit lacks answers, a command of a README.md fails, or the gold standard differs.
Nothing is asserted about time.
"""

import argparse
import csv
import heapq
import html
import io
import json
import logging
import random
import re
import shlex
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter
from zipfile import ZipFile

import pytest

sys.path.insert(0, str(ROOT := Path(__file__).parents[2]))

from scorer.campaigns.assignments import plan_round
from scorer.campaigns.config import CampaignConfig, RoundConfig, Unit
from server import bundles
from server.access import tasks
from server.annotation.assignments import leases
from server.annotation.campaigns import creation, people
from server.annotation.campaigns import service as campaigns
from server.annotation.campaigns.rules import Invitee
from server.annotation.models import AnnotationRound, Campaign
from server.app import create_app
from server.core import clock, db, migrate
from server.core.actors import CONSOLE
from server.core.mailer import LOG
from server.gold.versions import find_gold
from server.personal_data.account_management import create_account
from server.planning import phase_editing
from server.releases import creation as release_creation
from server.runs import service as runs
from server.submissions import eligibility
from server.submissions.uploads import receive_file
from server.teams import service as teams
from server.web.context import site_of
from tests.bench.bench_site import each_database
from tests.bench.campaign_crowd import Crowd, Given, Worker
from tests.server.sites import site_config
from tests.server.small_task import PASSWORD
from tests.server.visitors import words
from tests.server.world import OPENS, World

CAMPAIGNS = ROOT / "deploy" / "campaigns"
RETURN = 0.3
"""The share of those who left and return."""
DAY = timedelta(days=1)
SLUG = "harbour"
TASK = """\
[task]
slug = "harbour"
title = "The harbour"
description = "How similar are two texts?"
organizers = "The Forest Group"
contact = "https://forest.example/task"
scale = {{ min = 0, max = {top:g} }}

[[level]]
slug = "{level}"
title = "Texts"
trial = {{ items = "trial.tsv", gold = "trial.gold", public_gold = true }}

[[phase]]
slug = "practice"
split = "trial"
feedback = "scores"
"""
SMALLER = {
    "answers = 9": "answers = 3",
    "answers = 5": "answers = 3",
    "assignment = 50": "assignment = 10",
    "assignment = 20": "assignment = 6",
    "at_least = 7": "at_least = 2",
    "at_least = 4": "at_least = 2",
}
"""What is written otherwise in a small campaign."""
GROUPS = {"pilot.tsv": 9, "pairs.tsv": 20, "items.tsv": 6, "tuples.tsv": 6}
"""The number of groups of a table that are left in a small campaign."""


class MailCounter(logging.Filter):
    """Counts the emails that a site without a mail server logs, and keeps them out of the output."""

    count = 0

    def filter(self, record: logging.LogRecord) -> bool:  # noqa: ARG002
        self.count += 1
        return False


@dataclass(frozen=True, slots=True)
class RoundPlay:
    """How a round is played: by whom, in how many parts each, and the share of those who leave."""

    slug: str
    people: int
    parts: int
    leave: float = 0.0
    newcomers: bool = False


@dataclass
class Player:
    """Plays the rounds of one campaign on a set clock."""

    world: World
    folder: Path
    out: Path
    now: datetime = OPENS
    faults: int = 0
    invited: int = 0
    config: CampaignConfig = field(init=False)
    crowd: Crowd = field(init=False)
    keys: dict[str, str] = field(init=False)
    """The key by which the annotators know the unit, since a pair can be in two rounds."""

    def __post_init__(self) -> None:
        prepared = creation.prepare_campaign(self.folder)
        self.config = prepared.config
        units = [unit for round_ in self.config.rounds for unit in _list_pairs(round_)]
        pairs: dict[tuple[str, str], str] = {}
        self.keys = {
            unit.key: pairs.setdefault((unit.texts["left"], unit.texts["right"]), unit.key) for unit in units
        }
        self.crowd = Crowd(self.world, pairs)
        self._host_task()
        with db.writing(self.world.session):
            task = tasks.get_task(self.world.session, SLUG)
            creation.add_campaign(
                self.world.session, self.world.storage, self.world.actor("ada"), task, prepared, OPENS
            )

    def _host_task(self) -> None:
        """Host a task whose level has trial items alone; the campaign makes its test items and their gold."""
        session, folder = self.world.session, self.out / "task"
        folder.mkdir(parents=True)
        texts = [unit.texts for unit in self.config.rounds[0].items[:12]]
        lines = [f"{text['left']}\t{text['right']}\tt{n}\n" for n, text in enumerate(texts, 1)]
        (folder / "task.toml").write_text(
            TASK.format(level=self.config.level, top=self.top), encoding="utf-8"
        )
        (folder / "trial.tsv").write_text("".join(lines), encoding="utf-8")
        (folder / "trial.gold").write_text("".join(f"{n % 2}\n" for n in range(12)), encoding="utf-8")
        with db.writing(session):
            for name in ("ada", "bo", "cy"):
                create_account(session, f"{name}@example.org", name, PASSWORD)
        plan = bundles.plan_import(folder)
        with db.writing(session):
            bundles.import_task(
                session, self.world.storage, CONSOLE, plan, [self.world.user("ada")], OPENS, published=True
            )

    @property
    def top(self) -> float:
        """The highest gold label."""
        round_ = self.config.gold_round
        return 1.0 if round_.kind == "bws" else round_.scale.max

    @property
    def results(self) -> str:
        """The address of the campaign's results."""
        return f"/tasks/{SLUG}/organize/campaigns/{self.config.slug}/results"

    def get_round(self, slug: str) -> AnnotationRound:
        return campaigns.get_round(self.world.session.query(Campaign).one(), slug)

    def invite(self, entry: str, count: int) -> list[Worker]:
        """New annotators with personal links and email addresses."""
        session, start = self.world.session, self.invited
        self.invited += count
        invitees = [Invitee(email=f"a{start + n}@example.net") for n in range(count)]
        with db.writing(session):
            row = people.get_entry(session.query(Campaign).one(), entry)
            links = people.add_annotators(session, self.world.actor("ada"), row, invitees, self.now)
            return [Worker(self.crowd, link.annotator.name, link.key) for link in links]

    def play_round(self, how: RoundPlay, workers: list[Worker]) -> None:
        """Open a round; everybody comes, newcomers do what is missing, some return; and close it."""
        start, rng = perf_counter(), random.Random(how.slug)  # noqa: S311  (a simulation)
        config = next(each for each in self.config.rounds if each.slug == how.slug)
        with db.writing(self.world.session):
            campaigns.open_round(
                self.world.session, self.world.actor("ada"), self.get_round(how.slug), self.now
            )
        most = config.assignment * len(config.passes) + config.count_extra(len(config.calibration_units))
        leavers = rng.sample(workers, round(how.leave * len(workers)))
        self.act(
            (
                self.now + rng.random() * 5 * DAY,
                worker.work(how.slug, how.parts, rng.randrange(1, most) if worker in leavers else None),
            )
            for worker in workers
        )
        self.now += 40 * DAY  # all leases are over
        n_new = 0
        while how.newcomers and self.list_missing(how.slug) and n_new < len(workers):
            n_new += 1
            (newcomer,) = self.invite(config.entries[0], 1)
            self.act([(self.now, newcomer.work(how.slug, how.parts))])
        returning = [worker for worker in leavers if rng.random() < RETURN]
        self.act((self.now, worker.work(how.slug, how.parts)) for worker in returning)
        missing = self.list_missing(how.slug)
        self.faults += bool(missing)
        with db.writing(self.world.session):
            campaigns.close_round(
                self.world.session, self.world.actor("ada"), self.get_round(how.slug), self.now
            )
        print(
            f"{how.slug}: {len(workers)} annotators, of whom {len(leavers)} left and {len(returning)} of "
            f"them returned; {n_new} newcomers; {len(missing)} units lack answers "
            f"{' '.join(missing)}; {perf_counter() - start:.0f} s"
        )

    def act(self, stories: Iterable[tuple[datetime, Iterator[timedelta]]]) -> None:
        """Let annotators act, each at their own times; twice a day the worker does what is due."""
        queue = [(at, number, story) for number, (at, story) in enumerate(stories)]
        heapq.heapify(queue)
        due = self.now
        while queue:
            at, number, story = heapq.heappop(queue)
            while due <= at:
                self.world.work(due)
                due += DAY / 2
            self.now = at
            self.world.set_clock(at)
            wait = next(story, None)
            if wait is not None:
                heapq.heappush(queue, (at + wait, number, story))

    def list_missing(self, slug: str) -> list[str]:
        self.world.session.rollback()
        round_ = self.get_round(slug)
        return list(leases.missing_slots(self.world.session, self.world.storage, round_, self.now))

    def export(self, slug: str) -> Path:
        """Download a round's export, compare its answers with the acknowledged ones, and run its commands."""
        self.world.set_clock(self.now)
        ada, start = self.world.client("ada"), perf_counter()
        ada.post(f"{self.results}/export", query_string={"round": slug})
        self.world.work(self.now)
        sent = ada.get(f"{self.results}/export.zip", query_string={"round": slug})
        with ZipFile(io.BytesIO(sent.data)) as zipped:
            zipped.extractall(self.out)
        print(f"export of {slug}: {len(sent.data) / 1e6:.1f} MB, {perf_counter() - start:.1f} s")
        folder = self.out / f"{SLUG}-{self.config.slug}-{slug}"
        lines = (folder / "answers.jsonl").read_text(encoding="utf-8").splitlines()
        answers = [json.loads(line) for line in lines]
        stored = Counter(self._describe(slug, answer) for answer in answers)
        given = Counter({key: n for key, n in self.crowd.given.items() if key[0] == slug})
        wrong = ((stored - given) + (given - stored)).total()
        self.faults += wrong
        outcomes = dict(sorted(Counter(answer["outcome"] for answer in answers).items()))
        print(f"  {given.total()} acknowledged, {stored.total()} in the export, {wrong} differ; {outcomes}")
        if slug == self.config.gold_round.slug and (choices := self.folder / "choices.tsv").exists():
            shutil.copy(choices, folder)
        self.run_commands(folder)
        return folder

    def _describe(
        self, slug: str, answer: dict[str, str | list[str] | dict[str, str] | float | None]
    ) -> Given:
        """Describe an answer of an export as its annotator does."""
        picks, value, order = answer["picks"], answer["value"], answer.get("order")
        unit = " ".join(sorted(order)) if isinstance(order, list) else self.keys[str(answer["unit"])]
        if isinstance(picks, dict):
            said = f"{picks['best']} {picks['worst']}"
        else:
            said = "cannot" if not isinstance(value, float | int) else f"{value:g}"
        return slug, str(answer["annotator"]), unit, said

    def run_commands(self, folder: Path) -> None:
        """Run each command that a README.md names."""
        for line in (folder / "README.md").read_text(encoding="utf-8").splitlines():
            if line.startswith("    scorer "):
                self.run(line.strip(), folder)

    def run(self, line: str, folder: Path) -> None:
        """Run a command of the scorer, and add what it prints to figures.txt."""
        start = perf_counter()
        command = [sys.executable, "-m", "scorer.cli", *shlex.split(line)[1:]]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        with (self.out / "figures.txt").open("a", encoding="utf-8") as file:
            file.write(f"$ {line}\n{done.stdout}{done.stderr}\n")
        self.faults += done.returncode != 0
        print(f"  {perf_counter() - start:5.1f} s, exit {done.returncode}: {line}")
        for row in done.stdout.splitlines():
            if row.startswith("all "):
                print(f"      {row}")

    def make_dataset(self, folder: Path) -> None:
        """Make the data set of an export, and run the commands of its README.md."""
        out, rule = self.out / "dataset", self.config.gold
        at_least = 1 if rule is None else rule.at_least
        self.run(
            f"scorer dataset {shlex.quote(str(folder))} --out {out} --seed 7 --at-least {at_least}", self.out
        )
        self.run_commands(out)

    def check_expert(self, gold: list[str], items: Path, ratings: Path) -> None:
        """Count the items whose score and whose expert are on different sides of the middle."""
        keys = [line.split("\t")[0] for line in items.read_text(encoding="utf-8").splitlines()[1:]]
        scores = {key: float(value) for key, value in zip(keys, gold, strict=True) if value}
        with ratings.open(encoding="utf-8", newline="") as file:
            said = {row["unit"]: float(row["rating"]) for row in csv.DictReader(file)}
        differ = sum((score > 0.5) != (said[key] > 0.5) for key, score in scores.items())
        print(f"expert: disagrees with the scores on {differ} of {len(scores)} items")

    def make_gold(self, folder: Path) -> list[str]:
        """Make the gold standard by its page; the lines of the export's file, which have to be the same."""
        self.world.session.rollback()
        sent = self.world.client("ada").post(
            f"{self.results}/gold?round={self.config.gold_round.slug}", follow_redirects=True
        )
        made = re.search(r"Gold version 1 was made[^.]*\.", words(sent))
        data = (folder / "gold.tsv").read_bytes()
        _level, split = tasks.get_level_split(
            tasks.get_task(self.world.session, SLUG), self.config.level or "", "test"
        )
        version = find_gold(self.world.session, split)
        same = version is not None and self.world.storage.get(version.sha256) == data
        self.faults += made is None or not same
        lines = data.decode().splitlines()
        print(
            f"gold: {lines.count('')} of {len(lines)} items have no value; {'equal' if same else 'DIFFERENT'}"
        )
        return lines

    def compete(self, gold: list[str]) -> None:
        """Two teams upload runs with less and with more noise; print the leaderboard."""
        session, opens = self.world.session, self.now
        edit = phase_editing.PhaseEdit("Evaluation", opens, opens + 10 * DAY, 0, 1, None, None, "hidden")
        ada, slug = self.world.actor("ada"), "evaluation"
        with db.writing(session):
            task = tasks.get_task(self.world.session, SLUG)
            phase = phase_editing.add_phase(session, ada, task, slug, "test", edit, opens, sure=True)
            run_ids = {
                name: runs.add_run(
                    session,
                    teams.create_team(session, self.world.actor(name), task, f"team of {name}", opens),
                    phase, "one", "", opens,
                ).id
                for name in ("bo", "cy")
            }  # fmt: skip
        for name, noise in (("bo", 0.1), ("cy", 0.3)):
            rng = random.Random(name)  # noqa: S311
            values = (float(value or 0) + self.top * rng.gauss(0, noise) for value in gold)
            data = "".join(f"{min(self.top, max(0.0, value)):.3f}\n" for value in values).encode()
            actor = self.world.actor(name)
            target = eligibility.find_own_target(
                session, actor, run_ids[name], self.config.level or "", opens
            )
            receive_file(
                session, self.world.storage, actor, eligibility.ReceivedFile(target, data, "run.tsv"), opens
            )
        over = opens + 11 * DAY
        self.world.set_clock(over)
        with db.writing(session):
            phase = tasks.get_phase(session, tasks.get_task(session, SLUG), slug)
            release_creation.release_board(session, ada, phase, over)
        board = self.world.client("ada").get(f"/tasks/{SLUG}/boards/{slug}").text
        rows = [row for row in re.findall(r"<tr.*?</tr>", board, re.DOTALL) if "team of" in row]
        self.faults += len(rows) != len(run_ids)
        for row in rows:
            print("  leaderboard:", " ".join(html.unescape(re.sub(r"<[^>]*>", " ", row)).split()))


def _list_pairs(round_: RoundConfig) -> Iterator[Unit]:
    yield from round_.items
    yield from round_.calibration_units


def write_small(source: Path, folder: Path) -> Path:
    """Write a small part of a campaign: its first groups, with fewer answers."""
    shutil.copytree(source, folder)
    toml = (folder / "annotation.toml").read_text(encoding="utf-8")
    for before, after in SMALLER.items():
        toml = toml.replace(before, after)
    (folder / "annotation.toml").write_text(toml, encoding="utf-8")
    for name, n_groups in GROUPS.items():
        if (path := folder / name).exists():
            header, *lines = path.read_text(encoding="utf-8").splitlines()
            place = header.split("\t").index("group")
            first = dict.fromkeys(line.split("\t")[place] for line in lines)
            kept = set(list(first)[:n_groups])
            rows = [header, *(line for line in lines if line.split("\t")[place] in kept)]
            path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return folder


def play_czech(player: Player, n_people: int) -> None:
    """A pilot, and the main round of two passes, of which some leave."""
    workers = player.invite("students", n_people)
    player.play_round(RoundPlay("pilot", n_people, 2), workers)
    player.export("pilot")
    player.play_round(RoundPlay("rate", n_people, 2, leave=0.12, newcomers=True), workers)
    folder = player.export("rate")
    player.make_dataset(folder)
    player.compete(player.make_gold(folder))


def play_giccs(player: Player, n_people: int) -> None:
    """Best-worst scaling by many, and a linguist's check of all items."""
    player.play_round(
        RoundPlay("compare", n_people, 1, newcomers=True), player.invite("annotators", n_people)
    )
    folder = player.export("compare")
    player.play_round(RoundPlay("expert", 1, 6), player.invite("linguist", 1))
    ratings = player.export("expert") / "ratings.csv"
    player.make_dataset(folder)
    gold = player.make_gold(folder)
    player.check_expert(gold, folder / "items.tsv", ratings)
    player.compete(gold)


PLAYS = {"czech-news": play_czech, "giccs": play_giccs}


def play(name: str, url: str, folder: Path, out: Path, *, whole: bool) -> int:
    """Play a campaign on an empty database; the number of faults."""
    source = CAMPAIGNS / name if whole else write_small(CAMPAIGNS / name, folder / f"{name}-small")
    app = create_app(site_config(folder / f"{name}-site", url))
    migrate.migrate(site_of(app).engine)
    start, mails = perf_counter(), MailCounter()
    LOG.addFilter(mails)
    with pytest.MonkeyPatch.context() as patch, app.app_context():

        def set_clock(at: datetime) -> None:
            patch.setattr(clock, "now", lambda: at)

        set_clock(OPENS)
        player = Player(World(app, set_clock), source, out)
        n_people = len(plan_round(player.config.gold_round).assignments)
        PLAYS[name](player, n_people)
        seconds, passed = player.crowd.seconds, perf_counter() - start
        middle, slow = median(seconds) * 1000, quantiles(seconds, n=20)[-1] * 1000
        print(
            f"{name}: {len(seconds)} answers, each and its next page in {middle:.0f} ms (p95 {slow:.0f} ms); "
            f"{mails.count} emails; {passed:.0f} s in all; {player.faults} faults"
        )
        site_of(app).session.remove()
        site_of(app).engine.dispose()
    LOG.removeFilter(mails)
    return player.faults


def main() -> int:
    """Play both campaigns, or one of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--whole", action="store_true", help="all units and annotators")
    parser.add_argument("--campaign", choices=tuple(PLAYS), help="one of them alone")
    parser.add_argument("--database", choices=("sqlite", "postgresql"), default="sqlite")
    parser.add_argument(
        "--out", type=Path, help="keep the exports and what their commands print in a new folder"
    )
    options = parser.parse_args()
    faults = 0
    for name in PLAYS if options.campaign is None else (options.campaign,):
        for database, url, folder in each_database(options.database):
            print(f"{name} on {database}")
            out = folder / "out" if options.out is None else options.out / name
            faults += play(name, url, folder, out, whole=options.whole)
    return int(faults > 0)


if __name__ == "__main__":
    raise SystemExit(main())
