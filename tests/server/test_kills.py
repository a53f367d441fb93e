"""A small round of `tests/bench/bench_kills.py`, which kills 200 processes on each database."""

from pathlib import Path

from tests.bench import bench_kills
from tests.server.databases import Databases


def test_no_acknowledged_upload_is_lost_or_doubled_and_no_job_stuck_when_processes_are_killed(
    databases: Databases, tmp_path: Path
) -> None:
    played = bench_kills.play(databases.empty(), tmp_path / "site", bench_kills.SMALL, seed=6)
    assert {kind: faults for kind, faults in played.outcome.faults.items() if faults} == {}
    assert played.killing.kills.total() == bench_kills.SMALL
    assert {"page worker", "master"} <= played.killing.kills.keys()
    assert any(upload.state == "acknowledged" for upload in played.uploads)
    assert played.outcome.inferences
