import json

import pytest

from server.core import db
from server.releases import scheduling as release_scheduling
from tests.server.visitors import words
from tests.server.world import AFTER, DURING, World

pytestmark = pytest.mark.one_database

PATH = "/tasks/small/organize/boards/evaluation"


def test_preview_shows_the_board_as_it_would_be_released(world: World) -> None:
    world.upload(world.run(), "p2s")
    ada = world.client("ada")
    page = words(ada.get(PATH))
    assert "No results have been released. Below is the current leaderboard, with the baselines." in page
    assert "birch one" in page
    assert (
        "Evaluation is still open. A release shows exact official scores, which this phase does not show "
        "to teams." in page
    )
    files = (
        "Everyone can then download the submissions that count and the late ones, even teams that can still "
        "submit."
    )
    assert files not in page
    with db.writing(world.session):
        world.phase().runs_public = True
    assert f"does not show to teams. {files}" in words(ada.get(PATH))
    world.release()
    page = words(ada.get(PATH))
    assert "Evaluation is still open. Release 1 already shows exact scores. A new release shows" in page
    assert files not in page
    world.set_clock(AFTER)
    assert "exact scores" not in words(ada.get(PATH))


def test_preview_without_rows_shows_no_leaderboard_and_only_offers_to_schedule(world: World) -> None:
    ada = world.client("ada")
    with db.writing(world.session):
        for table in ("standing", "score"):
            world.session.connection().exec_driver_sql(f"DELETE FROM {table}")  # noqa: S608  (of ours)
    page = words(ada.get(PATH))
    assert "There are no submissions in this phase yet, so there is nothing to release now." in page
    assert "You can schedule a release for a later time." in page
    assert "Below is the" not in page
    assert "leaderboard above" not in page
    with db.writing(world.session):
        release_scheduling.schedule_release(world.session, world.actor("ada"), world.phase(), AFTER, DURING)
    page = ada.get(PATH)
    assert "There are no submissions in this phase yet" in words(page)
    assert 'id="release"' not in page.text
    assert 'href="#release"' not in page.text


def test_preview_says_that_a_release_would_not_show_the_baselines_yet(world: World) -> None:
    world.upload(world.run(), "p2s")
    ada, hidden = world.client("ada"), "A release now would not show them."
    assert hidden in words(ada.get(PATH))
    assert "as it would be released now" not in words(ada.get(PATH))
    world.set_clock(AFTER)
    assert hidden not in words(ada.get(PATH))
    assert "as it would be released now" in words(ada.get(PATH))


def test_release_form_says_that_phases_without_a_deadline_do_not_delay_public_gold(world: World) -> None:
    world.upload(world.run(), "p2s")
    ada, endless = world.client("ada"), "Phases without a deadline (Practice) do not delay this"
    assert "You can do this after 18 Mar 2026" in words(ada.get(PATH))
    assert endless not in words(ada.get(PATH))
    with db.writing(world.session):
        world.phase("practice").split = "test"
        world.phase("practice").closes = None
    assert endless in words(ada.get(PATH))


def test_preview_json_equals_the_release(world: World) -> None:
    world.upload(world.run(), "p2s")
    preview = world.client("ada").get(f"{PATH}.json")
    assert preview.mimetype == "application/json"
    assert preview.data == world.release().board.encode()
    assert json.loads(preview.data)["official"][0]["run"] == "one"


def test_only_people_with_a_role_see_the_preview(world: World) -> None:
    world.upload(world.run(), "p2s")
    for person, status in (("bo", 403), ("dee", 404), (None, 302)):
        visitor = world.client(person)
        for suffix in ("", ".json"):
            response = visitor.get(PATH + suffix)
            assert response.status_code == status, (person, suffix)
            assert "birch one" not in words(response), (person, suffix)
