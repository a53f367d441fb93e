"""Every uploaded file, by team, level and phase; and the page of one team."""

from datetime import timedelta

import pytest

from server.core import db
from server.phases.models import Extension
from server.runs import service as runs
from server.submissions.models import Flag
from tests.server.players import play
from tests.server.route_cases import CLOSED
from tests.server.small_task import variant
from tests.server.visitors import words
from tests.server.world import DURING, LATE, World

pytestmark = pytest.mark.one_database

PATH = "/tasks/small/organize/files"


def test_files_are_listed_by_team_level_and_phase(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    one, alder = world.run(), world.found_team("dee", "alder")
    with db.writing(world.session):
        other = runs.add_run(world.session, alder, world.phase(), "theirs", "", DURING)
    withdrawn = world.upload(one, "p2s")
    world.withdraw(withdrawn)
    world.upload(one, "s2p", at=LATE)
    world.upload(world.run("tried", "practice"), "p2s")
    world.upload(other, "p2s", by="dee")
    with db.writing(world.session):
        world.session.add(Flag(submission_id=withdrawn.id, code="tiny-steps", words="x", made_at=DURING))
    alder_id, ada = alder.id, world.client("ada")
    everything = words(ada.get(PATH))
    assert "Submissions 4" in everything
    assert (
        "birch one Paragraph to sentence on time withdrawn flagged as suspicious same file as alder"
        in everything
    )
    assert "alder theirs Paragraph to sentence on time same file as birch" in everything
    assert everything.count("same file as") == 3  # no other team has a file at the other level
    assert "same file as birch" in words(ada.get(f"/tasks/small/organize/teams/{alder_id}"))
    assert "birch one Sentence to phrase late" in everything
    for query, total, there in (
        (f"team={alder_id}", 1, "alder theirs "),
        ("level=s2p", 1, " one Sentence to phrase"),
        ("phase=practice&level=p2s", 1, " tried Paragraph to sentence"),
        (f"phase=practice&team={alder_id}", 0, "No submission matches."),
    ):
        page = words(ada.get(f"{PATH}?{query}"))
        assert f"Submissions {total}" in page, query
        assert there in page, query
    monkeypatch.setattr("server.pages.organize.dashboard.FILES_PER_PAGE", 2)
    assert f'href="{PATH}?page=2&amp;phase=evaluation"' in ada.get(f"{PATH}?phase=evaluation").text
    assert "Page 2 of 2 " in words(ada.get(f"{PATH}?phase=evaluation&page=2"))


@pytest.mark.parametrize("counts", [True, False])
def test_same_file_of_two_teams_is_a_to_do_if_it_counts_for_both(world: World, counts: bool) -> None:
    one, alder = world.run(), world.found_team("dee", "alder")
    with db.writing(world.session):
        other = runs.add_run(world.session, alder, world.phase(), "theirs", "", DURING)
    world.upload(one, "s2p")
    uploaded = world.upload(one, "p2s")
    world.upload(other, "p2s", by="dee")
    if not counts:
        world.withdraw(uploaded)
    page = words(world.client("ada").get("/tasks/small/organize/"))
    said = "Teams have the same file at a level of Evaluation. It counts for each of them."
    assert (said in page, "2 with the same file as another team" in page) == (counts, counts)
    filtered = words(world.client("ada").get("/tasks/small/organize/?only=equal"))
    assert ("alder same file as another team" in filtered) == counts


def test_team_page_shows_people_files_rejections_flags_and_deadlines(world: World) -> None:
    play(world, CLOSED)
    run = world.run()
    newest = world.upload(run, "p2s", variant(1))
    with db.writing(world.session):
        run.description, run.method, run.authors = "It counts words.", "counting", "Bo\nCy"
        world.team.affiliations = "Forest University"
        later = DURING + timedelta(days=9)
        world.session.add_all(
            [
                Flag(submission_id=newest.id, code="tiny-steps", words="tiny steps", made_at=DURING),
                Extension(
                    phase_id=world.phase().id,
                    team_id=world.team.id,
                    closes=later,
                    reason="flood",
                    made_at=DURING,
                ),
            ]
        )
    path = f"/tasks/small/organize/teams/{world.team.id}"
    page = words(world.client("observer").get(path))
    for said in (
        "birch approved Members bo (captain), cy Affiliations Forest University",
        "Evaluation until 19 Mar 2026, 12:00 UTC",
        "Flood.",
        "Submissions left, of 3 at each level: Paragraph to sentence 1, Sentence to phrase 2.",
        "one run 1 It counts words. Method counting Authors Bo; Cy",
        "Paragraph to sentence counts run.tsv",
        "tiny steps",
        "Paragraph to sentence rejected run.tsv 1 problem",
    ):
        assert said in page, said
    assert world.client("ada").get("/tasks/small/organize/teams/2147483647").status_code == 404
