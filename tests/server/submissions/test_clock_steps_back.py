"""A server whose clock was ahead and was set back: what is stored later is newer, whatever its time says."""

from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import select

from server.activity import verification
from server.core.errors import InvalidFile
from server.core.site_resources import Site
from server.runs import history as run_history, service as runs
from server.runs.models import Run
from server.submissions import listings, rejections
from server.submissions.models import Standing, Submission
from tests.server.round_trip import bring, packed, unpack
from tests.server.small_task import GOOD, variant
from tests.server.visitors import words
from tests.server.world import DURING, World

pytestmark = pytest.mark.both_databases

SET_BACK = DURING - timedelta(hours=3)


@dataclass(frozen=True)
class Sent:
    id: int
    sha256: str


@pytest.fixture
def files(world: World) -> tuple[Sent, Sent]:
    """A file of a clock that was ahead, and one that was stored after it had been set back."""
    ahead = world.upload(world.run(), "p2s", variant(1), at=DURING)
    after = world.upload(world.run(), "p2s", variant(2), at=SET_BACK)
    assert after.arrived_at < ahead.arrived_at, "each keeps the time that the clock showed"
    return Sent(ahead.id, ahead.sha256), Sent(after.id, after.sha256)


def counting(site: Site) -> list[str]:
    """The SHA-256 of what counts of the teams' files."""
    query = select(Submission.sha256).join(Standing, Standing.submission_id == Submission.id)
    return list(
        site.session().scalars(query.join(Run, Run.id == Standing.run_id).where(Run.baseline.is_(None)))
    )


def test_last_stored_file_counts_if_the_clock_steps_back(world: World, files: tuple[Sent, Sent]) -> None:
    assert counting(world.site) == [files[1].sha256]
    assert verification.verify_log(world.session, ()).problems.listed == []


def test_withdrawing_the_last_file_makes_the_previous_one_count_if_the_clock_steps_back(
    world: World, files: tuple[Sent, Sent]
) -> None:
    ahead, after = files
    world.set_clock(SET_BACK)
    page, bo = f"/tasks/small/submissions/{after.id}", world.client("bo")
    assert f"The previous submission will count again: {ahead.sha256[:10]}" in words(
        bo.get(f"{page}/withdraw")
    )
    bo.post(f"{page}/withdraw")
    assert counting(world.site) == [ahead.sha256]
    (run,) = runs.list_runs(world.session, world.team, [world.phase()], SET_BACK, "recent")[world.phase().id]
    assert [upload.row.id for upload in run_history.merge_history(run)] == [after.id, ahead.id], (
        "as the page of runs lists them"
    )
    bo.post(f"{page}/restore")
    assert counting(world.site) == [after.sha256]


def test_lists_are_newest_first_if_the_clock_steps_back(world: World, files: tuple[Sent, Sent]) -> None:
    newest_first, run, ada = [sent.id for sent in reversed(files)], world.run(), world.actor("ada")
    for at in (DURING, SET_BACK):
        with pytest.raises(InvalidFile):
            world.upload(run, "p2s", b"1\n", at=at)
    session, run, task = world.session, world.run(), world.task

    all_of_run = run_history.read_history(session, run, 1).uploads
    assert [one.row.id for one in all_of_run if one.file is not None] == newest_first
    assert [one.row.arrived_at for one in all_of_run if one.file is None] == [SET_BACK, DURING]
    refused, _total = rejections.list_rejections(session, ada, run.id, 10, 0)
    assert [one.arrived_at for one in refused] == [SET_BACK, DURING]
    sent, _total = listings.list_uploads(session, ada, task, listings.UploadFilter(), 1, 10)
    assert [one.id for one in sent] == newest_first
    listed, _total = listings.list_submissions(session, world.actor("bo"), task, listings.ListingQuery(10))
    assert [one.submission.id for one in listed] == newest_first


def test_imported_export_has_the_same_counting_file(
    world: World, files: tuple[Sent, Sent], second_site: Site, tmp_path: Path
) -> None:
    after = world.session.get_one(Submission, files[1].id)
    world.withdraw(after, at=SET_BACK - timedelta(hours=1))
    newest = world.upload(world.run(), "p2s", GOOD, at=SET_BACK).sha256
    with world.app.app_context():
        exported = unpack(packed(world.site), tmp_path / "exported")
    bring(second_site, exported)
    assert counting(second_site) == counting(world.site) == [newest]
