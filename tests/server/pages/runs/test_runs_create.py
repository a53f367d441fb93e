import pytest

from server.runs.models import Run
from tests.server.visitors import words
from tests.server.world import AFTER, LATE, OPENS, World

pytestmark = pytest.mark.one_database

PATH = "/tasks/small/phases/evaluation/runs/new"


def test_added_run_page_says_what_to_do_next(world: World) -> None:
    bo = world.client("bo")
    assert "Your team has 0 of 2 runs." in words(bo.get(PATH))
    response = bo.post(PATH, {"name": " my  system ", "description": "Words <i>overlap</i>."})
    assert response.headers["Location"] == "/tasks/small/team/#evaluation"
    page = bo.get("/tasks/small/team/")
    assert "The run was added. Now upload its files." in words(page)
    assert "my system run 1" in words(page)
    assert "Words &lt;i&gt;overlap&lt;/i&gt;." in page.text


@pytest.mark.parametrize(
    ("person", "message"),
    [
        ("dee", "Only team members can do this. Create a team, or join one with its invitation link."),
        ("ada", "This page is for teams. People with access to the gold standard cannot be in a team."),
    ],
)
def test_without_a_team_the_page_says_how_to_get_one(world: World, person: str, message: str) -> None:
    client = world.client(person)
    for response in (client.get(PATH), client.post(PATH, {"name": "one"})):
        assert response.status_code == 403
        assert message in words(response)
    assert world.session.query(Run).filter_by(name="one").count() == 0


def test_no_form_is_shown_while_no_run_can_be_added(world: World) -> None:
    bo = world.client("bo")
    for at, promise in (
        (OPENS.replace(year=2025), "Evaluation is not open yet. It opens in 365 days: "),
        (AFTER, "Evaluation is closed. It closed on 15 Mar 2026, 12:00 UTC"),
    ):
        world.set_clock(at)
        page = bo.get(PATH)
        assert promise in words(page)
        assert 'name="name"' not in page.text
    world.set_clock(LATE)
    page = bo.get(PATH)
    assert "They are scored and shown separately, are not ranked" in words(page)
    assert 'name="name"' in page.text
    world.run("one")
    assert "Your team has 1 of 2 runs." in words(bo.get(PATH))
    world.run("two")
    page = bo.get(PATH)
    assert "A team can have 2 runs in this phase; yours has 2." in words(page)
    assert 'name="name"' not in page.text


@pytest.mark.parametrize(
    ("at", "clocks"),
    [
        (
            AFTER,
            ["closed on 15 Mar 2026, 12:00 UTC", "until 18 Mar 2026, 12:00 UTC", "19 Mar 2026, 16:00:00 UTC"],
        ),
        (OPENS.replace(year=2025), ["opens on 1 Mar 2026, 00:00 UTC", "it is 1 Mar 2025, 00:00:00 UTC"]),
    ],
)
def test_closed_phase_rejects_new_runs_with_opening_and_current_time(
    world: World, at, clocks: list[str]
) -> None:
    bo = world.client("bo")
    world.set_clock(at)
    response = bo.post(PATH, {"name": "one"})
    assert response.status_code in (409, 422)
    for clock in clocks:
        assert clock in words(response)
    assert world.session.query(Run).filter_by(name="one").count() == 0


NO_NAMES = (
    ("taken", 'The team already has a run "taken" in this phase.'),
    ("", "Enter a name."),
    ("x" * 500, "Use at most 80 characters."),
    ("../run", "Remove slashes."),
    ("run\u200f", "Remove invisible characters."),
)


def test_invalid_input_is_reported_at_its_field(world: World) -> None:
    world.run("taken")
    bo = world.client("bo")
    for name, message in NO_NAMES:
        response = bo.post(PATH, {"name": name})
        assert response.status_code == 422, name
        assert message in words(response), name


def test_number_of_runs_per_team_is_limited_by_the_phase(world: World) -> None:
    world.run("one")
    world.run("two")
    response = world.client("bo").post(PATH, {"name": "three"})
    assert response.status_code == 422
    assert "A team can have 2 runs in Evaluation, and yours already has them." in words(response)
