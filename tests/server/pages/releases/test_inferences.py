"""Pages that say which ranks are real, before it is computed and after."""

import re
from datetime import timedelta

import pytest
from sqlalchemy import select

from server.core import db
from server.releases import live_boards, pseudonyms
from server.releases.models import Inference
from server.runs.models import Run
from tests.server.releases.test_releases_anonymous import play
from tests.server.small_task import variant
from tests.server.visitors import words
from tests.server.world import AFTER, DURING, World

pytestmark = pytest.mark.one_database

BOARD = "/tasks/small/boards/evaluation"
RELEASE = f"{BOARD}/releases/1"
PREVIEW = "/tasks/small/organize/boards/evaluation"
EDIT = "/tasks/small/organize/phases/evaluation/edit"


def test_board_says_intervals_are_being_computed_then_shows_them_with_a_new_etag(world: World) -> None:
    play(world)
    world.release()
    visitor = world.client()
    tag = visitor.get(RELEASE).headers["ETag"]
    for path in (BOARD, RELEASE):
        page = words(visitor.get(path))
        assert "Confidence intervals and significance tests are being computed" in page
        assert "% confidence interval" not in page
    for name in ("inference.json", "pairs.tsv"):
        assert visitor.get(f"{RELEASE}/{name}").status_code == 404
    world.infer()
    later = visitor.get(RELEASE, headers={"If-None-Match": tag})
    assert later.status_code == 200
    for path in (BOARD, RELEASE):
        page = words(visitor.get(path))
        assert "are being computed" not in page
        assert "Intervals: BCa bootstrap over items, 10,000 resamples, seed 0." in page
        assert ", interval" in page
        level = visitor.get(f"{path}?level=p2s")
        assert "permutations, Holm-adjusted, α = 0.05" in words(level)
        assert 'href="/help/statistics#permutation"' in level.text
    found = visitor.get(f"{RELEASE}/inference.json")
    world.session.expire_all()
    text = world.session.scalars(select(Inference.text).where(Inference.release_id.is_not(None))).one()
    assert (found.data, found.mimetype) == (text.encode(), "application/json")
    again = visitor.get(f"{RELEASE}/inference.json", headers={"If-None-Match": found.headers["ETag"]})
    assert again.status_code == 304
    pairs = visitor.get(f"{RELEASE}/pairs.tsv").text.splitlines()
    assert pairs[0].startswith("level\tmetric\tteam\trun\t")
    assert len(pairs) > 2
    rows = [dict(zip(pairs[0].split("\t"), line.split("\t"), strict=True)) for line in pairs[1:]]
    assert all(
        abs(float(row[name])) < 3 for row in rows for name in ("difference", "low", "high", "p", "adjusted")
    )
    assert {row["better"] for row in rows} <= {"first", "second", "neither"}
    world.withdraw_release()
    for name in ("inference.json", "pairs.tsv"):
        gone = visitor.get(f"{RELEASE}/{name}")
        assert (gone.status_code, gone.mimetype) == (410, "text/plain")
    assert ", interval" not in words(visitor.get(BOARD))


def test_latex_has_the_intervals_and_the_columns_that_a_person_chose(world: World) -> None:
    play(world)
    world.release()
    visitor = world.client()
    assert "Interval" not in visitor.get(f"{RELEASE}.tex").text
    world.infer()
    whole = visitor.get(f"{RELEASE}.tex").text
    assert "Rank & Range & Team & System & " in whole
    assert " & Total & Interval & " in whole
    page = visitor.get(RELEASE).text
    names = re.findall(r'name="columns" value="([^"]*)"', page)
    assert set(names) > {"rank", "range", "team", "system", "p2s", "total", "interval", "pearson"}
    assert visitor.get(f"{RELEASE}.tex", query_string={"columns": names}).text == whole
    for path in (f"{RELEASE}.tex", "/api/v1/tasks/small/phases/evaluation/releases/1/board.tex"):
        chosen = visitor.get(path, query_string={"columns": "total,interval,team"}).text
        assert chosen.count(r"\begin{table}") == 1
        assert r"Team & Total & Interval \\" in chosen
    refused = visitor.get(f"{RELEASE}.tex?columns=total&columns=nonsense")
    assert refused.status_code == 404
    assert 'there is no column "nonsense"; there are rank, range, team, system, ' in words(refused)


NOT_BETTER = "Not significantly better than the best baseline, organizers LCS."


def test_board_says_above_its_table_why_rank_ranges_are_wide(world: World) -> None:
    play(world)
    world.upload(world.run("half"), "p2s", variant(1))
    world.release()
    world.infer()
    page = words(world.client().get(BOARD))
    said = "Rank ranges are wide here: 2 pairs of systems were not compared on the total"
    assert page.index(said) < page.index("Rank by Spearman")
    assert said not in words(world.client().get(f"{BOARD}?level=p2s"))


def test_board_marks_systems_that_are_not_better_than_the_best_baseline(world: World) -> None:
    play(world)
    world.release()
    world.infer()
    visitor = world.client()
    for path in (BOARD, RELEASE, f"{BOARD}?level=p2s"):
        page = visitor.get(path)
        assert NOT_BETTER in words(page)
        assert "Quick † (not significantly better than the best baseline)" in words(page)
        assert "LCS †" not in words(page)
        assert (
            "by paired permutation tests with 1,000 permutations each, Holm-adjusted over these 2 tests alone"
            in words(page)
        )
    page = words(visitor.get(f"{BOARD}?metric=spearman"))
    assert "best baseline" not in page
    assert "†" not in page
    found = visitor.get(f"{RELEASE}/inference.json").json
    assert [column["level"] for column in found["columns"] if "baseline" in column] == ["p2s", "s2p", None]


def test_release_without_baselines_is_not_compared_with_them(world: World) -> None:
    play(world)
    world.release(DURING)
    for what in ("inference", "draft"):
        world.infer(what, DURING + timedelta(minutes=3))
    visitor, ada = world.client(), world.client("ada")
    for path in (BOARD, RELEASE, f"{BOARD}?level=p2s"):
        page = words(visitor.get(path))
        assert ", interval" in page
        assert "best baseline" not in page
        assert "†" not in page
    text = visitor.get(f"{RELEASE}/inference.json").text
    assert "baseline" not in text
    assert NOT_BETTER in words(ada.get(PREVIEW)), "organizers see the baselines of the draft"


def test_live_board_with_baselines_is_compared_with_the_best_one(world: World) -> None:
    for name, data in (("one", b"0.5\n1.0\n2.5\n3.5\n"), ("two", b"1\n2\n4\n3\n")):
        world.upload(world.run(name, "practice"), "p2s", data)
    with db.writing(world.session):
        phase = world.phase("practice")
        phase.board = "live"
        live_boards.release_live_board(world.session, phase, DURING)
    world.infer("live", DURING + timedelta(minutes=3))
    assert NOT_BETTER in words(world.client().get("/tasks/small/boards/practice"))


def test_organizer_sees_draft_inference_and_that_a_newer_file_makes_it_outdated(world: World) -> None:
    play(world)
    ada = world.client("ada")
    assert ada.get(f"{PREVIEW}/inference.json").status_code == 404
    assert "are computed when the leaderboard has not changed for two minutes" in words(ada.get(PREVIEW))
    world.infer("draft")
    page = words(ada.get(PREVIEW))
    assert "Intervals and tests of this leaderboard, computed" in page
    assert ", interval" in page
    assert ada.get(f"{PREVIEW}/inference.json").json["schema"] == "assay.inference/1"
    world.fix_gold("p2s", b"3\n1\n2\n0\n", AFTER)
    page = words(ada.get(PREVIEW))
    assert "are computed when the leaderboard has not changed for two minutes" in page
    assert ", interval" not in page


@pytest.mark.parametrize("anonymous", [False, True])
def test_team_sees_the_neighbours_of_its_run_in_the_ranking(world: World, anonymous: bool) -> None:
    play(world)
    run_id = world.session.query(Run.id).filter_by(name="Quick").scalar()
    path = f"/tasks/small/runs/{run_id}/"
    bo = world.client("bo")
    world.release(anonymous=anonymous)
    assert "Ranking" not in words(bo.get(path))
    world.infer()
    page = words(bo.get(path))
    assert "In release 1, by the total: Rank 1 of 2; rank range 1–2. Tied with " in page
    assert ("alder yew-nought" in page) is not anonymous
    assert "Tied with " in page
    assert "has rank 1 of 2 (rank range 1–2)" in words(bo.get("/tasks/small/team/"))
    if anonymous:
        with db.writing(world.session):
            pseudonyms.reveal_names(world.session, world.actor("ada"), world.phase(), AFTER)
        assert "Ranking" not in words(bo.get(path))
        world.infer(at=AFTER + timedelta(minutes=9))
        assert "alder yew-nought" in words(bo.get(path))


def test_phase_form_shows_the_detectable_difference(world: World) -> None:
    ada = world.client("ada")
    page = words(ada.get(EDIT))
    assert "Detectable differences" in page
    assert "For two systems that correlate 0.80 with the gold standard and 0.90 with each other" in page
    assert "none: there are too few items" in page
    assert "With fewer than 50 items, a test detects somewhat smaller differences than those shown." in page
    for asked, said in (
        ("r=.5&between=.2&pairs=1", "correlate 0.50 with the gold standard and 0.20 with each other"),
        ("r=2&between=.9&pairs=1", "Enter a correlation from 0.01 to 0.99."),
        ("r=.9&between=.01&pairs=1", "Two systems cannot have these correlations:"),
        ("r=&between=.5&pairs=-1", "Enter a number."),
        ("pairs=5", "Enter a number."),
    ):
        response = ada.get(f"{EDIT}?{asked}")
        assert response.status_code == 200
        assert said in words(response), asked
    with db.writing(world.session):
        world.phase().opens = DURING + timedelta(days=1)
    assert (
        "At one of the levels, there are too few items to detect any difference between two systems."
        in words(ada.get("/tasks/small/organize/"))
    )
