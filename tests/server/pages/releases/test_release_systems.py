"""The page of one system of a release, and systems side by side: who sees which items, and by which names."""

import re
from collections.abc import Iterator

import pytest

from scorer import pearson
from server.access import terms
from server.boards.systems import format_system_key
from server.core import db
from server.releases import release_gold, service as releases
from server.runs.models import Run
from tests.server.releases.test_releases_anonymous import enter, play
from tests.server.small_task import GOLD, GOOD
from tests.server.visitors import words
from tests.server.world import AFTER, World

pytestmark = pytest.mark.one_database

ROOT = "/tasks/small/boards/evaluation/releases"
QUICK = format_system_key("official", "birch", "Quick")
LATE_SYSTEM = format_system_key("late", "alder", "yew-nought")
CONSTANT = format_system_key("official", "birch", "yew-constant")
PEOPLE = (None, "dee", "bo", "ada")
"""A visitor, alder's captain, birch's, an organizer."""
WEAK = b"3\n0\n2\n1\n"
TEXT = "nobody had seen the lamp burn"


def pages(world: World, number: int, page: str) -> Iterator[str]:
    for person in PEOPLE:
        answer = world.client(person).get(f"{ROOT}/{number}/{page}")
        assert answer.status_code == 200, (person, page)
        yield answer.text


def seeing(world: World, number: int, page: str, text: str = TEXT) -> list[str | None]:
    """Who is shown a text."""
    texts = pages(world, number, page)
    return [person for person, page in zip(PEOPLE, texts, strict=True) if text in page]


def test_items_are_shown_only_to_people_with_access_to_file_and_gold(world: World) -> None:
    play(world)
    world.set_clock(AFTER)
    one, two = f"system?of={QUICK}", f"compare?of={QUICK}&of={LATE_SYSTEM}"
    with db.writing(world.session):
        world.phase().runs_public = False
    world.release()
    assert [seeing(world, 1, page) for page in (one, two)] == [["ada"], ["ada"]]
    with db.writing(world.session):
        world.phase().runs_public = True
    enter(world, world.team, "more", "bo", WEAK)
    world.release()
    assert [seeing(world, 2, page) for page in (one, two)] == [["ada"], [*PEOPLE]]
    assert seeing(world, 2, two, "gold 1.375") == ["ada"]
    with db.writing(world.session):
        release_gold.open_gold(world.session, world.actor("ada"), world.phase(), AFTER)
    assert [seeing(world, 1, page) for page in (one, two)] == [["bo", "ada"], ["ada"]]
    assert [seeing(world, 2, page) for page in (one, two)] == [[*PEOPLE], [*PEOPLE]]
    assert seeing(world, 2, two, "gold 1.375") == [*PEOPLE]
    with db.writing(world.session):
        terms.put_terms(world.session, world.actor("ada"), world.task, "Do not share it.\n", AFTER)
    assert [seeing(world, 2, page) for page in (one, two)] == [["ada"], ["ada"]]
    assert "Accept the terms to see the items" in words(world.client("bo").get(f"{ROOT}/2/{one}"))


def test_system_page_shows_regression_line_and_residuals_against_gold(world: World) -> None:
    """Gold .125, 1.375, 2.625, 3.875 and scores .5, 1, 2.5, 3.5: means 2 and 1.875, sums 6.5 and 7.5."""
    play(world)
    world.release()
    world.set_clock(AFTER)
    page = words(world.client("ada").get(f"{ROOT}/1/system?of={QUICK}&level=p2s"))
    assert "Least-squares line: gold = −0.163 + 1.154 × score" in page
    assert "Gold 1.375, score 1 News-2, residual +0.385" in page
    assert page.index("residual +0.385") < page.index("residual −0.288") < page.index("residual −0.096")
    late = words(world.client("ada").get(f"{ROOT}/1/system?of=late/alder/yew-nought"))
    assert "Late submission: scored, but not ranked" in late
    constant = words(world.client("ada").get(f"{ROOT}/1/system?of=official/birch/yew-constant"))
    assert "No regression line: the run has the same score for every item" in constant


def test_differences_are_shown_in_both_directions_with_the_pairs_tested(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    play(world)
    world.upload(world.run("weak"), "p2s", WEAK)
    world.release()
    weak = format_system_key("official", "birch", "weak")
    for page in (f"system?of={QUICK}&level=p2s", f"compare?of={QUICK}&of={weak}&level=p2s"):
        waiting = words(world.client().get(f"{ROOT}/1/{page}"))
        assert "The significance tests of this release have not been computed yet." in waiting
        assert "No pair was tested" not in waiting
    world.infer()
    ahead = numbers(world, f"system?of={QUICK}&level=p2s", "birch weak")
    behind = numbers(world, f"system?of={weak}&level=p2s", "birch Quick")
    assert [-ahead[0], -ahead[2], -ahead[1]] == behind
    assert ahead[1] < ahead[0] < ahead[2]
    assert numbers(world, f"compare?of={QUICK}&of={weak}&level=p2s", "birch Quick − birch weak") == ahead
    pair = words(world.client().get(f"{ROOT}/1/compare?of={QUICK}&of={weak}&level=p2s"))
    assert "Difference of each pair (Paragraph to sentence). The only tested difference is" in pair
    stability = words(world.client().get(f"{ROOT}/1/stability"))
    assert "The first system stays first under" in stability
    assert "Without Paragraph to sentence" in stability
    monkeypatch.setattr("server.pages.releases.stability.MAX_LINES", 1)
    assert "The top 1 of 3 systems under the official rule" in words(
        world.client().get(f"{ROOT}/1/stability")
    )
    page = words(world.client().get(f"{ROOT}/1/system?of={QUICK}&level=p2s"))
    assert re.search(r"tested differences? (are|is)", page)
    gold = [float(value) for value in GOLD["p2s"]]
    assert ahead[0] == pytest.approx(pearson(gold, [0.5, 1, 2.5, 3.5]) - pearson(gold, [3, 0, 2, 1]))


def test_missing_interval_has_a_reason_and_a_filter_keeps_selected_systems(world: World) -> None:
    play(world)
    world.release()
    world.infer()
    compare = f"{ROOT}/1/compare?of={QUICK}"
    constant = words(world.client().get(f"{compare}&of={CONSTANT}"))
    assert "birch yew-constant has no value for Total and is not shown." in constant
    assert constant.count("one of the two systems has no value here") == 4, "the difference, its ends, and p"
    late = words(world.client().get(f"{compare}&of={LATE_SYSTEM}"))
    assert "Late systems and baselines are not in the significance tests of pairs" in late
    assert late.count("late systems and baselines are not in the tests of pairs") == 3, "value, ends and p"
    system = words(world.client().get(f"{ROOT}/1/system?of={QUICK}"))
    assert "1 system has no value for Total and is not shown" in system
    found = world.client().get(f"{ROOT}/1/compare?of={QUICK}&q=YEW-C").text
    assert re.findall(r'name="of" value="([^"]*)"[^>]*?( checked)?>', found) == [
        (QUICK, " checked"),
        (CONSTANT, ""),
    ]


def test_pair_that_entered_different_levels_says_why_it_is_not_tested(world: World) -> None:
    play(world)
    world.upload(world.run("weak"), "p2s", WEAK)
    world.release()
    world.infer()
    weak = format_system_key("official", "birch", "weak")
    system = words(world.client().get(f"{ROOT}/1/system?of={weak}"))
    assert "not tested: different levels" in system
    assert "because no other ranked system has values at the same levels" in system
    compared = words(world.client().get(f"{ROOT}/1/compare?of={weak}&of={QUICK}"))
    assert (
        "No significance test of this pair is listed. The two systems do not have values at the same levels."
        in compared
    )
    level = words(world.client().get(f"{ROOT}/1/system?of={weak}&level=p2s"))
    assert "different levels" not in level


def numbers(world: World, page: str, head: str) -> list[float]:
    """Difference and ends in the row of a chart's table."""
    text = world.client().get(f"{ROOT}/1/{page}").text
    row = next(row for row in text.split("<tr>") if re.sub("<[^>]*>", "", row).startswith(head))
    return [float(value) for value in re.findall(r'<data value="([^"]*)"', row)]


def test_pseudonyms_are_not_searchable(world: World) -> None:
    """An anonymous release knows no names, and a system's history stays within its kind of names."""
    play(world)
    world.release(anonymous=True)
    with db.writing(world.session):
        world.phase().files_per_level = None
    enter(world, world.team, "more", "bo", GOOD)
    world.release()
    world.set_clock(AFTER)
    bo, run = world.client("bo"), world.session.query(Run).filter_by(name="Quick").one()
    letters = [
        key
        for key in (format_system_key("official", f"Team {letter}", "run 1") for letter in "AB")
        if "your team" in bo.get(f"{ROOT}/1/system", query_string={"of": key}).text
    ]
    (own,) = letters
    assert f"/runs/{run.id}/" in bo.get(f"{ROOT}/1/system", query_string={"of": own}).text
    for person in (None, "dee"):
        client = world.client(person)
        assert client.get(f"{ROOT}/1/system?of={QUICK}").status_code == 404
        assert 'system?of=official/Team%20A/run%201"' in client.get(f"{ROOT}/1").text, "encoded once"
        page = client.get(f"{ROOT}/1/system", query_string={"of": own}).text
        assert "birch" not in page
        assert f"/runs/{run.id}/" not in page
        assert "In other releases" not in page
        assert "In other releases" not in client.get(f"{ROOT}/2/system?of={QUICK}").text
    enter(world, world.team, "most", "bo", GOOD)
    world.release()
    history = words(world.client().get(f"{ROOT}/3/system?of={QUICK}"))
    assert "Release 2" in history
    assert "Release 1" not in history


@pytest.mark.parametrize(
    ("page", "status", "says"),
    [
        ("system?of=nobody", 404, "Release 1 has no such system"),
        (f"compare?of={QUICK}&of=official/x/y", 404, "Release 1 has no such system"),
        ("compare?of=" + "&of=".join(f"official/birch/{n}" for n in range(11)), 400, "choose fewer"),
    ],
)
def test_comparison_without_systems_shows_a_message(world: World, page: str, status: int, says: str) -> None:
    play(world)
    with db.writing(world.session):
        world.phase().files_per_level = None
    for name in range(11 if status == 400 else 0):
        enter(world, world.team, str(name), "bo", GOOD)
    world.release()
    answer = world.client().get(f"{ROOT}/1/{page}")
    assert answer.status_code == status
    assert says in words(answer)
    assert "submit the form again" not in words(answer)


def test_system_pages_of_a_withdrawn_release_are_gone(world: World) -> None:
    play(world)
    world.release()
    world.withdraw_release("a mistake in the rules")
    for page in (f"system?of={QUICK}", "compare"):
        answer = world.client().get(f"{ROOT}/1/{page}")
        assert answer.status_code == 410
        assert "a mistake in the rules" in answer.text
    assert releases.list_newest_manual(world.session, world.phase(), 5) == []
    assert "News-1" not in answer.text
