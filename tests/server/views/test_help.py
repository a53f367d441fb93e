"""The help pages say what is true of the site: the numbers are those of its rules."""

import pytest

from server.domain.quota import REFUSALS
from server.forms.phases import FEEDBACK, GIVEN_AWAY
from tests.server.conftest import World, words


def test_every_page_leads_to_the_help_for_teams_and_for_organizers(world: World) -> None:
    visitor = world.client()
    for path in ("/", "/tasks/small/", "/sign-in"):
        assert 'href="/help/"' in visitor.get(path).text
    page = visitor.get("/help/").text
    assert 'href="/help/teams"' in page
    assert 'href="/help/organizers"' in page
    assert 'href="/help/readers"' in page
    assert "copies of a board that never change" in words(visitor.get("/help/readers"))


@pytest.mark.parametrize(
    "promise",
    [
        "The newest file that was on time and is not withdrawn counts",
        "It is read when your request arrives, before the file",
        "scored, shown apart and never ranked",
        f"After {REFUSALS} refused files of a run within an hour",
        "a day is a day of UTC",
        "Each mail has a link that stops its kind",
    ],
)
def test_teams_are_told_the_rules(world: World, promise: str) -> None:
    assert promise.lower() in words(world.client().get("/help/teams")).lower()


def test_organizers_are_told_what_each_kind_of_feedback_gives_away(world: World) -> None:
    page = words(world.client().get("/help/organizers"))
    for kind, name in FEEDBACK.items():
        assert f"{name} {GIVEN_AWAY[kind]}" in page
