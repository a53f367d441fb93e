"""The pages of a run: described, primary, moved, withdrawn and back."""

import pytest

from server.runs.models import Run
from tests.server.small_task import variant
from tests.server.visitors import words
from tests.server.world import AFTER, World

pytestmark = pytest.mark.one_database

TEXTS = {
    "description": "Words.",
    "method": "Overlap of <b>stems</b>.",
    "resources": "WordNet 3.0",
    "links": "https://example.org/code\r\nhttp://example.org/paper?a=1",
    "authors": "Ada A.\r\nBo B.",
}


def path(run_id: int, page: str = "") -> str:
    return f"/tasks/small/runs/{run_id}/{page}"


def test_run_description_is_shown_to_the_team_and_the_organizers(world: World) -> None:
    run = world.run().id
    world.upload(world.run(), "p2s")
    bo = world.client("bo")
    assert "Describe the system" in words(bo.get("/tasks/small/team/"))
    response = bo.post(path(run, "edit"), {"name": "uno", **TEXTS})
    assert response.headers["Location"] == path(run)
    for client in (bo, world.client("ada")):
        page = client.get(path(run))
        assert "uno run 1 of birch" in words(page)
        assert "Overlap of &lt;b&gt;stems&lt;/b&gt;." in page.text
        assert (
            '<a class="any" href="https://example.org/code" rel="noopener nofollow noreferrer">' in page.text
        )
        assert "All uploads 1 Arrived" in words(page)
    assert world.client("dee").get(path(run)).status_code == 404


def test_links_must_be_urls_and_each_invalid_one_is_named(world: World) -> None:
    run, bo = world.run().id, world.client("bo")
    for link in ("javascript:alert(1)", "https://", "https://user@example.org/", 'https://a.org/"onx="'):
        response = bo.post(path(run, "edit"), {"name": "one", **TEXTS, "links": "https://a.org\n" + link})
        assert response.status_code == 422
        assert "Link 2 is not a valid URL. Start it with https:// or http://" in words(response)
    assert world.run().links == ""


def test_after_the_deadline_the_description_can_be_edited_but_not_the_name(world: World) -> None:
    run, bo = world.run().id, world.client("bo")
    world.set_clock(AFTER)
    page = bo.get(path(run, "edit"))
    assert 'name="name"' not in page.text
    assert "The name can no longer be changed because the deadline has passed." in words(page)
    assert bo.post(path(run, "edit"), {"name": "other", **TEXTS}).status_code == 302
    assert world.run("one").resources == "WordNet 3.0"
    assert bo.post(path(run, "primary"), {"primary": "yes"}).status_code == 409


def test_buttons_choose_the_primary_run_and_the_order(world: World) -> None:
    two = world.run("one").id + 1
    assert world.run("two").id == two
    bo = world.client("bo")
    assert "You have not chosen a primary run yet." in words(bo.get("/tasks/small/team/"))
    bo.post(path(two, "primary"), {"primary": "yes"})
    page = words(bo.get("/tasks/small/team/"))
    assert "two is now your primary run." in page
    assert "two run 2 primary" in page
    assert page.index("one run 1") < page.index("two run 2")
    assert bo.post(path(two, "move"), {"direction": "up"}).headers["Location"].endswith(f"#run-{two}")
    page = words(bo.get("/tasks/small/team/"))
    assert page.index("two run 2") < page.index("one run 1")
    bo.post(path(two, "primary"), {"primary": "no"})
    assert "You now have no primary run." in words(bo.get("/tasks/small/team/"))
    assert world.session.query(Run).filter_by(is_primary=True).count() == 0


def test_page_says_what_stops_counting_before_a_run_is_withdrawn(world: World) -> None:
    run, bo = world.run().id, world.client("bo")
    submission = world.upload(world.run(), "p2s", variant(1))
    sha256, submission_id = submission.sha256[:10], submission.id
    page = words(bo.get(path(run, "withdraw")))
    assert f"Paragraph to sentence: {sha256} of 10 Mar 2026, 12:00:00 UTC" in page
    assert "It still uses one of your 2 runs, and its submissions still use your quota." in page
    assert bo.post(path(run, "withdraw")).headers["Location"] == f"/tasks/small/team/#run-{run}"
    page = words(bo.get("/tasks/small/team/"))
    assert "one run 1 withdrawn" in page
    assert "no submission" in page
    assert "its run is withdrawn" in words(bo.get(f"/tasks/small/submissions/{submission_id}"))
    again = bo.get(path(run, "withdraw"))
    assert "This run is already withdrawn." in words(again)
    assert "Withdraw the run" not in again.text
    bo.post(path(run, "restore"))
    assert f"{sha256} counts, on time" in words(bo.get("/tasks/small/team/"))
    world.set_clock(AFTER)
    page = words(bo.get(path(run, "withdraw")))
    assert (
        "The deadline has passed, so this run can no longer be withdrawn. Its submissions still count."
        in page
    )
    assert "will no longer count" not in page
