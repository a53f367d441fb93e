"""Setting up a task by the services, on each kind of database."""

import pytest

from server.core import db
from server.core.errors import Conflict, NameTaken, NotFound
from server.setups import creation, levels, phases, service
from server.setups.bundle_files import content_of
from server.setups.levels import LevelEdit, SplitFiles, UploadedFile
from server.setups.models import SetupFile, TaskSetup
from server.setups.steps import FORM_STEPS
from server.tasks.models import Task
from tests.server.pages.setups.setup_forms import GOLD, ITEMS
from tests.server.world import CLOSES, DURING, OPENS, World

P2S = LevelEdit("p2s", "Paragraph to sentence", ("paragraph", "sentence"))
SCALE = {
    "low": 0.0, "high": 4.0, "step": None, "labels": "0 = unrelated\n4 = ähnlich", "official": "pearson",
    "others": [], "run_format": "aligned", "keyed_id": "", "keyed_score": "", "keyed_gold": "",
    "keyed_confidence": "", "confidence": 100.0, "total": "sum", "total_needs": "entered",
    "enter_at_least": 1,
}  # fmt: skip
PHASE = {
    **phases.DEFAULTS, "slug": "evaluation", "title": "Evaluation", "split": "test", "opens": OPENS,
    "closes": CLOSES, "reminders": (24, 72), "files_per_level": None, "files_per_day": 5,
    "feedback_places": None, "ladder_step": None,
}  # fmt: skip


def begin(world: World, slug: str = "tides") -> int:
    with db.writing(world.session):
        return service.begin_setup(world.session, world.actor("ada"), "Tides", slug, DURING).id


def get(world: World, setup_id: int, person: str = "ada") -> TaskSetup:
    return service.get_setup(world.session, world.actor(person), setup_id)


def put(world: World, setup_id: int, **files: bytes) -> None:
    uploads = {
        kind: UploadedFile(f"{kind}.tsv", world.storage.put(data), data) for kind, data in files.items()
    }
    with db.writing(world.session):
        levels.save_files(get(world, setup_id), "p2s", {"test": SplitFiles(uploads)}, DURING)  # type: ignore[arg-type]


def fill(world: World) -> int:
    """A complete setup."""
    setup_id = begin(world)
    with db.writing(world.session):
        setup = get(world, setup_id)
        FORM_STEPS["scale"].save(setup, SCALE, DURING)
        FORM_STEPS["teams"].save(setup, {"size": 4, "registration": "approved"}, DURING)
        levels.add_level(setup, P2S, DURING)
        phases.save_phase(setup, None, PHASE, DURING)
    put(world, setup_id, items=ITEMS, gold=GOLD)
    return setup_id


def test_setup_keeps_what_was_saved_for_its_person_alone(world: World) -> None:
    setup_id = fill(world)
    world.session.expire_all()
    setup = get(world, setup_id)
    assert setup.tables["task"]["labels"] == {"0": "unrelated", "4": "ähnlich"}
    assert setup.tables["teams"] == {"registration": "approved", "size": 4}
    assert phases.fields_of(setup.tables["phase"][0])["closes"] == CLOSES
    assert [file.path for file in setup.files] == ["gold/test/p2s.tsv", "items/test/p2s.tsv"]
    assert [one.id for one in service.list_setups(world.session, world.actor("ada"))] == [setup_id]
    assert service.list_setups(world.session, world.actor("bo")) == []
    with pytest.raises(NotFound):
        get(world, setup_id, "bo")


def test_setup_becomes_a_draft_with_what_was_saved(world: World) -> None:
    setup_id = fill(world)
    content = content_of(get(world, setup_id))
    with creation.planned(content, world.storage) as plan, db.writing(world.session):
        creation.create_task(
            world.session, world.storage, world.actor("ada"), setup_id, content, plan, DURING
        )
    task = world.session.query(Task).filter_by(slug="tides").one()
    assert (task.state, task.team_size, task.registration) == ("draft", 4, "approved")
    assert (task.confidence_max, task.labels[1]) == (100, [4, "ähnlich"])
    assert world.session.query(TaskSetup).count() == world.session.query(SetupFile).count() == 0


def test_setup_that_changed_since_its_check_is_not_created(world: World) -> None:
    setup_id = fill(world)
    content = content_of(get(world, setup_id))
    put(world, setup_id, gold=GOLD.replace(b"3.875", b"2.5"))
    with (
        creation.planned(content, world.storage) as plan,
        pytest.raises(Conflict, match="The task was changed meanwhile"),
        db.writing(world.session),
    ):
        creation.create_task(
            world.session, world.storage, world.actor("ada"), setup_id, content, plan, DURING
        )
    assert world.session.query(Task).filter_by(slug="tides").count() == 0
    assert get(world, setup_id).slug == "tides"


def test_renamed_level_keeps_its_files_and_removed_ones_leave_none(world: World) -> None:
    setup_id = fill(world)
    with db.writing(world.session):
        levels.edit_level(get(world, setup_id), "p2s", LevelEdit("s2p", "S", ("a", "b")), DURING)
        with pytest.raises(NameTaken):
            levels.add_level(get(world, setup_id), LevelEdit("S2P", "S", ("a", "b")), DURING)
    world.session.expire_all()
    paths = {file.path for file in get(world, setup_id).files}
    assert paths == {"gold/test/s2p.tsv", "items/test/s2p.tsv"}
    with db.writing(world.session):
        levels.remove_level(get(world, setup_id), "s2p", DURING)
    assert world.session.query(SetupFile).count() == 0


def test_setups_are_limited_and_deleted_with_their_files(world: World) -> None:
    setup_id = fill(world)
    for number in range(1, service.MAX_SETUPS):
        begin(world, f"tides-{number}")
    with pytest.raises(Conflict, match="You are setting up 20 tasks already"):
        begin(world, "one-more")
    with db.writing(world.session):
        service.delete_setup(world.session, get(world, setup_id))
    assert world.session.query(SetupFile).count() == 0
    user_id = world.actor("ada").user_id
    assert user_id is not None
    with db.writing(world.session):
        service.delete_setups(world.session, user_id)
    assert world.session.query(TaskSetup).count() == 0
