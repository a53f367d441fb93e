"""Beginning to set up a task, its steps, its bundle, and deleting it: for the person who began it alone."""

import zipfile
from datetime import UTC, datetime, timedelta
from io import BytesIO

import pytest
from werkzeug.test import TestResponse

from server.access import admins
from server.backups import sweeps
from server.core import db
from server.core.actors import CONSOLE
from server.personal_data.erasure import erase_person, find_participation
from server.setups import service
from server.setups.models import SetupFile, TaskSetup
from server.setups.rules import Step, find_step, suggest_slug
from tests.server.backups.test_sweeps import age
from tests.server.pages.setups.setup_forms import (
    GOLD,
    ITEMS,
    LEVEL,
    PHASE,
    SCALE,
    begin,
    fill,
    upload,
    with_level,
)
from tests.server.visitors import words
from tests.server.world import DURING, World

pytestmark = pytest.mark.one_database


def setup_of(world: World) -> TaskSetup:
    return world.session.query(TaskSetup).one()


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("Größe & Ähnlichkeit, 2026", "grosse-ahnlichkeit-2026"),
        ("  -- ", ""),
        ("類似度", ""),
        ("x" * 100, "x" * 64),
    ],
)
def test_short_name_is_suggested_from_the_title(title: str, slug: str) -> None:
    assert suggest_slug(title) == slug


@pytest.mark.parametrize(
    ("source", "message", "step"),
    [
        ("gold/test/p2s.tsv", "Gold value", Step("levels", "p2s")),
        ("task.toml", "level[p2s].test.items: is missing", Step("levels", "p2s")),
        ("task.toml", "level: is missing", Step("levels")),
        ("task.toml", "phase[evaluation].closes: must be after opens", Step("phases", "evaluation")),
        ("task.toml", "task.scale.max: must be above min", Step("scale")),
        ("task.toml", "task.slug: is wrong", Step("texts")),
        ("task.toml", "board.total: is wrong", Step("scale")),
        ("terms.md", "is not UTF-8", Step("texts")),
        ("wordnet", "is not there", Step("baselines")),
    ],
)
def test_problem_leads_to_the_step_that_fixes_it(source: str, message: str, step: Step) -> None:
    assert find_step(source, message) == step


def test_title_that_gives_no_short_name_needs_one(world: World) -> None:
    response = world.client("ada").post("/setups/new", {"title": "類似度"})
    assert response.status_code == 422
    assert "The title has no letters from a to z and no digits. Enter a short name." in words(response)
    assert world.session.query(TaskSetup).count() == 0


@pytest.mark.parametrize("path", ["/setups/new", "levels/new"])
def test_without_a_title_only_the_title_is_asked_for(world: World, path: str) -> None:
    ada, at = begin(world)
    page = words(ada.post(path if path.startswith("/") else at + path, {"left": "a", "right": "b"}))
    assert "Enter a title." in page
    assert "Enter a short name." not in page


def test_organizers_find_new_task_on_the_home_page_and_their_setups_behind_it(world: World) -> None:
    ada, at = begin(world)
    assert "/setups/new" in ada.get("/").text
    assert "/setups/new" in ada.get("/import").text
    assert at in ada.get("/setups/new").text
    assert "/setups/new" not in world.client("dee").get("/").text


@pytest.mark.parametrize(("person", "status"), [("bo", 403), ("dee", 403), (None, 302)])
def test_only_people_who_may_import_tasks_can_begin(world: World, person: str | None, status: int) -> None:
    visitor = world.client(person)
    assert visitor.get("/setups/new").status_code == status
    assert visitor.post("/setups/new", {"title": "Mine"}).status_code == status
    assert world.session.query(TaskSetup).count() == 0


def test_number_of_setups_of_a_person_is_limited(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "MAX_SETUPS", 1)
    ada, _at = begin(world)
    response = ada.post("/setups/new", {"title": "Another"})
    assert response.status_code == 422
    assert "You are setting up 1 tasks already." in words(response)


PAGES = ("", "texts", "scale", "teams", "baselines", "levels/new", "levels/p2s/", "phases/new",
         "phases/evaluation/edit", "check", "bundle.zip")  # fmt: skip
FORMS = ("texts", "scale", "teams", "baselines", "delete", "levels/new", "levels/p2s/edit", "levels/p2s/",
         "levels/p2s/remove", "phases/new",
         "phases/evaluation/edit", "phases/evaluation/remove", "create")  # fmt: skip


def test_setup_does_not_exist_for_anyone_else(world: World) -> None:
    ada, at = fill(world)
    with db.writing(world.session):
        admins.add_admin(world.session, CONSOLE, world.user("dee"), DURING)
    world.give_role("dee", "co-organizer")
    for person in ("bo", "dee"):  # a member, and a site administrator who organizes a task
        visitor = world.client(person)
        assert {visitor.get(at + path).status_code for path in PAGES} == {404}
        assert {visitor.post(at + path).status_code for path in FORMS} == {404}
    visitor = world.client()
    for response in (
        *(visitor.get(at + path) for path in PAGES),
        *(visitor.post(at + path) for path in FORMS),
    ):
        assert response.headers["Location"].startswith("/sign-in")
    assert {ada.open(at + path, method="POST").status_code for path in FORMS} == {400}  # no token
    assert {ada.get(at + path).status_code for path in PAGES} == {200}
    assert setup_of(world).tables["phase"][0]["slug"] == "evaluation"


def test_each_step_is_saved_and_shown_again(world: World) -> None:
    ada, at = begin(world)
    assert words(ada.get(at)).count("missing") == 3  # scale, levels, phases
    texts = {
        "title": "Tides",
        "slug": "tides-27",
        "description": "# About\n\nwords",
        "licence": "CC BY",
        "terms": "x",
    }
    for step, form in (
        ("texts", texts),
        ("scale", SCALE),
        ("teams", {"size": "4", "registration": "approved"}),
    ):
        assert ada.post(at + step, form).headers["Location"] == at
    assert ada.post(f"{at}baselines", {"gst": "y"}).status_code == 302
    tables = setup_of(world).tables
    assert tables["task"] == {
        **texts,
        "scale": {"min": 0.0, "max": 4.0},
        "labels": {"0": "unrelated", "4": "the same"},
        "metrics": ["pearson", "spearman"],
    }
    assert tables["teams"] == {"size": 4, "registration": "approved"}
    assert [run["baseline"] for run in tables["run"]] == ["gst"]
    for step, value in (("texts", "# About"), ("scale", "0 = unrelated"), ("teams", 'value="4"')):
        assert value in ada.get(at + step).text
    page = words(ada.get(at))
    assert "0 to 4; official metric: Pearson's r" in page
    assert "at most 4 people; an organizer approves each team" in page


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"high": "0"}, "The highest value must be above the lowest."),
        ({"low": "nan"}, "Enter a number from"),
        ({"low": ""}, "Lowest value: Enter a number."),
        ({"step": "0.3"}, "Steps of 0.3 from 0 do not reach 4."),
        ({"labels": "7 much"}, "Outside the scale: 7."),
        ({"step": "9"}, "Enter a number above 0 that is not larger than the scale"),
        ({"labels": "very similar"}, '"very similar": write a number and its label'),
        ({"labels": "1 a\n1.0 b"}, "Give each point one label."),
        ({"run_format": "keyed"}, "Enter the name of the column."),
        ({"official": "bleu"}, "Not a valid choice."),
        ({"confidence": "0"}, "Enter a number above 0."),
        ({"enter_at_least": "0"}, "Enter a number from 1 to 1000000."),
    ],
)
def test_contradictory_scale_is_rejected(world: World, change: dict[str, str], message: str) -> None:
    ada, at = begin(world)
    response = ada.post(f"{at}scale", {**SCALE, **change})
    assert response.status_code == 422
    assert message in words(response)
    assert "scale" not in setup_of(world).tables["task"]


def test_confidence_and_the_levels_to_enter_are_saved_and_shown_again(world: World) -> None:
    ada, at = begin(world)
    form = {
        **SCALE, "confidence": "100", "enter_at_least": "2", "run_format": "keyed", "keyed_id": "pair",
        "keyed_score": "score", "keyed_confidence": "sure",
    }  # fmt: skip
    assert ada.post(f"{at}scale", form).status_code == 302
    tables = setup_of(world).tables
    assert tables["board"] == {"total": "sum", "total_needs": "entered", "enter_at_least": 2}
    assert tables["task"]["confidence"] == 100
    assert tables["task"]["keyed"] == {"id": "pair", "score": "score", "confidence": "sure"}
    page = ada.get(f"{at}scale").text
    assert all(f'value="{value}"' in page for value in ("100.0", "2", "sure"))
    ada.post(f"{at}scale", {**SCALE, "confidence": ""})
    world.session.expire_all()
    assert "confidence" not in setup_of(world).tables["task"]


def test_bundle_can_be_downloaded_at_any_time_and_imported_when_complete(world: World) -> None:
    ada, at = begin(world)
    with zipfile.ZipFile(BytesIO(ada.get(f"{at}bundle.zip").data)) as archive:
        assert archive.namelist() == ["tides-and-words/description.md", "tides-and-words/task.toml"]
    ada.post(f"{at}scale", SCALE)
    ada.post(f"{at}levels/new", LEVEL)
    upload(ada, f"{at}levels/p2s/", items=ITEMS, gold=GOLD)
    ada.post(f"{at}phases/new", PHASE)
    data = ada.get(f"{at}bundle.zip").data
    with zipfile.ZipFile(BytesIO(data)) as archive:
        assert archive.read("tides-and-words/gold/test/p2s.tsv") == GOLD
    imported = ada.upload("/import", data, "bundle.zip")
    assert imported.headers["Location"] == "/tasks/tides-and-words/organize/"


def test_phase_is_suggested_saved_and_removed(world: World) -> None:
    ada, level = with_level(world)
    at = level.removesuffix("levels/p2s/")
    page = ada.get(f"{at}phases/new").text
    assert 'value="Evaluation"' in page
    assert "public-part" not in page
    wrong = ada.post(f"{at}phases/new", {**PHASE, "closes": "2026-02-01 00:00"})
    assert "The phase must close after it opens." in words(wrong)
    ada.post(f"{at}phases/new", PHASE)
    assert "opens 1 Mar 2026, 09:00 UTC; closes 16 Mar 2026, 11:59 UTC" in words(ada.get(at))
    again = ada.post(f"{at}phases/new", PHASE)
    assert 'The task already has a phase "evaluation".' in words(again)
    changed = {**PHASE, "slug": "main", "feedback": "rounded", "feedback_places": "1", "reminders": "24, 72"}
    assert ada.post(f"{at}phases/evaluation/edit", changed).status_code == 302
    (phase,) = setup_of(world).tables["phase"]
    assert (phase["slug"], phase["places"], phase["reminders"]) == ("main", 1, [72, 24])
    assert 'value="72, 24"' in ada.get(f"{at}phases/main/edit").text
    assert ada.post(f"{at}phases/main/remove").status_code == 302
    assert setup_of(world).tables["phase"] == []


def test_deleted_setup_leaves_no_rows_and_its_files_are_swept(world: World) -> None:
    ada, at = fill(world)
    upload(ada, f"{at}levels/p2s/", items=ITEMS.replace(b"boat", b"raft"))
    names = {file.sha256 for file in world.session.query(SetupFile)}
    assert len(names) == 2
    for name in names:
        age(world.site.config.files_dir, name)
    a_day_ago = datetime.now(UTC) - timedelta(days=1)
    assert sweeps.find_orphaned_files(world.session, world.storage, a_day_ago) == []
    assert ada.post(f"{at}delete").headers["Location"] == "/setups/new"
    assert world.session.query(TaskSetup).count() == world.session.query(SetupFile).count() == 0
    orphans = sweeps.find_orphaned_files(world.session, world.storage, a_day_ago)
    assert {file.name for file in orphans} == names


def test_setups_of_a_person_who_is_erased_are_deleted(world: World) -> None:
    world.give_role("dee", "organizer")
    begin(world, "dee")
    assert find_participation(world.session, world.user("dee")).setups == 1
    with db.writing(world.session):
        erase_person(world.session, CONSOLE, world.user("dee"), DURING)
    assert world.session.query(TaskSetup).count() == 0


def test_long_description_is_accepted_and_too_long_one_is_not_read(world: World) -> None:
    ada, at = begin(world)

    def send(step: str, length: int) -> TestResponse:
        texts = {"title": "Tides", "slug": "tides", "description": "a" * length}
        return ada.post(at + step, texts)

    assert send("texts", 90_000).status_code == 302
    assert send("texts", 1_100_000).status_code == 413
    assert send("scale", 90_000).status_code == 413
