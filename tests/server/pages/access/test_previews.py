"""Previews show organizers and observers what a visitor or a participant sees, and nothing more."""

import re

import pytest

from server.core import db
from server.tasks.models import Task
from server.teams.models import Team
from tests.server.answers import OF_TASKS, Answer, canaries
from tests.server.players import Player, play
from tests.server.route_cases import CLOSED, RELEASED, Case
from tests.server.test_embargo import find_words
from tests.server.visitors import words
from tests.server.world import World

pytestmark = pytest.mark.one_database

BANNERS = {
    "visitor": "Preview: this is what a visitor who is not signed in sees. End the preview ",
    "participant": "Preview: this is what a participant who is signed in and has no team yet sees. "
    "End the preview ",
}


def pages(world: World, role: str, state: str) -> list[Case]:
    """The pages of the task that the role gets."""
    return [
        case
        for case in OF_TASKS
        if case.method == "GET"
        and not case.endpoint.startswith("api")
        and case.status(role, state) == "200"
        and "slug" in next(world.app.url_map.iter_rules(case.endpoint)).arguments
        and not case.endpoint.startswith(("invitations.", "roles."))
    ]


def with_preview(address: str, role: str) -> str:
    return f"{address}{'&' if '?' in address else '?'}preview={role}"


@pytest.mark.parametrize("state", [CLOSED, RELEASED])
def test_preview_as_a_visitor_shows_what_a_visitor_sees(world: World, state: str) -> None:
    play(world, state)
    ada, visitor = Player(world, "organizer"), Player(world, "visitor")
    ada.visitor.get("/")  # with the message that the password was right
    cases = pages(world, "visitor", state)
    assert len(cases) >= 6
    for case in cases:
        shown = ada.visitor.get(with_preview(ada.address(case), "visitor"))
        seen = visitor.send(case)
        assert shown.status_code == 200, case
        if shown.mimetype == "text/html":
            text = words(shown).replace(BANNERS["visitor"], "").replace("?preview=visitor", "")
            assert text == words(seen), case
        else:
            assert shown.data.replace(b"?preview=visitor", b"") == seen.data, case


def test_preview_as_a_participant_shows_what_a_person_without_a_team_sees(world: World) -> None:
    play(world, RELEASED)
    ada, dee = Player(world, "observer"), Player(world, "stranger")
    for case in pages(world, "stranger", RELEASED):
        shown = ada.visitor.get(with_preview(ada.address(case), "participant"))
        assert shown.status_code == 200, case
        if shown.mimetype == "text/html":
            text = words(shown).replace(BANNERS["participant"], "").replace("?preview=participant", "")
            text = text.replace("account: observer", "account: dee")
            assert text == words(dee.send(case)), case


@pytest.mark.parametrize("role", ["visitor", "participant"])
def test_previews_of_no_page_reveal_gold_or_scores(world: World, role: str) -> None:
    play(world, CLOSED)
    gold, digits = canaries(world)
    with db.writing(world.session):
        world.session.query(Task).filter_by(slug="small").one().state = "draft"
    player = Player(world, "organizer")
    answers = [
        Answer(case.endpoint, player.visitor.get(with_preview(player.address(case), role)))
        for case in OF_TASKS
        if case.method == "GET"
        and not case.endpoint.startswith("api")
        and "slug" in next(world.app.url_map.iter_rules(case.endpoint)).arguments
    ]
    assert len(answers) > 50
    assert find_words(answers, [*gold, *digits]) == []
    assert {answer.where for answer in answers if answer.response.status_code == 200} >= {
        "tasks.show",
        "task_rules.show",
        "boards.show",
    }


def test_preview_changes_nothing(world: World) -> None:
    ada = world.client("ada")
    page = ada.get("/tasks/small/teams/new?preview=participant")
    assert "Preview: this is what a participant who" in words(page)
    refused = ada.post("/tasks/small/teams/new?preview=participant", {"name": "elm"})
    assert refused.headers["Location"] == "/tasks/small/?preview=participant"
    assert "This is a preview. Nothing was changed." in words(ada.get(refused.headers["Location"]))
    assert world.session.query(Team).filter_by(name="elm").count() == 0


def test_links_stay_in_the_preview_and_its_end_leads_to_the_overview(world: World) -> None:
    page = world.client("ada").get("/tasks/small/?preview=visitor").text
    links = set(re.findall(r'href="(/tasks/small/[^"]*)"', page))
    assert "/tasks/small/organize/" in links
    assert {link for link in links if "preview=visitor" not in link} == {"/tasks/small/organize/"}


@pytest.mark.parametrize("person", [None, "bo", "dee"])
def test_preview_is_ignored_for_people_who_do_not_see_all(world: World, person: str | None) -> None:
    client = world.client(person)
    assert words(client.get("/tasks/small/?preview=visitor")) == words(client.get("/tasks/small/"))


def test_draft_has_no_preview_for_a_stranger(world: World) -> None:
    with db.writing(world.session):
        world.session.query(Task).filter_by(slug="small").one().state = "draft"
    assert world.client("dee").get("/tasks/small/?preview=visitor").status_code == 404
    assert world.client("ada").get("/tasks/small/?preview=visitor").status_code == 200
