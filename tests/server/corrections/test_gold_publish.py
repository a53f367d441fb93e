import hashlib

import pytest

from server.access import tasks
from server.audit.models import AuditEntry
from server.boards import service as boards
from server.core.actors import VISITOR
from server.core.errors import Forbidden, InvalidFile, NotFound
from server.corrections import service as gold
from server.gold import versions as gold_versions
from server.gold.models import GoldVersion
from server.scoring.models import Score
from server.submissions import feedback
from server.submissions.models import Submission
from tests.server.small_task import GOLD
from tests.server.world import LATE, World

REVERSED = b"3\n2\n1\n0\n"


def scores(world: World, submission: Submission, version: GoldVersion) -> dict[str, float | None]:
    rows = world.session.query(Score).filter_by(submission_id=submission.id, gold_version_id=version.id)
    return {row.metric: row.value for row in rows}


def versions(world: World, level: str) -> list[GoldVersion]:
    found = gold.list_versions(world.session, world.actor("ada"), world.task)
    return [v for v in found if (v.split.level.slug, v.split.name) == (level, "test")]


def test_new_gold_version_is_stored_next_to_the_old_one(world: World) -> None:
    (old,) = versions(world, "p2s")
    new = world.fix_gold("p2s", REVERSED)

    assert versions(world, "p2s") == [old, new]
    assert (new.number, new.sha256, new.reason) == (2, hashlib.sha256(REVERSED).hexdigest(), "mistyped")
    assert world.storage.get(old.sha256).split() == [value.encode() for value in GOLD["p2s"]]
    assert gold_versions.find_gold(world.session, new.split) is new


def test_every_submission_of_the_split_is_rescored_and_keeps_its_old_scores(world: World) -> None:
    on_time = world.upload(world.run(), "p2s")
    withdrawn = world.upload(world.run(), "p2s", b"1\n2\n3\n4\n")
    world.withdraw(withdrawn)
    late = world.upload(world.run(), "p2s", b"4\n3\n2\n1\n", at=LATE)
    (old,) = versions(world, "p2s")
    before = [scores(world, submission, old) for submission in (on_time, withdrawn, late)]
    new = world.fix_gold("p2s", REVERSED)

    spearman = [scores(world, submission, new)["spearman"] for submission in (on_time, withdrawn, late)]
    assert spearman == [-1.0, -1.0, 1.0]
    assert [scores(world, submission, old) for submission in (on_time, withdrawn, late)] == before


def test_other_levels_and_splits_keep_their_gold(world: World) -> None:
    s2p = world.upload(world.run(), "s2p")
    practice = world.upload(world.run("one", "practice"), "p2s")
    version = world.fix_gold("p2s", REVERSED)
    assert scores(world, s2p, version) == {}
    assert scores(world, practice, version) == {}


def test_board_uses_the_gold_version_in_force(world: World) -> None:
    def pearson() -> object:
        return boards.phase_board(world.session, world.phase()).official[0].cells["p2s"]["pearson"].value

    world.upload(world.run(), "p2s", b"1\n2\n3\n4\n")
    assert pearson() == pytest.approx(1.0)
    world.fix_gold("p2s", REVERSED)
    assert pearson() == pytest.approx(-1.0)


def test_empty_gold_line_excludes_an_item(world: World) -> None:
    submission = world.upload(world.run(), "p2s", b"4\n1\n2\n3\n")
    version = world.fix_gold("p2s", b"\n1\n2\n3\n")
    assert scores(world, submission, version) == {"pearson": 1.0, "spearman": 1.0}
    row = world.session.query(Score).filter_by(gold_version_id=version.id).first()
    assert row is not None
    assert row.n == 3


def test_score_undefined_because_of_gold_has_a_reason(world: World) -> None:
    submission = world.upload(world.run(), "p2s")
    version = world.fix_gold("p2s", b"2\n2\n2\n2\n")
    row = world.session.query(Score).filter_by(
        submission_id=submission.id, gold_version_id=version.id, metric="pearson"
    )
    assert row.one().value is None
    assert "gold" in (row.one().undefined_reason or "")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"1\n2\n3\n", "lines?"),
        (b"1\n2\n3\n9\n", "outside the scale, 0 to 4"),
        (b"1\n2\nx\n4\n", "not a number"),
    ],
)
def test_invalid_gold_is_rejected_with_its_problems_and_changes_nothing(
    world: World, data: bytes, message: str
) -> None:
    with pytest.raises(InvalidFile, match=r"fix\.tsv has 1 problem") as refused:
        world.fix_gold("p2s", data)
    assert len(versions(world, "p2s")) == 1
    (problem,) = refused.value.problems
    assert message.rstrip("?") in problem.message


def test_only_organizers_upload_and_list_gold(world: World) -> None:
    split = tasks.get_level_split(world.task, "p2s", "test")[1]
    for actor, error in ((world.actor("bo"), Forbidden), (world.actor("dee"), NotFound), (VISITOR, NotFound)):
        with pytest.raises(error):
            gold.prepare_gold(world.session, actor, split, REVERSED, "fix.tsv", "mine")
        with pytest.raises(error):
            gold.list_versions(world.session, actor, world.task)


def test_audit_entries_contain_no_gold_values_or_gold_hashes(world: World) -> None:
    before = world.session.query(AuditEntry).count()
    version = world.fix_gold("p2s", REVERSED)
    entries = world.session.query(AuditEntry).order_by(AuditEntry.number).all()[before:]
    assert [entry.action for entry in entries] == ["gold.add", "gold.candidate", "gold.publish"]
    assert all(entry.details == {"level": "p2s", "split": "test", "version": 2} for entry in entries)
    assert version.sha256 not in repr(entries)


def test_scores_shown_to_teams_follow_the_gold_in_force(world: World) -> None:
    submission = world.upload(world.run("one", "practice"), "p2s")
    world.fix_gold("p2s", REVERSED, split="trial")
    shown = feedback.visible_scores(world.session, world.actor("bo"), submission)
    assert shown is not None
    assert [(score.metric, score.value) for score in shown][1] == ("spearman", -1.0)
