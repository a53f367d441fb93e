"""A run file for other items of its task: that alone is what the site says, and nothing of hidden items."""

from datetime import timedelta
from pathlib import Path

import pytest

from server import bundles
from server.core import db
from server.core.actors import CONSOLE
from tests.server.programs import Program
from tests.server.small_task import TASK, write_bundle
from tests.server.visitors import words
from tests.server.world import OPENS, World

pytestmark = pytest.mark.one_database

KEYED = 'run_format = "keyed"\nkeyed = { id = "pair_ID", score = "score" }'
ALIGNED_TRIAL = b"1\n2\n"
ALIGNED_TEST = b"1\n2\n3\n4\n"
KEYED_TRIAL = b"pair_ID\tscore\nTrial-2\t1\nTrial-1\t2\n"
TWICE = KEYED_TRIAL + b"Trial-1\t3\n"
KEYED_TEST = b"pair_ID\tscore\nNews-1\t1\nNews-2\t2\nNews-3\t3\nNews-4\t4\n"
ENDING = "; upload it there, or choose the right file"
OF_TRIAL = "the trial items of Paragraph to sentence (2), not the test items of Paragraph to sentence (4)"


def host(world: World, folder: Path, task: str) -> None:
    """A task `two` whose trial split has two items."""
    write_bundle(folder, task.replace('slug = "small"', 'slug = "two"'))
    lines = (folder / "trial.tsv").read_text(encoding="utf-8").splitlines(keepends=True)
    (folder / "trial.tsv").write_text("".join(lines[:2]), encoding="utf-8")
    (folder / "trial.gold").write_text("0\n2\n", encoding="utf-8")
    with db.writing(world.session):
        plan = bundles.plan_import(folder)
        bundles.import_task(world.session, CONSOLE, plan, [world.user("ada")], OPENS, published=True)


def run_of(dee: Program, phase: str) -> int:
    dee.post("/tasks/two/teams", {"name": "alder"})
    return int(dee.post(f"/tasks/two/phases/{phase}/runs", {"name": "one"}).json["id"])


@pytest.mark.parametrize(
    ("task", "data", "fact"),
    [
        (TASK, ALIGNED_TRIAL, "the file has 2 lines, as many as "),
        (TASK.replace("[board]", f"{KEYED}\n[board]"), KEYED_TRIAL, "the file has the items of "),
        (TASK.replace("[board]", f"{KEYED}\n[board]"), TWICE, "the file has the items of "),
    ],
    ids=["aligned", "keyed", "keyed, an item twice"],
)
def test_run_for_another_split_is_reported_as_the_only_problem(
    world: World, tmp_path: Path, task: str, data: bytes, fact: str
) -> None:
    host(world, tmp_path / "two", task)
    dee = Program(world, "dee")
    run = run_of(dee, "evaluation")
    for address in (f"/runs/{run}/check/p2s", f"/runs/{run}/files/p2s"):
        answer = dee.upload(address, data)
        (problem,) = answer.json["problems"]
        assert (answer.status_code, answer.json["count"]) == (422, 1)
        assert (problem["line"], problem["code"]) == (None, "other_items")
        assert problem["message"] == f"{fact}{OF_TRIAL}{ENDING}"
    page = words(world.client("dee").upload(f"/tasks/two/runs/{run}/p2s/upload", data))
    assert "run.tsv has 1 problem." in page
    assert f"Whole file {fact[0].upper()}{fact[1:]}{OF_TRIAL}{ENDING}." in page


@pytest.mark.parametrize(
    ("task", "data"),
    [(TASK, ALIGNED_TEST), (TASK.replace("[board]", f"{KEYED}\n[board]"), KEYED_TEST)],
    ids=["aligned", "keyed"],
)
def test_items_not_yet_published_are_not_revealed(
    world: World, tmp_path: Path, task: str, data: bytes
) -> None:
    host(world, tmp_path / "two", task)
    dee = Program(world, "dee")
    run = run_of(dee, "practice")
    world.set_clock(OPENS - timedelta(minutes=1))
    early = dee.upload(f"/runs/{run}/check/p2s", data)
    assert "other_items" not in early.text
    assert "test" not in early.text
    world.set_clock(OPENS)
    (problem,) = dee.upload(f"/runs/{run}/check/p2s", data).json["problems"]
    assert problem["code"] == "other_items"


def test_run_for_no_known_split_shows_its_ordinary_problems(world: World, tmp_path: Path) -> None:
    host(world, tmp_path / "two", TASK)
    dee = Program(world, "dee")
    answer = dee.upload(f"/runs/{run_of(dee, 'evaluation')}/check/p2s", b"1\n2\n3\n")
    assert [problem["code"] for problem in answer.json["problems"]] == ["too_few_lines"]
