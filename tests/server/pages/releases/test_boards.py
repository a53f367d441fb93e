import json
from datetime import timedelta

import pytest

from server.core import db
from server.teams.models import Team
from tests.server.visitors import words
from tests.server.world import AFTER, DURING, LATE, OPENS, World, count_queries

pytestmark = pytest.mark.one_database

PATH = "/tasks/small/boards/evaluation"


def test_before_a_release_the_board_page_says_when_results_may_come(world: World) -> None:
    world.upload(world.run(), "p2s")
    for at, promise in (
        (OPENS.replace(year=2025), "Evaluation opens on 1 Mar 2026"),
        (DURING, "Evaluation is open until 15 Mar 2026"),
        (LATE, "Late submissions are accepted until 18 Mar 2026"),
        (AFTER, "Evaluation is closed. The organizers may release results at any time."),
    ):
        world.set_clock(at)
        page = words(world.client().get(PATH))
        assert "No results have been released yet." in page
        assert promise in page
        assert "birch" not in page


def test_live_board_says_when_its_phase_opens_and_that_it_is_empty(world: World) -> None:
    with db.writing(world.session):
        world.phase().board, world.phase().feedback = "live", "scores"
    for at, promise in (
        (OPENS.replace(year=2025), "Evaluation opens on 1 Mar 2026"),
        (DURING, "This leaderboard is live, but it is still empty."),
        (AFTER, "This leaderboard is empty. Evaluation is closed."),
    ):
        world.set_clock(at)
        page = words(world.client().get(PATH))
        assert promise in page
        assert ("appear on it within a minute" in page) == (at != AFTER)
        assert "live: Evaluation" in words(world.client().get("/tasks/small/"))


def test_release_of_one_system_offers_no_comparison(world: World) -> None:
    world.upload(world.run(), "p2s")
    world.release(at=DURING)
    compare = f"{PATH}/releases/1/compare"
    assert compare not in world.client().get(PATH).text
    page = world.client().get(compare)
    assert "This release has only one system, so there is nothing to compare." in words(page)
    assert 'name="of"' not in page.text


@pytest.mark.parametrize("person", [None, "dee", "bo", "ada"])
def test_released_board_is_public(world: World, person: str | None) -> None:
    world.upload(world.run(), "p2s")
    world.upload(world.run("two"), "s2p", at=LATE)
    release = world.release()
    board = json.loads(release.board)
    page = world.client(person).get(PATH)
    text = words(page)
    assert "Release 1 of 19 Mar 2026, 16:00 UTC, on the test items." in text
    rows = ("birch one", "Late, not ranked", "birch two", "Baselines, not ranked", "organizers LCS")
    for said in rows:
        assert said in text
    value = board["official"][0]["levels"]["p2s"]["pearson"]["value"]
    assert f'<data value="{value!r}"' in page.text
    assert "what you need to recompute and verify it" in text
    permanent = words(world.client(person).get(f"{PATH}/releases/1"))
    for said in (release.sha256, "scorer board BUNDLE --phase evaluation --format json"):
        assert said in permanent


def test_files_after_a_release_are_not_shown_on_the_board(world: World) -> None:
    world.upload(world.run(), "p2s")
    world.release()
    world.upload(world.run("two"), "p2s")
    world.fix_gold("p2s", b"3\n2\n1\n0\n")
    page = words(world.client("bo").get(PATH))
    assert "birch one (your team) 0.984" in page
    assert "birch two" not in page


def test_filter_without_a_match_says_so_and_links_to_all_rows(world: World) -> None:
    world.upload(world.run(), "p2s")
    world.release()
    for path in (PATH, f"{PATH}/releases/1"):
        page = world.client().get(f"{path}?sort=system&q=<willow")
        assert "No system matches. Show all" in words(page)
        assert f'<a href="{path}?sort=system">Show all</a>' in page.text
        assert 'value="&lt;willow"' in page.text, "what was asked for stands in its field"
        assert "<table data-board" not in page.text
        assert "birch one" not in words(page).partition("Cite")[0]
    late = words(world.client().get(f"{PATH}?q=birch&show=baselines"))
    assert "No system matches." in late


def test_dash_has_a_reason(world: World) -> None:
    world.upload(world.run(), "p2s", b"2\n2\n2\n2\n")
    world.upload(world.run("two"), "s2p")
    world.release()
    page = words(world.client().get(PATH))
    assert "birch one, Paragraph to sentence: the run has the same score for every item" in page
    assert "no submission in this row" in page
    assert "no total" not in page


def test_missing_totals_are_counted_in_one_sentence(world: World) -> None:
    world.upload(world.run("one"), "p2s")
    world.upload(world.run("two"), "s2p")
    for rules, message in (
        (
            {"total_needs": "all"},
            "every level is required. 2 rows of the table have values at fewer levels and so have no total.",
        ),
        (
            {"enter_at_least": 2},
            "At least 2 levels are required. 2 rows of the table have values at "
            "fewer levels and so have no total.",
        ),
    ):
        with db.writing(world.session):
            world.task.board_rules = {**world.task.board_rules, "total_needs": "entered", **rules}
        world.release()
        page = words(world.client().get(PATH))
        assert message in page
        assert "birch one, total" not in page
        assert "no total" not in words(world.client().get(f"{PATH}?level=p2s"))
    changes = words(world.client().get(f"{PATH}/releases/2"))
    assert "Levels required for a total: all → now entered" in changes
    assert "Minimum number of levels: 1 → now 2" in changes


def test_withdrawn_release_shows_its_reason_in_place_of_the_board(world: World) -> None:
    world.upload(world.run(), "p2s")
    world.release()
    world.withdraw_release("Item 3 was <b>mistyped</b>.")
    response = world.client().get(PATH)
    page = words(response)
    assert "Release 1 was withdrawn" in page
    assert "Item 3 was <b>mistyped</b>." in page
    assert "<b>mistyped" not in response.text
    assert "birch" not in page
    assert "0.9" not in page


def test_hostile_names_are_escaped_on_the_board(world: World) -> None:
    with db.writing(world.session):
        world.session.get_one(Team, world.team.id).name = '<script>alert("x")</script>'
    # (the name in the table is what the board shows; the key that finds the team stays)
    world.upload(world.run('=HYPERLINK("x")'), "p2s")
    world.release()
    page = world.client().get(PATH)
    assert "<script>" not in page.text
    assert "&lt;script&gt;alert(&#34;x&#34;)&lt;/script&gt;" in page.text
    assert '=HYPERLINK("x")' in words(page)


def test_unknown_phase_is_not_found(world: World) -> None:
    assert world.client().get("/tasks/small/boards/finals").status_code == 404


@pytest.mark.both_databases
def test_visitors_get_the_same_page_for_a_second_unless_it_changes(world: World) -> None:
    world.upload(world.run(), "p2s")
    world.release()
    visitor = world.client()
    first = visitor.get(PATH)
    with count_queries(world) as statements:
        again = world.client().get(PATH)
    assert again.data == first.data
    assert again.headers.pop("X-Request-ID") != first.headers.pop("X-Request-ID")
    assert list(again.headers) == list(first.headers)
    assert len(statements) == 1, "\n".join(statements)
    with db.writing(world.session):
        world.phase().title = "Final evaluation"
    assert "Final evaluation leaderboard" in visitor.get(PATH).text
    world.withdraw_release()
    assert "Release 1 was withdrawn" in words(visitor.get(PATH))
    assert "Release 1 was withdrawn" in words(world.client().get(PATH))


def test_page_of_a_board_has_the_time_and_the_messages_of_its_own_reader(world: World) -> None:
    world.upload(world.run(), "p2s")
    world.release()
    visitor, reader = world.client(), world.client()
    with reader.client.session_transaction() as cookie:
        cookie["_flashes"] = [("info", "You have signed out.")]
    assert "You have signed out." in words(reader.get(PATH))
    assert "Your account: bo" in words(world.client("bo").get(PATH))
    assert "You have signed out." not in words(visitor.get(PATH))
    world.set_clock(later := AFTER + timedelta(seconds=1))
    assert later.isoformat(timespec="milliseconds") in visitor.get(PATH).text
