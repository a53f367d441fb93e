"""Values by genre: with a manual release, and none while files on its items can still be uploaded."""

import json
from datetime import timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner
from sqlalchemy import Select, select
from sqlalchemy.orm import InstrumentedAttribute

from scorer.cli.__main__ import cli
from server.access import tasks
from server.core import db
from server.core.site_resources import Site
from server.jobs import table_queue
from server.jobs.models import Job
from server.releases import inference_job, inferences
from server.releases.models import Inference
from tests.server.job_runs import run_job
from tests.server.releases.test_releases_anonymous import NAMES, play
from tests.server.round_trip import bring, packed, unpack
from tests.server.visitors import words
from tests.server.world import AFTER, LATE, World

pytestmark = pytest.mark.one_database

BOARD = "/tasks/small/boards/evaluation"
RELEASE = f"{BOARD}/releases/1"


def play_by_genre(world: World) -> None:
    """The cast's runs, on items of which the last two are of another genre."""
    for level in world.task.levels:
        split = tasks.find_split(level, "test")
        assert split is not None
        items = (
            world.storage.get(split.items_sha256).replace(b"News-3", b"Web-3").replace(b"News-4", b"Web-4")
        )
        with db.writing(world.session):
            split.items_sha256 = world.storage.put(items)
    play(world)


def test_release_shows_values_by_genre_equal_to_the_scorers(
    world: World, second_site: Site, tmp_path: Path
) -> None:
    play_by_genre(world)
    world.release()
    visitor = world.client()
    assert "By genre" not in words(visitor.get(RELEASE))
    assert "By genre" not in words(visitor.get(f"{RELEASE}/system?of=official/birch/Quick"))
    assert [visitor.get(f"{RELEASE}{end}").status_code for end in ("/genres.tsv", "?view=genres")] == [
        404
    ] * 2
    world.infer(at=AFTER)
    folder = unpack(packed(world.site), tmp_path / "bundle")
    offline = CliRunner().invoke(
        cli, ["board", str(folder), "--phase", "evaluation", "--by-genre", "--format", "tsv"]
    )
    table = visitor.get(f"{RELEASE}/genres.tsv")
    assert (table.data, table.mimetype) == (offline.stdout_bytes, "text/tab-separated-values")
    lines = [line.split("\t") for line in table.text.splitlines()]
    rows = [dict(zip(lines[0], line, strict=True)) for line in lines[1:]]
    assert {row["genre"] for row in rows} == {"News", "Web"}
    for path in (BOARD, RELEASE):
        page = visitor.get(f"{path}?view=genres")
        assert 'data-chart="heat"' in page.text
        quick = next(row for row in rows if row["run"] == "Quick" and row["metric"] == "pearson")
        assert f'<data value="{quick["value"]}"' in page.text
        assert "News 2 items Web 2 items All items" in words(page)
        assert f'href="{RELEASE}/genres.tsv"' in page.text
    system = visitor.get(f"{RELEASE}/system?of=official/birch/Quick")
    assert f'<data value="{quick["value"]}"' in system.text
    assert f'href="{RELEASE}?view=genres&amp;level=p2s">Paragraph to sentence</a>' in system.text
    assert "Level News Web All items Paragraph to sentence Pearson 1.000 2 items" in words(system)
    constant = words(visitor.get(f"{RELEASE}/system?of=official/birch/yew-constant"))
    assert "– the run has the same score for every item, so it correlates with nothing 2 items" in constant
    assert "no level “x”" in words(visitor.get(f"{RELEASE}?view=genres&level=x"))
    bring(second_site, folder)
    later = AFTER + timedelta(minutes=2)
    world.set_clock(later)
    inference_job.queue_missing(second_site, later)
    for job_id in table_queue.list_due_jobs(second_site.session(), later, only=[inferences.INFERENCE_JOB]):
        if "genres" in second_site.session().get_one(Job, job_id).payload:
            run_job(second_site, job_id)
    here, there = (
        site.session().scalars(select(Inference.genres).where(Inference.release_id.is_not(None))).one()
        for site in (world.site, second_site)
    )
    assert here == there, "what another site imports has them too"
    world.withdraw_release()
    assert visitor.get(f"{RELEASE}/genres.tsv").status_code == 410
    assert visitor.get(f"{BOARD}?view=genres").text.count("heat") == 0


def test_no_values_by_genre_during_grace_period_and_no_names_if_anonymous(world: World) -> None:
    play_by_genre(world)
    world.release(LATE, anonymous=True)
    for what, at in (("inference", LATE + timedelta(hours=1)), ("genres", AFTER)):
        inference_job.queue_missing(world.site, at - timedelta(minutes=9))
        world.infer(what, at)
        ranks, table = world.session.execute(texts(Inference.text, Inference.genres)).one()
        assert "ranks" not in json.loads(ranks)["stability"][0], "these stay as they were made"
        assert (table is None) == (what == "inference")
        assert world.client().get(f"{RELEASE}/genres.tsv").status_code == (404 if table is None else 200)
    assert [name for name in NAMES if name in table] == []
    assert '"levels":' in table


def test_release_by_an_older_version_gets_values_by_genre(world: World) -> None:
    play_by_genre(world)
    world.release()
    world.infer()
    before = world.session.execute(texts(Inference.genres)).scalar_one()
    with db.writing(world.session):
        row = world.session.scalars(select(Inference).where(Inference.release_id.is_not(None))).one()
        text, row.genres, row.shown = row.text, None, {"columns": [], **row.shown, "genres": []}
    for _ in range(2):
        inference_job.queue_missing(world.site, AFTER)
    world.infer("genres", AFTER + timedelta(minutes=9))
    world.session.expire_all()
    row = world.session.scalars(select(Inference).where(Inference.release_id.is_not(None))).one()
    assert (row.genres, row.text, row.shown["genres"]) == (before, text, ["p2s", "s2p"])


def texts(*parts: InstrumentedAttribute[str | None]) -> Select[str | None]:
    return select(*parts).where(Inference.release_id.is_not(None)).order_by(Inference.id)
