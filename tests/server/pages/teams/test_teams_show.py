import re
from datetime import timedelta

import pytest

from server.core import db
from server.core.errors import InvalidFile
from server.personal_data.erasure import erase_person
from server.releases import pseudonyms
from server.submissions import feedback
from server.submissions.models import Rejection, Submission
from tests.server.players import BAD
from tests.server.small_task import GOOD, variant
from tests.server.visitors import words
from tests.server.world import AFTER, DURING, LATE, World

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
    assert f"Paragraph to sentence run.tsv {hashes[0]} counts, on time" in page
    assert "1 left" in page
    assert "Sentence to phrase no submission" in page
    assert "2 submissions" in page
    assert f'href="/tasks/small/runs/{run_id}/#uploads"' in bo.get(PATH).text
    assert "1 of 2 runs" in page
    assert "1 of 2 submissions is in. Missing: Sentence to phrase of one." in page
    assert bo.get(PATH).text.count('class="button small"') == 1
    world.upload(world.run(), "s2p")
    assert "Complete: 2 of 2 submissions are in." in words(bo.get(PATH))
    assert "bo, cy. All members can upload" in page


def test_team_reads_that_a_quota_is_shared_once_it_has_two_runs(world: World) -> None:
    hint, bo = "your team can submit one more file at that level, with any of its runs", world.client("bo")
    world.run("one")
    assert hint not in words(bo.get(PATH))
    world.run("two")
    assert hint in words(bo.get(PATH))
    with db.writing(world.session):
        world.phase().files_per_level = world.phase().files_per_day = None
    assert hint not in words(bo.get(PATH))


def test_team_reads_who_uploaded_each_file_until_the_account_is_erased(world: World) -> None:
    run = world.run()
    run_id = world.upload(run, "p2s").run_id
    submission_id = world.upload(run, "s2p", by="cy").id
    paths = PATH, f"/tasks/small/runs/{run_id}/", f"/tasks/small/submissions/{submission_id}"
    bo = world.client("bo")
    pages = [words(bo.get(path)) for path in paths]
    assert "12:00:00 UTC by bo" in pages[0]
    assert "12:00:00 UTC by cy" in pages[0]
    assert "run.tsv cy" in pages[1]
    assert "Uploaded by cy" in pages[2]
    with db.writing(world.session):
        erase_person(world.session, world.actor("cy"), world.user("cy"), DURING)
    for path in paths:
        page = words(bo.get(path))
        assert " cy" not in page, path
        assert "a person who was removed" in page, path


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
    assert "1 of 2 submissions is in. Missing at the deadline: Sentence to phrase of one." in page


def test_late_file_without_one_on_time_is_counted_as_late(world: World) -> None:
    world.upload(world.run(), "p2s", at=LATE)
    world.set_clock(LATE)
    page = words(world.client("bo").get(PATH))
    assert "0 of 2 on time, 1 late. Missing at the deadline: Paragraph to sentence of one" in page


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


def test_scores_are_shown_as_the_phase_shows_them_and_never_if_it_hides_them(world: World) -> None:
    run, practice = world.run(), world.run("try", phase="practice")
    world.upload(run, "p2s")
    submission = world.upload(practice, "p2s")
    late = world.upload(run, "s2p", at=LATE)
    world.set_clock(DURING)
    shown = feedback.shown_scores(world.session, world.phase("practice"), Submission.id == submission.id)
    value = f"{shown[submission.id][0].value:.4f}".replace("-", "−")
    bo, hidden = world.client("bo"), ("Pearson", "<strong><data")
    page = bo.get(PATH).text
    evaluation = page.split('id="evaluation"')[1].split("</section>")[0]
    assert not any(word in evaluation for word in hidden), late.id
    practice_words = words(bo.get(PATH)).split("run.tsv " + submission.sha256[:10])[-1]
    assert practice_words.startswith(" counts, on time 10 Mar 2026, 12:00:00 UTC by bo Pearson " + value)
    assert page.count("<strong><data") == 1


@pytest.mark.parametrize(
    ("rule", "shown"),
    [
        ({"feedback": "rounded", "feedback_places": 1}, ["0.9", "−0.8"]),
        ({"feedback": "ladder", "ladder_step": 0.5}, ["1.0", "1.0"]),
    ],
)
def test_team_sees_its_scores_and_their_history_no_more_exactly_than_the_phase_shows_them(
    world: World, rule: dict[str, object], shown: list[str]
) -> None:
    world.upload(world.run("try", phase="practice"), "p2s", variant(3))
    with db.writing(world.session):
        for name, value in rule.items():
            setattr(world.phase("practice"), name, value)
    bo = world.client("bo")
    page = bo.get(PATH)
    assert f"Pearson {shown[0]}" in words(page)
    assert "<circle" not in page.text  # one score is no history
    world.upload(world.run("try", phase="practice"), "p2s", b"4\n3\n1\n2\n", DURING + timedelta(minutes=1))
    page = bo.get(PATH).text
    assert re.findall(r'<td class="num">(?:<[^>]*>)*([^<]*)', page) == shown
    assert page.count("<circle") == len(shown)


def test_rank_is_shown_beside_a_score_that_the_live_leaderboard_has(world: World) -> None:
    with db.writing(world.session):
        world.phase("practice").board = "live"
    world.upload(world.run("try", phase="practice"), "p2s")
    bo = world.client("bo")
    assert "rank" not in words(bo.get(PATH))
    world.work(DURING)
    assert "rank 1 of 1" in words(bo.get(PATH))
    world.upload(
        world.run("try", phase="practice"), "p2s", b"4\n1\n3\n2\n"
    )  # the leaderboard still shows the file before it
    assert "rank" not in words(bo.get(PATH))
    world.work(DURING + timedelta(minutes=2))
    assert "rank 1 of 1" in words(bo.get(PATH))


def test_reasons_of_the_newest_rejected_file_are_one_click_away_until_a_file_is_accepted(
    world: World,
) -> None:
    bo = world.client("bo")
    for data in (BAD, BAD + b"x"):
        with pytest.raises(InvalidFile):
            world.upload(world.run(), "p2s", data)
    newest = world.session.query(Rejection).order_by(Rejection.id.desc()).first()
    page = bo.get(PATH)
    assert f"rejected run.tsv {newest.sha256[:10]} {newest.count} problem" in words(page)
    assert page.text.count("/rejections/") == 1
    (path,) = re.findall(r'href="([^"]*/rejections/[0-9]+)"', page.text)
    assert bo.get(path).status_code == 200
    world.upload(world.run(), "p2s", at=DURING + timedelta(minutes=1))
    assert "/rejections/" not in bo.get(PATH).text


def test_of_two_open_phases_the_one_that_closes_first_stands_first(world: World) -> None:
    def order() -> list[str]:
        return re.findall(r'<h2 id="(evaluation|practice)"', world.client("bo").get(PATH).text)

    assert order() == ["evaluation", "practice"]  # practice never closes
    with db.writing(world.session):
        world.phase("practice").closes = DURING + timedelta(hours=1)
    assert order() == ["practice", "evaluation"]


def test_name_of_an_uploaded_file_is_escaped_on_the_page(world: World) -> None:
    path = f"/tasks/small/runs/{world.run().id}/p2s/upload"
    bo = world.client("bo")
    bo.upload(path, GOOD, "<b>.tsv")
    page = bo.get(PATH).text
    assert "&lt;b&gt;.tsv</a>" in page
    assert "<b>.tsv" not in page
