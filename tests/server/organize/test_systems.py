"""The table of systems for the paper: on the page and in four formats, names only if they are asked for."""

import csv
from io import StringIO

import pytest

from server.core import db
from server.runs import service as runs
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
    assert "No run of Practice has a counting submission." in words(
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
