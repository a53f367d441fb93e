import pytest

from server.core import db
from server.releases import pseudonyms
from tests.server.small_task import variant
from tests.server.visitors import words
from tests.server.world import AFTER, LATE, World

pytestmark = pytest.mark.one_database

PATH = "/tasks/small/team/"


def test_team_page_shows_counting_files_upload_counts_and_remaining_quota(world: World) -> None:
    run = world.run()
    first = world.upload(run, "p2s")
    second = world.upload(run, "p2s", b"1\n2\n3\n4\n")
    world.withdraw(second)
    run_id, hashes = run.id, (first.sha256[:10], second.sha256[:10])
    bo = world.client("bo")
    page = words(bo.get(PATH))
    assert "Runs of birch" in page
    assert f"Paragraph to sentence {hashes[0]} counts, on time" in page
    assert "1 left" in page
    assert "Sentence to phrase no submission" in page
    assert "2 submissions" in page
    assert f'href="/tasks/small/runs/{run_id}/#uploads"' in bo.get(PATH).text
    assert "1 of 2 runs" in page
    assert "1 of 2 submissions are in. Missing: Sentence to phrase of one." in page
    assert bo.get(PATH).text.count('class="button small"') == 1
    world.upload(world.run(), "s2p")
    assert "Complete: 2 of 2 submissions are in." in words(bo.get(PATH))
    assert "bo, cy. All members can upload" in page


def test_late_file_is_shown_separately(world: World) -> None:
    run = world.run()
    world.upload(run, "p2s", b"1\n2\n3\n4\n")
    run_id = world.upload(run, "p2s", at=LATE).run_id
    world.set_clock(LATE)
    desk = words(world.client("ada").get(f"/tasks/small/organize/teams/{world.team.id}"))
    assert "Paragraph to sentence late run.tsv" in desk
    assert "Paragraph to sentence counts run.tsv" in desk
    listed = words(world.client("bo").get(f"/tasks/small/runs/{run_id}/"))
    assert "late Paragraph to sentence run.tsv" in listed
    assert "counts Paragraph to sentence run.tsv" in listed
    assert "counts late" not in desk + listed
    page = words(world.client("bo").get(PATH))
    assert "late, shown separately" in page
    assert "late submissions only" in page
    assert page.count("counts, on time") == 1


def test_two_people_of_a_team_read_the_same_run_each_in_their_own_zone(world: World) -> None:
    world.upload(world.run(), "p2s")
    with db.writing(world.session):
        world.user("cy").time_zone = "Asia/Tokyo"
    for _again in range(2):
        assert " JST" not in world.client("bo").get(PATH).text
        card = world.client("cy").get(PATH).text.split('<article class="run"')[1]
        assert " JST" in card
        assert "csrf_token" not in card


def test_runs_above_a_lowered_limit_are_counted_correctly(world: World) -> None:
    world.run("one"), world.run("two")
    with db.writing(world.session):
        world.phase().runs_per_team = 1
    page = words(world.client("bo").get(PATH))
    assert "A team can have 1 run in this phase; yours has 2." in page


def test_nothing_can_be_uploaded_after_the_phase(world: World) -> None:
    run = world.run()
    world.upload(run, "p2s")
    path = f"/tasks/small/runs/{run.id}/p2s/upload"
    assert path in world.client("bo").get(PATH).text
    world.set_clock(AFTER)
    page = world.client("bo").get(PATH).text
    assert path not in page
    assert "/phases/evaluation/runs/new" not in page


def test_without_a_team_the_page_says_how_to_get_one(world: World) -> None:
    page = words(world.client("dee").get(PATH))
    assert "You are not in a team yet" in page
    assert "Create a team" in page
    assert "Ask a member for an invitation link and open it while you are signed in." in page


def test_organizers_read_that_they_cannot_be_in_a_team(world: World) -> None:
    page = words(world.client("ada").get(PATH))
    assert "Organizers have access to the gold standard, so they cannot be in a team." in page


def test_release_shows_a_team_its_own_rank_and_pseudonym(world: World) -> None:
    world.upload(world.run("heron"), "p2s")
    world.upload(world.run("plover"), "p2s", variant(1))
    bo = world.client("bo")
    world.release(anonymous=True)
    page = words(bo.get(PATH))
    assert "is public. Your team is Team A in it. run 1 has rank 1 of 2. run 2 has rank 1 of 2." in page
    with db.writing(world.session):
        pseudonyms.reveal_names(world.session, world.actor("ada"), world.phase(), AFTER)
    assert "is public. heron has rank 1 of 2. plover has rank 1 of 2." in words(bo.get(PATH))
    world.withdraw_release()
    assert "has rank" not in words(bo.get(PATH))
