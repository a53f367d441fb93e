"""Candidate gold: scored by jobs next to the one in force, put in force or discarded at once, and undone."""

import json
import os
import subprocess
import sys
import threading
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner

from scorer.cli.__main__ import cli as scorer
from server.access import tasks
from server.audit.models import AuditEntry
from server.boards import service as boards
from server.core import clock, db
from server.core.config import to_env
from server.core.errors import Conflict, Forbidden, NotFound
from server.core.storage import Storage
from server.corrections import (
    preview as gold_previews,
    preview_exports,
    publishing as gold_publishing,
    scoring_jobs,
    service as gold,
)
from server.gold import versions as gold_versions
from server.gold.models import GoldVersion
from server.jobs import table_queue
from server.jobs.models import Job
from server.scoring import service as scoring
from server.scoring.models import Score
from server.submissions import rescoring
from server.submissions.models import Submission
from server.submissions.rescoring import ScoringProgress
from tests.server.job_runs import presume_dead, run_job
from tests.server.players import raw
from tests.server.races import run_at_once
from tests.server.small_task import GOLD, GOOD, TASK, write_bundle
from tests.server.submissions.test_upload_faults import Fault, failing, rows
from tests.server.test_embargo import normalised
from tests.server.world import DURING, LATE, World

REVERSED = b"3\n2\n1\n0\n"
LATER = DURING + timedelta(hours=1)
OTHER = b"1\n3\n2\n4\n"
HALF_WAY = """
import os, threading
from server.cli.common import open_site
from server.corrections import scoring_jobs
from server.worker import run_worker

def die(site, payload, now):
    scoring_jobs.score_chunk(site, {**payload, "last": payload["first"]}, now)
    os._exit(9)

with open_site() as site:
    run_worker(site, threading.Event(), None, {"gold.score": die})
"""


def send(world: World, files: int = 5) -> list[int]:
    """So many files of the evaluation at one level, each in a run of its own."""
    with db.writing(world.session):
        world.phase().runs_per_team, world.phase().files_per_level = 100, None
    return [world.upload(world.run(f"run {k}"), "p2s", (GOOD, OTHER)[k % 2]).id for k in range(files)]


def scored(world: World, version: GoldVersion) -> dict[tuple[int, str], tuple[float | None, datetime]]:
    world.session.rollback()
    found = world.session.query(Score).filter_by(gold_version_id=version.id)
    return {(one.submission_id, one.metric): (one.value, one.made_at) for one in found}


def offline(world: World, folder: Path, p2s: bytes) -> str:
    """The board that `scorer board` computes of the files of `send` with this gold."""
    runs = [world.run("run 0"), world.run("run 1")]
    folder = write_bundle(folder, TASK)
    (folder / "p2s.test.gold").write_bytes(p2s)
    for run, data in zip(runs, (GOOD, OTHER), strict=True):
        path = folder / "runs" / "birch" / run.name / "p2s.tsv"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    printed = CliRunner().invoke(scorer, ["board", str(folder), "--format", "json"])
    assert printed.exit_code == 0, printed.stderr
    return printed.stdout


def changes_offline(folder: Path, before: str, after: str) -> object:
    """What `scorer changes` says of two boards."""
    for name, text in (("before", before), ("after", after)):
        (folder / name).write_text(text, encoding="utf-8")
    result = CliRunner().invoke(
        scorer, ["changes", str(folder / "before"), str(folder / "after"), "--format", "json"]
    )
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def publish(world: World, version: GoldVersion, at: datetime = DURING, by: str = "ada") -> None:
    with db.writing(world.session):
        gold_publishing.publish_version(world.session, world.actor(by), version, at)


def put_back(world: World, version: GoldVersion) -> bool:
    with db.writing(world.session):
        return gold_publishing.restore_version(
            world.session, world.actor("ada"), version, "it was right", LATER
        )


def state(world: World, version: GoldVersion) -> str:
    return gold_versions.states_of(world.session, [version])[version.id]


def test_changed_standard_deviations_are_counted_though_all_labels_are_the_same(world: World) -> None:
    with db.writing(world.session):
        tasks.get_level_split(world.task, "p2s", "test")[0].metrics = ["pearson", "within_sd"]
    header, *rows = b"gold\tn\tsd", b"0.5\t4\t1.2", b"3.5\t4\t0.5", b"2.5\t2\t0", b"\t1\t"
    world.fix_gold("p2s", b"\n".join((header, *rows)))
    rows[1:3] = b"3.5\t3\t0.6", b"2.5\t2\t1"
    new = world.bring_gold("p2s", b"\n".join((header, *rows)))
    world.work(DURING)
    ada = world.actor("ada")
    preview = gold_previews.preview_version(world.session, ada, world.task, new.id)
    assert (preview.labels, preview.warnings) == ((), ("The standard deviations of 2 items would change.",))


def test_putting_gold_in_force_and_undoing_give_the_boards_of_the_scorer(
    world: World, tmp_path: Path
) -> None:
    send(world, 2)
    split = tasks.get_level_split(world.task, "p2s", "test")[1]
    old = gold_versions.find_gold(world.session, split)
    assert old is not None
    before = offline(world, tmp_path / "old", world.storage.get(old.sha256))
    after = offline(world, tmp_path / "new", REVERSED)
    kept = scored(world, old)

    new = world.bring_gold("p2s", REVERSED)
    world.work(DURING)
    assert boards.board_text(world.session, world.phase()) == before
    previewed = boards.phase_board(world.session, world.phase(), instead=new)
    assert boards.serialize_board(previewed, world.phase()) == after
    preview = gold_previews.preview_version(world.session, world.actor("ada"), world.task, new.id)
    assert [(one.item, one.old, one.new) for one in preview.labels] == [
        (f"News-{k}", float(was), now)
        for k, was, now in zip(range(1, 5), GOLD["p2s"], (3, 2, 1, 0), strict=True)
    ]
    (phase,) = json.loads(preview_exports.preview_json(preview))["phases"]
    assert phase["board"] == changes_offline(tmp_path, before, after)
    assert (phase["files"], phase["files_changed"], preview.progress) == (3, 3, ScoringProgress(3, 3))
    publish(world, new)
    assert boards.board_text(world.session, world.phase()) == after
    assert (state(world, old), state(world, new)) == ("earlier", "in force")

    assert put_back(world, old)
    assert boards.board_text(world.session, world.phase()) == before
    assert (state(world, old), state(world, new)) == ("in force", "earlier")
    with pytest.raises(Conflict, match="was never in force"):
        put_back(world, old)
    assert scored(world, old) == kept
    late = world.upload(world.run("run 0"), "p2s", at=LATE)
    assert not put_back(world, new)  # the late file has no score against it
    with pytest.raises(Conflict, match="1 submission has no score against version 2 yet"):
        publish(world, new)
    world.work(LATE)
    publish(world, new)
    assert (late.id, "pearson") in scored(world, new)
    assert [entry.action for entry in world.session.query(AuditEntry).order_by(AuditEntry.number)][-2:] == [
        "gold.candidate",
        "gold.publish",
    ]


def test_after_a_worker_is_killed_another_continues_and_scores_nothing_twice(
    world: World,
) -> None:
    first, *others = send(world)
    version = world.bring_gold("p2s", REVERSED)
    baseline = next(iter(world.session.scalars(scoring_jobs.select_unscored(version)))).id
    env = {**to_env(world.site.config), "PYTHONPATH": os.getcwd()}  # noqa: PTH109  (where the tests run)
    assert subprocess.run([sys.executable, "-c", HALF_WAY], env=env, check=False, timeout=60).returncode == 9
    half = scored(world, version)
    assert {submission_id for submission_id, _ in half} == {baseline}
    (job,) = world.session.query(Job).filter_by(kind=scoring_jobs.SCORE)
    assert (job.state, job.attempt) == ("running", 1)

    assert job.leased_until is not None
    lease_end = job.leased_until
    presume_dead(world.site, job.id)
    world.work(lease_end + timedelta(seconds=1))
    whole = scored(world, version)
    assert {submission_id for submission_id, _ in whole} == {baseline, first, *others}
    assert {key: whole[key] for key in half} == half
    publish(world, version)


@pytest.mark.both_databases
def test_two_workers_take_different_chunks_and_score_each_file_once(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    send(world)
    monkeypatch.setattr(scoring_jobs, "CHUNK", 1)
    version = world.bring_gold("p2s", REVERSED)
    ids = table_queue.list_due_jobs(world.session, DURING, {scoring_jobs.SCORE})
    assert len(ids) == 6
    done: list[int] = []
    gate = threading.Barrier(2)

    def work(order: list[int]) -> None:
        gate.wait()
        done.extend(job_id for job_id in order if run_job(world.site, job_id))
        world.site.session.remove()

    world.session.rollback()
    run_at_once(work, [(ids,), (ids,)])  # both want each
    assert sorted(done) == ids
    assert len(scored(world, version)) == 12
    found = scoring_jobs.evaluate_batch(world.session, version.id, 0, scoring_jobs.MAX_SUBMISSION_ID)
    assert found is None


@pytest.mark.both_databases
def test_scores_written_meanwhile_by_another_worker_are_kept(world: World) -> None:
    send(world, 2)
    version, session = world.bring_gold("p2s", REVERSED), world.session
    slow = scoring_jobs.evaluate_batch(session, version.id, 0, scoring_jobs.MAX_SUBMISSION_ID)
    assert slow is not None
    scoring_jobs.score_all(world.site, version.id, DURING)
    before = scored(world, version)
    with db.writing(session):
        scoring_jobs.write_batch(session, version.id, slow, LATER)
    assert scored(world, version) == before


def test_files_uploaded_meanwhile_get_both_scores_and_count_as_remaining(world: World) -> None:
    send(world, 1)
    version = world.bring_gold("p2s", REVERSED)
    new = world.upload(world.run("new"), "p2s")
    assert (new.id, "spearman") in scored(world, version)
    with pytest.raises(Conflict, match="2 submissions have no score against version 2 yet"):
        publish(world, version)
    (progress,) = rescoring.count_scored(world.session, [version.id]).values()
    assert (progress.scored, progress.of) == (1, 3)
    world.work(DURING)
    publish(world, version)
    values = scored(world, version)
    assert values[new.id, "spearman"][0] == -1.0
    assert len(values) == 6


def test_candidate_gold_changes_nothing_for_teams_and_public_until_put_in_force(world: World) -> None:
    file = b"0.5\n1.75\n1.25\n3.5\n"
    uploads = [world.upload(world.run("one", phase), "p2s", file).id for phase in ("evaluation", "practice")]
    with db.writing(world.session):
        world.phase("practice").board = "live"
    world.work(DURING)
    live, (hidden, shown) = ["boards/practice", "boards/practice.json"], [f"submissions/{n}" for n in uploads]
    paths = ["", "team/", "boards/evaluation", hidden, shown, *live]

    def seen() -> dict[tuple[str | None, str], bytes]:
        visitors = {name: world.client(name) for name in (None, "bo", "dee")}
        return {
            (name, path): normalised(raw(visitor.get(f"/tasks/small/{path}")))
            for name, visitor in visitors.items()
            for path in paths
        }

    before = seen()
    candidates = [world.bring_gold("p2s", REVERSED, split=split).id for split in ("test", "trial")]
    world.work(DURING)
    assert seen() == before
    publish(world, world.session.get_one(GoldVersion, candidates[0]))
    assert seen() == before  # its phase is hidden
    publish(world, world.session.get_one(GoldVersion, candidates[1]))
    world.work(LATER)
    world.set_clock(DURING)
    after = seen()
    changed = {(name, path) for name in (None, "bo", "dee") for path in ["", *live]}
    changed |= {("bo", shown), ("bo", "team/")}
    assert {page for page, was in before.items() if after[page] != was} == changed


@pytest.mark.both_databases
def test_failure_while_putting_gold_in_force_changes_nothing(world: World) -> None:
    send(world, 1)
    with db.writing(world.session):
        world.phase().feedback, world.phase().board = "scores", "live"
    version = world.bring_gold("p2s", REVERSED)
    world.work(DURING)
    version_id, before = version.id, rows(world)
    step, asked = 0, [""]
    while asked[-1] != "COMMIT":
        with pytest.raises(Fault), failing(world, step) as asked:
            publish(world, world.session.get_one(GoldVersion, version_id))
        assert rows(world) == before, asked[-1]
        step += 1
    seen = "".join(asked)
    assert all(f"INSERT INTO {table}" in seen for table in ("gold_event", "audit_entry", "job"))
    publish(world, world.session.get_one(GoldVersion, version_id))


def test_discarded_candidate_cannot_be_put_in_force_and_its_jobs_end(world: World) -> None:
    send(world, 2)
    version = world.bring_gold("p2s", REVERSED)
    with db.writing(world.session):
        gold_publishing.drop_version(world.session, world.actor("ada"), version, "mistyped too", DURING)
    world.work(DURING)
    assert scored(world, version) == {}
    assert {job.state for job in world.session.query(Job).filter_by(kind=scoring_jobs.SCORE)} == {"done"}
    assert state(world, version) == "dropped"
    for act in (publish, put_back):
        with pytest.raises(Conflict, match=r"is no longer a candidate|was never in force"):
            act(world, version)
    assert world.fix_gold("p2s", REVERSED).number == 3


def test_new_scorer_version_is_a_candidate_like_new_gold(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its version stands in the signatures of what it scores; a candidate of an older one is dropped."""
    send(world, 2)
    half = world.bring_gold("p2s", REVERSED)
    monkeypatch.setattr(scoring, "VERSION", "9.0.0")
    monkeypatch.setattr(sys.modules["scorer.scoring.evaluate"], "__version__", "9.0.0")
    world.work(DURING)
    (error,) = scoring_jobs.list_errors(world.session, half)
    assert "scorer 0.1.0 is required, but 9.0.0 is installed" in error
    new = world.upload(world.run("new"), "p2s")
    assert scored(world, half) == {}
    with pytest.raises(Conflict, match=r"by scorer 0\.1\.0, but 9\.0\.0 is installed now\. Discard"):
        publish(world, half)
    with db.writing(world.session):
        gold_publishing.drop_version(world.session, world.actor("ada"), half, "older", DURING)
    signatures = world.session.query(Score.signature).filter_by(submission_id=new.id)
    assert {signature.rsplit(":", 1)[1] for (signature,) in signatures} == {"9.0.0"}

    ada = world.actor("ada")
    views = gold_previews.list_version_views(world.session, ada, world.task)
    assert len(gold_previews.list_outdated(views)) == 3
    old = gold_versions.find_gold(world.session, half.split)
    assert old is not None
    again = gold.prepare_rescoring(world.session, ada, old)
    with db.writing(world.session):
        version = gold.add_gold(world.session, ada, again, DURING)
    assert (version.sha256, version.scorer, version.reason) == (old.sha256, "9.0.0", old.reason)
    world.work(DURING)
    assert {key: value for key, (value, _) in scored(world, version).items()} == {
        key: value for key, (value, _) in scored(world, old).items()
    }
    publish(world, version)
    with pytest.raises(Conflict, match="This file is identical to version 3"):
        gold.prepare_rescoring(world.session, ada, version)


def test_file_that_cannot_be_scored_is_named_and_retried(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad, good = send(world, 2)
    version = world.bring_gold("p2s", REVERSED)
    get, sha256 = Storage.get, world.session.get_one(Submission, bad).sha256
    with monkeypatch.context() as patch:
        patch.setattr(Storage, "get", lambda store, name: b"x\n" if name == sha256 else get(store, name))
        world.work(DURING)
    assert {submission_id for submission_id, _ in scored(world, version)} >= {good}
    (error,) = scoring_jobs.list_errors(world.session, version)
    assert f"submission {bad}: run.tsv has" in error
    with pytest.raises(Conflict, match="1 submission has no score"):
        publish(world, version)
    with db.writing(world.session):
        gold_publishing.score_missing_files(world.session, world.actor("ada"), version, clock.now())
    world.work(DURING)
    assert scoring_jobs.list_errors(world.session, version) == []
    publish(world, version)


@pytest.mark.parametrize(("person", "error"), [("bo", Forbidden), ("cy", Forbidden), ("dee", NotFound)])
def test_only_organizers_put_in_force_discard_and_undo_gold(
    world: World, person: str, error: type[Exception]
) -> None:
    version = world.bring_gold("p2s", REVERSED)
    actor, session = world.actor(person), world.session
    for act in (
        lambda: gold_publishing.publish_version(session, actor, version, DURING),
        lambda: gold_publishing.drop_version(session, actor, version, "mine", DURING),
        lambda: gold_publishing.restore_version(session, actor, version, "mine", DURING),
        lambda: gold_publishing.score_missing_files(session, actor, version, DURING),
        lambda: gold_previews.preview_version(session, actor, world.task, version.id),
    ):
        with pytest.raises(error):
            act()
