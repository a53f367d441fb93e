"""Publishing, hiding and archiving a task."""

import re
from datetime import UTC, datetime

import pytest

from server.audit.models import AuditEntry
from server.core import db
from server.core.errors import ConfirmationRequired, Conflict, Forbidden, NotFound
from server.planning import extensions, phase_editing, task_states
from server.planning.inputs import phase_values
from server.releases import creation as release_creation
from server.tasks.rules import TaskState
from server.teams import service as teams
from tests.server.players import give_token
from tests.server.visitors import words
from tests.server.world import AFTER, CLOSES, DURING, World


def change(world: World, to: TaskState, by: str = "ada") -> None:
    with db.writing(world.session):
        task_states.change_state(world.session, world.actor(by), world.task, to, DURING)


def actions(world: World) -> list[str]:
    query = world.session.query(AuditEntry).filter(AuditEntry.action.like("task.%"))
    return [entry.action for entry in query.order_by(AuditEntry.number)]


def test_task_is_hidden_published_archived_and_unarchived_and_each_is_audited(world: World) -> None:
    for to in ("draft", "published", "archived", "published"):
        change(world, to)
        assert world.task.state == to
    assert actions(world)[1:] == ["task.hide", "task.publish", "task.archive", "task.unarchive"]


def test_first_publication_is_remembered(world: World) -> None:
    first = world.task.published_at
    assert first is not None
    change(world, "draft")
    change(world, "published")
    assert world.task.published_at == first


@pytest.mark.parametrize("to", ["published", "deleted"])
def test_impossible_change_is_refused(world: World, to: TaskState) -> None:
    with pytest.raises(Conflict, match="The task is published"):
        change(world, to)


def test_draft_cannot_be_archived(world: World) -> None:
    change(world, "draft")
    with pytest.raises(Conflict, match="The task is a draft"):
        change(world, "archived")


def test_task_with_a_scored_submission_cannot_be_hidden(world: World) -> None:
    world.upload(world.run(), "p2s")
    with pytest.raises(Conflict, match="can no longer be hidden"):
        change(world, "draft")
    assert world.task.state == "published"
    page = world.client("ada").get("/tasks/small/organize/state/draft")
    assert "can no longer be hidden" in words(page)
    assert '<button type="submit">' not in page.text


def test_only_organizers_change_the_state(world: World) -> None:
    world.give_role("dee", "observer")
    for name, error in (("bo", Forbidden), ("dee", Forbidden)):
        with pytest.raises(error):
            change(world, "archived", name)
    world.end_role("dee")
    with pytest.raises(NotFound):
        change(world, "archived", "dee")


def test_archived_task_takes_no_submissions_runs_or_teams(world: World) -> None:
    world.run()
    change(world, "archived")
    with pytest.raises(Conflict, match="This task is archived"):
        world.upload(world.run(), "p2s")
    with pytest.raises(Conflict, match="This task is archived"), db.writing(world.session):
        teams.create_team(world.session, world.actor("dee"), world.task, "elm", DURING)
    bo = world.client("bo")
    refused = bo.post("/tasks/small/phases/evaluation/runs/new", {"name": "two"})
    assert "This task is archived" in words(refused)
    assert bo.get("/tasks/small/").status_code == 200
    change(world, "published")
    assert world.upload(world.run(), "p2s").id


def test_phases_of_an_archived_task_cannot_change(world: World) -> None:
    change(world, "archived")
    session, ada = world.session, world.actor("ada")
    edit = phase_editing.PhaseEdit(**phase_values(world.phase()))
    with pytest.raises(Conflict, match="archived"), db.writing(session):
        phase_editing.edit_phase(session, ada, world.phase(), edit, DURING)
    with pytest.raises(Conflict, match="archived"), db.writing(session):
        phase_editing.add_phase(session, ada, world.task, "later", "test", edit, DURING)
    with pytest.raises(Conflict, match="archived"), db.writing(session):
        phase_editing.remove_phase(session, ada, world.phase("practice"), DURING)
    with pytest.raises(Conflict, match="archived"), db.writing(session):
        extensions.extend_deadline(session, ada, world.phase(), None, AFTER, "the power was cut", DURING)


def test_draft_releases_nothing(world: World) -> None:
    change(world, "draft")
    with pytest.raises(Conflict, match="This task is a draft"), db.writing(world.session):
        release_creation.release_board(
            world.session, world.actor("ada"), world.phase(), AFTER, release_creation.DEFAULT_OPTIONS
        )


def test_overview_says_what_a_draft_lacks_and_publishes_it(world: World) -> None:
    change(world, "draft")
    with db.writing(world.session):
        world.task.description, world.task.title = " ", "TODO: the title of the task"
    ada = world.client("ada")
    overview = words(ada.get("/tasks/small/organize/"))
    assert "This task is a draft. Only its organizers and observers can see it." in overview
    assert "The task has no description." in overview
    assert "Evaluation opens as soon as the task is published." in overview
    page = ada.get("/tasks/small/organize/state/published")
    assert "Publish this task?" in words(page)
    assert "keeps its short name “small” in URLs" in words(page)
    assert "The task has no description." in words(page)
    assert "These are still placeholders: the title." in words(page)
    refused = ada.post("/tasks/small/organize/state/published", {})
    assert (refused.status_code, world.task.state) == (422, "draft")
    assert "The task still has placeholders: the title. Replace them, or confirm" in words(refused)
    ada.post("/tasks/small/organize/state/published", {"sure": "y"})
    assert "The task is published." in words(ada.get("/tasks/small/organize/"))
    assert world.client().get("/tasks/small/").status_code == 200


@pytest.mark.parametrize("closes", [datetime(2999, 6, 1, tzinfo=UTC), datetime(3000, 1, 1, 11, tzinfo=UTC)])
def test_placeholder_date_is_published_only_if_confirmed(world: World, closes: datetime) -> None:
    change(world, "draft")
    with db.writing(world.session):
        world.phase().closes = closes
    with pytest.raises(ConfirmationRequired, match="placeholders: the dates of Evaluation"):
        change(world, "published")
    for page in ("", "organize/"):
        shown = words(world.client("ada").get(f"/tasks/small/{page}"))
        assert "a date that is not set yet" in shown
        assert not re.search("2999|3000|years", shown)
    with db.writing(world.session):
        task_states.change_state(
            world.session, world.actor("ada"), world.task, "published", DURING, sure=True
        )
    assert world.task.state == "published"


def test_publish_page_says_what_prevents_publishing_and_has_no_button_then(world: World) -> None:
    change(world, "draft")
    with db.writing(world.session):
        world.task.contact, world.task.description = "", " "
    ada = world.client("ada")
    page = ada.get("/tasks/small/organize/state/published")
    assert "You cannot publish the task yet. Teams need to know who organizes the task" in words(page)
    assert "You may also want to look at this: The task has no description." in words(page)
    assert "You can publish the task now" not in words(page)
    assert '<button type="submit">Publish' not in page.text
    assert "missing no texts yet Teams need to know" in words(ada.get("/tasks/small/organize/"))


def test_phase_of_a_draft_is_not_called_open(world: World) -> None:
    change(world, "draft")
    ada = world.client("ada")
    overview = words(ada.get("/tasks/small/organize/"))
    assert "Practice not yet open opens when the task is published, no deadline" in overview
    assert "Evaluation not yet open opens when the task is published, closes in 5 days" in overview
    assert "is open" not in overview
    edit = words(ada.get("/tasks/small/organize/phases/practice/edit"))
    assert "Now: opens when the task is published, no deadline." in edit
    change(world, "published")
    assert "Practice open open, no deadline" in words(ada.get("/tasks/small/organize/"))


def test_overview_offers_to_hide_a_task_until_a_submission_is_scored(world: World) -> None:
    ada = world.client("ada")
    assert "Hide the task" in words(ada.get("/tasks/small/organize/"))
    world.upload(world.run(), "p2s")
    overview = words(ada.get("/tasks/small/organize/"))
    assert "Archive the task" in overview
    assert "Hide the task" not in overview


def test_archived_task_is_listed_apart(world: World) -> None:
    change(world, "archived")
    page = world.client().get("/")
    assert "Archived tasks" in words(page)
    task = words(world.client().get("/tasks/small/"))
    assert "This task is archived. It takes no submissions and no teams." in task
    assert "Sign up, create a team" not in task
    assert "In progress" not in words(page)


def test_api_changes_the_state_once_confirmed(world: World) -> None:
    program = world.client()
    headers = {"Authorization": f"Bearer {give_token(world, 'ada')}"}
    refused = program.open(
        "/api/v1/tasks/small/state", method="POST", json={"state": "archived"}, headers=headers
    )
    assert (refused.status_code, refused.json["code"]) == (409, "not_sure")
    sent = {"state": "archived", "sure": True}
    done = program.open("/api/v1/tasks/small/state", method="POST", json=sent, headers=headers)
    assert done.json == {"slug": "small", "state": "archived"}
    assert program.get("/api/v1/tasks/small").json["state"] == "archived"


def test_closed_phase_is_named_before_publishing(world: World) -> None:
    change(world, "draft")
    world.set_clock(AFTER)
    page = words(world.client("ada").get("/tasks/small/organize/"))
    assert "Evaluation is already closed. Check its dates." in page
    assert CLOSES < AFTER


def test_phases_of_an_archived_task_are_not_shown_as_open(world: World) -> None:
    change(world, "archived")
    page = words(world.client("ada").get("/tasks/small/organize/"))
    assert "Evaluation archived accepts no submissions, because the task is archived" in page
    task = words(world.client().get("/tasks/small/"))
    assert "Evaluation archived" in task
    assert "Evaluation open" not in task
