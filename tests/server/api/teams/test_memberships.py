"""Teams, terms and tokens by the API, and a whole run at once."""

from io import BytesIO

import pytest

from server.access import terms
from server.accounts.models import ApiToken
from server.core import db
from server.submissions.models import Submission
from tests.server.programs import Program
from tests.server.small_task import GOOD
from tests.server.world import DURING, World

pytestmark = pytest.mark.one_database


def test_team_can_be_created_joined_and_left_by_api(world: World) -> None:
    dee, link = Program(world, "dee", "submit"), world.link()
    cut = dee.open("/tasks/small/teams", "POST", data=b'{"name":\n "al', content_type="application/json")
    assert (cut.json["code"], "line 2, column 2" in cut.json["detail"]) == ("bad_json", True)
    form = dee.open("/tasks/small/teams", "POST", data={"name": "alder"})
    assert (form.status_code, "application/json" in form.json["detail"]) == (415, True)
    parts = {"input_stream": BytesIO(b"name=alder"), "environ_overrides": {"wsgi.input_terminated": True}}
    chunked = {"Transfer-Encoding": "chunked", "Content-Type": "application/x-www-form-urlencoded"}
    assert dee.open("/tasks/small/teams", "POST", headers=chunked, **parts).status_code == 415
    made = dee.post("/tasks/small/teams", {"name": "alder"})
    assert (made.status_code, made.json["name"], made.json["state"]) == (201, "alder", "approved")
    assert dee.post("/tasks/small/teams", {"name": "elm"}).json["code"] == "conflict"
    assert dee.post("/tasks/small/team/join", {"token": link}).status_code == 409
    assert dee.post("/tasks/small/team/leave").status_code == 204
    assert dee.post("/tasks/small/teams", {"name": "birch"}).json["code"] == "name_taken"
    assert dee.post("/tasks/small/team/join", {"token": link}).json["name"] == "birch"
    world.upload(world.run(), "p2s")
    assert dee.post("/tasks/small/team/leave").status_code == 409
    ada = Program(world, "ada", "submit")  # who sees the gold is in no team, whatever her token may
    assert ada.post("/tasks/small/teams", {"name": "oak"}).status_code == 409


def test_captain_edits_team_links_and_members_by_api(world: World) -> None:
    bo, cy, dee = (Program(world, name) for name in ("bo", "cy", "dee"))
    made = bo.post("/tasks/small/team/invitations")
    assert made.json["address"].endswith(f"/tasks/small/join/{made.json['token']}")
    listed = bo.get("/tasks/small/team/invitations").json
    assert (listed["total"], "token" in listed["items"][0]) == (1, False)
    assert dee.post("/tasks/small/team/join", {"token": made.json["token"]}).json["name"] == "birch"
    assert bo.open(f"/tasks/small/team/invitations/{made.json['id']}", "DELETE").status_code == 204
    assert bo.get("/tasks/small/team/invitations").json["total"] == 0

    changed = bo.post("/tasks/small/team", {"name": "beech"}, "PATCH").json
    assert changed["name"] == "beech"
    changed = cy.post("/tasks/small/team", {"affiliations": "Forest University"}, "PATCH").json[
        "affiliations"
    ]
    assert bo.get("/tasks/small/team").json["affiliations"] == changed == "Forest University"
    assert cy.post("/tasks/small/team", {"name": "oak"}, "PATCH").status_code == 403
    people = {one["name"]: one["id"] for one in bo.get("/tasks/small/team").json["members"]}
    assert cy.open(f"/tasks/small/team/members/{people['dee']}", "DELETE").status_code == 403
    assert bo.open(f"/tasks/small/team/members/{people['dee']}", "DELETE").status_code == 204
    assert dee.get("/tasks/small/team").status_code == 403
    assert bo.post(f"/tasks/small/team/members/{people['cy']}/captain").status_code == 204
    assert cy.get("/tasks/small/team").json["members"][1]["is_captain"] is True


def test_terms_must_be_accepted_before_files_are_served_or_uploaded(world: World) -> None:
    where, bo = f"/runs/{world.run().id}/files/p2s", Program(world, "bo", "read", "submit")
    with db.writing(world.session):
        terms.put_terms(world.session, world.actor("ada"), world.task, "Be kind.", DURING)
    answer = bo.upload(where, GOOD)
    assert (answer.status_code, answer.json["code"]) == (409, "terms_not_accepted")
    read = bo.get("/tasks/small/terms").json
    assert (read["text"], read["accepted_at"]) == ("Be kind.", None)
    assert bo.post("/tasks/small/terms/accept", {"sha256": 64 * "0"}).status_code == 409
    assert bo.post("/tasks/small/terms/accept", {"sha256": read["sha256"]}).status_code == 204
    assert bo.get("/tasks/small/terms").json["accepted_at"] == DURING.isoformat()
    assert bo.upload(where, GOOD).status_code == 201


def stored(world: World) -> int:
    return world.session.query(Submission).filter_by(run_id=world.run().id).count()


def test_whole_run_is_stored_completely_or_not_at_all(world: World) -> None:
    bo, where = Program(world, "bo"), f"/runs/{world.run().id}/files"
    for second, status in ((b"1\nn/a\n2\n3\n", 422), (GOOD, 201)):
        files = [(BytesIO(GOOD), "p2s.tsv"), (BytesIO(second), "s2p.tsv")]
        checked = bo.open(where.replace("/files", "/check"), "POST", data={"file": files})
        assert (checked.status_code, stored(world)) == (200 if status == 201 else status, 0)
        files = [(BytesIO(GOOD), "p2s.tsv"), (BytesIO(second), "s2p.tsv")]
        answer = bo.open(where, "POST", data={"file": files})
        assert answer.status_code == status
        if status == 422:
            (fault,) = answer.json["files"]
            assert (answer.json["code"], answer.json["good"]) == ("run_refused", ["p2s.tsv"])
            assert (fault["filename"], fault["problems"][0]["line"]) == ("s2p.tsv", 2)
            assert {**answer.json, "count": 0} == {**checked.json, "count": 0}
            assert stored(world) == 0
    assert [file["submission"]["level"] for file in answer.json["files"]] == ["p2s", "s2p"]


def test_token_is_listed_without_its_secret_and_can_revoke_itself(world: World) -> None:
    bo, other = Program(world, "bo", "read"), Program(world, "dee")
    (row,) = bo.get("/tokens").json["items"]
    assert set(row) == {"id", "name", "scopes", "made_at", "ends_at"}
    assert other.open(f"/tokens/{row['id']}", "DELETE").status_code == 404
    assert bo.open(f"/tokens/{row['id']}", "DELETE").status_code == 204
    assert bo.get("/tokens").json["code"] == "bad_token"
    assert world.session.get_one(ApiToken, row["id"]).revoked_at == DURING


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("[" * 12 + "]" * 12, "The body is nested too deeply."),
        ("[" * 990 + "]" * 990, "The body is nested too deeply."),
        ("[" * 10_000 + "]" * 10_000, "The body is nested too deeply."),
        (f'{{"name": {"9" * 5000}}}', "digits"),
        ('{"name": "alder", "affiliations": "", "name": "elm"}', "has “name” twice. Send it once"),
        ('{"name": "alder", "affiliations": {"at": 1, "at": 1}}', "has “at” twice. Send it once"),
    ],
)
def test_ambiguous_request_body_is_rejected_with_a_message(world: World, body: str, words: str) -> None:
    bo = Program(world, "bo")
    answer = bo.open("/tasks/small/teams", "POST", data=body, content_type="application/json")
    assert (answer.status_code, answer.json["code"]) == (400, "bad_json")
    assert words in answer.json["detail"]
