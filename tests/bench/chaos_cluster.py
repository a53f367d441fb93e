"""Two web hosts, two workers, PostgreSQL with a synchronous standby, nginx and HAProxy, on this machine.

Each part reaches the database by a relay of its own, which stands for the network between them and for the
address that moves to the new primary. What ends by itself is started again, as systemd does.
"""

import asyncio
import os
import pwd
import re
import shutil
import socket
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg

from server.core.config import Config, to_env
from tests.bench.bench_site import free_port
from tests.bench.kills_site import BOUND, ROOT, Served, TooLate, children, is_alive, wait_until
from tests.server.test_serving import behind_nginx

HAPROXY = shutil.which("haproxy") or "/usr/sbin/haproxy"
SETTINGS = """\
listen_addresses = ''
unix_socket_directories = '{folder}'
unix_socket_permissions = 0777
port = 5432
fsync = off  # processes are killed, not machines
shared_buffers = 32MB
max_connections = 200
wal_keep_size = 256MB
wal_retrieve_retry_interval = 200ms
hot_standby = on
synchronous_standby_names = 'standby'
primary_conninfo = 'host={other} user=postgres application_name=standby'
"""
HOSTS, WORKERS = ("one", "two"), ("first", "second")
PARTS = (*HOSTS, *WORKERS)
"""What is connected with the database; the bench itself is, too, and never cut off."""
BENCH = "bench"
CHUNK = 1 << 16


class Relay:
    """The connections of one part with the database, which can be cut."""

    def __init__(self, network: "Network", folder: Path) -> None:
        self._network = network
        self._open = asyncio.Event()
        self._open.set()
        self._ends: set[asyncio.StreamWriter] = set()
        self._lines: set[asyncio.Future[None]] = set()
        folder.mkdir()
        self.address = f"postgresql://postgres@/assay?host={folder}"
        self._path = folder / ".s.PGSQL.5432"

    async def listen(self) -> None:
        """Wait for connections."""
        await asyncio.start_unix_server(self._accept, self._path)

    def cut(self) -> None:
        """Pass nothing on, neither bytes nor ends of connections."""
        self._open.clear()

    def heal(self, *, broken: bool) -> None:
        """Pass on what arrived meanwhile, unless the connections broke."""
        if broken:
            for end in self._ends:
                end.transport.abort()
        self._open.set()

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._lines.add(line := asyncio.ensure_future(self._connect(reader, writer)))
        line.add_done_callback(self._lines.discard)

    async def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await self._open.wait()
        ends = {writer}
        try:
            back, forth = await asyncio.open_unix_connection(self._network.primary / ".s.PGSQL.5432")
            ends.add(forth)
            self._ends |= ends
            await asyncio.gather(self._pass(reader, forth), self._pass(back, writer))
        except OSError:
            for end in ends:
                end.transport.abort()
        finally:
            self._ends -= ends

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await reader.read(CHUNK):
                await self._open.wait()
                writer.write(data)
                await writer.drain()
        await self._open.wait()
        writer.close()


class Network:
    """The relays of all parts; they lead to the primary."""

    def __init__(self, folder: Path, primary: Path) -> None:
        self.primary = primary
        folder.mkdir()
        self._loop = asyncio.new_event_loop()
        self._relays = {part: Relay(self, folder / part) for part in (*PARTS, BENCH)}
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        for relay in self._relays.values():
            asyncio.run_coroutine_threadsafe(relay.listen(), self._loop).result(BOUND)

    def address(self, part: str) -> str:
        """The database as a part reaches it."""
        return self._relays[part].address

    def cut(self, part: str) -> None:
        """Cut a part off."""
        self._loop.call_soon_threadsafe(self._relays[part].cut)

    def heal(self, part: str, *, broken: bool) -> None:
        """Connect a part again."""
        self._loop.call_soon_threadsafe(lambda: self._relays[part].heal(broken=broken))

    def stop(self) -> None:
        """Connect nobody any more."""
        self._loop.call_soon_threadsafe(self._end)
        self._thread.join(BOUND)

    def _end(self) -> None:
        for task in asyncio.all_tasks(self._loop):
            task.cancel()
        self._loop.call_later(0.1, self._loop.stop)


class Postgres:
    """A primary and its synchronous standby, which change places."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(mode=0o755)
        self._commands = max(
            Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name)
        )
        self.primary, self.standby = folder / "a", folder / "b"
        for one in (self.primary, self.standby):
            one.mkdir()
            if os.geteuid() == 0:
                shutil.chown(one, "postgres")

    def start(self) -> None:
        """Start both."""
        self._run(
            "initdb", "-D", self.primary / "data", "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync"
        )
        self._start(self.primary)
        self._join()
        with self._ask() as connection:
            connection.execute("CREATE DATABASE assay")

    def stop(self) -> None:
        """Stop both."""
        for one in (self.primary, self.standby):
            with suppress(subprocess.CalledProcessError):
                self._stop(one)

    def restart(self, pause: Callable[[], None]) -> None:
        """Stop the primary as a crash does, and start it again after a while."""
        self._stop(self.primary)
        pause()
        self._start(self.primary)

    def fail_over(self) -> None:
        """Stop the primary as a crash does, and promote the standby; the address has to move."""
        self._stop(self.primary)
        self._run("pg_ctl", "-D", self.standby / "data", "-w", "promote")
        self.primary, self.standby = self.standby, self.primary

    def replace_standby(self) -> None:
        """Make the former primary a standby, as a copy of the new one."""
        self._run("rm", "-rf", self.standby / "data")
        self._join()

    def is_safe(self) -> bool:
        """Whether the standby has all that is committed, and commits wait for it."""
        with suppress(psycopg.Error), self._ask() as connection:
            return connection.execute(
                "SELECT sync_state FROM pg_stat_replication WHERE state = 'streaming'"
            ).fetchall() == [("sync",)]
        return False

    def _join(self) -> None:
        data = self.standby / "data"
        source = f"host={self.primary} user=postgres"
        self._run("pg_basebackup", "-d", source, "-D", data, "-c", "fast", "-X", "stream", "--no-sync")
        (data / "standby.signal").touch()
        self._start(self.standby)
        wait_until(self.is_safe, "the standby does not follow the primary")

    def _start(self, one: Path) -> None:
        other = self.standby if one == self.primary else self.primary
        settings = SETTINGS.format(folder=one, other=other)
        (one / "data/postgresql.auto.conf").write_text(settings, encoding="utf-8")
        self._run("pg_ctl", "-D", one / "data", "-l", one / "log", "-w", "start")

    def _stop(self, one: Path) -> None:
        self._run("pg_ctl", "-D", one / "data", "-m", "immediate", "-w", "stop")

    def _ask(self) -> psycopg.Connection[tuple[Any, ...]]:
        return psycopg.connect(host=str(self.primary), user="postgres", autocommit=True, connect_timeout=5)

    def _run(self, command: str, *words: str | Path) -> None:
        """Run a command as the user postgres if this is root."""
        path = self._commands / command
        as_owner: dict[str, Any] = {}
        if os.geteuid() == 0:
            owner = pwd.getpwnam("postgres")
            as_owner = {"user": owner.pw_uid, "group": owner.pw_gid, "extra_groups": []}
        subprocess.run(
            [path if path.exists() else command, *words],
            check=True,
            cwd="/",
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=BOUND,
            **as_owner,
        )


class JobsWorker:
    """`assay worker` on a host of its own."""

    def __init__(self, config: Config, folder: Path) -> None:
        self.config, self.log = config, folder / "log"
        self._process: subprocess.Popen[bytes] | None = None
        self._below: set[int] = set()

    def start(self) -> None:
        """Run jobs."""
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "server.cli", "worker"],
                env=to_env(self.config, os.environ), cwd=ROOT, stdout=log, stderr=log,
            )  # fmt: skip

    @property
    def runs(self) -> bool:
        """Whether it has not ended."""
        return self._process is not None and self._process.poll() is None

    def kill(self) -> None:
        """Kill it, and wait until what it had started has ended by itself."""
        assert self._process is not None
        below = children(self._process.pid)
        self._process.kill()
        self._process.wait(BOUND)
        wait_until(lambda: not any(map(is_alive, below)), "a child of a killed worker goes on")

    def stop(self) -> None:
        """End it, if need be by force."""
        if self._process is None:
            return
        self._process.terminate()
        try:
            self._process.wait(BOUND)
        except subprocess.TimeoutExpired:
            self.kill()


class Proxy:
    """nginx and HAProxy with the files that we deliver; HAProxy asks the hosts whether they are ready."""

    def __init__(self, folder: Path, hosts: Mapping[str, int]) -> None:
        self._folder, inner, self._open = folder, free_port(), ExitStack()
        folder.mkdir()
        text = (ROOT / "deploy/haproxy.cfg").read_text(encoding="utf-8")
        assert "bind 127.0.0.1:8001" in text
        text = text.replace("bind 127.0.0.1:8001", f"bind 127.0.0.1:{inner}")
        text = re.sub(r"(?m)^ +server .*\n", "", text)  # its last lines
        text += "".join(f"    server {name} 127.0.0.1:{port}\n" for name, port in hosts.items())
        text = text.replace("/run/haproxy/admin.sock", f"{folder}/stats")
        (folder / "haproxy.cfg").write_text(text, encoding="utf-8")
        self._process = subprocess.Popen([HAPROXY, "-db", "-q", "-f", folder / "haproxy.cfg"])
        wait_until((folder / "stats").exists, "HAProxy does not start")
        self.port = self._open.enter_context(behind_nginx(folder, inner))

    def count(self, host: str) -> tuple[str, int]:
        """The state of a host, and how many requests it was sent."""
        text = self.tell("show stat")
        names, *rows = (row.split(",") for row in text.removeprefix("# ").splitlines() if row)
        (found,) = (
            row for row in map(dict, (zip(names, row, strict=True) for row in rows)) if row["svname"] == host
        )
        return found["status"], int(found["stot"])

    def tell(self, command: str) -> str:
        """What HAProxy answers to a command of an operator."""
        with socket.socket(socket.AF_UNIX) as line:
            line.connect(str(self._folder / "stats"))
            line.sendall(f"{command}\n".encode())
            return b"".join(iter(lambda: line.recv(CHUNK), b"")).decode()

    def stop(self) -> None:
        """End both."""
        self._open.close()
        self._process.terminate()
        self._process.wait(BOUND)


class Cluster:
    """All parts, each of which can be hurt, and is started again."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.postgres = Postgres(folder / "postgres")
        self.network = Network(folder / "network", self.postgres.primary)
        self.config = Config(
            "k" * 32, folder / "data", self.network.address(BENCH), jobs=False, secure_cookies=False,
            proxies=1, arrival_header="X-Request-Start", threads=4,
        )  # fmt: skip
        self.config.data_dir.mkdir(mode=0o700)
        self.hosts = {name: Served(self._config(name, free_port()), self._own(name)) for name in HOSTS}
        self.workers = {name: JobsWorker(self._config(name), self._own(name)) for name in WORKERS}
        self.started: Counter[str] = Counter()
        """Which parts were started again because they had ended, and how often."""

    def _own(self, name: str) -> Path:
        (folder := self.folder / name).mkdir()
        return folder

    def _config(self, name: str, port: int = 8000) -> Config:
        return replace(self.config, database_url=self.network.address(name), port=port)

    @contextmanager
    def serving(self) -> Iterator[Proxy]:
        """Hosts, workers and the proxy, until all of it is ended."""
        proxy = None
        try:
            for host in self.hosts.values():
                host.start()
            for worker in self.workers.values():
                worker.start()
            proxy = Proxy(
                self.folder / "proxy", {name: host.config.port for name, host in self.hosts.items()}
            )
            wait_until(lambda: self.is_whole(proxy), "the site is not ready")
            yield proxy
        finally:
            for part in (proxy, *self.workers.values(), *self.hosts.values()):
                if part is not None:
                    part.stop()

    def is_whole(self, proxy: Proxy) -> bool:
        """Whether everything works; what ended by itself is started again."""
        for name, worker in self.workers.items():
            if not worker.runs:
                self.started[f"worker {name}"] += 1
                worker.start()
        for name, host in self.hosts.items():
            if not host.processes()["master"]:
                self.started[f"host {name}"] += 1
                with suppress(TooLate):
                    host.start()
        return self.postgres.is_safe() and all(proxy.count(name)[0] == "UP" for name in HOSTS)

    def fail_over(self) -> None:
        """The standby takes over, and the former primary becomes its standby."""
        self.postgres.fail_over()
        self.network.primary = self.postgres.primary
        self.postgres.replace_standby()
