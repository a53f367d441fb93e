"""Jobs that fail: organizers see those of their task, administrators all, without the data of tasks."""

from datetime import timedelta
from typing import Any

import pytest

from server.access import admins
from server.activity import task_jobs
from server.audit.models import AuditEntry
from server.core import db
from server.core.actors import CONSOLE
from server.jobs import service as jobs
from server.jobs.models import Job
from server.planning import drafts
from tests.server.job_runs import change_job
from tests.server.jobs.test_worker import Notes
from tests.server.visitors import words
from tests.server.world import DURING, World

pytestmark = pytest.mark.one_database

PAGE = "/tasks/small/organize/mails"
NAMES = (
    "task", "phase", "draft", "live", "inference", "genres", "team", "version", "submission", "release",
    "plan", "announcement", "question", "answer", "campaign", "round", "data_set", "annotator",
    "assignment", "mail",
)  # fmt: skip
ERROR = "KeyError: 'wagtail'"


def fail_job(world: World, kind: str = "note", *, key: str | None = None, **changed: Any) -> int:
    """Add a job that failed six times, unless `changed` says otherwise; its payload is about other names."""
    columns = {"state": "failed", "attempt": 6, "error": ERROR}
    columns |= {name: changed.pop(name) for name in columns if name in changed}
    with db.writing(world.session):
        job_id = jobs.add_job(world.session, kind, changed, DURING, key=key)
        change_job(world.session, job_id, **columns)
        return job_id


def get_job(world: World, job_id: int) -> Job:
    world.session.rollback()
    return world.session.get_one(Job, job_id)


def begin_draft(world: World) -> int:
    with db.writing(world.session):
        return drafts.begin_draft(world.session, world.actor("ada"), "Tides", "tides", DURING).id


def sign_in_admin(world: World) -> Any:
    with db.writing(world.session):
        admins.add_admin(world.session, CONSOLE, world.user("dee"), DURING)
    return world.client("dee")


def test_organizer_sees_the_jobs_of_the_task_that_fail_and_retries_one(world: World) -> None:
    ada = world.client("ada")
    assert "No background job fails." in words(ada.get(PAGE))
    job_id = fail_job(world, phase=world.phase().id)
    others = [fail_job(world), fail_job(world, task=begin_draft(world))]
    page = words(ada.get(PAGE))
    assert f"note {job_id} failed {ERROR} 10 Mar 2026, 12:00 UTC" in page
    assert not any(f"note {other}" in page for other in others)

    again = ada.post(f"/tasks/small/organize/jobs/{job_id}/again", follow_redirects=True)
    assert "The job will be done again in a moment." in words(again)
    assert "No background job fails." in words(again)
    (entry,) = world.session.query(AuditEntry).filter_by(action="job.again")
    assert (entry.task_id, entry.details) == (world.task.id, {"job": job_id, "kind": "note"})
    assert f"ada retried a job (note {job_id})" in words(ada.get("/tasks/small/organize/log"))
    notes = Notes()
    assert job_id in world.work(DURING, {"note": notes})
    assert [payload["phase"] for payload, _now in notes.seen] == [world.phase().id]
    for refused in (job_id, others[0]):
        answer = ada.post(f"/tasks/small/organize/jobs/{refused}/again", follow_redirects=True)
        assert "This job cannot be retried. It may have been done in the meantime." in words(answer)
    assert get_job(world, others[0]).state == "failed"


def test_observer_sees_the_jobs_that_fail_without_a_button(world: World) -> None:
    world.give_role("dee", "observer")
    fail_job(world, task=world.task.id)
    page = world.client("dee").get(PAGE)
    assert ERROR in words(page)
    assert "/again" not in page.text


def test_administrator_sees_the_jobs_of_all_tasks_without_their_data_and_drafts(world: World) -> None:
    draft, dee = begin_draft(world), sign_in_admin(world)
    listed = [fail_job(world, team=world.team.id), fail_job(world), fail_job(world, task=draft)]
    page = words(dee.get("/mails/"))
    assert [f"{title} note {job_id} failed KeyError 10 Mar" in page for title, job_id in zip(
        ("A small task", "–", "–"), listed, strict=True
    )] == [True, True, True]  # fmt: skip
    assert "wagtail" not in page
    assert "Tides" not in page
    answer = dee.post(f"/jobs/{listed[2]}/again", follow_redirects=True)
    assert "The job will be done again in a moment." in words(answer)
    assert get_job(world, listed[2]).state == "waiting"


@pytest.mark.both_databases
def test_task_of_a_job_is_found_by_each_name_that_its_payload_may_have(world: World) -> None:
    submission = world.upload(world.run(), "p2s")
    named = {
        "task": world.task.id, "phase": world.phase().id, "team": world.team.id, "submission": submission.id
    }  # fmt: skip
    job_ids = [fail_job(world, **{name: number}) for name, number in named.items()]
    fail_job(world, **dict.fromkeys(NAMES, 10**6))  # there are no such rows
    listed = task_jobs.list_failing_jobs(world.session, None)
    assert {failing.job.id: failing.title for failing in listed if failing.title} == dict.fromkeys(
        job_ids, "A small task"
    )
    of_task = task_jobs.list_failing_jobs(world.session, world.task)
    assert sorted(failing.job.id for failing in of_task) == job_ids


def test_jobs_that_do_not_really_fail_are_not_listed(world: World) -> None:
    waiting = {"state": "waiting", "attempt": 1}
    retrying = fail_job(world, **waiting)
    fail_job(world, **waiting, error=f"{jobs.INTERRUPTED}it was cancelled")
    fail_job(world, "mail.send", mail=1)
    fail_job(world, state="done", error=None)
    fail_job(world, key="replaced")
    fail_job(world, key="replaced", state="done")
    newest = fail_job(world, key="newest")
    listed = task_jobs.list_failing_jobs(world.session, None)
    assert [failing.job.id for failing in listed] == [newest, retrying]


def test_failed_email_about_an_account_cannot_be_retried_because_its_text_is_deleted(world: World) -> None:
    dee, job_id = sign_in_admin(world), fail_job(world, "account.mail", useful_until="2026-03-11")
    page = dee.get("/mails/")
    assert f"account.mail {job_id} failed" in words(page)
    assert "/again" not in page.text
    answer = dee.post(f"/jobs/{job_id}/again", follow_redirects=True)
    assert "This job cannot be retried." in words(answer)
    assert get_job(world, job_id).state == "failed"


def test_retried_job_begins_again_with_all_its_attempts(world: World) -> None:
    job_id, later = fail_job(world, task=world.task.id), DURING + timedelta(hours=1)
    world.set_clock(later)
    world.client("ada").post(f"/tasks/small/organize/jobs/{job_id}/again")
    job = get_job(world, job_id)
    assert (job.state, job.attempt, job.error, job.due_at) == ("waiting", 0, None, later)


def test_late_jobs_are_counted_by_kind(world: World) -> None:
    of_task = {"task": world.task.id}
    with db.writing(world.session):
        jobs.delete_kinds(world.session, "")
        for kind, payload in (("note", of_task), ("note", of_task), ("other", of_task), ("account.mail", {})):
            jobs.add_job(world.session, kind, payload, DURING)
    ada, dee, late = world.client("ada"), sign_in_admin(world), "due for more than five minutes:"
    world.set_clock(DURING + jobs.LATE_AFTER - timedelta(seconds=1))
    assert late not in words(ada.get(PAGE)) + words(dee.get("/mails/"))
    world.set_clock(DURING + jobs.LATE_AFTER)
    end = "note (2), other (1). The jobs worker may not be running."
    assert f"{late} {end}" in words(ada.get(PAGE))
    assert f"{late} account.mail (1), {end}" in words(dee.get("/mails/"))
