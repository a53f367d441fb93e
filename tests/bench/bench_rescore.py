"""How long it takes to score 2,000 files of 500 lines against a candidate gold, with two workers.

Two `assay worker` processes work off the jobs of a candidate, on SQLite. The rival does the same work for the
same files as a script would: numpy.loadtxt, scipy.stats.pearsonr and spearmanr, and one transaction a file
that is synced as the site's are, in one process. Run it as `python tests/bench/bench_rescore.py`, with
`--files` for fewer. It asserts nothing but that both find the same scores.
"""

import argparse
import os
import random
import sqlite3
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from time import perf_counter, sleep

sys.path.insert(0, str(Path(__file__).parents[2]))

from server import bundles
from server.access import tasks
from server.app import create_app
from server.core import db, migrate
from server.core.actors import CONSOLE
from server.core.config import Config, to_env
from server.core.site_resources import Site
from server.corrections import service as gold
from server.gold.models import GoldVersion
from server.runs import service as runs
from server.runs.models import Run
from server.scoring.models import Score
from server.submissions import rescoring
from server.submissions.models import Submission
from server.teams import service as teams
from server.web.context import site_of

N, WORKERS = 500, 2
SEED = 12345
NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)
TOML = """\
[task]
slug = "bench"
title = "Bench"
description = "How alike?"
scale = { min = 0, max = 4 }

[[level]]
slug = "p2s"
title = "Paragraph to sentence"
test = { items = "items.tsv", gold = "gold.tsv" }

[[phase]]
slug = "evaluation"
split = "test"
"""


def column(chance: random.Random, near: list[float] | None = None) -> list[float]:
    """A value an item: gold in quarters, or a run that is like it."""
    if near is None:
        return [chance.randrange(17) / 4 for _ in range(N)]
    return [round(min(4, max(0, value + chance.gauss(0, 1))), 3) for value in near]


def text(values: list[float]) -> bytes:
    return "".join(f"{value}\n" for value in values).encode()


def fill(site: Site, folder: Path, files: int) -> int:
    """A task whose runs have so many files, scored by nothing yet but the first gold; the candidate's id."""
    chance = random.Random(SEED)  # noqa: S311  (a simulation)
    truth = column(chance)
    pairs = (f"the boat came in before storm {k}\tthe boat came in\tNews-{k}\n" for k in range(N))
    for name, data in (
        ("task.toml", TOML.encode()),
        ("items.tsv", "".join(pairs).encode()),
        ("gold.tsv", text(truth)),
    ):
        (folder / name).write_bytes(data)
    session = site.session()
    with db.writing(session):
        task = bundles.import_task(session, CONSOLE, bundles.plan_import(folder), [], NOW, published=True)
    phase, (level, split) = (
        tasks.get_phase(session, task, "evaluation"),
        tasks.get_level_split(task, "p2s", "test"),
    )
    with db.writing(session):
        team = teams.add_team(session, task, "birch", NOW)
        phase.runs_per_team = files
        for number in range(files):
            run = runs.add_run(session, team, phase, f"run {number}", "", NOW)
            session.add(_submission(site, run, level.id, text(column(chance, truth))))
    fixed = [*column(chance)[:10], *truth[10:]]
    prepared = gold.prepare_gold(session, CONSOLE, split, text(fixed), "gold.tsv", "ten labels")
    with db.writing(session):
        return gold.add_gold(session, CONSOLE, prepared, NOW).id


def _submission(site: Site, run: Run, level_id: int, data: bytes) -> Submission:
    return Submission(
        run_id=run.id,
        level_id=level_id,
        sha256=site.storage.put(data),
        size=len(data),
        filename="run.tsv",
        warnings=[],
        late=False,
        submitted_by=None,
        arrived_at=NOW,
    )


def by_workers(site: Site, version_id: int) -> float:
    """Seconds from the first worker's start until every file is scored."""
    env = {**to_env(site.config), "PYTHONPATH": os.getcwd()}  # noqa: PTH109  (where the bench runs)
    command = [sys.executable, "-m", "server.cli", "worker"]
    start = perf_counter()
    workers = [subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL) for _ in range(WORKERS)]
    try:
        while rescoring.count_scored(site.session(), [version_id])[version_id].lacking:
            site.session().rollback()
            sleep(0.2)
        return perf_counter() - start
    finally:
        for worker in workers:
            worker.terminate()
        for worker in workers:
            worker.wait()


def by_script(site: Site, version_id: int, folder: Path) -> tuple[float, dict[int, tuple[float, float]]]:
    """Seconds of a plain loop over the same files, imports aside; and what it found."""
    import numpy as np  # noqa: PLC0415  (the rival's own)
    from scipy.stats import pearsonr, spearmanr  # noqa: PLC0415  (the same)

    session = site.session()
    version = session.get_one(GoldVersion, version_id)
    truth = np.loadtxt(BytesIO(site.storage.get(version.sha256)))
    files = [(one.id, one.sha256) for one in session.query(Submission)]
    rows = sqlite3.connect(folder / "rival.sqlite", isolation_level=None)
    for pragma in ("journal_mode = WAL", "synchronous = FULL"):
        rows.execute(f"PRAGMA {pragma}")
    rows.execute("CREATE TABLE score (submission INTEGER PRIMARY KEY, pearson REAL, spearman REAL)")
    found, start = {}, perf_counter()
    for number, sha256 in files:
        run = np.loadtxt(BytesIO(site.storage.get(sha256)))
        found[number] = float(pearsonr(truth, run)[0]), float(spearmanr(truth, run)[0])
        rows.execute("BEGIN IMMEDIATE")
        rows.execute("INSERT INTO score VALUES (?, ?, ?)", (number, *found[number]))
        rows.execute("COMMIT")
    rows.close()
    return perf_counter() - start, found


def agree(site: Site, version_id: int, found: dict[int, tuple[float, float]]) -> bool:
    """Whether both have the same scores at nine decimals, of every file."""
    here: dict[int, dict[str, float | None]] = {}
    for one in site.session().query(Score).filter_by(gold_version_id=version_id):
        here.setdefault(one.submission_id, {})[one.metric] = one.value
    return here.keys() == found.keys() and all(
        abs((here[number]["pearson"] or 0) - pearson) < 1e-9
        and abs((here[number]["spearman"] or 0) - spearman) < 1e-9
        for number, (pearson, spearman) in found.items()
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=2000)
    files = parser.parse_args().files
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "data").mkdir()
        (folder / "bundle").mkdir()
        database = f"sqlite:///{folder}/assay.sqlite"
        config = Config("b" * 32, folder / "data", database, testing=True)
        app = create_app(config)
        migrate.migrate(site_of(app).engine)
        with app.app_context():
            site = site_of(app)
            version_id = fill(site, folder / "bundle", files)
            seconds = by_workers(site, version_id)
            rival, found = by_script(site, version_id, folder)
            assert agree(site, version_id, found)
    print(f"{files} files of {N} lines against a candidate gold, SQLite")
    print(f"  two workers, their start included  {seconds:6.1f} s  {files / seconds:6.0f} files/s")
    print(f"  numpy and scipy, a plain loop      {rival:6.1f} s  {files / rival:6.0f} files/s")
    print(
        f"  the site, exact sums and jobs included, takes {seconds / rival:.1f} times as long as the script"
    )


if __name__ == "__main__":
    main()
