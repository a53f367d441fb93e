"""Hosting a task by the form."""

import zipfile
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from io import BytesIO
from pathlib import Path

import pytest
from sqlalchemy import select
from werkzeug.test import TestResponse

from server import bundles
from server.access import service as access, tasks
from server.accounts.models import Role
from server.app import create_app
from server.audit.models import AuditEntry
from server.core import child_processes, db
from server.core.config import Config
from server.core.errors import InvalidFile
from server.levels import baseline_files
from server.tasks.models import Task
from tests.server.drafting import SCALE
from tests.server.programs import Program
from tests.server.round_trip import packed
from tests.server.small_task import TASK, write_bundle
from tests.server.visitors import filled_in, words
from tests.server.world import AFTER, DURING, World, host_small_task

pytestmark = pytest.mark.one_database

PATH = "/import"
SECOND = TASK.replace('slug = "small"', 'slug = "second"')


def zipped(folder: Path) -> bytes:
    file = BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for path in sorted(folder.rglob("*")):
            archive.write(path, path.relative_to(folder).as_posix())
    return file.getvalue()


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    return write_bundle(tmp_path / "second", SECOND)


def slugs(world: World) -> list[str]:
    return [task.slug for task in world.session.query(Task).order_by(Task.id)]


def send(world: World, person: str | None, data: bytes) -> TestResponse:
    return world.client(person).upload(PATH, data, "bundle.zip")


@pytest.mark.reading_process
def test_organizer_can_host_another_task_and_becomes_its_organizer(world: World, bundle: Path) -> None:
    ada = world.client("ada")
    assert "/import" in ada.get("/").text
    response = ada.upload(PATH, zipped(bundle), "bundle.zip")
    assert response.headers["Location"] == "/tasks/second~2/organize/"
    page = words(ada.get("/tasks/second~2/organize/"))
    assert "The task was imported as a draft and you are its organizer." in page
    assert "LCS. The site still computes 3 files." in page
    task = tasks.get_named_task(world.session, "second")
    world.work(DURING)
    assert baseline_files.list_missing(world.session, task) == []
    assert access.is_organizer(world.session, world.actor("ada"), task)
    entries = world.session.query(AuditEntry).filter_by(task_id=task.id).order_by(AuditEntry.number)
    assert [(entry.action, entry.actor) for entry in entries][:2] == [
        ("task.import", world.actor("ada").label),
        ("role.add", world.actor("ada").label),
    ]


def test_line_ends_may_fall_anywhere_in_a_large_upload(world: World, bundle: Path) -> None:
    (bundle / "notes.txt").write_bytes(b"\n" * 300_000)
    response = send(world, "ada", zipped(bundle))
    assert response.headers["Location"] == "/tasks/second~2/organize/"


def test_export_is_imported_with_all_its_contents(
    world: World, set_clock: Callable[[datetime], None]
) -> None:
    world.upload(world.run(), "p2s")
    data = packed(world.site)
    with db.writing(world.session):
        world.task.slug = "elsewhere"  # as if the first one were on another site
    set_clock(AFTER)
    response = send(world, "ada", data)
    assert response.headers["Location"] == "/tasks/small/organize/"
    assert packed(world.site) == data


def test_invalid_bundle_is_rejected_with_every_problem(world: World, bundle: Path) -> None:
    (bundle / "p2s.test.gold").write_text("x\n2\n<b>\n4\n", encoding="utf-8")
    (bundle / "s2p.test.gold").write_text("1\n", encoding="utf-8")
    response = send(world, "ada", zipped(bundle))
    assert response.status_code == 422
    page = words(response)
    assert 'p2s.test.gold: Lines 1, 3 Gold value "x" is not a number' in page
    assert "s2p.test.gold" in page
    assert "Nothing was changed." in page
    assert "<b>" not in response.text.split("</form>", 1)[1]
    assert slugs(world) == ["small"]


@pytest.mark.reading_process
def test_description_beyond_the_limits_is_rejected_with_its_line(world: World, bundle: Path) -> None:
    """The tests of the scorer try every limit."""
    text, sentence = "x = " + "[" * 5000, "lists and tables are nested more than 20 deep"
    (bundle / "task.toml").write_text(f"{SECOND}\n{text}", encoding="utf-8")
    line = SECOND.count("\n") + 2
    response = send(world, "ada", zipped(bundle))
    assert response.status_code == 422
    assert f"task.toml: Line {line} {sentence[0].upper()}{sentence[1:]}" in words(response)
    refused = Program(world, "ada", "organize").upload("/tasks/", zipped(bundle), "bundle.zip")
    (problem,) = refused.json["problems"]
    assert (refused.status_code, problem["line"], problem["source"]) == (422, line, "task.toml")
    assert problem["message"].startswith(sentence)
    assert slugs(world) == ["small"]


@pytest.mark.reading_process
def test_bundle_that_needs_too_much_memory_is_rejected(bundle: Path) -> None:
    (bundle / "p2s.test.tsv").write_bytes(b"a\tb\tc-1\td\n" * 4_900_000)  # 49 MB, and some gigabytes as rows
    with pytest.raises(InvalidFile, match="more than 1024 MB of memory or 60 seconds"):
        bundles.plan_upload(bundle)


@pytest.mark.reading_process
def test_bundle_that_takes_too_long_to_read_is_rejected(
    world: World, bundle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(child_processes, "TIME_LIMIT", 0.01)
    response = send(world, "ada", zipped(bundle))
    assert response.status_code == 422
    assert "Reading the bundle takes more than 1024 MB of memory or 0 seconds." in words(response)
    assert slugs(world) == ["small"]


def test_hostile_zip_is_rejected_and_its_members_are_named(world: World, bundle: Path) -> None:
    file = BytesIO(zipped(bundle))
    with zipfile.ZipFile(file, "a") as archive:
        archive.writestr("../outside", "x")
    response = send(world, "ada", file.getvalue())
    assert response.status_code == 422
    assert "../outside Leads outside" in words(response)
    assert slugs(world) == ["small"]


@pytest.mark.parametrize(
    ("data", "message"), [(b"no zip", "This is not a zip file."), (b"", "Choose a file first.")]
)
def test_file_that_is_not_a_zip_is_rejected(world: World, data: bytes, message: str) -> None:
    response = world.client("ada").upload(PATH, data, "x.zip" if data else "")
    assert response.status_code == 422
    assert message in words(response)


def test_short_name_of_another_task_is_refused_for_a_history_whose_documents_have_it(world: World) -> None:
    world.upload(world.run(), "p2s")
    response = send(world, "ada", packed(world.site))
    assert response.status_code == 422
    assert 'There is already a task "small". Change the key slug in task.toml' in words(response)


@pytest.mark.parametrize(("person", "status"), [("bo", 403), ("dee", 403), (None, 302)])
def test_only_organizers_and_site_admins_can_host_tasks(
    world: World, bundle: Path, person: str | None, status: int
) -> None:
    visitor = world.client(person)
    assert "/import" not in visitor.get("/").text
    assert visitor.get(PATH).status_code == status
    assert visitor.upload(PATH, zipped(bundle), "bundle.zip").status_code == status
    assert slugs(world) == ["small"]


def test_site_admin_can_host_tasks_without_access_to_gold(world: World, bundle: Path) -> None:
    with db.writing(world.session):
        person = world.user("dee")
        person.site_roles.append(Role(name="admin"))
    dee = world.client("dee")
    assert dee.upload(PATH, zipped(bundle), "bundle.zip").status_code == 302
    assert dee.get("/tasks/second~2/organize/").status_code == 200
    assert dee.get("/tasks/small/organize/").status_code == 404


def test_site_can_let_everyone_host_tasks(
    config: Config, set_clock: Callable[[datetime], None], tmp_path: Path, bundle: Path
) -> None:
    world = World(create_app(replace(config, open_import=True)), set_clock)
    with world.app.app_context():
        host_small_task(world, write_bundle(tmp_path / "bundle"))
        assert send(world, "dee", zipped(bundle)).status_code == 302
        assert world.client().get(PATH).status_code == 302
        world.site.session.remove()
        world.site.engine.dispose()


@pytest.mark.parametrize(("person", "limit"), [("ada", "67 MB"), ("dee", "65 kB")])
def test_too_large_zip_is_not_read(world: World, person: str, limit: str) -> None:
    visitor = world.client(person)
    response = visitor.open(
        PATH,
        method="POST",
        data={"csrf_token": visitor.token()},
        environ_overrides={"CONTENT_LENGTH": str(66 * 1024 * 1024)},
    )
    assert response.status_code == 413
    assert f"can have at most {limit}" in words(response)
    assert "The operator of the site can import a larger task." in words(response)


def package(tmp_path: Path) -> Path:
    """The files of the small task without its task.toml, as an official package may have them."""
    folder = write_bundle(tmp_path / "sea-winds", SECOND)
    (folder / "task.toml").unlink()
    (folder / "trial.tsv").rename(folder / "p2s.trial.tsv")
    (folder / "trial.gold").rename(folder / "p2s.trial.gold")
    return folder


def test_package_without_a_description_becomes_a_draft_with_what_its_files_are(
    world: World, tmp_path: Path
) -> None:
    ada = world.client("ada")
    response = ada.upload(PATH, zipped(package(tmp_path)), "sea-winds.zip")
    assert response.headers["Location"] == "/tasks/sea-winds~2/organize/"
    task = tasks.get_named_task(world.session, "sea-winds")
    assert {level.slug: [split.name for split in level.splits] for level in task.levels} == {
        "p2s": ["trial", "test"],
        "s2p": ["test"],
    }
    assert (task.title, task.scale) == ("Sea winds", (0, 4))
    at = response.headers["Location"]
    page = words(ada.get(at))
    assert "no texts yet" in page
    assert "These are still placeholders: the dates of Evaluation." in page
    dates = ada.get(f"{response.headers['Location']}phases/evaluation/edit")
    assert words(dates).count("No date was chosen yet. The year 2999 stands for that.") == 2
    texts = (ada.get(f"{response.headers['Location']}{name}").text for name in ("edit", "scoring"))
    assert not any("TODO" in text for text in texts)
    assert page.count("guessed, check") == 3
    assert page.count("choose Save on its page, even if all is right. Check") == 2
    assert "Check each level. If all are right, choose Save on the page of one. Check" in page
    assert f'href="{at}phases/practice/edit">Check' in ada.get(at).text
    world.set_clock(AFTER)
    assert ada.post(f"{at}scoring", {**SCALE, "high": "5"}).status_code == 302
    assert words(ada.get(at)).count("guessed, check") == 2


def test_guesses_are_confirmed_by_saving_their_pages_unchanged(world: World, tmp_path: Path) -> None:
    ada = world.client("ada")
    at = ada.upload(PATH, zipped(package(tmp_path)), "sea-winds.zip").headers["Location"]
    world.set_clock(AFTER)
    pages = {"scoring": "low", "levels/p2s/": "columns-roles-0", "phases/evaluation/edit": "title"}
    for left, (page, field) in zip((2, 1, 0), pages.items(), strict=True):
        for again in (False, True):
            response = ada.post(at + page, filled_in(ada.get(at + page), field))
            assert response.status_code == 302, words(response)
            overview = words(ada.get(at))
            assert overview.count("guessed, check") == left
            said = "Nothing was changed." if again else "You confirmed what the site had guessed."
            assert said in overview, page
            assert ("Next: " in overview) is not again, page
    query = select(AuditEntry.action).where(AuditEntry.at >= AFTER).order_by(AuditEntry.number)
    assert world.session.scalars(query).all() == ["scale.confirm", "levels.confirm", "phases.confirm"]


def test_folder_is_taken_as_a_zip_of_it_is(world: World, tmp_path: Path) -> None:
    folder = package(tmp_path)
    files = [(BytesIO(path.read_bytes()), f"sea-winds/{path.name}") for path in sorted(folder.iterdir())]
    response = world.client("ada").post(PATH, {"folder": files})
    assert response.headers["Location"] == "/tasks/sea-winds~2/organize/"
    for name in ("../x.tsv", "/x.tsv", f"sea-winds/{'x' * 300}.tsv"):
        outside = world.client("ada").post(PATH, {"folder": [(BytesIO(b"x"), name)]})
        assert outside.status_code == 422, name


def test_package_whose_files_do_not_fit_becomes_a_draft_in_which_they_wait(
    world: World, tmp_path: Path
) -> None:
    folder = package(tmp_path)
    rows = [f"the wind blows {i} knots\tit is windy {i}\tSea-{i}\n" for i in range(1, 13)]
    rows[1] = "it is calm\t\tSea-2\n"
    (folder / "p2s.test.tsv").write_text("".join(rows), "utf-8")
    (folder / "p2s.test.gold").write_text("1\n2.5\n4\n" * 4, "utf-8")
    ada = world.client("ada")
    response = ada.upload(PATH, zipped(folder), "sea-winds.zip")
    at = response.headers["Location"]
    assert at.startswith("/tasks/sea-winds~")
    page = words(ada.get(at))
    assert "The Test files of P to s have problems." in page
    assert page.count("guessed, check") == 2
    assert "GST, LCS" in page
    task = tasks.get_named_task(world.session, "sea-winds")
    assert {level.slug: [split.name for split in level.splits] for level in task.levels}["s2p"] == ["test"]
    assert 'Line 2 The column "right" is empty' in words(ada.get(f"{at}levels/p2s/"))
    phases = tasks.list_phases(world.session, task, DURING)
    assert [view.phase.slug for view in phases] == ["practice", "evaluation"]
    world.work(DURING)
    assert baseline_files.list_missing(world.session, task) == []


def test_runs_of_teams_are_left_out_of_a_package_so_that_its_guesses_can_be_corrected(
    world: World, tmp_path: Path
) -> None:
    folder = package(tmp_path)
    (folder / "runs/ash").mkdir(parents=True)
    (folder / "runs/ash/p2s.test.tsv").write_text("1\n2\n3\n4\n", "utf-8")
    ada = world.client("ada")
    response = ada.upload(PATH, zipped(folder), "sea-winds.zip")
    page = words(ada.get(at := response.headers["Location"]))
    assert "1 run of a team was left out, because a scored run fixes the items and the scale." in page
    assert "can no longer be changed" not in words(ada.get(f"{at}scoring"))


def test_baselines_of_a_package_are_computed_while_the_overview_says_so(world: World, tmp_path: Path) -> None:
    folder = package(tmp_path)
    rows = [f"the wind blows {i} knots\tit is windy {i}\tSea-{i}\n" for i in range(1, 13)]
    (folder / "p2s.test.tsv").write_text("".join(rows), "utf-8")
    (folder / "p2s.test.gold").write_text("1\n2.5\n4\n" * 4, "utf-8")
    ada = world.client("ada")
    at = ada.upload(PATH, zipped(folder), "sea-winds.zip").headers["Location"]
    page = ada.get(at)
    assert "GST, LCS, TF-IDF. The site still computes 9 files." in words(page)
    assert "data-reload" in page.text
    world.work(DURING)
    assert "data-reload" not in ada.get(at).text


def test_zip_without_any_items_is_refused_with_the_reason_for_each_file(world: World) -> None:
    file = BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("notes/one.txt", "only words\n")
    response = world.client("ada").upload(PATH, file.getvalue(), "notes.zip")
    assert response.status_code == 422
    assert "upload the zip again. notes No file here has items" in words(response)
    assert slugs(world) == ["small"]


@pytest.mark.reading_process
def test_package_that_takes_too_much_is_not_read_without_limits(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(child_processes, "TIME_LIMIT", 0.01)
    response = world.client("ada").upload(PATH, zipped(package(tmp_path)), "sea-winds.zip")
    assert response.status_code == 422
    assert "Reading the bundle takes more than 1024 MB of memory or 0 seconds." in words(response)
    assert slugs(world) == ["small"]
