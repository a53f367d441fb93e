"""How long a page takes on SQLite while four writers upload, against a site whose readers lock too.

Run it as `python tests/bench/bench_reads.py`. The rival is the same site with `BEGIN IMMEDIATE` for every
transaction, which is what keeps writers safe where nobody tells the two kinds apart. It asserts nothing.
"""

import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from statistics import median, quantiles
from time import monotonic, perf_counter, sleep

sys.path.insert(0, str(Path(__file__).parents[2]))

from sqlalchemy import event

from server import bundles
from server.access import tasks
from server.app import create_app
from server.core import clock, db, migrate
from server.core.actors import CONSOLE, Actor
from server.core.config import Config
from server.personal_data.account_management import create_account
from server.runs import service as runs
from server.submissions import eligibility, service as submissions
from server.teams import service as teams
from server.web.context import site_of
from tests.server.small_task import write_bundle

WRITERS = 4
SECONDS = 8.0
PAUSE = 0.02
"""Between two reads, and between two uploads of one writer."""
NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)


def upload_until(app, stop: threading.Event, run_id: int, actor: Actor, counts: list[int]) -> None:
    """One writer: another file for the run, again and again."""
    with app.app_context():
        site, number = site_of(app), 0
        while not stop.is_set():
            number += 1
            data = "".join(f"{(item * number) % 17 / 4}\n" for item in range(4)).encode()
            session = site.session()
            prepared = submissions.prepare_file(
                session,
                actor,
                eligibility.ReceivedFile(
                    eligibility.find_own_target(session, actor, run_id, "p2s", NOW), data, "run.tsv"
                ),
                NOW,
            )
            with db.writing(session):
                submissions.submit_file(session, actor, prepared, NOW)
            counts.append(number)
            sleep(PAUSE)
        site.session.remove()


@contextmanager
def writers_at_work(app, players: list[tuple[int, Actor]], counts: list[int]) -> Iterator[None]:
    """Four threads that upload until the end of the block."""
    stop = threading.Event()
    threads = [
        threading.Thread(target=upload_until, args=(app, stop, run_id, actor, counts), daemon=True)
        for run_id, actor in players
    ]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join(timeout=30)


def fill(app, folder: Path) -> list[tuple[int, Actor]]:
    """The small task with four teams of one, each with a run; what each writer needs."""
    site, players = site_of(app), []
    session = site.session()
    plan = bundles.plan_import(write_bundle(folder / "bundle"))
    with db.writing(session):
        task = bundles.import_task(session, CONSOLE, plan, [], NOW, published=True)
        phase = tasks.get_phase(session, task, "evaluation")
        phase.files_per_level = None
        for number in range(WRITERS):
            actor = Actor(create_account(session, f"w{number}@example.org", "Writer", "a long password").id)
            team = teams.create_team(session, actor, task, f"team {number}", NOW)
            players.append((runs.add_run(session, team, phase, "one", "", NOW).id, actor))
    return players


def read_times(folder: Path, begin: str) -> tuple[list[float], int]:
    """Seconds of each read of the task's page, and how many files were taken meanwhile.

    `begin`: the statement that begins the transactions that read; the rival differs in it alone.
    """
    config = Config(
        "b" * 32, folder, f"sqlite:///{folder / 'assay.sqlite'}", secure_cookies=False, testing=True
    )
    engine = db.open_engine(config.database_url)
    migrate.migrate(engine)
    engine.dispose()
    app, times, counts = create_app(config), [], []

    def begin_so(
        _connection: object, _cursor: object, statement: str, parameters: object, *_others: object
    ) -> tuple[str, object]:
        return begin if statement == "BEGIN" else statement, parameters

    event.listen(site_of(app).engine, "before_cursor_execute", begin_so, retval=True)
    with app.app_context():
        players = fill(app, folder)
    with writers_at_work(app, players, counts):
        reader, end = app.test_client(), monotonic() + SECONDS
        while monotonic() < end:
            start = perf_counter()
            assert reader.get("/tasks/small/").status_code == 200
            times.append(perf_counter() - start)
            sleep(PAUSE)
    site_of(app).session.remove()
    site_of(app).engine.dispose()
    return times, len(counts)


def main() -> None:
    """Print median and p95 of reads, ours and the rival's."""
    clock.now = lambda: NOW  # the small task's evaluation is open
    print(f"a task's page while {WRITERS} writers upload, {SECONDS:.0f} s each, SQLite:")
    p95s = []
    for name, begin in (("ours", "BEGIN"), ("rival", "BEGIN IMMEDIATE")):
        with tempfile.TemporaryDirectory() as folder:
            times, uploads = read_times(Path(folder), begin)
        p95s.append(quantiles(times, n=20)[-1])
        print(
            f"  {name:<6} median {median(times) * 1000:7.1f} ms   p95 {p95s[-1] * 1000:7.1f} ms"
            f"   {len(times)} reads, {uploads} uploads"
        )
    print(f"  ratio of the p95s, ours to the rival's: {p95s[0] / p95s[1]:.2f}")


if __name__ == "__main__":
    main()
