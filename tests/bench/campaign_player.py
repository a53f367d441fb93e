"""Plays the rounds of a campaign on a set clock, and takes its exports, figures, gold and leaderboard."""

import heapq
import html
import io
import json
import random
import re
import shlex
import shutil
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import chdir, contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import chain
from pathlib import Path
from statistics import correlation
from time import perf_counter
from typing import Any
from zipfile import ZipFile

from click.testing import CliRunner

from scorer.baselines.common_substring import lcs
from scorer.campaigns.assignments import plan_round
from scorer.campaigns.config import CampaignConfig, RoundConfig, Unit
from scorer.cli.__main__ import cli
from server import bundles
from server.access import tasks
from server.annotation.assignments import leases
from server.annotation.campaigns import creation, crowd, people, service as campaigns
from server.annotation.campaigns.rules import Invitee
from server.annotation.models import AnnotationRound, Campaign
from server.core import db
from server.core.actors import CONSOLE
from server.gold.versions import find_gold
from server.personal_data.account_management import create_account
from server.planning import baselines, phase_editing
from server.releases import creation as release_creation
from server.runs import service as runs
from server.submissions import eligibility
from server.submissions.uploads import receive_file
from server.teams import service as teams
from tests.bench.bench_round_results import read_memory
from tests.bench.campaign_crowd import HOUR, N_SENTENCES, Crowd, Given, PlatformWorker, Worker
from tests.server.small_task import PASSWORD
from tests.server.visitors import words
from tests.server.world import OPENS, World

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


@contextmanager
def measured(name: str) -> Iterator[None]:
    """Print how long something took, and the most memory that this process had meanwhile."""
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # forgets the most so far
    start = perf_counter()
    yield
    print(f"{name}: {perf_counter() - start:.1f} s, at most {read_memory('VmHWM') / 1024:.0f} MB", flush=True)


@dataclass(frozen=True, slots=True)
class RoundPlay:
    """How a round is played: by whom, in how many parts each, and the share of those who leave."""

    slug: str
    people: int
    parts: int
    leave: float = 0.0
    newcomers: bool = False


def host_task(world: World, config: CampaignConfig, out: Path) -> None:
    """Host a task whose level has trial items alone; a campaign makes its test items and their gold."""
    folder = out / "task"
    folder.mkdir(parents=True)
    top = 1.0 if config.gold_round.kind == "bws" else config.gold_round.scale.max
    (folder / "task.toml").write_text(TASK.format(level=config.level or "words", top=top), encoding="utf-8")
    lines = [f"The boat of quay {n} is late.\tQuay {n} waits for its boat.\tt{n}\n" for n in range(12)]
    (folder / "trial.tsv").write_text("".join(lines), encoding="utf-8")
    (folder / "trial.gold").write_text("".join(f"{n % 2}\n" for n in range(12)), encoding="utf-8")
    with db.writing(world.session):
        for name in ("ada", "bo", "cy"):
            create_account(world.session, f"{name}@example.org", name, PASSWORD)
    plan = bundles.plan_import(folder)
    with db.writing(world.session):
        bundles.import_task(world.session, CONSOLE, plan, [world.user("ada")], OPENS, published=True)


@dataclass
class Player:
    """Plays the rounds of one campaign on a set clock."""

    world: World
    folder: Path
    out: Path
    similarity: Callable[[str, str], float]
    words: Mapping[str, Mapping[str, Collection[str]]] = field(default_factory=dict)
    now: datetime = OPENS
    faults: int = 0
    workers: list[Worker] = field(default_factory=list)
    config: CampaignConfig = field(init=False)
    crowd: Crowd = field(init=False)
    sentences: dict[str | None, list[str]] = field(init=False)
    """The sentences of the reports of each incident."""
    units: dict[str, Unit] = field(init=False)
    """What annotators are asked about, or choose, in any round."""

    def __post_init__(self) -> None:
        with measured(f"reading and planning {self.folder.name}"):
            prepared = creation.prepare_campaign(self.folder)
        self.config = prepared.config
        self.crowd = Crowd(self.world, self.similarity, self.config.rounds[0].scale, self.words)
        self.units = {
            unit.key: unit
            for each in self.config.rounds
            for unit in (*each.units, *each.calibration_units, *each.sentences)
        }
        self.sentences = defaultdict(list)
        for sentence in chain.from_iterable(each.sentences for each in self.config.rounds):
            self.sentences[sentence.group].append(sentence.texts["sentence"])
        session = self.world.session
        if self.world.client().get(f"/tasks/{SLUG}/").status_code != 200:
            host_task(self.world, self.config, self.out)
        with measured(f"storing {self.folder.name}"), db.writing(session):
            task = tasks.get_task(session, SLUG)
            creation.add_campaign(session, self.world.actor("ada"), task, prepared, self.now)

    @property
    def top(self) -> float:
        """The highest gold label."""
        round_ = self.config.gold_round
        return 1.0 if round_.kind == "bws" else round_.scale.max

    @property
    def pages(self) -> str:
        """The address of the campaign."""
        return f"/tasks/{SLUG}/organize/campaigns/{self.config.slug}"

    @property
    def campaign(self) -> Campaign:
        return self.world.session.query(Campaign).filter_by(slug=self.config.slug).one()

    def get_config(self, slug: str) -> RoundConfig:
        return next(each for each in self.config.rounds if each.slug == slug)

    def get_round(self, slug: str) -> AnnotationRound:
        return campaigns.get_round(self.campaign, slug)

    def invite(self, entry: str, count: int) -> list[Worker]:
        """New annotators with personal links and email addresses, or new people for the link of a crowd."""
        session, numbers = self.world.session, range(len(self.workers), len(self.workers) + count)
        with db.writing(session):
            row = next(each for each in self.campaign.entries if each.slug == entry)
            if row.kind == "crowd":
                link = f"{crowd.path_of(session, row)}?{row.person}="
                workers: list[Worker] = [
                    PlatformWorker(self.crowd, f"person{n}", f"{link}person{n}") for n in numbers
                ]
            else:
                invitees = [Invitee(email=f"a{n}@example.net") for n in numbers]
                links = people.add_annotators(session, self.world.actor("ada"), row, invitees, self.now)
                workers = [Worker(self.crowd, link.annotator.name, link.key) for link in links]
        self.workers += workers
        return workers

    def play_round(self, how: RoundPlay, workers: list[Worker]) -> None:
        """Open a round; everybody comes, newcomers do what is missing, some return; and close it."""
        with measured(f"{how.slug} of {self.config.slug}"):
            self._play_round(how, workers)

    def _play_round(self, how: RoundPlay, workers: list[Worker]) -> None:
        rng = random.Random(how.slug)  # noqa: S311  (a simulation)
        config = self.get_config(how.slug)
        with db.writing(self.world.session):
            campaigns.open_round(
                self.world.session, self.world.actor("ada"), self.get_round(how.slug), self.now
            )
        steps = max(len(each.steps) for each in plan_round(config).assignments)
        most = steps * len(config.passes) + config.count_extra(len(config.calibration_units))
        leavers = {worker.name: worker for worker in rng.sample(workers, round(how.leave * len(workers)))}
        self.act(
            (
                self.now + rng.random() * 5 * DAY,
                worker.work(how.slug, how.parts, rng.randrange(1, most) if worker.name in leavers else None),
            )
            for worker in workers
        )
        leases_hours = [each.lease_hours for each in self.config.entries if each.slug in config.entries]
        self.now += 3 * max(leases_hours) * HOUR  # all leases are over, also of who rested between two passes
        n_new = 0
        while how.newcomers and self.list_missing(how.slug) and n_new < len(workers):
            n_new += 1
            (newcomer,) = self.invite(config.entries[0], 1)
            self.act([(self.now, newcomer.work(how.slug, how.parts))])
        returning = [worker for worker in leavers.values() if rng.random() < RETURN]
        self.act((self.now, worker.work(how.slug, how.parts)) for worker in returning)
        missing = self.list_missing(how.slug)
        self.faults += bool(missing)
        with db.writing(self.world.session):
            campaigns.close_round(
                self.world.session, self.world.actor("ada"), self.get_round(how.slug), self.now
            )
        print(
            f"{how.slug}: {len(workers)} annotators, of whom {len(leavers)} left and {len(returning)} of "
            f"them returned; {n_new} newcomers; {len(missing)} units lack answers {' '.join(missing)}"
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
        return list(leases.missing_slots(self.world.session, round_, self.now))

    def export(self, slug: str) -> Path:
        """Download a round's export, compare its answers with the acknowledged ones, and run its commands."""
        self.world.set_clock(self.now)
        ada = self.world.client("ada")
        with measured(f"export of {slug}"):
            ada.post(f"{self.pages}/results/export", query_string={"round": slug})
            self.world.work(self.now)
            sent = ada.get(f"{self.pages}/results/export.zip", query_string={"round": slug})
        folder = self.out / f"{SLUG}-{self.config.slug}-{slug}"
        shutil.rmtree(folder, ignore_errors=True)
        with ZipFile(io.BytesIO(sent.data)) as zipped:
            zipped.extractall(self.out)
        self._compare_answers(slug, folder)
        if slug == self.config.gold_round.slug:
            for name in ("choices.tsv", "written.tsv", "known-gold.tsv"):
                if (path := self.folder / name).exists() and not (folder / name).exists():
                    shutil.copy(path, folder)
        self.run_commands(folder)
        return folder

    def _compare_answers(self, slug: str, folder: Path) -> None:
        """Compare an export with the acknowledged answers, and what counts with the first ones."""
        round_ = self.get_config(slug)
        lines = (folder / "answers.jsonl").read_text(encoding="utf-8").splitlines()
        answers = [(answer, self._describe(round_, answer)) for answer in map(json.loads, lines)]
        stored = Counter(given for _answer, given in answers)
        known = self.list_counted(slug)
        first = Counter(chain.from_iterable(known.values()))
        counted = Counter(
            given
            for answer, given in answers
            if answer["outcome"] == "counted" and (given.reading, given.unit) in known
        )
        given = Counter(each for each in self.crowd.given if each.round == slug)
        wrong, uncounted = (((a - b) + (b - a)).total() for a, b in ((stored, given), (counted, first)))
        self.faults += wrong + uncounted
        outcomes = dict(sorted(Counter(answer["outcome"] for answer, _given in answers).items()))
        print(
            f"  {given.total()} acknowledged, {stored.total()} in the export, {wrong} differ, "
            f"{uncounted} count otherwise; {outcomes}"
        )

    def list_counted(self, slug: str) -> dict[tuple[int, tuple[str, ...]], list[Given]]:
        """The first answers to each unit whose texts no other unit has, as its annotators know them."""
        round_ = self.get_config(slug)
        counted = self.crowd.list_counted(slug, round_.answers)
        units = Counter(self._describe_unit(round_, unit) for unit in round_.units)
        return {place: of_unit for place, of_unit in counted.items() if units[place[1]] == 1}

    def _describe(self, round_: RoundConfig, answer: dict[str, Any]) -> Given:
        """Describe an answer of an export as its annotator does."""
        units, picks, value = self.units, answer["picks"], answer["value"]
        if round_.kind == "bws" and picks:
            texts = {candidate.key: candidate.text for candidate in units[answer["unit"]].candidates}
            said = texts[picks["best"]], texts[picks["worst"]]
        elif picks:
            chosen = ((slot, units[key].texts["sentence"], f"{n:g}") for slot, (key, n) in picks.items())
            said = tuple(chain.from_iterable(chosen))
        else:
            said = (answer["written"] or ("cannot" if value is None else f"{value:g}"),)
        reading = [each.slug for each in round_.passes].index(answer["pass"]) + 1
        unit = self._describe_unit(round_, units[answer["unit"]])
        return Given(round_.slug, reading, answer["annotator"], unit, said)

    def _describe_unit(self, round_: RoundConfig, unit: Unit) -> tuple[str, ...]:
        """The texts of a unit: of a tuple in alphabetical order; of a choice with some sentences."""
        if round_.kind == "bws":
            return unit.texts["left"], *sorted(candidate.text for candidate in unit.candidates)
        if round_.kind == "choose":
            return unit.texts["left"], *self.sentences[unit.group][:N_SENTENCES]
        return tuple(unit.texts[name] for name in ("left", "right") if name in unit.texts)

    def run_commands(self, folder: Path) -> None:
        """Run each command that a README.md names."""
        for line in (folder / "README.md").read_text(encoding="utf-8").splitlines():
            if line.startswith("    scorer "):
                self.run(line.strip(), folder)

    def run(self, line: str, folder: Path) -> None:
        """Run a command of the scorer, and add what it prints to figures.txt."""
        with measured(f"  {line}"), chdir(folder):
            done = CliRunner().invoke(cli, shlex.split(line)[1:])
        with (self.out / "figures.txt").open("a", encoding="utf-8") as file:
            file.write(f"$ {line}\n{done.output}\n")
        if done.exit_code != 0:
            self.faults += 1
            print(f"  FAILED: {done.output}")

    def read_figures(self, folder: Path) -> dict[str, dict[str, Any]]:
        """The rows of all figures of an export or a data set by their codes."""
        done = CliRunner().invoke(cli, ["figures", str(folder), "--format", "json"])
        tables = json.loads(done.stdout)["tables"]
        return {row["code"]: row for table in tables.values() for row in table}

    def make_dataset(self, folder: Path) -> Path:
        """Make the data set of an export, and run the commands of its README.md."""
        out, rule = self.out / "dataset", self.config.gold
        at_least = 1 if rule is None else rule.at_least
        self.run(
            f"scorer dataset {shlex.quote(str(folder))} --out {out} --seed 7 --at-least {at_least}", self.out
        )
        self.run_commands(out)
        return out

    def make_gold(self, folder: Path) -> list[str]:
        """Make the gold standard by its page; the lines of the export's file, which have to be the same."""
        self.world.session.rollback()
        sent = self.world.client("ada").post(
            f"{self.pages}/results/gold?round={self.config.gold_round.slug}", follow_redirects=True
        )
        made = re.search(r"Gold version 1 was made[^.]*\.", words(sent))
        data = (folder / "gold.tsv").read_bytes()
        _level, split = tasks.get_level_split(
            tasks.get_task(self.world.session, SLUG), self.config.level or "", "test"
        )
        version = find_gold(self.world.session, split)
        same = version is not None and self.world.storage.get(version.sha256) == data
        self.faults += made is None or not same
        lines = [row.partition("\t")[0] for row in data.decode().splitlines() if row != "gold\tn\tsd"]
        print(
            f"gold: {lines.count('')} of {len(lines)} items have no value; {'equal' if same else 'DIFFERENT'}"
        )
        return lines

    def compete(self, gold: list[str]) -> None:
        """Two teams upload runs with less and with more noise beside a baseline; print the leaderboard."""
        with measured("hosted task"):
            self._compete(gold)

    def _compete(self, gold: list[str]) -> None:
        session, opens = self.world.session, self.now
        edit = phase_editing.PhaseEdit("Evaluation", opens, opens + 10 * DAY, 0, 1, None, None, "hidden")
        ada, slug = self.world.actor("ada"), "evaluation"
        with db.writing(session):
            task = tasks.get_task(session, SLUG)
            phase = phase_editing.add_phase(session, ada, task, slug, "test", edit, opens, sure=True)
            baselines.add_baseline(session, ada, phase, "lcs", opens)
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
            receive_file(session, actor, eligibility.ReceivedFile(target, data, "run.tsv"), opens)
        over = opens + 11 * DAY
        self.world.work(over)
        with db.writing(session):
            phase = tasks.get_phase(session, tasks.get_task(session, SLUG), slug)
            release_creation.release_board(session, ada, phase, over)
        board = self.world.client("ada").get(f"/tasks/{SLUG}/boards/{slug}").text
        found = re.findall(r"<tr.*?</tr>", board, re.DOTALL)
        rows = [" ".join(html.unescape(re.sub(r"<[^>]*>", " ", row)).split()) for row in found]
        items = self.config.gold_round.items
        scored = [
            (float(value), lcs(unit.texts["left"], unit.texts["right"]))
            for value, unit in zip(gold, items, strict=True)
            if value
        ]
        baseline = f"organizers LCS {correlation(*zip(*scored, strict=True)):.3f}"
        for entry in ("team of bo", "team of cy", baseline):
            known = [row for row in rows if entry in row]
            self.faults += len(known) != 1
            print("  leaderboard:", *known or [f"LACKS {entry}"])
