"""How long the figures and the export of a large round take, and how much memory.

Run it as `python tests/bench/bench_round_results.py`; `--small` for a quick look. The round has two passes,
calibration units and repeats, and about 140,000 answers. Export and figures each run in a process of their
own, whose memory is printed beyond what the process has after it opened the site. `scorer figures` runs
in a process of its own. The bench exits 1 if an answer is missing. Nothing is asserted about time.
"""

import argparse
import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from time import perf_counter
from typing import Any
from zipfile import ZipFile

from sqlalchemy import insert, text
from sqlalchemy.orm import Session

sys.path.insert(0, str(ROOT := Path(__file__).parents[2]))

from scorer.campaigns.assignments import Plan, PlannedAssignment
from server.access import tasks
from server.accounts.models import User
from server.annotation.assignments import plans
from server.annotation.campaigns import creation
from server.annotation.models import (
    AnnotationRound,
    Annotator,
    Assignment,
    Consent,
    ConsentVersion,
    RoundFigures,
    Step,
    UnitAnswer,
)
from server.annotation.results import exports, figures, progress
from server.core import db, migrate
from server.core.actors import Actor
from server.core.config import Config
from server.core.site_resources import Site, create_site
from server.core.zips import write_folder
from tests.bench.bench_site import each_database
from tests.bench.kills_site import SLUG, fill

START = datetime(2026, 1, 5, 8, tzinfo=UTC)
UNITS, SMALL_UNITS = 5800, 600
ANSWERS, ASSIGNMENT, CALIBRATION, REPEATS = 10, 50, 6, 5
CONFIG = f"""\
[campaign]
slug = "large"
title = "Large"
contact = "organizers@example.org"
text_language = "en"
consent = {{ en = "Yes?" }}
scale = {{ min = 0, max = 6, step = 1 }}
[entry.students]
kind = "personal"
[[round]]
slug = "rate"
kind = "rate"
units = "pairs.tsv"
answers = {ANSWERS}
assignment = {ASSIGNMENT}
passes = [ {{ slug = "free" }}, {{ slug = "dependent", after_hours = 72 }} ]
calibration = {{ units = "calibration.tsv" }}
intra = {{ n = {REPEATS} }}
"""


def add_campaign(site: Site, folder: Path, n_units: int) -> None:
    """A round whose assignments are all answered."""
    folder.mkdir()
    (folder / "annotation.toml").write_text(CONFIG, encoding="utf-8")
    sentence = "The boat came in before the storm, and nobody on the quay had expected it so early. "
    for name, count in (("pairs", n_units), ("calibration", CALIBRATION)):
        lines = [
            f"{name}{k}\t{name}{k // 3}\t{'news' if k % 2 else 'forum'}\t{sentence * 2}\t{k}"
            for k in range(count)
        ]
        table = "\n".join(["key\tgroup\tgenre\tleft\tright", *lines]) + "\n"
        (folder / f"{name}.tsv").write_text(table, encoding="utf-8")
    session = site.session()
    prepared = creation.prepare_campaign(folder)
    with db.writing(session):
        ada = Actor(session.query(User.id).order_by(User.id).limit(1).scalar())
        campaign = creation.add_campaign(session, ada, tasks.get_task(session, SLUG), prepared, START)
        add_rows(session, campaign.rounds[0], prepared.plans[0])


def add_rows(session: Session, round_: AnnotationRound, plan: Plan) -> None:
    """Insert annotators who consented, and the answers of all assignments."""
    plan_row = plans.list_plans(session, round_)[0]
    units = {
        unit.key: (unit.id, lot) for unit in plans.list_units(session, round_) for lot in [hash_lot(unit.key)]
    }
    first = [(unit.id, hash_lot(unit.key)) for unit in plans.list_units(session, round_, "calibration")]
    version = session.query(ConsentVersion.id).scalar()
    people, consents, assignments = [], [], []
    for place, planned in enumerate(plan.assignments, 1):
        campaign, entry = round_.campaign, round_.campaign.entries[0]
        people.append(
            {"id": place, "campaign_id": campaign.id, "entry_id": entry.id, "name": f"A{place:04}",
             "language": "en", "made_at": START}
        )  # fmt: skip
        consents.append(
            {
                "annotator_id": place,
                "consent_version_id": version,
                "language": "en",
                "given": True,
                "made_at": START,
            }
        )
        assignments.append(
            {
                "id": place,
                "plan_id": plan_row.id,
                "number": planned.number,
                "annotator_id": place,
                "taken_at": START,
            }
        )
    for table, rows in ((Annotator, people), (Consent, consents), (Assignment, assignments)):
        session.execute(insert(table), rows)
    chance, step_id = random.Random(1), 0  # noqa: S311  (made-up answers)
    for place, planned in enumerate(plan.assignments, 1):
        steps = list(list_steps(planned, units, first, step_id))
        step_id += len(steps)
        lots = [step.pop("lot") for step in steps]
        session.execute(
            insert(Step), [{**step, "assignment_id": place, "annotator_id": place} for step in steps]
        )
        session.execute(
            insert(UnitAnswer), [make_answer(*pair, chance) for pair in zip(steps, lots, strict=True)]
        )


def list_steps(
    planned: PlannedAssignment,
    units: dict[str, tuple[int, float]],
    first: list[tuple[int, float]],
    step_id: int,
) -> Iterator[dict[str, Any]]:
    position = 0
    for number in (1, 2):
        block = [("calibration", *unit, 0) for unit in first]
        block += [("main", *units[step.unit], step.slot) for step in planned.steps]
        block += [("repeat", *units[step.unit], 0) for step in planned.steps[:REPEATS]]
        begin = step_id + position
        for place, (name, unit_id, lot, slot) in enumerate(block):
            position += 1
            repeats = (
                begin + len(first) + place - len(planned.steps) - len(first) + 1 if name == "repeat" else None
            )
            yield {"id": step_id + position, "unit_id": unit_id, "position": position, "slot": slot,
                   "pass_number": number, "block": name, "lot": lot, "repeats_step_id": repeats}  # fmt: skip


def make_answer(step: dict[str, Any], lot: float, chance: random.Random) -> dict[str, Any]:
    shown = START + timedelta(days=4 * (step["pass_number"] - 1), seconds=25 * step["position"])
    seconds = chance.lognormvariate(2, 0.6)
    return {
        "step_id": step["id"],
        "nonce": f"{step['id']:032x}",
        "value": float(min(6, max(0, round(lot * 6 + chance.gauss(0, 1))))),
        "standing": "counts",
        "shown_at": shown,
        "arrived_at": shown + timedelta(seconds=seconds),
        "visible_ms": int(seconds * 900),
        "input": "key",
    }


def hash_lot(key: str) -> float:
    return random.Random(key).random()  # noqa: S311  (the unit's true rating)


def measure(config: Config, what: str) -> int:
    """Do one thing in this process, and print its seconds and its memory."""
    site = create_site(config)
    session = site.session()
    round_ = session.query(AnnotationRound).one()
    before, start = read_memory("VmRSS"), perf_counter()
    n_answers = WORK[what](site, session, round_)
    seconds, more = perf_counter() - start, read_memory("VmHWM") - before
    print(f"{what}: {seconds:.1f} s, {more / 1024:.0f} MB more; {n_answers} answers")
    return n_answers


def read_memory(name: str) -> int:
    """The memory of this process in kB: what it has now (VmRSS), or the most it had (VmHWM)."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(name))


def export(session: Session, round_: AnnotationRound) -> int:
    with TemporaryDirectory() as name, TemporaryFile() as file:
        exports.write_files(session, round_, Path(name))
        write_folder(file, "large", Path(name))
        with ZipFile(file) as zipped, zipped.open("large/answers.jsonl") as lines:
            return sum(1 for _ in lines)


def compute(site: Site, session: Session, round_: AnnotationRound) -> int:
    round_id = round_.id
    session.rollback()
    figures.compute_figures(site, {"round": round_id}, START)
    stored = json.loads(session.query(RoundFigures).one().text)
    if "missing" in stored["tables"]:
        raise SystemExit(f"no figures: {stored['tables']['missing']}")
    return sum(row["ratings free"] + row["ratings dependent"] for row in stored["tables"]["values"])


def show(_site: Site, session: Session, round_: AnnotationRound) -> int:
    measured = progress.measure_progress(session, round_, START)
    return measured.answers


WORK = {"export": export, "figures": compute, "progress for the page": show}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true", help="a quick look")
    parser.add_argument("--database", choices=("sqlite", "postgresql"), help="one of them alone")
    parser.add_argument("--only", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.only:
        what, url, data = options.only
        measure(Config("k" * 32, Path(data), url), what)
        return 0
    for name, url, folder in each_database(options.database):
        config = Config("k" * 32, folder / "data", url, secure_cookies=False)
        config.data_dir.mkdir(mode=0o700)
        site = create_site(config)
        migrate.migrate(site.engine)
        fill(config, folder / "bundle")
        add_campaign(site, folder / "campaign", SMALL_UNITS if options.small else UNITS)
        with site.engine.begin() as connection:
            connection.execute(text("ANALYZE"))  # as the database does by itself after a while
        site.engine.dispose()
        print(name, flush=True)
        for what in WORK:
            command = [sys.executable, __file__, "--only", what, url, str(config.data_dir)]
            subprocess.run(command, check=True, env={**os.environ, "PYTHONPATH": str(ROOT)})
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
