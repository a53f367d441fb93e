"""The table of systems for the paper: on the page and in four formats, names only if they are asked for."""

import csv
from datetime import timedelta
from io import StringIO

import pytest

from server.core import db
from server.mail.models import Mail
from server.runs import service as runs
from server.teams.models import Membership
from tests.server.mail_sink import Sink
from tests.server.visitors import words
from tests.server.world import DURING, LATE, World

pytestmark = pytest.mark.one_database

PATH = "/tasks/small/organize/systems"


def fill(world: World) -> None:
    one, two = world.run("one"), world.run("two")
    world.upload(one, "p2s")
    world.upload(two, "s2p", at=LATE)
    world.run("never sent", "practice")
    alder = world.found_team("dee", "alder")
    with db.writing(world.session):
        one.authors, one.method, one.links, one.is_primary = (
            "Bo\nCy",
            "=HYPERLINK()",
            "https://a.example",
            True,
        )
        one.position, two.position = 2, 1
        world.team.affiliations = "Forest University\nInstitute of Trees"
        runs.add_run(world.session, alder, world.phase(), "nothing", "", DURING)


def rows(world: World) -> list[list[str]]:
    response = world.client("ada").get(f"{PATH}/evaluation.csv")
    assert response.headers["Content-Disposition"] == 'attachment; filename="small.evaluation.systems.csv"'
    assert response.headers["Content-Type"] == "text/csv; charset=utf-8"
    return list(csv.reader(StringIO(response.text, newline="")))


def test_system_table_lists_every_run_with_a_counting_file_as_its_team_describes_it(world: World) -> None:
    fill(world)
    page = words(world.client("ada").get(PATH))
    assert "1 team, 2 systems. Download as CSV, TSV, Markdown, LaTeX" in page
    assert "birch Forest University; Institute of Trees two" in page
    assert "nothing" not in page
    assert "No run of Practice has a submission that counts." in words(
        world.client("ada").get(f"{PATH}?phase=practice")
    )
    affiliations = "Forest University; Institute of Trees"
    head, two, one = rows(world)
    assert head[:4] == ["Team", "Affiliations", "System", "Authors"]
    assert two == ["birch", affiliations, "two", "", "", "", "", "", "", "", "Sentence to phrase"]
    assert one[2:9] == ["one", "Bo; Cy", "", "'=HYPERLINK()", "", "https://a.example", "yes"]
    assert one[9:] == ["Paragraph to sentence", ""]


def test_system_table_contains_member_names_only_on_request(world: World) -> None:
    fill(world)
    ada = world.client("ada")
    assert "bo, cy" not in ada.get(PATH).text
    assert "bo, cy" in ada.get(f"{PATH}?members=yes").text
    for ending, mark in (
        ("csv", "bo, cy"),
        ("tsv", "\tbo, cy\t"),
        ("md", "| bo, cy |"),
        ("tex", "& bo, cy &"),
    ):
        path = f"{PATH}/evaluation.{ending}"
        assert mark not in ada.get(path).text
        assert mark in ada.get(f"{path}?members=yes").text
    assert ada.get(f"{PATH}/evaluation.xls").status_code == 404
    assert ada.get(f"{PATH}/nowhere.csv").status_code == 404


def test_teams_with_empty_descriptions_are_listed_and_reminded_once_a_day(world: World, sink: Sink) -> None:
    fill(world)
    ada, path = world.client("ada"), f"{PATH}/evaluation/remind"
    page = words(ada.get(PATH))
    assert "1 team has systems with neither a description nor a method: birch: two" in page
    assert "Remind the team by email" in page
    for _click in range(2):
        assert "1 team is being reminded." in words(ada.post(path, follow_redirects=True))
        world.work(DURING)
    assert sorted(mail["To"] for mail in sink.mails) == ["bo@example.org", "cy@example.org"]
    run_id = world.run("two").id
    for kind in ("plain", "html"):
        text = sink.mails[0].get_body((kind,)).get_content()
        assert f"/tasks/small/runs/{run_id}/edit" in text
        assert " ".join(text.split()).count("neither a description nor a method") == 1
    tomorrow = DURING + timedelta(days=1)
    world.set_clock(tomorrow)
    ada.post(path)
    world.work(tomorrow)
    assert sum(mail["Subject"].startswith("Describe your system") for mail in sink.mails) == 4
    with db.writing(world.session):
        world.run("two").description = "Counts shared words."
    page = words(ada.post(path, follow_redirects=True))
    assert "Every system of Evaluation has a description." in page
    assert "Empty descriptions" not in page


@pytest.mark.parametrize(("person", "status"), [("bo", 403), (None, 302)])
def test_only_organizers_remind_teams_of_descriptions(world: World, person: str | None, status: int) -> None:
    fill(world)
    assert world.client(person).post(f"{PATH}/evaluation/remind").status_code == status
    assert world.session.query(Mail).filter_by(kind="reminder").count() == 0


def test_teams_without_members_cannot_be_reminded(world: World) -> None:
    world.upload(world.run(), "p2s")
    with db.writing(world.session):
        world.session.query(Membership).delete()
    answer = world.client("ada").post(f"{PATH}/evaluation/remind", follow_redirects=True)
    assert "These teams have no members with an account on this site. Nothing was sent." in words(answer)


def test_page_of_a_team_has_a_link_to_write_to_it_only_if_it_has_members(world: World) -> None:
    ada, path = world.client("ada"), f"/tasks/small/organize/teams/{world.team.id}"
    assert "Write to the team" in words(ada.get(path))
    with db.writing(world.session):
        world.session.query(Membership).delete()
    assert "Write to the team" not in words(ada.get(path))
