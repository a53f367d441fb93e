import hashlib
from datetime import timedelta
from io import BytesIO
from pathlib import Path

import pytest

from server import bundles
from server.app import BODY_LIMIT
from server.core import clock, db
from server.core.actors import CONSOLE
from server.phases.quotas import upload_limit
from server.runs import service as runs
from server.submissions.models import Rejection, Submission
from tests.server.small_task import GOOD, TASK, variant, write_bundle
from tests.server.visitors import words
from tests.server.world import AFTER, DURING, LATE, OPENS, World

pytestmark = pytest.mark.one_database


def path(world: World, level: str = "p2s", phase: str = "evaluation") -> str:
    return f"/tasks/small/runs/{world.run('one', phase).id}/{level}/upload"


def files(world: World) -> list[Submission]:
    return world.session.query(Submission).filter_by(run_id=world.run().id).order_by(Submission.id).all()


def test_page_shows_the_expected_format_and_the_remaining_quota(world: World) -> None:
    page = words(world.client("bo").get(path(world)))
    for promise in (
        "A text file with 4 lines, one for each item, in the order of the items",
        "a score from 0 to 4",
        "You are on time. Evaluation closes in 5 days",
        "3 of 3 submissions left for this level, for all runs of your team",
        "Rejected files do not count.",
        "You see no scores until the results are released. After the upload you see the SHA-256 and the time",
        "Submissions of this phase are not published.",
    ):
        assert promise in page


def test_with_hidden_scores_the_result_shows_hash_and_time(world: World) -> None:
    bo = world.client("bo")
    response = bo.upload(path(world), GOOD)
    assert response.status_code == 302
    (submission,) = files(world)
    assert response.headers["Location"] == f"/tasks/small/submissions/{submission.id}"
    page = words(bo.get(response.headers["Location"]))
    assert "Paragraph to sentence: accepted" in page
    assert "This submission was on time and counts." in page
    assert hashlib.sha256(GOOD).hexdigest() in page
    assert "10 Mar 2026, 12:00:00 UTC on time" in page
    assert "stay hidden until the organizers release results" in page
    assert "Pearson" not in page


def test_with_shown_scores_the_result_shows_them(world: World) -> None:
    bo = world.client("bo")
    response = bo.upload(path(world, phase="practice"), b"1\n2\n3\n4\n")
    page = bo.get(response.headers["Location"])
    assert "Paragraph to sentence: scored" in words(page)
    assert "Spearman 1.0000" in words(page)
    assert "Pearson official 0.9827" in words(page)  # gold 0 2 3 4
    assert "pearson|n:4|" in page.text


def test_every_bad_line_is_shown_with_its_text_and_nothing_is_stored(world: World) -> None:
    bo = world.client("bo")
    response = bo.upload(path(world), b"0.5\nn/a\n\n3,5\t<b>\n", "my run.tsv")
    assert response.status_code == 422
    page = words(response)
    assert "Rejected: my run.tsv has 4 problems." in page
    assert "The file was not stored and does not count against your quota." in page
    for problem in (
        'Line 2 Score "n/a" is not a number',
        "Line 3 Empty line; every item needs a score.",
        'Line 4 Score "3,5" has a decimal comma; write 3.5.',
        'Line 4 Confidence "<b>" is not a number',
    ):
        assert problem in page
    assert "<b>" not in response.text
    assert "<code>n/a</code>" in response.text
    assert "0.5" in response.text  # the line before
    assert files(world) == []
    assert "3 of 3 submissions left" in page
    assert "1 rejected upload" in words(bo.get("/tasks/small/team/"))


def test_first_hundred_problems_are_shown_and_all_are_counted(world: World) -> None:
    response = world.client("bo").upload(path(world), b"x\n" * 300)
    assert response.status_code == 422
    assert response.text.count("<li>\n<p><strong>Line") <= 100
    assert "of 3" in words(response)


def test_run_is_not_found_by_people_outside_its_team(world: World) -> None:
    address = path(world)
    for person in ("dee", "ada"):
        response = world.client(person).upload(address, GOOD)
        assert response.status_code == 404
        assert "There is no such run." in words(response)
    response = world.client().upload(address, GOOD)
    assert (response.status_code, response.headers["Location"]) == (302, f"/sign-in?next={address}")
    assert files(world) == []


@pytest.mark.parametrize(
    ("at", "clocks"),
    [
        (AFTER, ["closed on 15 Mar 2026, 12:00 UTC", "your file arrived on 19 Mar 2026, 16:00:00 UTC"]),
        (
            OPENS.replace(year=2025),
            ["opens on 1 Mar 2026, 00:00 UTC", "arrived on 1 Mar 2025, 00:00:00 UTC"],
        ),
    ],
)
def test_closed_phase_rejects_upload_with_opening_and_current_time(
    world: World, at, clocks: list[str]
) -> None:
    address, bo = path(world), world.client("bo")
    world.set_clock(at)
    response = bo.upload(address, GOOD)
    assert response.status_code == 409
    for each in clocks:
        assert each in words(response)
    assert files(world) == []


def test_late_file_is_accepted_and_marked_as_late(world: World) -> None:
    address, bo = path(world), world.client("bo")
    world.set_clock(LATE)
    before = words(bo.get(address))
    assert "The deadline has passed. Evaluation closed" in before
    nothing = "You have no submission that was on time, so this run will not be ranked at this level."
    assert f"You have no late submission yet. {nothing}" in before
    page = words(bo.get(bo.upload(address, GOOD).headers["Location"]))
    assert "This submission is late: it is shown separately on the leaderboard and not ranked." in page
    assert files(world)[0].late
    assert f"a new file replaces it. {nothing}" in words(bo.get(address))


def test_upload_page_says_in_the_grace_period_that_the_submission_on_time_keeps_counting(
    world: World,
) -> None:
    world.upload(world.run(), "p2s")
    world.set_clock(LATE)
    page = words(world.client("bo").get(path(world)))
    assert "You have no late submission yet. Your on-time submission keeps counting." in page


def test_upload_time_is_when_the_request_arrived_and_not_its_last_byte(world: World) -> None:
    """The clock passes the deadline while the file is on its way; the request arrived in time."""
    with db.writing(world.session):
        world.phase().closes, world.phase().grace_hours = DURING, 0
    address, bo, later = path(world), world.client("bo"), DURING + timedelta(minutes=9)
    sent = bo.upload_slowly(address, GOOD, bo.token(), lambda: world.set_clock(later))
    assert (sent.status_code, clock.now()) == (302, later)
    (submission,) = files(world)
    assert (submission.arrived_at, submission.late) == (DURING, False)


def test_pages_show_the_remaining_daily_quota(world: World) -> None:
    with db.writing(world.session):
        world.phase().files_per_level, world.phase().files_per_day = None, 1
    bo = world.client("bo")
    page = words(bo.get(path(world)))
    assert "1 of 1 submissions left for this level today, for all runs of your team." in page
    assert "The next day (UTC) begins in 12 h 0 min: 11 Mar 2026, 00:00 UTC" in page
    assert "1 scored submission at each level per day (UTC), shared by all runs" in words(
        bo.get("/tasks/small/")
    )
    bo.upload(path(world), GOOD)
    response = bo.upload(path(world), variant(1))
    assert response.status_code == 409
    assert "The next day begins on 11 Mar 2026, 00:00 UTC." in words(response)
    assert "Your team has used its 1 submission for Paragraph to sentence today." in words(response)
    assert "no submissions left today" in words(bo.get("/tasks/small/team/"))


def test_upload_beyond_the_quota_is_rejected_with_a_message(world: World) -> None:
    address, bo = path(world), world.client("bo")
    for number in range(3):
        assert bo.upload(address, variant(number)).status_code == 302
    response = bo.upload(address, GOOD)
    assert response.status_code == 409
    assert "Your team has used 3 of 3 submissions for Paragraph to sentence" in words(response)
    assert len(files(world)) == 3
    page = bo.get(address)
    assert 'type="file"' not in page.text
    assert "Your team has used all 3 submissions for Paragraph to sentence." in words(page)
    for untrue in ("You are on time", "a new file replaces it", "0 of 3"):
        assert untrue not in words(page)


def test_upload_may_be_as_large_as_any_request() -> None:
    assert upload_limit(0, keyed=False) >= BODY_LIMIT, "app._limit_body asks nobody about such a body"


@pytest.mark.parametrize(
    ("size", "sentence"), [(70_000, "can have at most 66 kB"), (100_000, "can have at most 66 kB")]
)
def test_too_large_file_is_rejected_with_a_message(world: World, size: int, sentence: str) -> None:
    response = world.client("bo").upload(path(world), b"1" * size)
    assert response.status_code == 413
    assert sentence in words(response)
    assert files(world) == []
    assert ("Back to the upload" in words(response)) is (size == 100_000)
    assert "at most 66 kB" in words(world.client("bo").get(path(world)))


def test_uploading_the_counting_file_again_says_it_is_the_same(world: World) -> None:
    bo = world.client("bo")
    bo.upload(path(world), GOOD)
    world.set_clock(LATE - timedelta(days=5))
    response = bo.upload(path(world), GOOD)
    assert len(files(world)) == 1
    assert "This file is identical to your current submission. Nothing new was stored." in words(
        bo.get(response.headers["Location"])
    )


def test_a_form_without_a_file_says_what_to_do(world: World) -> None:
    response = world.client("bo").post(path(world))
    assert response.status_code == 422
    assert "Choose a file first." in words(response)


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("../../etc/passwd", "passwd"),
        ("..\\..\\run.tsv", "....run.tsv"),
        ("/etc/passwd", "passwd"),
        ("<img src=x onerror=alert(1)>.tsv", "<img src=x onerror=alert(1)>.tsv"),
        ("=cmd|' !A0", "=cmd|' !A0"),
        ("run\u202evst.exe", "runvst.exe"),
        ("r\x07un.tsv", "run.tsv"),
        ("x" * 500 + ".tsv", "x" * 196 + ".tsv"),
        ("прогон.tsv", "прогон.tsv"),
        ("..", ".."),
        ("/", "file"),
    ],
)
def test_a_hostile_file_name_is_data_and_never_a_path(world: World, given: str, kept: str) -> None:
    bo = world.client("bo")
    response = bo.upload(path(world), GOOD, given)
    assert response.status_code == 302
    (submission,) = files(world)
    assert submission.filename == kept
    page = bo.get(response.headers["Location"])
    assert kept in words(page) or "<" in kept
    assert "<img src=x" not in page.text
    refused = bo.upload(path(world), b"n/a\n", given)
    assert refused.status_code == 422
    assert "<img src=x" not in refused.text
    download = bo.get(response.headers["Location"] + "/file")
    assert download.data == GOOD
    name = download.headers["Content-Disposition"].removeprefix('attachment; filename="').removesuffix('"')
    assert name.isascii()
    assert not set(name) & set("/\\\"<>;'\r\n")


def test_hostile_content_is_escaped_and_control_characters_are_named(world: World) -> None:
    response = world.client("bo").upload(path(world), "<script>alert(1)</script>\n\u202e1\n3\n4\n".encode())
    assert response.status_code == 422
    assert "<script>" not in response.text
    assert "&lt;script&gt;" in response.text
    assert "U+202E" in response.text
    assert "\u202e" not in response.text


def test_invalid_files_are_rate_limited(world: World) -> None:
    bo, address = world.client("bo"), path(world)
    token = bo.token()
    for number in range(30):
        form = {"csrf_token": token, "file": (BytesIO(b"x\n" * (number + 1)), "run.tsv")}
        assert bo.open(address, method="POST", data=form).status_code == 422
    for tail, file in (("upload", b"y\n"), ("check", GOOD)):
        response = bo.upload(address.replace("upload", tail), file)
        assert response.status_code == 429
        assert "30 different invalid files were uploaded for this run within an hour" in words(response)
        assert response.headers["Retry-After"]
    assert world.session.query(Rejection).count() == 30
    assert bo.upload(address, GOOD).status_code == 302


@pytest.mark.parametrize("level", ["nowhere", "P2S", "s2p"])
def test_level_outside_the_phase_is_not_found(world: World, level: str) -> None:
    assert world.client("bo").upload(path(world, level, "practice"), GOOD).status_code == 404


def test_run_is_not_found_under_another_task(world: World, tmp_path: Path) -> None:
    other = TASK.replace('slug = "small"', 'slug = "other"')
    plan = bundles.plan_import(write_bundle(tmp_path / "other", other))
    with db.writing(world.session):
        bundles.import_task(world.session, CONSOLE, plan, [], OPENS, published=True)
    address = path(world).replace("/small/", "/other/")
    bo = world.client("bo")
    assert bo.get(address).status_code == 404
    assert bo.upload(address, GOOD).status_code == 404
    assert files(world) == []
    assert (
        runs.count_files_used(world.session, world.team, world.phase(), world.task.levels[0], DURING).in_all
        == 0
    )
