"""Whether each bit turned in the audit table is found by `assay audit verify`, and how fast a long log is.

Run it as `python tests/bench/bench_flips_audit.py [FLIPS] [ENTRIES]`: bits of random cells, by raw SQL on
SQLite. Exit 1 if one is missed.
"""

import sys
import tracemalloc
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import pytest
from sqlalchemy import insert

sys.path.insert(0, str(Path(__file__).parents[2]))

from server.activity import verification
from server.app import create_app
from server.audit import service as audit
from server.audit.models import AuditEntry
from server.core import clock, db
from tests.bench.audit_flips import flips
from tests.server.audit.test_audit_chain import story
from tests.server.databases import SqliteFiles
from tests.server.sites import site_config
from tests.server.small_task import write_bundle
from tests.server.world import DURING, World, host_small_task

AT_ONCE = 1000


def turn_bits(world: World, count: int) -> int:
    """Turn bits, and print which were missed."""
    start = perf_counter()
    missed = [flip for flip, problems in flips(world.session, count, seed=7) if not problems]
    print(f"{count} bits turned in the audit table, {perf_counter() - start:.1f} s")
    print(f"{count - len(missed):6} found\n{len(missed):6} missed")
    for flip in missed:
        print(f"       {flip}")
    return len(missed)


def lengthen(world: World, count: int) -> None:
    """Append entries until the log has so many."""
    with db.writing(world.session):
        last = world.session.query(AuditEntry).order_by(AuditEntry.number.desc()).first()
        number, before = last.number, last.sha256
        while number < count:
            rows = []
            for _ in range(min(AT_ONCE, count - number)):
                number += 1
                values = {
                    "number": number,
                    "at": DURING,
                    "actor": "console",
                    "task_id": None,
                    "team_id": None,
                }
                values |= {"action": "key.add", "details": {"public": f"{number:064x}"}, "previous": before}
                before = audit.entry_hash(AuditEntry(**values))
                rows.append({**values, "sha256": before})
            world.session.execute(insert(AuditEntry), rows)


def read_all(world: World, *, measured: bool) -> None:
    """Verify the whole log once; memory is measured apart, for measuring it takes time."""
    world.session.rollback()
    if measured:
        tracemalloc.start()
    start = perf_counter()
    with db.reading(world.session):
        found = verification.verify_log(world.session, ())
    seconds, most = perf_counter() - start, tracemalloc.get_traced_memory()[1] if measured else 0
    tracemalloc.stop()
    assert found.problems.count == 0, found.problems.listed
    words = f"{most / 2**20:.1f} MiB at most" if measured else f"{seconds:.1f} s"
    print(f"{found.entries} entries verified: {words}")


def main() -> None:
    """Both figures, on a site of the small task with everything done once."""
    count, entries = (
        int(sys.argv[i]) if len(sys.argv) > i else default for i, default in ((1, 1000), (2, 100_000))
    )
    with TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        patch.setattr(clock, "now", lambda: DURING)
        folder = Path(name)
        databases = SqliteFiles(folder)
        world = World(create_app(site_config(folder / "data", databases.migrated())), lambda _at: None)
        with world.app.app_context():
            host_small_task(world, write_bundle(folder / "bundle"))
            story(world)
            missed = turn_bits(world, count)
            for length in (entries // 10, entries):
                lengthen(world, length)
                read_all(world, measured=True)
            read_all(world, measured=False)
    sys.exit(missed > 0)


if __name__ == "__main__":
    main()
