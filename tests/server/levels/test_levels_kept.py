"""What the database keeps true: changes at the same instant as uploads, and the scale of a published task."""

import threading
from collections.abc import Callable

import pytest
from sqlalchemy.exc import IntegrityError

from server.core import db
from server.core.errors import Conflict
from server.gold import versions as gold_versions
from server.levels import contents, files, service as levels
from server.planning.scoring_rules import ScoringEdit, edit_scoring
from server.scoring.models import Score
from server.submissions import eligibility, service as submissions
from server.submissions.eligibility import ReceivedFile
from server.submissions.models import Submission
from tests.server.drafting import ITEMS
from tests.server.small_task import GOOD
from tests.server.world import DURING, World

pytestmark = pytest.mark.both_databases

RAFT = ITEMS.replace(b"boat", b"raft")


def upload(world: World, run_id: int, ready: threading.Barrier) -> None:
    session, bo = world.session, world.actor("bo")
    target = eligibility.find_own_target(session, bo, run_id, "p2s", DURING)
    prepared = submissions.prepare_file(session, bo, ReceivedFile(target, GOOD, "run.tsv"), DURING)
    ready.wait()
    with db.writing(session):
        submissions.submit_file(session, bo, prepared, DURING)


def replace_items(world: World, _run_id: int, ready: threading.Barrier) -> None:
    session, ada = world.session, world.actor("ada")
    state = contents.read_level(session, levels.get_level(world.task, "p2s"))
    new = contents.SplitFile(world.storage.put(RAFT), len(RAFT))
    prepared = files.prepare_level(state, world.storage, {"test": files.SplitChange({"items": new})})
    ready.wait()
    with db.writing(session):
        level = levels.get_level(world.task, "p2s")
        files.put_level(session, ada, level, prepared, DURING)


def change_scale(world: World, _run_id: int, ready: threading.Barrier) -> None:
    session, ada = world.session, world.actor("ada")
    edit = ScoringEdit(0, 5, None, (), ("pearson",), None, 1, "sum", "entered", 1)
    ready.wait()
    with db.writing(session):
        edit_scoring(session, ada, world.task, edit, DURING)


@pytest.mark.parametrize("change", [replace_items, change_scale])
@pytest.mark.parametrize("attempt", range(3))
def test_upload_and_change_at_the_same_instant_leave_one_of_them(
    world: World, change: Callable[[World, int, threading.Barrier], None], attempt: int
) -> None:
    run_id, ready, won = world.run().id, threading.Barrier(2), list[str]()
    world.session.rollback()

    def attempt_it(work: Callable[[World, int, threading.Barrier], None]) -> None:
        with world.app.app_context():
            try:
                work(world, run_id, ready)
                won.append(work.__name__)
            except Conflict:
                pass
            finally:
                world.site.session.remove()

    threads = [threading.Thread(target=attempt_it, args=(work,)) for work in (upload, change)]
    for thread in threads[:: 1 if attempt % 2 else -1]:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert len(won) == 1, won
    stored = world.session.query(Submission).filter_by(run_id=run_id).count()
    assert stored == (won == ["upload"])
    level = levels.get_level(world.task, "p2s")
    (split,) = [split for split in level.splits if split.name == "test"]
    gold = gold_versions.find_gold(world.session, split)
    assert gold is not None
    if change is replace_items:
        assert (world.storage.get(split.items_sha256) == RAFT, gold.number) == (not stored, 2 - stored)
    else:
        assert world.task.scale == ((0, 4) if stored else (0, 5))
    assert (world.session.query(Score).join(Submission).filter_by(run_id=run_id).count() > 0) == stored


def test_published_task_has_a_scale_and_a_draft_may_lack_it(world: World) -> None:
    with db.writing(world.session):
        world.task.state, world.task.scale_max = "draft", None
    with pytest.raises(IntegrityError, match="published_has_scale"), db.writing(world.session):
        world.task.state = "published"
