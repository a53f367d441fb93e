"""What organizers do by the API: dates, gold, releases, announcements."""

from server.models import Announcement
from tests.server.api.programs import Program
from tests.server.world import AFTER, LATE, World


def test_dates_and_rules_change_in_what_is_sent_alone(world: World) -> None:
    ada, where = Program(world, "ada", "organize"), "/tasks/small/phases/evaluation"
    assert ada.post(where, {"files_per_level": 5}, "PATCH").json == {"changed": ["files_per_level"]}
    phase = world.phase()
    assert (phase.files_per_level, phase.grace_hours, phase.feedback) == (5, 72, "hidden")
    wrong = ada.post(where, {"title": "", "board": "live"}, "PATCH")
    assert {one["field"] for one in wrong.json["fields"]} == {"title", "board"}
    assert ada.post(where, {"closes": "0001-01-01T00:00:00+14:00"}, "PATCH").status_code == 422
    more = {"closes": "2026-03-20T12:00:00Z", "reason": "the server was down", "team": world.team.id}
    assert ada.post(f"{where}/extensions", more).status_code == 204
    world.set_clock(LATE)
    run = world.run().id
    assert (
        Program(world, "bo").upload(f"/runs/{run}/files/p2s", b"1\n2\n3\n4\n").json["submission"]["late"]
        is False
    )


def test_gold_is_brought_and_dropped_and_a_board_released_and_taken_back(world: World) -> None:
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
    assert ada.post(f"{where}/cancel-plan").status_code == 204
    assert ada.post(where, {"anonymous": True}).json == {"number": 1, "planned_for": None}
    assert [ada.post(f"{where}/name").status_code for _ in range(2)] == [204, 409]
    assert ada.post(f"{where}/1/withdraw", {"reason": "a mistake"}).status_code == 204
    assert (
        ada.post("/tasks/small/announcements", {"title": "Wait", "text": "A *new* board."}).status_code == 204
    )
    assert world.session.query(Announcement).one().title == "Wait"
    assert Program(world, "ada", "read", "submit").post(where).status_code == 403
