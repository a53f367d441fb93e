"""The pages of tables and figures: what a reader of a release gets, and what only organizers have made."""

from collections.abc import Mapping
from datetime import timedelta

import pytest

from server.core import db
from server.jobs import table_queue
from server.papers import service as papers
from server.papers.models import StoredPaper
from server.submissions.follow_up_jobs import PAPER_JOB
from tests.server.evidence.test_evidence import contents
from tests.server.papers.test_papers import publish_runs
from tests.server.stored_papers import FILES, store_release_paper
from tests.server.visitors import words
from tests.server.world import AFTER, World

pytestmark = pytest.mark.one_database

BOARD = "/tasks/small/boards/evaluation"
RELEASE = f"{BOARD}/releases/1"
PAPER, ZIP = f"{RELEASE}/paper", f"{RELEASE}/paper.zip"
TASK, TASK_ZIP = "/tasks/small/organize/paper", "/tasks/small/organize/paper.zip"
SOON = AFTER + timedelta(minutes=3)


def release(world: World, files: Mapping[str, bytes] = FILES) -> None:
    """A release with these tables and figures."""
    publish_runs(world)
    store_release_paper(world, world.release(), files, AFTER)


def list_paper_jobs(world: World) -> list[int]:
    return table_queue.list_due_jobs(world.session, SOON, only=[PAPER_JOB])


def test_first_reader_has_missing_tables_made_once(world: World) -> None:
    publish_runs(world)
    world.release()
    world.infer()
    for job_id in list_paper_jobs(world):
        with db.writing(world.session):
            table_queue.delete_jobs(world.session, [job_id])
    visitor = world.client()
    for _ in range(2):
        assert "The tables and figures are being made." in words(visitor.get(PAPER))
        assert visitor.get(ZIP).status_code == 404
    assert len(list_paper_jobs(world)) == 1
    world.make_papers()
    page, downloaded = visitor.get(PAPER), visitor.get(ZIP)
    assert "Results by level (Pearson) and in total" in words(page)
    assert downloaded.headers["Content-Disposition"] == (
        'attachment; filename="small-evaluation-release-1-paper.zip"'
    )
    assert "tables/results.csv" in contents(downloaded.data)
    for address in (RELEASE, BOARD):
        assert f'href="{PAPER}"' in visitor.get(address).text


def test_release_page_shows_tables_and_figures_in_the_order_of_the_paper(world: World) -> None:
    tables = {f"tables/{name}.md": f"| {name} |\n| --- |\n| 1 |\n".encode() for name in ("a", "b")}
    order = b"\\ref{tab:b} \\label{tab:b} \\label{tab:a} \\label{fig:gold}"
    svg = FILES["figures/heatmap.svg"]
    release(world, {"figures/gold.svg": svg, "results.tex": order, **tables})
    visitor = world.client()
    page = visitor.get(PAPER).text
    assert page.index("<th>b</th>") < page.index("<th>a</th>")
    assert f'src="{PAPER}/gold.svg"' in page
    picture = visitor.get(f"{PAPER}/gold.svg")
    assert (picture.data, picture.mimetype) == (svg, "image/svg+xml")
    assert "<figcaption>Scores by system.</figcaption>" in page
    assert visitor.get(f"{PAPER}/silver.svg").status_code == 404


def test_page_says_what_is_missing_for_figures(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(papers, "DRAWS", False)
    release(world)
    page = world.client().get(PAPER)
    assert "this site cannot draw them" in words(page)
    assert "<code>pip install 'assay[paper]'</code>" in page.text
    monkeypatch.setattr(papers, "DRAWS", True)  # once it is installed, they are made again
    assert "are being made" in words(world.client().get(PAPER))


def test_only_organizers_read_why_tables_could_not_be_made(world: World) -> None:
    release(world)
    with db.writing(world.session):
        row = world.session.query(StoredPaper).one()
        row.sha256, row.error = None, "birch: line 3"
    page = words(world.client().get(PAPER))
    assert "could not be made" in page
    assert "line 3" not in page
    assert "birch: line 3" in words(world.client("ada").get(PAPER))


def test_organizer_has_the_paper_of_a_task_made_and_downloads_it(world: World) -> None:
    publish_runs(world)
    ada = world.client("ada")
    assert ada.get(TASK_ZIP).status_code == 404
    response = ada.post(TASK, {"style": "ceur"})
    assert (response.status_code, response.headers["Location"]) == (302, TASK)
    assert "The tables and figures are being made." in words(ada.get(TASK))
    world.make_papers()
    assert "in the style ceur" in words(ada.get(TASK))
    downloaded = ada.get(TASK_ZIP)
    assert b"ceurart" in contents(downloaded.data)["main.tex"]
    assert downloaded.headers["Content-Disposition"] == 'attachment; filename="small-paper.zip"'


def test_organizer_reads_why_no_paper_was_made(world: World) -> None:
    with db.writing(world.session):
        row = StoredPaper(task_id=world.task.id, style="plain", made_at=AFTER, error="gold.tsv:3: no number")
        row.inputs_sha256 = papers.hash_rounds(world.session, [])
        world.session.add(row)
    assert "gold.tsv:3: no number" in words(world.client("ada").get(TASK))
