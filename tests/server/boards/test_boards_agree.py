"""The site's board and the one that a reader recomputes from the bundle are the same bytes."""

import json
from datetime import timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner

from scorer.boards.board import NOT_ENTERED
from scorer.boards.serialization import board_json
from scorer.bundles.reader import read_bundle
from scorer.bundles.recompute import recompute_board
from scorer.cli.__main__ import cli as scorer
from scorer.metrics import METRICS
from scorer.values import Undefined
from server import bundles
from server.access import tasks
from server.boards import service as boards
from server.core import db
from server.core.actors import CONSOLE
from server.core.site_resources import Site
from server.planning import extensions
from server.releases import service as releases
from server.tasks.models import Task
from tests.server.small_task import TASK, write_bundle
from tests.server.world import CLOSES, DURING, LATE, World

RUNS = {
    ("birch", "full", "p2s"): b"0.5\n1.0\n2.5\n3.5\n",
    ("birch", "full", "s2p"): b"3.5\t0.5\n0.25\t1\n2.0\t0\n1.0\t0.125\n",
    ("birch", "half", "p2s"): b"0.1\n0.2\n0.3\n0.30000000000000004\n",
    ("elm", "constant", "p2s"): b"2\n2\n2\n2\n",
    ("elm", "constant", "s2p"): b"4\n0\n3\n1\n",
    ("elm", "late", "p2s"): b"1\n2\n3\n4\n",
    ("elm", "late", "s2p"): b"4\n1\n3\n1\n",
    ("elm", "only-late", "p2s"): b"4\n3\n2\n1\n",
    ("zelkova", "twin", "p2s"): b"0.5\n1.0\n2.5\n3.5\n",
}
LATE_RUNS = {("elm", "late"): '["s2p"]', ("elm", "only-late"): '["p2s"]'}
EVERY_METRIC = f'metrics = {json.dumps(list(METRICS))}\ncolumns = ["left", "right", "id", "group"]'


@pytest.fixture
def with_runs(tmp_path: Path) -> Path:
    """The small task with runs: one late in part, one late altogether, one constant, some in part."""
    task = TASK
    for (team, name), late in LATE_RUNS.items():
        task += f'\n[[run]]\nteam = "{team}"\nname = "{name}"\nlate = {late}\n'
    task = task.replace('slug = "small"', 'slug = "runs"').replace(
        'slug = "s2p"', f'slug = "s2p"\n{EVERY_METRIC}'
    )
    folder = write_bundle(tmp_path / "with-runs", task)
    items = folder / "s2p.test.tsv"
    rows = items.read_text(encoding="utf-8").splitlines()
    items.write_text("".join(f"{row}\tg{k // 2}\n" for k, row in enumerate(rows)), encoding="utf-8")
    gold = folder / "s2p.test.gold"
    labels = gold.read_text(encoding="utf-8").split()
    gold.write_text("gold\tsd\n" + "".join(f"{label}\t1.5\n" for label in labels), encoding="utf-8")
    for (team, run, level), data in RUNS.items():
        path = folder / "runs" / team / run / f"{level}.tsv"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder


def host(site: Site, plan: bundles.ImportPlan) -> Task:
    session = site.session()
    with db.writing(session):
        return bundles.import_task(session, CONSOLE, plan, [], DURING, published=True)


def test_an_imported_bundle_has_the_board_that_the_scorer_recomputes(world: World, with_runs: Path) -> None:
    task = host(world.site, bundles.plan_import(with_runs))
    for split, slug in (("test", "evaluation"), ("trial", "practice")):
        board = recompute_board(read_bundle(with_runs), split)
        expected = board_json(board, task="runs", title="A small task", split=split)
        phase = tasks.get_phase(world.session, task, slug)
        assert boards.board_text(world.session, phase) == expected
    assert '"late"' in expected


def test_the_board_shows_every_kind_of_row(world: World, with_runs: Path) -> None:
    """Guards the test above: agreement about an empty board would say little."""
    task = host(world.site, bundles.plan_import(with_runs))
    phase = tasks.get_phase(world.session, task, "evaluation")
    board = boards.phase_board(world.session, phase)
    assert {(row.team, row.run) for row in board.official} == {
        ("birch", "full"),
        ("birch", "half"),
        ("elm", "constant"),
        ("elm", "late"),
        ("zelkova", "twin"),
    }
    assert {(row.team, row.run) for row in board.late} == set(LATE_RUNS)
    assert [(row.team, row.run) for row in board.baselines] == [("organizers", "LCS")]
    by_run = {row.run: row.cells for row in board.official}
    constant = by_run["constant"]["p2s"]["pearson"]
    assert (isinstance(constant.value, Undefined), constant.rank) == (True, None)
    choice, weighted = (by_run["full"]["s2p"][name] for name in ("choice_accuracy", "weighted_pearson"))
    assert (choice.value, "|choices:2|" in (choice.signature or "")) == (1.0, True)
    # Gold 3.625, .375, 2.375, 1.125 and scores 3.5, .25, 2, 1: all are within 1.
    assert by_run["full"]["s2p"]["within_sd"].value == 1
    assert weighted.value != by_run["full"]["s2p"]["pearson"].value
    assert by_run["half"]["s2p"]["pearson"].value == NOT_ENTERED
    assert by_run["twin"]["p2s"]["pearson"].rank == by_run["full"]["p2s"]["pearson"].rank


def test_uploaded_files_give_the_board_of_the_same_files_offline(world: World, tmp_path: Path) -> None:
    """Through replacing, withdrawing, lateness and a gold fix: what counts is what a bundle would hold."""
    run, other = world.run("one"), world.run("two")
    world.upload(run, "p2s", RUNS["birch", "full", "p2s"])
    world.withdraw(world.upload(run, "p2s", b"1\n1\n1\n2\n"))
    world.upload(other, "s2p", b"4\n4\n4\n1\n")
    world.upload(other, "s2p", RUNS["birch", "full", "s2p"])
    world.upload(other, "p2s", RUNS["elm", "late", "p2s"], at=LATE)
    world.fix_gold("s2p", b"3.625\n\n2.375\n1.25\n")

    task = TASK + '\n[[run]]\nteam = "birch"\nname = "two"\nlate = ["p2s"]\n'
    folder = write_bundle(tmp_path / "offline", task)
    (folder / "s2p.test.gold").write_bytes(b"3.625\n\n2.375\n1.25\n")
    for name, level, data in (
        ("one", "p2s", RUNS["birch", "full", "p2s"]),
        ("two", "s2p", RUNS["birch", "full", "s2p"]),
        ("two", "p2s", RUNS["elm", "late", "p2s"]),
    ):
        path = folder / "runs" / "birch" / name / f"{level}.tsv"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    printed = CliRunner().invoke(scorer, ["board", str(folder), "--format", "json"])
    assert printed.exit_code == 0, printed.stderr
    assert boards.board_text(world.session, world.phase()) == printed.stdout
    early = CliRunner().invoke(scorer, ["board", str(folder), "--format", "json", "--without-baselines"])
    assert '"LCS"' in printed.stdout
    assert '"LCS"' not in early.stdout
    assert world.release(CLOSES).board == early.stdout  # the closing instant is on time
    assert world.release(CLOSES + timedelta(seconds=1)).board == printed.stdout
    with db.writing(world.session):  # one team may go on, so its rivals' figures wait again
        extensions.extend_deadline(
            world.session, world.actor("ada"), world.phase(), world.team, LATE, "a mercy", CLOSES
        )
    assert world.release(LATE).board == early.stdout
    with db.writing(world.session):
        world.phase().baselines = "always"
    assert world.release(LATE).board == printed.stdout


def test_levels_without_the_phases_split_are_no_columns(world: World) -> None:
    file, _ = boards.board_and_hash(world.session, world.phase("practice"))
    assert [level.slug for level in file.board.levels] == ["p2s"]


def test_run_without_a_counting_file_has_no_row(world: World) -> None:
    world.run("empty")
    world.withdraw(world.upload(world.run("one"), "p2s"))
    assert boards.phase_board(world.session, world.phase()).official == ()


def test_previewing_a_board_writes_nothing(world: World) -> None:
    world.upload(world.run(), "p2s")
    boards.board_text(world.session, world.phase())
    assert not world.session.new
    assert not world.session.dirty
    assert releases.find_newest(world.session, world.phase()) is None
