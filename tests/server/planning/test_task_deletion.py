"""Renaming and deleting a draft."""

from dataclasses import dataclass
from pathlib import Path

import pytest
from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from server import bundles
from server.access import tasks
from server.activity import verification
from server.annotation.campaigns import creation
from server.annotation.models import UnitAnswer
from server.annotation.results import answer_hashes, datasets
from server.audit.models import AuditEntry
from server.core import db
from server.core.actors import CONSOLE
from server.core.errors import Conflict, Forbidden, NotFound
from server.core.site_resources import Site
from server.planning import task_deletion, task_states
from server.submissions.models import Submission
from server.tasks.models import Task
from server.tasks.rules import TaskState
from tests.server.annotation.annotating import Annotating, write_campaign
from tests.server.round_trip import packed, unpack
from tests.server.small_task import TASK, write_bundle
from tests.server.visitors import filled_in, words
from tests.server.world import AFTER, DURING, World, count_rows

SECOND = TASK.replace('slug = "small"', 'slug = "second"')


@dataclass(frozen=True)
class Draft:
    """A second task, which ada imported as a draft."""

    world: World

    @property
    def task(self) -> Task:
        return tasks.get_named_task(self.world.session, "second")

    @property
    def address(self) -> str:
        return f"/tasks/{self.task.slug}/"

    def rename(self, slug: str, title: str = "A small task", by: str = "ada") -> None:
        with db.writing(self.world.session):
            actor = self.world.actor(by)
            task_deletion.rename_task(self.world.session, actor, self.task, slug, title, DURING)

    def delete(self, by: str = "ada") -> None:
        with db.writing(self.world.session):
            task_deletion.delete_task(self.world.session, self.world.actor(by), self.task, DURING)

    def change(self, to: TaskState) -> None:
        with db.writing(self.world.session):
            task_states.change_state(self.world.session, self.world.actor("ada"), self.task, to, DURING)


@pytest.fixture
def draft(world: World, tmp_path: Path) -> Draft:
    import_bundle(world, write_bundle(tmp_path / "second", SECOND))
    return Draft(world)


def import_bundle(world: World, folder: Path) -> None:
    plan = bundles.plan_import(folder)
    bundles.keep_files(world.storage, plan)
    with db.writing(world.session):
        organizers = [world.user("ada")]
        bundles.import_task(world.session, CONSOLE, plan, organizers, DURING, published=False)


@pytest.mark.both_databases
def test_deleting_a_draft_leaves_the_rows_of_other_tasks_and_its_audit_entries(
    world: World, tmp_path: Path
) -> None:
    world.upload(world.run(), "p2s")
    before, folder, draft = count_rows(world), write_bundle(tmp_path / "second", SECOND), Draft(world)
    import_bundle(world, folder)
    task_id = draft.task.id
    of_task = world.session.query(AuditEntry).filter_by(task_id=task_id).order_by(AuditEntry.number)
    entries = of_task.count()
    grown = count_rows(world)
    assert {name for name in grown if grown[name] > before[name]} >= {"level", "split", "phase", "job"}

    draft.delete()
    before["team"] += 1  # the log names the team of the baselines
    assert count_rows(world) == before
    assert of_task.count() == entries + 1
    last = of_task.all()[-1]
    assert (last.action, last.details) == ("task.delete", {"slug": "second"})
    row = world.session.get_one(Task, task_id)
    assert (row.state, row.title, row.description, row.terms) == ("deleted", "", "", None)
    assert world.client("ada").get(f"/tasks/{row.slug}/").status_code == 404
    import_bundle(world, folder)
    assert draft.task.id != task_id


def test_only_a_draft_that_was_never_published_can_be_deleted(draft: Draft) -> None:
    draft.change("published")
    with pytest.raises(Conflict, match="Only a draft can be deleted"):
        draft.delete()
    draft.change("draft")
    with pytest.raises(Conflict, match="was published on 10 Mar 2026, so it cannot be deleted"):
        draft.delete()


def test_draft_with_answers_of_annotators_cannot_be_deleted(world: World, tmp_path: Path) -> None:
    before = count_rows(world)
    import_bundle(world, write_bundle(tmp_path / "second", SECOND))
    draft = Draft(world)
    campaign = Annotating(world, task_slug=draft.task.slug)
    campaign.add(creation.prepare_campaign(write_campaign(tmp_path / "campaign")))
    campaign.open()
    assignment = campaign.take(campaign.join()[0])
    campaign.answer(assignment)
    with pytest.raises(Conflict, match="Annotators have answered in this task"):
        draft.delete()
    answer_hashes.record_hash(world.site, {"campaign": campaign.campaign.id}, DURING)
    with db.writing(world.session):
        world.session.execute(delete(UnitAnswer))
        datasets.request_data_set(world.session, world.actor("ada"), campaign.round, {}, None, DURING)
    assert verify(world.session) != []
    draft.delete()
    assert verify(world.session) == []
    before["team"] += 1  # the log names the team of the baselines
    assert count_rows(world) == before


@pytest.mark.both_databases
def test_log_verifies_after_a_draft_with_a_history_was_deleted(
    world: World, second_site: Site, tmp_path: Path
) -> None:
    world.upload(world.run(), "p2s")
    world.release(DURING)
    plan = bundles.plan_import(unpack(packed(world.site), tmp_path / "exported"))
    session = second_site.session()
    bundles.keep_files(second_site.storage, plan)

    def import_again() -> list[int]:
        with db.writing(session):
            bundles.import_task(session, CONSOLE, plan, [], AFTER, published=False)
        return list(session.scalars(select(Submission.id)))

    deleted = import_again()
    task = tasks.get_named_task(session, "small")
    with pytest.raises(Conflict, match="signed under its short name"), db.writing(session):
        task_deletion.rename_task(session, CONSOLE, task, "third", "A small task", AFTER)
    assert verify(session) == []
    with db.writing(session):
        task_deletion.delete_task(session, CONSOLE, tasks.get_named_task(session, "small"), AFTER)
    assert verify(session) == []
    assert min(import_again()) > max(deleted), "receipts of the deleted submissions name no others"
    assert verify(session) == []


def test_deleting_a_published_task_behind_the_back_of_the_site_is_found(world: World) -> None:
    with db.writing(world.session):
        world.task.state = "deleted"
    assert [problem.split(": ")[1] for problem in verify(world.session)[:2]] == [
        "was deleted, but no entry says so",
        "was deleted, although it was published",
    ]


def verify(session: Session) -> list[str]:
    session.rollback()
    with db.reading(session):
        return verification.verify_log(session, ()).problems.listed


def test_renaming_a_draft_changes_slug_and_title_and_is_audited(world: World, draft: Draft) -> None:
    ada, old = world.client("ada"), draft.address
    page = ada.post(f"{old}organize/rename", {"slug": "third", "title": "Another title"})
    new = f"/tasks/third~{tasks.get_named_task(world.session, 'third').id}/"
    assert page.headers["Location"] == f"{new}organize/"
    assert "The task was renamed." in words(ada.get(f"{new}organize/"))
    assert tasks.get_named_task(world.session, "third").title == "Another title"
    log = words(ada.get(f"{new}organize/log"))
    assert "ada changed the short name of the task from second to third" in log


def test_form_for_a_draft_that_was_renamed_or_published_meanwhile_still_reaches_it(
    world: World, draft: Draft
) -> None:
    ada, old = world.client("ada"), draft.address
    draft_id = draft.task.id
    draft.rename("third")
    page = ada.get(f"{old}organize/edit")
    assert (page.status_code, page.headers["Location"]) == (308, f"/tasks/third~{draft_id}/organize/edit")
    with db.writing(world.session):
        task = tasks.get_named_task(world.session, "third")
        task_states.change_state(world.session, world.actor("ada"), task, "published", DURING)
    page = ada.post(f"{old}organize/edit?next=1", {})
    assert (page.status_code, page.headers["Location"]) == (308, "/tasks/third/organize/edit?next=1")
    assert world.client("bo").get(old).headers["Location"] == "/tasks/third/"


def test_short_name_is_reserved_when_the_task_is_published(world: World, tmp_path: Path) -> None:
    for number in (1, 2):
        import_bundle(world, write_bundle(tmp_path / str(number), SECOND))
    session, ada = world.session, world.actor("ada")
    first, second = session.query(Task).filter(Task.slug.startswith("second~")).order_by(Task.id)
    with db.writing(session):
        task_states.change_state(session, ada, first, "published", DURING)
    assert first.slug == "second"
    with pytest.raises(Conflict, match="Another task has the short name"), db.writing(session):
        task_states.change_state(session, ada, second, "published", DURING)
    with db.writing(session):
        task_states.change_state(session, ada, first, "draft", DURING)
    with pytest.raises(Conflict, match="so only its title can change"), db.writing(session):
        task_deletion.rename_task(session, ada, first, "free", "A small task", DURING)
    page = world.client("ada").get("/tasks/second/organize/rename")
    assert "so only its title can change" in words(page)
    assert filled_in(page, "title")["slug"] == "second"


def test_published_task_cannot_be_renamed(world: World) -> None:
    with pytest.raises(Conflict, match="Only a draft can be renamed"), db.writing(world.session):
        task_deletion.rename_task(world.session, world.actor("ada"), world.task, "x", "y", DURING)


def test_observer_can_neither_rename_nor_delete(world: World, draft: Draft) -> None:
    world.give_role("dee", "observer")
    with pytest.raises(Forbidden), db.writing(world.session):
        task_deletion.delete_task(world.session, world.actor("dee"), world.task, DURING)
    with pytest.raises(NotFound):
        draft.rename("third", by="dee")


def test_deleting_asks_first_and_goes_to_the_list(world: World, draft: Draft) -> None:
    ada, at = world.client("ada"), draft.address
    assert "This cannot be undone." in words(ada.get(f"{at}organize/delete"))
    assert ada.post(f"{at}organize/delete", {}).headers["Location"] == "/"
    assert "was deleted" in words(ada.get("/"))
    assert ada.get(at).status_code == 404
