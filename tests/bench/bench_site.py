"""How long the site takes under load, served by `assay serve` on this machine, on SQLite and PostgreSQL.

Run it as `python tests/bench/bench_site.py`; `--small` for a quick look, `--database sqlite` for one of them.
The site has 520 teams with three runs and four levels, and 24,000 submissions, then ten times as many.
Clients and site share the machine's cores; the processor time of an answer is that of the site alone. The
rival of the board makes it from one query over all submissions, each time, under the same gunicorn.
Each path is asked for a second before it is timed; of that the first answers, one a client, stand as `cold`.
`host` is how much of the cores the machine's host gave to others meanwhile; below stands how long each core
takes to make objects, as a page does: figures of two hours compare by that.
PostgreSQL is a server of its own that waits for no disk. It asserts only that nothing is lost.
"""

import argparse
import compileall
import hashlib
import os
import random
import socket
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, count, repeat
from pathlib import Path
from statistics import median
from time import perf_counter, sleep

sys.path.insert(0, str(ROOT := Path(__file__).parents[2]))

from sqlalchemy import create_engine, select, text

from server.app import create_app
from server.core import migrate
from server.core.config import Config, to_env
from server.submissions.models import Submission
from server.web.context import site_of
from tests.bench import machine, site_load as load, site_seed as seed
from tests.bench.site_load import Measured, Requests
from tests.bench.site_seed import LEVELS, PHASE, SLUG, Player

CLIENTS = 20
AHEAD = 100
"""How many uploads of a client are made before the first is sent: its machine is another one."""
WARM_UP = 1.0
GROWTH = 1.3
BOARD, TASK, RUNS, UPLOAD, RUSH = (
    "public board, 20 clients",
    "task page, signed in, 20 clients",
    "my runs, signed in, 20 clients",
    "upload of 500 lines, scored, 20 clients",
    "rush: 500 clients, open load",
)
GOALS = {BOARD: 50, TASK: 100, RUNS: 100, UPLOAD: 250, RUSH: 1000}


@dataclass(frozen=True, slots=True)
class Size:
    """How much of it all."""

    teams: int
    files: int
    more: int
    clients: int
    rush: int
    rush_seconds: float
    seconds: float


FULL = Size(520, 24_000, 240_000, 500, 2000, 60.0, 10.0)
SMALL = Size(60, 2_400, 24_000, 60, 200, 6.0, 3.0)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


@contextmanager
def process(command: list[str], env: dict[str, str], port: int, path: str) -> Iterator[tuple[int, float]]:
    """A server, once it answers: the id of its process, and the seconds that it took."""
    start = perf_counter()
    server = subprocess.Popen(
        command, env=env, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        while not _is_up(port, path):
            assert server.poll() is None, "the server ended"
            assert perf_counter() < start + 60, "the server does not answer"
            sleep(0.01)
        yield server.pid, perf_counter() - start
    finally:
        server.terminate()
        server.wait(60)


def _is_up(port: int, path: str) -> bool:
    try:
        return load.closed(port, 1, 1.0, lambda _: iter([load.get(path)])).statuses[200] == 1
    except OSError:
        return False


def served(config: Config) -> AbstractContextManager[tuple[int, float]]:
    """The site under `assay serve`."""
    config = replace(config, testing=False)
    command = [sys.executable, "-m", "server.cli", "serve"]
    return process(command, to_env(config, os.environ), config.port, "/help/")


def workers_of(pid: int) -> list[Path]:
    """What the system tells of each worker for pages below gunicorn's master."""
    children = [
        Path("/proc") / child for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    ]
    return [child for child in children if b"worker" not in (child / "cmdline").read_bytes()]


def memory_of(pid: int) -> list[int]:
    """Resident MB of each worker."""
    lines = (line for child in workers_of(pid) for line in (child / "status").read_text().splitlines())
    return [int(line.split()[1]) * 1024 // 1_000_000 for line in lines if line.startswith("VmRSS")]


def busy(pid: int) -> float:
    """Seconds of processor time that the workers have used."""
    stats = ((child / "stat").read_text().rpartition(")")[2].split() for child in workers_of(pid))
    return sum(int(one[11]) + int(one[12]) for one in stats) / os.sysconf("SC_CLK_TCK")


def with_cpu(pid: int, under_load: Callable[[], Measured]) -> Measured:
    """What was measured, with the processor time that the workers took for it, and what the host took."""
    before = busy(pid)
    with machine.shared() as share:
        measured = under_load()
    measured.cpu, measured.host = busy(pid) - before, share.taken
    return measured


class Files:
    """Files that nobody has sent before, each for another team, run or level."""

    def __init__(self, players: list[Player]) -> None:
        self.players, self.count = players, 0
        self.truths = seed.truths()
        self.chance = random.Random(1)  # noqa: S311  (a simulation)

    def next(self, player: int) -> bytes:
        """The next upload of a player."""
        self.count += 1
        who, level = self.players[player], LEVELS[self.count % len(LEVELS)]
        run = who.runs[self.count // len(LEVELS) % len(who.runs)]
        data = seed.run_file(self.chance, self.truths[level])
        return load.upload(f"/tasks/{SLUG}/runs/{run}/{level}/upload", who.cookie, who.token, data)

    def of_clients(self, clients: int, each: int) -> Requests:
        """The uploads of each client, made before any is sent; those beyond as they are due."""
        made = [[self.next(number) for _ in range(each)] for number in range(clients)]
        return lambda number: chain(made[number], (self.next(number) for _ in count()))


def measure(
    config: Config, players: list[Player], size: Size
) -> tuple[dict[str, Measured], list[int], float]:
    """Each path under its load; what a worker holds after it; seconds from start to the first answer."""
    port, files = config.port, Files(players)
    board, task = f"/tasks/{SLUG}/boards/{PHASE}", f"/tasks/{SLUG}/"

    def signed_in(path: str) -> Callable[[], Requests]:
        return lambda: lambda number: repeat(load.get(path, players[number].cookie))

    def timed(requests: Callable[[], Requests]) -> Measured:
        first = load.closed(port, CLIENTS, WARM_UP, requests())
        found = with_cpu(pid, partial(load.closed, port, CLIENTS, size.seconds, requests()))
        found.cold = first.seconds[:CLIENTS]
        return found

    with served(config) as (pid, started):
        load.closed(port, CLIENTS, 1.0, lambda _: repeat(load.get("/help/")))  # each worker has made its app
        asked: dict[str, Callable[[], Requests]] = {
            BOARD: lambda: lambda _: repeat(load.get(board)),
            TASK: signed_in(task),
            RUNS: signed_in(f"{task}team/"),
            UPLOAD: lambda: files.of_clients(CLIENTS, AHEAD),
        }
        found = {path: timed(requests) for path, requests in asked.items()}
        sent = [files.next(k % size.clients) for k in range(size.rush)]
        found[RUSH] = with_cpu(pid, partial(load.scheduled, port, size.rush_seconds, sent))
        memory = memory_of(pid)
    return found, memory, started


def require_none_lost(config: Config, before: int, found: dict[str, Measured]) -> None:
    """Every file that the site said it has is there, its row and its bytes, as often as it was uploaded."""
    app = create_app(config)
    site = site_of(app)
    with app.app_context():
        session = site.session()
        kept = Counter(session.scalars(select(Submission.sha256).where(Submission.id > before)))
        taken = Counter(file_of(request) for path in (UPLOAD, RUSH) for request in found[path].taken)
        assert taken <= kept, f"{(taken - kept).total()} of {taken.total()} files are lost"
        assert all(site.storage.has(sha256) for sha256 in kept)
        site.session.remove()
    site.engine.dispose()


def file_of(request: bytes) -> str:
    """The SHA-256 of the file in an upload."""
    file = request.rsplit(b"\r\n\r\n", 1)[1].partition(f"\r\n--{load.BOUNDARY}--".encode())[0]
    return hashlib.sha256(file).hexdigest()


def rival_p95(config: Config, size: Size) -> float:
    """Milliseconds of the rival's board under the same load."""
    port = free_port()
    command = [sys.executable, "-m", "gunicorn", "-b", f"127.0.0.1:{port}", "-w", "2", "-k", "gthread"]
    command += ["--threads", "4", "--no-control-socket", "--timeout", "120", "tests.bench.site_rival:app"]
    url = config.database_url.replace("postgresql:", "postgresql+psycopg:")
    with process(command, {**os.environ, "RIVAL_DATABASE": url}, port, "/"):
        return load.closed(port, CLIENTS, size.seconds, lambda _: repeat(load.get("/"))).p95


def newest_id(config: Config) -> int:
    """The id of the newest submission."""
    engine = create_engine(config.database_url.replace("postgresql:", "postgresql+psycopg:"))
    with engine.connect() as connection:
        newest = connection.scalar(text("SELECT max(id) FROM submission")) or 0
    engine.dispose()
    return int(newest)


def bench(name: str, database_url: str, folder: Path, size: Size) -> None:
    """The table of one database."""
    config = Config(
        "b" * 32, folder / "data", database_url, port=free_port(), secure_cookies=False, testing=True
    )
    config = replace(config, site_url=f"http://127.0.0.1:{config.port}")
    config.data_dir.mkdir(parents=True)
    app = create_app(config)
    migrate.migrate(site_of(app).engine)
    start = perf_counter()
    seed.fill(app, folder / "bundle", size.teams, size.files, seed.now())
    players = seed.sign_in(app, size.clients)
    print(
        f"{name}: {size.teams} teams, {size.files:,} submissions ({perf_counter() - start:.0f} s to make)",
        flush=True,
    )
    few = _table(config, players, size, None)
    seed.fill_up(app, size.more - size.files, seed.now())
    site_of(app).engine.dispose()
    print(f"{name}: the same with {size.more:,} submissions", flush=True)
    _table(config, players, size, few)


def _table(
    config: Config, players: list[Player], size: Size, few: dict[str, Measured] | None
) -> dict[str, Measured]:
    before, loads = newest_id(config), [os.getloadavg()[0]]
    found, memory, started = measure(config, players, size)
    loops = Measured(machine.loops(size.seconds))
    require_none_lost(config, before, found)
    rival = rival_p95(config, size)
    loads.append(os.getloadavg()[0])
    print(f"  {'':<40}    goal      p50      p95     cold   CPU each  host  answers  errors     kB")
    for path in GOALS:
        print(_row(path, found[path], None if few is None else few[path]))
        for words in _wrong(found[path]):
            print(f"    {words}")
    board = found[BOARD].p95
    print(f"  {'the rival: board of one query':<40}{rival:>23.0f} ms   ours is {board / rival:.3f} of it")
    print(f"  {'a worker, resident':<40}{'180 MB':>8}{max(memory):>15} MB")
    print(f"  {'start to first answer':<40}{'2 s':>8}{started:>15.2f} s")
    least = min(loops.seconds) * 1000
    print(
        f"  {'the machine: objects made on each core':<40}{loops.p50:>17.0f} ms{loops.p95:>6.0f} ms"
        f"   {loops.p50 / least:.1f} times its best, {least:.0f} ms"
    )
    print(f"  load average {loads[0]:.1f} before, {loads[1]:.1f} after, {os.cpu_count()} cores", flush=True)
    return found


def _row(path: str, one: Measured, few: Measured | None) -> str:
    wrong = len(one.errors) + sum(one.unexpected.values())
    missed = one.p95 >= GOALS[path] or wrong or (few is not None and one.p95 > GROWTH * few.p95)
    cold = f"{median(one.cold) * 1000:.0f} ms" if one.cold else ""
    grown = "" if few is None else f"   {one.p95 / few.p95:.2f} times"
    return (
        f"  {path:<40}{GOALS[path]:>5} ms{one.p50:>6.0f} ms{one.p95:>6.0f} ms{cold:>9}{one.cpu_each:>8.1f} ms"
        f"{one.host:>6.0%}{len(one.seconds):>9}{wrong:>8}{one.size / 1000:>7.0f}{grown}"
        f"{'   MISSED' if missed else ''}"
    )


def _wrong(one: Measured) -> list[str]:
    return [*one.errors[:3], *(f"status {status}: {count}" for status, count in one.unexpected.items())]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--database", choices=("sqlite", "postgresql"))
    asked = parser.parse_args()
    size = SMALL if asked.small else FULL
    print(f"Python {sys.version}")  # builds of one version differ by a quarter
    for package in ("scorer", "server"):  # as pip leaves them, also where the environment writes no bytecode
        compileall.compile_dir(ROOT / package, quiet=1)
    for name, url, folder in each_database(asked.database):
        bench(name, url, folder, size)


def each_database(wanted: str | None) -> Iterator[tuple[str, str, Path]]:
    """The name, the address of an empty database, and a folder, of the wanted kind or of both.

    Where no server is named, the command is run again with one of Debian's.
    """
    if wanted != "sqlite" and "TEST_DATABASE_URL" not in os.environ:
        again = ["sh", str(ROOT / "tests/with-postgresql.sh"), sys.executable, *sys.argv]
        if any(Path("/usr/lib/postgresql").glob("*/bin/initdb")):
            raise SystemExit(subprocess.run(again, check=False).returncode)
        print("missed: PostgreSQL; give TEST_DATABASE_URL, or install Debian's postgresql")
    if wanted != "postgresql":
        with tempfile.TemporaryDirectory() as folder:
            yield "SQLite", f"sqlite:///{folder}/assay.sqlite", Path(folder)
    if wanted != "sqlite" and "TEST_DATABASE_URL" in os.environ:
        with tempfile.TemporaryDirectory() as folder, postgresql(os.environ["TEST_DATABASE_URL"]) as url:
            yield "PostgreSQL", url, Path(folder)


@contextmanager
def postgresql(server: str) -> Iterator[str]:
    """A database of our own on a server."""
    name = f"assay_bench_{os.getpid()}"
    engine = create_engine(server.replace("postgresql:", "postgresql+psycopg:"), isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.exec_driver_sql(f"CREATE DATABASE {name}")
    try:
        yield engine.url.set(drivername="postgresql", database=name).render_as_string(hide_password=False)
    finally:
        with engine.connect() as connection:
            connection.exec_driver_sql(f"DROP DATABASE {name} WITH (FORCE)")
        engine.dispose()


if __name__ == "__main__":
    main()
