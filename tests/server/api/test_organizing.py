"""What organizers do by the API: dates, gold, releases, announcements."""

from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from server.access import service as access
from server.api.phases.schemas import PhaseRules
from server.core.actors import Actor
from server.mail.models import Announcement
from tests.server.programs import Program
from tests.server.small_task import GOOD, TASK, write_bundle
from tests.server.world import AFTER, LATE, World

pytestmark = pytest.mark.one_database


def test_only_fields_that_are_sent_change_a_phase(world: World) -> None:
    ada, where = Program(world, "ada", "organize"), "/tasks/small/phases/evaluation"
    assert ada.post(where, {"files_per_level": 5}, "PATCH").json == {
        "changed": ["files_per_level"],
        "warnings": [],
    }
    phase = world.phase()
    assert (phase.files_per_level, phase.grace_hours, phase.feedback) == (5, 72, "hidden")
    wrong = ada.post(where, {"title": "", "board": "live"}, "PATCH")
    assert {one["field"] for one in wrong.json["fields"]} == {"title", "board"}
    for name in ("opens", "files_per_level", "files_per_day"):
        ada.post(where, {name: "2026-01-01T00:00:00Z" if name == "opens" else 3}, "PATCH")
        assert ada.post(where, {name: None}, "PATCH").json["changed"] == [name]
    more = {"closes": "2026-03-20T12:00:00Z", "reason": "the server was down", "team": world.team.id}
    made = ada.post(f"{where}/extensions", more)
    assert (made.status_code, made.json) == (201, ada.get(f"{where}/extensions").json["items"][0])
    given = {name: more[name] for name in ("team", "reason")}
    for who, expected in (("ada", [given]), ("bo", [given]), ("dee", [])):
        listed = Program(world, who).get(f"{where}/extensions").json["items"]
        assert [{name: one[name] for name in given} for one in listed] == expected
    assert world.client().get(f"/api/v1{where}/extensions").json["items"] == []
    for scope in ("read", "submit"):
        assert Program(world, "bo", scope).get(where).json["window"]["closes"] == "2026-03-20T12:00:00+00:00"
    assert ada.get(where).json["window"]["closes"] != "2026-03-20T12:00:00+00:00", "it is that of one team"
    world.set_clock(LATE)
    run = world.run().id
    assert (
        Program(world, "bo").upload(f"/runs/{run}/files/p2s", b"1\n2\n3\n4\n").json["submission"]["late"]
        is False
    )
    assert [one["field"] for one in ada.post(where, {"closes": None}, "PATCH").json["fields"]] == [
        "grace_hours"
    ]
    assert ada.post(where, {"closes": None, "grace_hours": 0}, "PATCH").status_code == 200
    assert ada.get(where).json["window"]["closes"] is None


def test_rule_change_that_reveals_scores_names_the_confirming_field(world: World) -> None:
    ada, where = Program(world, "ada", "organize"), "/tasks/small/phases/evaluation"
    ada.post(where, {"runs_public": True}, "PATCH")
    world.upload(world.run(), "p2s")
    hint = "To continue, send “sure”: true."
    asked = ada.post(where, {"feedback": "scores"}, "PATCH").json
    assert asked["code"] == "not_sure"
    assert (
        asked["detail"] == f"Teams will see the scores of 1 submission at once. This cannot be undone. {hint}"
    )
    open_, hidden = (
        "Evaluation still accepts submissions. ",
        "A release shows exact official scores, which this phase does not show to teams. ",
    )
    files = (
        "Everyone can then download the submissions that count and the late ones, even teams that can still "
        "submit. "
    )
    undo = "You can withdraw the release, but not what people have read or downloaded in the meantime. "
    assert ada.post(f"{where}/releases", {}).json["detail"] == f"{open_}{hidden}{files}{undo}{hint}"
    ada.post(where, {"feedback": "scores", "sure": True}, "PATCH")
    assert ada.post(f"{where}/releases", {}).json["detail"] == f"{open_}{files}{undo}{hint}"
    assert ada.post(f"{where}/releases", {"sure": True}).status_code == 201


def test_second_release_in_the_grace_period_reveals_only_later_scores(world: World) -> None:
    ada, releases = Program(world, "ada", "organize"), "/tasks/small/phases/evaluation/releases"
    world.upload(world.run(), "p2s")
    world.set_clock(LATE)
    late, hidden = (
        "Evaluation still accepts late submissions. ",
        "A release shows exact official scores, which this phase does not show to teams. ",
    )
    assert ada.post(releases, {}).json["detail"].startswith(late + hidden)
    assert ada.post(releases, {"sure": True}).status_code == 201
    shown = "An earlier release already shows exact scores. A new release shows the current ones. "
    assert ada.post(releases, {}).json["detail"].startswith(late + shown)


@pytest.mark.parametrize("kind", ["hidden", "rounded", "ladder"])
def test_phase_document_can_be_sent_back_unchanged(world: World, kind: str) -> None:
    ada, where = Program(world, "ada", "organize"), "/tasks/small/phases/evaluation"
    ada.post(where, {"feedback": kind, "sure": True}, "PATCH")
    document = {**ada.get(where).json, **ada.get(where).json["window"]}
    sent = {name: document[name] for name in PhaseRules().fields if name in document}
    assert {"title", "opens", "closes", "feedback", "feedback_places", "ladder_step"} < set(sent)
    assert ada.post(where, sent, "PATCH").json["changed"] == []


@pytest.mark.parametrize(
    "given",
    [
        {"grace_hours": 0.9},
        {"runs_per_team": "7"},
        {"files_per_day": True},
        {"reminders": [24, 1.5]},
        {"ladder_step": "0.1"},
        {"runs_public": 1},
        {"runs_public": "yes"},
    ],
)
def test_rule_with_a_wrong_type_is_rejected_and_not_truncated(world: World, given: dict[str, Any]) -> None:
    ada, where = Program(world, "ada"), "/tasks/small/phases/evaluation"
    before = ada.get(where).json
    refused = ada.post(where, given, "PATCH")
    assert (refused.status_code, [one["field"] for one in refused.json["fields"]]) == (422, [*given])
    assert ada.get(where).json == before
    assert ada.post(where, {"grace_hours": 2.0}, "PATCH").status_code == 200, "the same number in JSON"


@pytest.mark.parametrize(
    "closes",
    [
        *("2026-03-20T12:00:00", "2026-03-20", "soon", 7, "2026-W12-5T12:00:00Z", "20260320T120000Z"),
        *("2026-03-20T12:00Z", "2026-03-20T25:00:00Z", "٢٠٢٦-03-20T12:00:00Z"),
    ],
)
def test_time_without_a_zone_says_how_to_write_it(world: World, closes: object) -> None:
    refused = Program(world, "ada").post("/tasks/small/phases/evaluation", {"closes": closes}, "PATCH")
    (fault,) = refused.json["fields"]
    assert (fault["field"], "as 2026-03-15T12:00:00Z" in fault["detail"]) == ("closes", True)


@pytest.mark.parametrize(
    "closes",
    [
        *("2026-03-20T12:00:00Z", "2026-03-20t12:00:00z", "2026-03-20T12:00:00.000Z"),
        *("2026-03-20T14:30:00+02:30", "2026-03-20T12:00:00-00:00"),
    ],
)
def test_time_is_parsed_as_rfc_3339(world: World, closes: str) -> None:
    ada, where = Program(world, "ada"), "/tasks/small/phases/evaluation"
    assert ada.post(where, {"closes": closes}, "PATCH").json["changed"] == ["closes"]
    assert ada.get(where).json["window"]["closes"] == "2026-03-20T12:00:00+00:00"


def test_unsupported_conditional_request_headers_are_rejected(world: World) -> None:
    ada, where = Program(world, "ada"), "/tasks/small/phases/evaluation"
    condition = {"If-Match": '"bogus"'}
    refused = ada.open(where, "PATCH", json={"grace_hours": 1}, headers=condition)
    assert (refused.status_code, refused.json["code"]) == (412, "precondition_failed")
    assert ada.get(where).json["grace_hours"] == 72
    assert ada.open(where, headers=condition).mimetype == "application/problem+json"


def test_gold_can_be_uploaded_and_discarded_and_a_board_released_and_withdrawn(world: World) -> None:
    ada, where = Program(world, "ada", "organize"), "/tasks/small/phases/evaluation/releases"
    world.upload(world.run(), "p2s")
    brought = ada.upload("/tasks/small/gold/p2s/test", b"1\n2\n3\n4\n", reason="mistyped")
    assert (brought.status_code, brought.json["number"]) == (201, 2)
    bad = ada.upload("/tasks/small/gold/s2p/test", b"9\n2\n3\n4\n", reason="mistyped")
    assert (bad.status_code, bad.json["code"], len(bad.json["problems"])) == (422, "refused", 1)
    version = f"/tasks/small/gold/{brought.json['id']}"
    assert ada.post(f"{version}/drop", {"reason": "not better"}).status_code == 204
    assert ada.post(f"{version}/publish").json["code"] == "conflict"
    planned = ada.post(where, {"at": AFTER.isoformat()})
    assert (planned.status_code, planned.json["number"]) == (201, None)
    waiting = "/tasks/small/jobs?state=waiting"
    assert ada.get(where).json["planned"]["due_at"] == AFTER.isoformat()
    assert "release.make" in ada.get(waiting).text
    assert Program(world, "bo").get(where).json["planned"] is None
    assert ada.post(f"{where}/cancel-plan").status_code == 204
    assert (ada.get(where).json["planned"], "release.make" in ada.get(waiting).text) == (None, False)
    assert ada.post(where, {"anonymous": True}).json["code"] == "not_sure"
    assert ada.post(where, {"anonymous": True, "sure": True}).json == {"number": 1, "planned_for": None}
    assert [ada.post(f"{where}/name").status_code for _ in range(2)] == [204, 409]
    assert ada.post(f"{where}/99/withdraw", {"reason": "a mistake"}).status_code == 404
    assert ada.get(f"/runs/{'9' * 20}").status_code == 404
    assert ada.post(f"{where}/1/withdraw", {"reason": "a mistake"}).status_code == 204
    made = ada.post("/tasks/small/announcements", {"title": "Wait", "text": "A *new* board."})
    assert world.session.query(Announcement).one().title == "Wait"
    (announcement,) = world.client().get("/api/v1/tasks/small/announcements").json["items"]
    assert (made.status_code, made.json) == (201, announcement)
    assert (announcement["title"], announcement["phase"]) == ("Wait", None)
    path = f"/tasks/small/announcements/{announcement['id']}"
    assert ada.post(path, {"title": "Go", "pinned": True}, "PATCH").json == {"changed": ["title", "pinned"]}
    (announcement,) = world.client().get("/api/v1/tasks/small/announcements").json["items"]
    assert (announcement["title"], announcement["text"]) == ("Go", "A *new* board.")
    assert (announcement["edited_at"], announcement["pinned"]) == (announcement["made_at"], True)
    refused = Program(world, "ada", "read", "submit").post(where)
    assert (refused.status_code, "the scope “organize”" in refused.json["detail"]) == (403, True)


def test_phase_can_be_added_and_removed_public_items_drawn_and_texts_edited(world: World) -> None:
    ada, where = Program(world, "ada", "organize"), "/tasks/small/phases"
    new = {"slug": "again", "split": "test", "title": "Once more", "feedback": "public-part"}
    assert "First declare" in ada.post(where, new).json["detail"]
    assert ada.post(f"{where}/evaluation/public-items", {"percent": 50, "seed": "7"}).status_code == 204
    made = ada.post(where, {**new, "opens": LATE.isoformat(), "closes": AFTER.isoformat(), "reminders": [24]})
    assert (made.status_code, made.json["state"], made.json["window"]["opens"]) == (
        201,
        "early",
        LATE.isoformat(),
    )
    read = ada.get(f"{where}/again").json
    assert (read["reminders"], read["baselines"], read["grace_hours"]) == ([24], "after", 0)
    assert (read["feedback_places"], read["ladder_step"]) == (None, None)
    assert ada.post(where, new).json["code"] == "name_taken"
    assert {one["field"] for one in ada.post(where, {**new, "split": "dev"}).json["fields"]} == {"split"}
    assert made.json["warnings"][0].startswith(
        "Once more is open on the same items and at the same time as Evaluation"
    )
    shown = {**new, "slug": "beside", "title": "Beside", "feedback": "scores"}
    warnings = [
        ada.post(where, shown).json["warnings"],
        ada.post(f"{where}/beside", {}, "PATCH").json["warnings"],
    ]
    assert warnings[0] == warnings[1]
    assert warnings[0][0].startswith("Beside is open on the same items and at the same time as Evaluation")
    assert ada.open(f"{where}/again", "DELETE").status_code == 204
    assert ada.open(f"{where}/again", "DELETE").status_code == 404
    long = "How alike?" * 8_000
    assert ada.post("/tasks/small", {"description": long}, "PATCH").json == {"changed": ["description"]}
    assert world.client().get("/api/v1/tasks/small").json["description"] == long
    refused = Program(world, "bo").post("/tasks/small", {"description": long}, "PATCH")
    assert (refused.status_code, "65 kB" in refused.json["detail"]) == (413, True), refused.json


def test_preview_can_be_read_and_a_file_scored_against_the_gold(world: World) -> None:
    ada = Program(world, "ada", "organize")
    submission = world.upload(world.run(), "p2s").id
    page = world.client("ada").get("/tasks/small/organize/boards/evaluation.json")
    assert ada.get("/tasks/small/phases/evaluation/draft").json == page.json
    assert "birch,,one," in ada.get("/tasks/small/phases/evaluation/systems.csv").text
    scored = ada.get(f"/submissions/{submission}").json["scores"]
    dry = ada.upload("/tasks/small/dry-run/p2s/test", GOOD).json
    assert [one["value"] for one in dry["scores"]] == [one["value"] for one in scored]
    assert ada.upload("/tasks/small/dry-run/p2s/test", b"1\n").json["code"] == "refused"
    version = world.bring_gold("s2p", b"1\n2\n3\n4\n")
    gold = f"/tasks/small/gold/{version.id}"
    done = ("score", {}), ("drop", {"reason": "not better"}), ("score", {}), ("again", {})
    assert [ada.post(f"{gold}/{what}", given).status_code for what, given in done] == [204, 204, 409, 201]


def test_roles_can_be_given_and_ended(world: World) -> None:
    ada, where = Program(world, "ada", "organize"), "/tasks/small/people"
    made = ada.post(f"{where}/invitations", {"role": "observer"}).json
    assert (made["role"], ada.get(f"{where}/invitations").json["total"]) == ("observer", 1)
    assert world.client("dee").get(made["address"].partition("//")[2].partition("/")[1]).status_code < 400
    assert ada.open(f"{where}/invitations/{made['id']}", "DELETE").status_code == 204
    assert ada.get(f"{where}/invitations").json["total"] == 0
    world.give_role("dee", "observer")
    dee = world.user("dee").id
    assert ada.post(f"{where}/{dee}", {"role": "king"}, "PATCH").status_code == 422
    assert ada.post(f"{where}/{dee}", {"role": "co-organizer"}, "PATCH").status_code == 204
    roles = {one["name"]: one["role"] for one in ada.get(where).json["items"]}
    assert roles == {"ada": "organizer", "dee": "co-organizer"}
    assert Program(world, "dee").open(f"{where}/{dee}", "DELETE").status_code == 403
    assert ada.open(f"{where}/{dee}", "DELETE").status_code == 204
    assert ada.open(f"{where}/{world.user('ada').id}", "DELETE").status_code == 409


def test_task_can_be_exported_and_imported_with_an_organizer_token(world: World, tmp_path: Path) -> None:
    world.upload(world.run(), "p2s")
    ada, read = Program(world, "ada", "organize"), Program(world, "ada", "submit", "read")
    with ZipFile(BytesIO(ada.post("/tasks/small/export").data)) as bundle:
        assert "task.toml" in {name.rpartition("/")[2] for name in bundle.namelist()}
    with ZipFile(BytesIO(ada.post("/tasks/small/phases/evaluation/runs.zip").data)) as runs:
        assert any(name.endswith(".tsv") for name in runs.namelist())
    zipped = BytesIO()
    folder = write_bundle(tmp_path / "second", TASK.replace('slug = "small"', 'slug = "second"'))
    with ZipFile(zipped, "w") as archive:
        for file in folder.iterdir():
            archive.write(file, file.name)
        archive.writestr("notes.txt", "\n" * 300_000)
    refused = read.upload("/tasks/", zipped.getvalue())
    assert (refused.status_code, "“organize”" in refused.json["detail"]) == (403, True), refused.json
    assert ada.upload("/tasks", zipped.getvalue()).json == {"slug": "second~2"}
    assert not access.may_import(
        world.session, Actor(world.user("ada").id, without_roles=True), everybody=False
    )
