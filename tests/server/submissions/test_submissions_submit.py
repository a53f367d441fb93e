import hashlib
import json
import threading
from datetime import timedelta

import pytest

from server.audit.models import AuditEntry
from server.core import db
from server.core.actors import Actor
from server.core.errors import PhaseClosed, QuotaExceeded
from server.runs import service as runs
from server.scoring.models import Score
from server.submissions import eligibility, service as submissions, withdrawals
from server.submissions.models import Receipt, Standing, Submission
from tests.server.races import run_at_once
from tests.server.small_task import GOOD, variant
from tests.server.world import AFTER, CLOSES, DURING, LATE, OPENS, World

pytestmark = pytest.mark.both_databases


def test_one_transaction_stores_file_submission_scores_counting_file_and_audit_entry(world: World) -> None:
    submission = world.upload(world.run(), "p2s")

    assert world.storage.get(submission.sha256) == GOOD
    assert submission.sha256 == hashlib.sha256(GOOD).hexdigest()
    scores = world.session.query(Score).filter_by(submission_id=submission.id).all()
    assert {score.metric for score in scores} == {"pearson", "spearman"}
    assert all(score.n == 4 and score.signature.startswith(score.metric) for score in scores)
    standing = world.session.query(Standing).filter_by(run_id=submission.run_id).one()
    assert (standing.submission_id, standing.late) == (submission.id, False)
    entries = world.session.query(AuditEntry).filter_by(action="submission.accept")
    entry = entries.order_by(AuditEntry.number.desc()).limit(1).one()
    assert entry.details["submission"] == submission.id
    receipt = world.session.get_one(Receipt, submission.id)
    assert json.loads(receipt.text)["signed"]["audit"] == {"number": entry.number, "sha256": entry.sha256}


def test_site_score_equals_the_scorers_score(world: World) -> None:
    submission = world.upload(world.run(), "p2s")

    pearson = world.session.query(Score).filter_by(submission_id=submission.id, metric="pearson").one()
    # gold .125 1.375 2.625 3.875 is equally spaced, so r = Sxy / sqrt(Sxx Syy) with x = -3 -1 1 3 (in units)
    y = [value - 7.5 / 4 for value in (0.5, 1.0, 2.5, 3.5)]
    sxy = sum(a * b for a, b in zip((-3, -1, 1, 3), y, strict=True))
    assert pearson.value == pytest.approx(sxy / (20 * sum(b * b for b in y)) ** 0.5, abs=1e-15)


@pytest.mark.parametrize(
    ("at", "message"),
    [
        (
            OPENS.replace(year=2025),
            "opens on 1 Mar 2026, 00:00 UTC; your file arrived on 1 Mar 2025, 00:00:00 UTC",
        ),
        (
            AFTER,
            "closed on 15 Mar 2026, 12:00 UTC and accepted late submissions until 18 Mar 2026, 12:00 UTC",
        ),
    ],
)
def test_upload_outside_the_phase_is_rejected_with_both_times(world: World, at, message: str) -> None:
    with pytest.raises(PhaseClosed, match=message):
        world.upload(world.run(), "p2s", at=at)


def test_file_at_the_closing_instant_is_on_time_and_the_next_instant_is_late(world: World) -> None:
    run = world.run()
    assert not world.upload(run, "p2s", at=CLOSES).late
    assert world.upload(run, "s2p", at=LATE).late


def test_a_late_file_never_replaces_one_on_time(world: World) -> None:
    run = world.run()
    on_time = world.upload(run, "p2s")
    late = world.upload(run, "p2s", b"1\n2\n3\n4\n", at=LATE)

    standings = world.session.query(Standing).filter_by(run_id=run.id).all()
    assert {(standing.late, standing.submission_id) for standing in standings} == {
        (False, on_time.id),
        (True, late.id),
    }


def test_quota_counts_scored_files_including_withdrawn_ones(world: World) -> None:
    run = world.run()
    first = world.upload(run, "p2s")
    with db.writing(world.session):
        withdrawals.withdraw_submission(world.session, world.actor("bo"), first, OPENS)
    world.upload(run, "p2s")
    world.upload(world.run("two"), "p2s")

    with pytest.raises(QuotaExceeded, match="3 of 3 submissions for Paragraph to sentence"):
        world.upload(run, "p2s", variant(3))
    world.upload(run, "s2p")


def test_daily_quota_uses_the_day_of_arrival_and_the_total_quota_still_applies(world: World) -> None:
    with db.writing(world.session):
        world.phase().files_per_level, world.phase().files_per_day = 4, 2
    run, midnight = world.run(), DURING.replace(hour=0) + timedelta(days=1)
    for number, at in enumerate((DURING, midnight - timedelta(microseconds=1))):
        world.upload(run, "p2s", variant(number), at=at)
    with pytest.raises(QuotaExceeded, match=r"2 of 2 .* on 10 Mar 2026 \(UTC\), so.*11 Mar 2026, 00:00 UTC"):
        world.upload(run, "p2s", variant(2), at=midnight - timedelta(microseconds=1))
    world.upload(run, "s2p", variant(2), at=DURING)
    world.upload(run, "p2s", variant(3), at=midnight)
    world.upload(run, "p2s", variant(4), at=midnight)
    with pytest.raises(QuotaExceeded, match="4 of 4 submissions for Paragraph to sentence"):
        world.upload(run, "p2s", variant(5), at=midnight + timedelta(days=1))


def test_fifty_parallel_uploads_with_a_quota_of_three_store_three(world: World) -> None:
    run, actor = world.run(), world.actor("bo")
    run_id = run.id
    world.session.rollback()
    outcomes: list[str] = []
    barrier = threading.Barrier(50)

    def upload(number: int) -> None:
        with world.app.app_context():
            session = world.session
            barrier.wait()
            try:
                prepared = submissions.prepare_file(
                    session,
                    actor,
                    eligibility.ReceivedFile(
                        eligibility.find_own_target(session, actor, run_id, "p2s", OPENS),
                        variant(number),
                        "run.tsv",
                    ),
                    OPENS,
                )
                with db.writing(session):
                    submissions.submit_file(session, actor, prepared, OPENS)
                outcomes.append("scored")
            except QuotaExceeded:
                outcomes.append("quota")
            finally:
                world.site.session.remove()

    run_at_once(upload, [(number,) for number in range(50)])

    assert sorted(outcomes) == ["quota"] * 47 + ["scored"] * 3
    assert world.session.query(Submission).filter_by(run_id=run_id).count() == 3


def prepare(world: World, actor: Actor) -> submissions.PreparedFile:
    target = eligibility.find_own_target(world.session, actor, world.run().id, "p2s", OPENS)
    return submissions.prepare_file(
        world.session, actor, eligibility.ReceivedFile(target, GOOD, "run.tsv"), OPENS
    )


def test_file_is_scored_with_the_gold_in_force_when_the_lock_is_held(world: World) -> None:
    """Version 2 came in force, and version 3 became a candidate, after the file was prepared."""
    actor = world.actor("bo")
    prepared = prepare(world, actor)
    in_force = world.fix_gold("p2s", b"3\n2\n1\n0\n", OPENS)
    candidate = world.bring_gold("p2s", b"0\n1\n2\n3\n", OPENS)
    with db.writing(world.session):
        submission = submissions.submit_file(world.session, actor, prepared, OPENS)

    scores = world.session.query(Score).filter_by(submission_id=submission.id, metric="spearman")
    assert {score.gold_version_id: score.value for score in scores} == {in_force.id: -1.0, candidate.id: 1.0}


def test_no_disk_write_happens_while_the_lock_is_held(world: World) -> None:
    actor, files = world.actor("bo"), world.site.config.files_dir
    prepared = prepare(world, actor)
    away = files.rename(files.with_name("away"))
    with db.writing(world.session):
        submission = submissions.submit_file(world.session, actor, prepared, OPENS)
    away.rename(files)
    assert world.session.get_one(Receipt, submission.id).text.count('"commitment"') == 1


def test_failure_at_any_step_leaves_nothing(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    run = world.run()
    before = world.session.query(AuditEntry).count()
    for name in ("standings.set_standing", "audit.record", "scoring.add_scores"):
        with monkeypatch.context() as patch:
            patch.setattr(f"server.submissions.service.{name}", fail)
            with pytest.raises(OSError, match="disk"):
                world.upload(run, "p2s")

    assert world.session.query(Submission).filter_by(run_id=run.id).count() == 0
    assert world.session.query(AuditEntry).count() == before
    world.upload(run, "p2s")


def fail(*_arguments: object, **_options: object) -> None:
    raise OSError("disk full")


def test_uploading_the_counting_file_again_is_the_same_submission_and_uses_no_quota(world: World) -> None:
    run = world.run()
    first = world.upload(run, "p2s")
    again = [world.upload(run, "p2s") for _ in range(5)]
    assert {submission.id for submission in again} == {first.id}
    assert (
        runs.count_files_used(world.session, world.team, world.phase(), world.task.levels[0], DURING).in_all
        == 1
    )

    other = world.upload(run, "p2s", variant(1))
    back = world.upload(run, "p2s")
    assert len({first.id, other.id, back.id}) == 3
    assert world.upload(run, "p2s").id == back.id


def test_late_copy_of_an_on_time_file_is_a_late_file(world: World) -> None:
    on_time = world.upload(world.run(), "p2s")
    late = world.upload(world.run(), "p2s", at=LATE)
    assert (late.late, late.id != on_time.id) == (True, True)
