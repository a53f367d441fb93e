"""The tables and figures of releases and tasks, made by jobs from what their readers may see.

They are offered only as long as that has not changed.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner

from scorer.cli.__main__ import cli
from server.annotation.campaigns import exclusions
from server.annotation.models import Annotator
from server.core import db
from server.core.errors import Forbidden, NotFound, ReleaseWithdrawn
from server.jobs import service as jobs
from server.papers import making, service as papers
from server.papers.models import StoredPaper
from server.papers.service import PaperState
from server.planning import drafts
from server.releases import pseudonyms, public_releases
from server.submissions.follow_up_jobs import paper_key
from tests.server.annotation.answered import add_answered_campaign
from tests.server.databases import Databases
from tests.server.evidence.test_evidence import contents, evidence_of
from tests.server.sites import disconnect, make_app, site_config
from tests.server.small_task import GOLD, TASK, write_bundle
from tests.server.stored_papers import FILES, make_release_paper, store_release_paper, store_task_paper
from tests.server.world import AFTER, DURING, World, host_small_task

SOON = AFTER + timedelta(minutes=3)


def publish_runs(world: World) -> None:
    with db.writing(world.session):
        world.phase().runs_public = True
    for level in ("p2s", "s2p"):
        world.upload(world.run(), level, b"0.5\n2.5\n1.5\n1.5\n")
        world.upload(world.run("two"), level, b"0.5\n0.5\n2.5\n2.5\n")


def find(world: World, number: int = 1) -> PaperState:
    world.session.expire_all()
    state = public_releases.get_release(world.session, world.phase(), number)
    return papers.find_release_paper(world.session, world.phase(), state, SOON)


def files_of(world: World, paper: PaperState) -> dict[str, bytes]:
    return contents(papers.read_zip(world.session, paper))


def test_release_paper_has_what_scorer_paper_makes_of_the_downloaded_evidence(
    world: World, tmp_path: Path
) -> None:
    publish_runs(world)
    world.release(DURING)  # as early, it has no ranks by other rules
    assert find(world) == PaperState(None, waiting=True)  # as long as its intervals are computed
    world.infer(at=DURING)
    world.make_papers(DURING)
    made = files_of(world, find(world))
    path = tmp_path / "small-evaluation-release-1-evidence.zip"
    path.write_bytes(evidence_of(world.site))
    offline = CliRunner().invoke(cli, ["paper", str(path), "--out", str(tmp_path / "paper")])
    assert offline.exit_code == 0, offline.output
    found = {name: (tmp_path / "paper" / name).read_bytes() for name in made}
    assert made == found
    assert {"main.tex", "results.tex", "systems.bib", "tables/results.csv"} < set(made)
    assert b"birch,one" in made["tables/results.csv"]


def test_anonymous_release_paper_has_letters_and_ends_with_the_anonymity(world: World) -> None:
    publish_runs(world)
    world.release(anonymous=True)
    make_release_paper(world)
    made = files_of(world, find(world))
    assert b"Team A,run 1" in made["tables/results.csv"]
    assert not [name for name, text in made.items() if b"birch" in text]
    assert made["systems.bib"] == b""
    with db.writing(world.session):
        pseudonyms.reveal_names(world.session, world.actor("ada"), world.phase(), SOON)
    assert find(world).row is None
    with pytest.raises(NotFound, match="have not been made yet"):
        papers.read_zip(world.session, find(world))


def test_release_paper_is_made_again_once_there_are_intervals(world: World) -> None:
    publish_runs(world)
    release = world.release()
    store_release_paper(world, release, at=SOON)
    assert find(world).row is not None
    world.infer()
    assert find(world) == PaperState(None, waiting=True)
    assert jobs.is_queued(world.session, paper_key(release.id))


def test_withdrawn_release_gets_no_paper(world: World) -> None:
    publish_runs(world)
    release = world.release()
    world.withdraw_release()
    making.make_paper(world.site, {"release": release.id}, SOON)
    assert world.session.query(StoredPaper).count() == 0
    with pytest.raises(ReleaseWithdrawn):
        find(world)


SAME_SCORES = {level: (*gold[:2], gold[3], gold[2]) for level, gold in GOLD.items()}
"""The labels of two items exchanged that the run gives one score."""


def test_release_paper_depends_on_hidden_gold_by_the_released_scores_alone(
    databases: Databases, set_clock: Callable[[datetime], None], tmp_path: Path
) -> None:
    def make(name: str, gold: dict[str, tuple[str, ...]]) -> bytes:
        world = World(make_app(site_config(tmp_path / name, databases.migrated())), set_clock)
        with world.app.app_context():
            host_small_task(world, write_bundle(tmp_path / name / "bundle", TASK, gold))
            publish_runs(world)
            making.make_paper(world.site, {"release": world.release(DURING).id}, DURING)
            row = world.session.query(StoredPaper).one()
            data = world.storage.get(row.sha256)
        disconnect(world.app)
        return data

    first = make("first", GOLD)
    assert b"birch,one" in contents(first)["tables/results.csv"]
    assert make("same", SAME_SCORES) == first


def test_task_paper_has_gold_campaigns_and_the_style_for_organizers_alone(world: World) -> None:
    publish_runs(world)
    world.give_role("dee", "observer")
    add_answered_campaign(world)
    session = world.session
    assert papers.find_task_paper(session, world.actor("ada"), world.task) == PaperState(None)
    with db.writing(session):
        papers.request_task_paper(session, world.actor("ada"), world.task, "acl", DURING)
    assert papers.find_task_paper(session, world.actor("ada"), world.task).waiting
    world.make_papers(DURING)
    paper = papers.find_task_paper(session, world.actor("ada"), world.task)
    made = files_of(world, paper)
    assert b"\\usepackage{acl}" in made["main.tex"]
    assert b"LCS" in made["tables/results.csv"]  # a baseline, hidden from a release
    assert "tables/agreement.csv" in made
    for action in (
        lambda actor: papers.find_task_paper(session, actor, world.task),
        lambda actor: papers.request_task_paper(session, actor, world.task, "acl", DURING),
    ):
        with pytest.raises(Forbidden):
            action(world.actor("dee"))


def test_task_paper_is_withheld_once_an_annotator_is_excluded(world: World) -> None:
    ada, answered = world.actor("ada"), add_answered_campaign(world)
    store_task_paper(world, FILES)
    assert papers.find_task_paper(world.session, ada, world.task).row is not None
    with db.writing(world.session):
        annotator = world.session.get_one(Annotator, answered.annotators["A002"])
        exclusions.exclude_annotator(world.session, ada, annotator, excluded=True, reason="hasty", now=DURING)
    assert papers.find_task_paper(world.session, ada, world.task) == PaperState(None)


def test_what_the_scorer_says_is_kept_if_it_makes_no_paper(world: World) -> None:
    ada = world.actor("ada")
    with db.writing(world.session):
        task = drafts.begin_draft(world.session, ada, "Tides", "tides", DURING)
    making.make_paper(world.site, {"task": task.id, "style": "plain"}, DURING)
    failure = papers.find_task_paper(world.session, ada, task).failure
    assert failure == "The task has no gold standard, and no annotator has answered."
    making.make_paper(world.site, {"task": world.task.id, "style": "nonsense"}, DURING)
    failure = papers.find_task_paper(world.session, ada, world.task).failure
    assert failure is not None
    assert "nonsense" in failure
