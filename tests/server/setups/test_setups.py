"""Setting up a task in the browser, from nothing to a task that is created."""

from io import BytesIO

import pytest
from werkzeug.test import TestResponse

from server.setups.models import TaskSetup
from server.tasks.models import Task
from tests.server.small_task import TEXTS
from tests.server.visitors import Visitor, words
from tests.server.world import World

pytestmark = pytest.mark.one_database

ITEMS = "".join(f"{left}\t{right}\tNews-{i}\n" for i, (left, right) in enumerate(TEXTS, start=1)).encode()
GOLD = b"0.125\n1.375\n\n3.875\n"
SCALE = {
    "low": "0", "high": "4", "step": "", "labels": "0 = unrelated\n4: the same", "official": "pearson",
    "others": "spearman", "run_format": "aligned", "total": "sum", "total_needs": "entered",
}  # fmt: skip
PHASE = {
    "slug": "evaluation", "title": "Evaluation", "split": "test", "opens": "2026-03-01 09:00",
    "closes": "2026-03-15 23:59 AoE", "grace_hours": "0", "reminders": "", "runs_per_team": "3",
    "feedback": "hidden", "board": "released", "baselines": "after",
}  # fmt: skip
LEVEL = {
    "title": "Paragraph to sentence",
    "slug": "p2s",
    "left": "paragraph",
    "right": "sentence",
    "counts": "y",
}


def begin(
    world: World, person: str = "ada", title: str = "Tides and words", slug: str = ""
) -> tuple[Visitor, str]:
    """A person's browser, and the address of the setup that they began."""
    visitor = world.client(person)
    response = visitor.post("/setups/new", {"title": title, "slug": slug})
    assert response.status_code == 302, words(response)
    return visitor, response.headers["Location"]


def upload(visitor: Visitor, at: str, split: str = "test", **files: bytes) -> TestResponse:
    """Upload files of a split to a level."""
    form = {f"{split}-{kind}": (BytesIO(data), f"{kind}.tsv") for kind, data in files.items()}
    return visitor.post(f"{at}{split}", form)


def fill(visitor: Visitor, at: str) -> None:
    """All steps of a task with one level."""
    assert visitor.post(f"{at}scale", SCALE).status_code == 302
    assert visitor.post(f"{at}levels/new", LEVEL).headers["Location"] == f"{at}levels/p2s/"
    assert upload(visitor, f"{at}levels/p2s/", items=ITEMS, gold=GOLD).status_code == 302
    assert visitor.post(f"{at}phases/new", PHASE).status_code == 302


def test_task_is_set_up_step_by_step_and_created(world: World) -> None:
    ada, at = begin(world)
    fill(ada, at)
    page = words(ada.get(f"{at}levels/p2s/"))
    assert "4 items, 3 of them scored." in page
    check = words(ada.get(f"{at}check"))
    assert "The task has no problems." in check
    assert "Paragraph to sentence Test 4 items, 3 of them scored hidden" in check
    response = ada.post(f"{at}create")
    assert response.headers["Location"] == "/tasks/tides-and-words/organize/"
    task = world.session.query(Task).filter_by(slug="tides-and-words").one()
    assert (task.title, task.scale_max, task.labels) == (
        "Tides and words",
        4,
        [[0, "unrelated"], [4, "the same"]],
    )
    assert [level.slug for level in task.levels] == ["p2s"]
    assert world.session.query(TaskSetup).count() == 0
    assert ada.get(at).status_code == 404
