"""What those who see all of a task read by the API, and no team: teams, gold versions, jobs, the log."""

from pathlib import Path

import pytest

from server import bundles
from server.audit import service as audit
from server.core import db
from server.core.actors import CONSOLE
from server.corrections import scoring_jobs
from server.submissions.follow_up_jobs import CONFIRMATION_DELAY
from tests.server.players import CANDIDATE
from tests.server.programs import Program
from tests.server.small_task import TASK, write_bundle
from tests.server.world import DURING, World

pytestmark = pytest.mark.one_database


def test_team_is_visible_to_its_members_and_all_teams_to_organizers(world: World) -> None:
    world.upload(world.run(), "p2s")
    own = Program(world, "cy", "read").get("/tasks/small/team").json
    assert (own["name"], own["is_fixed"]) == ("birch", True)
    assert own["members"] == [
        {"id": world.user(name).id, "name": name, "is_captain": name == "bo"} for name in ("bo", "cy")
    ]
    (listed,) = Program(world, "ada").get("/tasks/small/teams").json["items"]
    assert (listed["members"], listed["files"]) == (own["members"], 1)
    assert Program(world, "dee").get("/tasks/small/team").json["code"] == "forbidden"
    for where in ("/tasks/small/runs", "/tasks/small/team", "/tasks/small/counts"):
        refused = Program(world, "ada", "read").get(where).json
        assert (refused["code"], "“organize”" in refused["detail"]) == ("scope_missing", True)
    assert Program(world, "ada").get("/tasks/small/counts").json["fields"][0]["field"] == "team"
    refused = Program(world, "cy", "submit").get("/tasks/small/team").json
    assert (refused["code"], "“read” or “organize”" in refused["detail"]) == ("scope_missing", True)


def test_gold_versions_are_listed_with_the_changes_each_would_cause(world: World) -> None:
    world.upload(world.run(), "p2s")
    version_id = world.bring_gold("p2s", CANDIDATE).id
    scoring_jobs.score_all(world.site, version_id, DURING)
    ada = Program(world, "ada", "organize")
    versions = ada.get("/tasks/small/gold?per_page=100").json["items"]
    states = {one["id"]: one["state"] for one in versions if (one["level"], one["split"]) == ("p2s", "test")}
    assert sorted(states.values()) == ["candidate", "in force"]
    preview = ada.get(f"/tasks/small/gold/{version_id}").json
    assert (preview["state"], len(preview["labels"])) == ("candidate", 4)
    assert ada.get(f"/tasks/small/gold/{version_id}/file").data == CANDIDATE
    assert Program(world, "ada", "read").get("/tasks/small/gold").status_code == 403


def test_all_kinds_of_jobs_of_the_task_are_listed(world: World) -> None:
    world.upload(world.run(), "p2s")
    world.work(DURING + CONFIRMATION_DELAY)
    world.bring_gold("p2s", CANDIDATE)
    ada = Program(world, "ada")
    jobs = ada.get("/tasks/small/jobs?per_page=100").json
    kinds = {(job["kind"], job["state"], *sorted(job["about"])) for job in jobs["items"]}
    assert {("mail.confirm", "done", "submission"), ("mail.send", "done", "mail")} <= kinds
    waiting = ada.get("/tasks/small/jobs?state=waiting").json["items"]
    assert {one["state"] for one in waiting} == {"waiting"}
    assert len(waiting) < jobs["total"]
    assert ada.get("/tasks/small/jobs?state=tired").json["fields"][0]["field"] == "state"


def test_activity_log_is_paginated_and_a_team_sees_its_own(world: World) -> None:
    ada, bo = Program(world, "ada"), Program(world, "bo", "read")
    world.upload(world.run(), "p2s")
    with db.writing(world.session):
        for _number in range(101):
            actor, team = world.actor("bo"), world.team
            audit.record(world.session, actor, DURING, "team.affiliations", team.task_id, team.id)
    first = ada.get("/tasks/small/log").json
    second = ada.visitor.get(first["next"], headers=ada.head).json
    numbers = [line["number"] for page in (first, second) for line in page["items"]]
    assert (len(first["items"]), numbers) == (100, sorted(set(numbers), reverse=True))
    said, *_baselines = ada.get("/tasks/small/log?kind=files").json["items"]
    assert "Paragraph to sentence" in said["said"]
    assert [said[name] for name in ("kind", "action", "team")] == [
        "files",
        "submission.accept",
        world.team.id,
    ]
    assert said["actor"] == f"user:{world.user('bo').id}"
    (own,) = bo.get("/tasks/small/team/log/?kind=files").json["items"]
    assert {**said, "said": own["said"]} == {**own, "actor": said["actor"]}


def test_public_keys_equal_those_on_the_page(world: World) -> None:
    world.upload(world.run(), "p2s")
    assert world.client().get("/api/v1/keys").data == world.client().get("/keys.json").data


def test_team_of_another_task_is_not_found(world: World, tmp_path: Path) -> None:
    plan = bundles.plan_import(write_bundle(tmp_path, TASK.replace('slug = "small"', 'slug = "second"')))
    with db.writing(world.session):
        bundles.import_task(world.session, CONSOLE, plan, [world.user("ada")], DURING, published=True)
    ada = Program(world, "ada", "organize")
    for list_ in ("log", "runs", "submissions"):
        refused = ada.get(f"/tasks/second/{list_}?team={world.team.id}")
        assert (refused.status_code, refused.json["code"]) == (404, "not_found"), list_
        assert "no such team" in refused.json["detail"]
    rows = ada.get("/tasks/small/runs").json["items"]
    own = next(row["team"]["id"] for row in rows if row["team"]["name"] == "organizers")
    assert ada.get(f"/tasks/small/runs?team={own}").json["total"] > 0, "baselines are runs as others"
