import re
from datetime import timedelta

import pytest

from server.core import db
from tests.server.visitors import words
from tests.server.world import AFTER, DURING, LATE, OPENS, World

pytestmark = pytest.mark.one_database

PATH = "/tasks/small/"


def test_task_page_describes_the_task_and_its_scoring(world: World) -> None:
    page = words(world.client().get(PATH))
    for promise in (
        "How similar are two texts?",
        "Paragraph to sentence p2s paragraph – sentence; Pearson, Spearman 4 Items",
        "Scores go from 0 to 4.",
        "4 the same",
        "0 unrelated",
        "15 Mar 2026, 12:00 UTC 00:00 AoE Grace period until 18 Mar 2026, 12:00 UTC",
        "You see no scores until the results are released. Limits per team: 2 runs; 3 scored submissions",
        "not released: Evaluation",
    ):
        assert promise in page


def test_dates_are_sent_as_a_file_for_calendars(world: World) -> None:
    response = world.client().get(f"{PATH}dates.ics")
    assert response.mimetype == "text/calendar"
    opens, closes = response.text.replace("\r\n ", "").split("BEGIN:VEVENT\r\n")[-2:]
    assert "DTSTART:20260301T000000Z\r\nSUMMARY:" in opens
    assert "DTSTART:20260315T120000Z\r\nSUMMARY:" in closes
    assert closes.count(": Evaluation closes\r\n") == 1


@pytest.mark.parametrize(
    ("person", "words_", "link"),
    [
        (None, "Sign up, create a team", "/sign-up?next=/tasks/small/team/"),
        (
            "dee",
            "Create a team and share its invitation link",
            "/tasks/small/teams/new",
        ),
        ("bo", "You are in birch", "/tasks/small/team/"),
        ("ada", "You organize this task", "/tasks/small/organize/"),
    ],
)
def test_task_page_tells_each_person_what_to_do_next(
    world: World, person: str | None, words_: str, link: str
) -> None:
    page = world.client(person).get(PATH)
    assert words_ in words(page)
    assert f'href="{link}"' in page.text


def test_finished_task_links_to_its_board_and_no_longer_invites_teams(world: World) -> None:
    with db.writing(world.session):
        world.phase("practice").closes = OPENS
    world.set_clock(AFTER)
    assert "It no longer accepts submissions. No results have been released." in words(
        world.client().get(PATH)
    )
    world.release()
    for person in (None, "dee", "bo"):
        page = world.client(person).get(PATH)
        assert "The latest results are those of Evaluation. View the leaderboard" in words(page)
        assert not re.search("Sign up, create|Create a team|Upload your files", page.text)
        assert page.text.count('class="button"') == 1


def test_leaderboard_leads_those_who_see_all_of_the_task_to_its_releases(world: World) -> None:
    link = 'href="/tasks/small/organize/boards/evaluation">Preview and releases'
    for name, sees in (("ada", True), ("bo", False), (None, False)):
        assert (link in world.client(name).get("/tasks/small/boards/evaluation").text) is sees
    assert link not in world.client("ada").get("/tasks/small/").text


def test_items_are_linked_once_their_phase_has_opened(world: World) -> None:
    hidden = "/tasks/small/data/p2s.test.items.tsv"
    assert hidden in world.client().get(PATH).text
    world.set_clock(OPENS.replace(year=2025))
    page = world.client().get(PATH).text
    assert hidden not in page
    assert "/tasks/small/data/p2s.trial.items.tsv" in page


def test_gold_is_linked_for_organizers_and_where_it_is_public(world: World) -> None:
    page = world.client("bo").get(PATH).text
    assert "/tasks/small/data/p2s.trial.gold.tsv" in page
    assert "test.gold" not in page
    page = world.client("ada").get(PATH)
    assert "/tasks/small/data/p2s.test.gold.tsv" in page.text
    assert words(page).count("only for organizers and observers") == 2  # the trial gold is public


def test_phases_of_a_draft_are_not_yet_open(world: World) -> None:
    with db.writing(world.session):
        world.task.state = "draft"
    ada = world.client("ada")
    assert "Practice not yet open Opens when the task is published" in words(ada.get(PATH))
    assert "Practice not yet open Opens when the task is published" in words(ada.get(f"{PATH}rules"))


def test_markdown_of_an_organizer_is_sanitized(world: World) -> None:
    with db.writing(world.session):
        world.task.description = (
            "# Title\n\n**bold** <script>alert(1)</script> [x](javascript:alert(1)) "
            '<img src=x onerror=alert(1)> [ok](https://example.org "t")'
        )
        world.task.title = "<b>Task</b>"
    page = world.client().get(PATH).text
    assert "<strong>bold</strong>" in page
    assert 'href="https://example.org"' in page
    for bad in ("<script>", '="javascript:', "<img src=x", "<b>Task"):
        assert bad not in page
    assert page.count("<h1") == 1


def test_every_task_page_shows_the_current_and_the_next_phase(world: World) -> None:
    for at, line in (
        (OPENS - timedelta(days=2), "Practice is open. Next phase: “Evaluation” opens in 2 days. All dates"),
        (DURING, "Evaluation is open and closes in 5 days: 15 Mar 2026, 12:00 UTC (00:00 AoE). Practice"),
        (
            LATE,
            "Evaluation is closed. Late submissions are accepted; the grace period ends in 2 days: "
            "18 Mar 2026, 12:00 UTC (00:00 AoE).",
        ),
        (AFTER, "Practice is open. All dates"),
    ):
        world.set_clock(at)
        for path in ("/tasks/small/", "/tasks/small/boards/practice"):
            assert line in words(world.client().get(path)), at
    world.set_clock(DURING)
    assert " Practice is open. All dates" in words(world.client().get("/tasks/small/"))


def test_task_page_says_whether_scores_are_still_hidden(world: World) -> None:
    visitor = world.client()
    assert "You see no scores until the results are released." in words(visitor.get(PATH))
    world.upload(world.run(), "p2s")
    world.release(at=LATE)
    world.set_clock(LATE)
    assert "Scores of new submissions stay hidden until the next release." in words(visitor.get(PATH))
    world.set_clock(AFTER)
    assert "Scores were hidden until the results were released." in words(visitor.get(PATH))
