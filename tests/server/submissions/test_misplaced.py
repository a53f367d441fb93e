"""A file that may be for another level or run is asked about before it counts, at no cost."""

from datetime import datetime, timedelta

import pytest

from server.submissions.models import Rejection, Submission
from tests.server.programs import Program
from tests.server.small_task import GOOD, variant
from tests.server.visitors import words
from tests.server.watching import plans
from tests.server.world import CLOSES, LATE, World

pytestmark = pytest.mark.one_database

QUESTION = "Is the file in the right place? If so, confirm that (sure) and send it again."
TWIN = "the same file already counts for Paragraph to sentence in the run one"


@pytest.mark.parametrize(
    ("run", "level", "filename", "doubt"),
    [
        ("one", "s2p", "p2s.tsv", "by its name it is for Paragraph to sentence, not for Sentence to phrase"),
        ("one", "s2p", "run.tsv", TWIN),
        ("two", "p2s", "run.tsv", TWIN),
    ],
)
def test_page_asks_before_a_file_counts_in_another_place(
    world: World, run: str, level: str, filename: str, doubt: str
) -> None:
    world.upload(world.run(), "p2s", GOOD)
    bo, path = world.client("bo"), f"/tasks/small/runs/{world.run(run).id}/{level}"
    for button in ("check", "upload"):
        asked = bo.upload(f"{path}/{button}", GOOD, filename)
        assert asked.status_code == 422
        assert "Is the file in the right place? Nothing was stored or counted." in words(asked)
        assert doubt[1:] in words(asked)
        assert "The file is in the right place. Upload" in words(asked)
    assert world.session.query(Rejection).count() == 0
    assert bo.upload(f"{path}/upload", GOOD, filename, sure="y").status_code == 302
    newest = world.session.query(Submission).order_by(Submission.id.desc()).first()
    assert (newest.run.name, newest.level.slug, newest.warnings) == (run, level, [])


def test_page_of_a_whole_run_asks_in_its_own_words(world: World) -> None:
    world.upload(world.run(), "p2s", GOOD)
    path = f"/tasks/small/runs/{world.run('two').id}/upload"
    asked = words(world.client("bo").upload(path, GOOD, "p2s.tsv"))
    assert TWIN[1:] in asked
    assert "(sure)" not in asked


def test_same_place_or_other_teams_file_raises_no_question(world: World) -> None:
    world.upload(world.run(), "p2s", GOOD)
    path = f"/tasks/small/runs/{world.run().id}/p2s/upload"
    bo = world.client("bo")
    assert bo.upload(path, GOOD, "p2s.tsv").status_code == 302
    assert bo.upload(path, variant(1), "p2s.tsv").status_code == 302


def test_query_for_the_same_file_elsewhere_reads_the_files_of_the_own_team_alone(world: World) -> None:
    world.upload(world.run(), "p2s", GOOD)
    with plans(world, "FROM run JOIN standing") as found:
        world.client("bo").upload(f"/tasks/small/runs/{world.run().id}/p2s/upload", variant(1))
    (plan,) = found
    assert [step for step in plan if step.startswith(("SCAN", "SEARCH standing"))] == [
        "SEARCH standing USING INDEX sqlite_autoindex_standing_1 (run_id=?)"
    ]


def test_programs_are_asked_for_whole_runs_too(world: World) -> None:
    world.upload(world.run(), "p2s", GOOD)
    bo, path = Program(world, "bo", "submit"), f"/runs/{world.run('two').id}/files"
    asked = bo.upload(path, GOOD, "p2s.tsv")
    (file,) = asked.json["files"]
    assert (asked.status_code, file["detail"]) == (422, QUESTION)
    assert [(one["code"], one["message"]) for one in file["problems"]] == [("misplaced", TWIN)]
    assert bo.upload(path, GOOD, "p2s.tsv", sure="true").status_code == 201


@pytest.mark.parametrize("at", [CLOSES - timedelta(minutes=9), LATE])
def test_file_is_accepted_with_a_warning_when_an_answer_may_come_too_late(world: World, at: datetime) -> None:
    world.upload(world.run(), "p2s", GOOD)
    world.set_clock(at)
    path = f"/tasks/small/runs/{world.run('two').id}/p2s/upload"
    assert world.client("bo").upload(path, GOOD, "run.tsv").status_code == 302
    (stored,) = world.session.query(Submission).filter_by(run_id=world.run("two").id)
    assert stored.warnings == [f"run.tsv: {TWIN}"]
