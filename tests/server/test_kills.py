"""A small round of `tests/bench/bench_kills.py`, which kills 200 processes on each database."""

from pathlib import Path

import pytest
from sqlalchemy import delete, update

from server.audit.models import AuditEntry
from server.core import clock, db
from server.core.site_resources import create_site
from server.jobs import service as jobs
from server.mail.models import mail_receipts
from server.scoring.models import Score
from server.submissions.models import Receipt, Submission
from tests.bench import bench_kills
from tests.bench.kills_checks import FAULTS, check
from tests.bench.kills_load import Upload
from tests.server.databases import Databases
from tests.server.job_runs import change_job


@pytest.mark.slow
@pytest.mark.one_database  # the bench kills on both
def test_killed_processes_lose_or_duplicate_no_acknowledged_upload_and_block_no_job(
    databases: Databases, tmp_path: Path
) -> None:
    played = bench_kills.play(databases.empty(), tmp_path / "site", bench_kills.SMALL, seed=6)
    assert {kind: faults for kind, faults in played.outcome.faults.items() if faults} == {}
    assert played.killing.kills.total() == bench_kills.SMALL
    assert {"page worker", "master"} <= played.killing.kills.keys()
    assert any(upload.state == "acknowledged" for upload in played.uploads)
    assert played.outcome.inferences

    damage(played)  # the checks that found nothing find each fault that is put in
    found = check(played.config, played.uploads, tmp_path)
    # No file can be put in that the sweep sees and does not take.
    assert [kind for kind in FAULTS if not found.faults[kind]] == ["files that no sweep takes"]


def damage(played: bench_kills.Played) -> None:
    """Put one fault of each kind into the site, or into what its clients know."""
    acknowledged = [upload for upload in played.uploads if upload.state == "acknowledged"]
    unscored, unproven, doubled, refused, unknown = acknowledged[:5]
    played.uploads.append(Upload("0" * 64, "one", "evaluation", 1, None, "acknowledged", id=10**6))  # lost
    refused.state = "refused"
    played.uploads.remove(unknown)
    site = create_site(played.config)
    try:
        session = site.session()
        with db.writing(session):
            session.execute(update(Score).where(Score.submission_id == unscored.id).values(value=0.125))
            attached = mail_receipts.c.submission_id == unproven.id  # if the confirmation was written already
            session.execute(delete(mail_receipts).where(attached))
            session.execute(delete(Receipt).where(Receipt.submission_id == unproven.id))
            first = session.get_one(Submission, doubled.id)
            values = {column.name: getattr(first, column.name) for column in Submission.__table__.columns}
            session.add(Submission(**{**values, "id": None}))
            job_id = jobs.add_job(session, "nobody.does", {}, clock.now())
            change_job(session, job_id, state="failed")
            session.execute(update(AuditEntry).where(AuditEntry.number == 2).values(action="task.edit"))
    finally:
        site.session.remove()
        site.engine.dispose()
