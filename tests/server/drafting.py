"""What a person sends to set up a task, as a draft."""

from io import BytesIO

from werkzeug.test import TestResponse

from server.tasks.models import Task
from tests.server.small_task import TEXTS
from tests.server.visitors import Visitor, words
from tests.server.world import World

ITEMS = "".join(f"{left}\t{right}\tNews-{i}\n" for i, (left, right) in enumerate(TEXTS, start=1)).encode()
GOLD = b"0.125\n1.375\n\n3.875\n"
SCALE = {
    "low": "0", "high": "4", "step": "", "labels": "0 = unrelated\n4: the same", "official": "pearson",
    "others": "spearman", "run_format": "aligned", "total": "sum", "total_needs": "entered",
    "enter_at_least": "1",
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
    """A person's browser, and the address of the organizers' pages of the draft that they began."""
    visitor = world.client(person)
    response = visitor.post("/new-task", {"title": title, "slug": slug, "start": "files"})
    assert response.status_code == 302, words(response)
    return visitor, response.headers["Location"]


def draft_of(world: World) -> Task:
    """The draft that was begun last."""
    world.session.expire_all()
    return world.session.query(Task).filter(Task.state == "draft").order_by(Task.id.desc()).first()


def upload(
    visitor: Visitor, at: str, split: str = "test", *, public: bool = False, **files: bytes
) -> TestResponse:
    """Upload files of a split to a level, whose address is given."""
    form: dict[str, object] = {
        f"{split}-{kind}": (BytesIO(data), f"{kind}.tsv") for kind, data in files.items()
    }
    return visitor.post(at, {**form, f"{split}-public_gold": "y"} if public else form)


def with_level(
    world: World, items: bytes | None = ITEMS, *, scale: bool = True, **more: bytes
) -> tuple[Visitor, str]:
    """A draft with a scale and one level; the browser, and the address of the level."""
    ada, at = begin(world)
    if scale:
        assert ada.post(f"{at}scoring", SCALE).status_code == 302
    assert ada.post(f"{at}levels/new", LEVEL).headers["Location"] == f"{at}levels/p2s/"
    files = more if items is None else {"items": items, **more}
    if files:
        assert upload(ada, f"{at}levels/p2s/", **files).status_code == 302
    return ada, f"{at}levels/p2s/"


TEXTS_OF_TASK = {
    "title": "Tides and words", "description": "About the sea.", "licence": "CC BY", "terms": "",
    "organizers": "The Harbour Group", "contact": "ada@example.org", "mailing_list": "",
}  # fmt: skip


def fill(world: World) -> tuple[Visitor, str]:
    """All that a task with one level needs; the browser, and the address of the organizers' pages."""
    ada, level = with_level(world, ITEMS, gold=GOLD)
    at = level.removesuffix("levels/p2s/")
    assert ada.post(f"{at}edit", TEXTS_OF_TASK).status_code == 302
    assert ada.post(f"{at}phases/new", PHASE).status_code == 302
    return ada, at
