"""Runs and files by the API: one's own, or all for those who see all; in parts, with what counts of them."""

import json
from datetime import datetime, timedelta

import pytest

from server.core import db
from server.planning import extensions
from server.submissions.models import Receipt
from tests.server.programs import Program
from tests.server.small_task import GOOD, variant
from tests.server.world import DURING, World

pytestmark = pytest.mark.one_database


def test_team_lists_its_runs_files_and_remaining_quota(world: World) -> None:
    old, new = (world.upload(world.run(), "p2s", data).id for data in (GOOD, variant(1)))
    bo = Program(world, "bo", "read")
    (row,) = bo.get("/tasks/small/runs?phase=evaluation").json["items"]
    assert (row["team"]["name"], row["run"]["name"], row["withdrawn"]) == ("birch", "one", False)
    assert row["counting"] == [{"level": "p2s", "submission": new, "late": False}]

    run = bo.get(f"/runs/{row['run']['id']}").json
    p2s, s2p = run["levels"]
    assert [(file["submission"]["id"], file["counts"]) for file in p2s["files"]] == [
        (new, True),
        (old, False),
    ]
    assert (p2s["on_time"], p2s["left"], s2p["on_time"]) == (new, {"in_all": 1, "today": None}, None)

    counts = bo.get("/tasks/small/counts").json
    assert counts["phases"][0]["missing"] == [{"run": row["run"]["id"], "level": "s2p"}]
    assert counts["phases"][0]["runs"][0]["levels"][0]["on_time"] == new
    assert Program(world, "ada").get(f"/tasks/small/counts?team={row['team']['id']}").json == counts


def test_team_sees_its_own_deadline_and_the_general_one(world: World) -> None:
    window, more = world.phase().window, timedelta(hours=2)
    assert window.closes is not None

    def ends() -> list[str]:
        found = Program(world, "bo", "read").get("/tasks/small/counts").json["phases"][0]
        return [found[name] for name in ("closes", "closes_for_all", "grace_ends")]

    def named(*times: datetime) -> list[str]:
        return [time.isoformat() for time in times]

    closes, grace_ends = window.closes, window.closes + timedelta(hours=window.grace_hours)
    assert ends() == named(closes, closes, grace_ends)
    with db.writing(world.session):
        ada, phase = world.actor("ada"), world.phase()
        extensions.extend_deadline(world.session, ada, phase, world.team, closes + more, "a fire", DURING)
    assert ends() == named(closes + more, closes, grace_ends + more)


def test_team_sees_when_a_future_phase_accepts_files(world: World) -> None:
    with db.writing(world.session):
        world.phase().opens = DURING + timedelta(hours=1)
    counts = Program(world, "bo", "read").get("/tasks/small/counts").json
    assert [one["phase"] for one in counts["phases"]] == ["practice"]
    (early,) = counts["early"]
    assert (early["phase"], early["state"]) == ("evaluation", "early")
    window = world.phase().window
    assert [early[name] for name in ("opens", "closes", "grace_ends")] == [
        end.isoformat() for end in (window.opens, window.closes, window.grace_ends) if end is not None
    ]


def test_files_are_paginated_and_each_has_its_content_and_receipt(world: World) -> None:
    ids = [world.upload(world.run(), "p2s", data).id for data in (GOOD, variant(1))]
    ids.append(world.upload(world.run("one", "practice"), "p2s").id)
    bo = Program(world, "bo", "read")
    first = bo.get("/tasks/small/submissions?per_page=2").json
    second = bo.visitor.get(first["next"], headers=bo.head).json
    pages = [[row["submission"]["id"] for row in page["items"]] for page in (first, second)]
    assert (pages, first["total"], second["next"]) == ([ids[:0:-1], ids[:1]], 3, None)
    asked = bo.get(f"/tasks/small/submissions?run={world.run().id}&level=p2s&phase=evaluation").json
    assert asked["total"] == 2
    assert bo.get("/tasks/small/submissions?level=nothing").json["code"] == "not_found"

    hidden, shown = bo.get(f"/submissions/{ids[0]}").json, bo.get(f"/submissions/{ids[2]}").json
    assert (hidden["state"], hidden["scores"]) == ("stored", None)
    assert (shown["state"], shown["scores"][0]["metric"]) == ("scored", "pearson")
    assert bo.get(f"/submissions/{ids[0]}/file").data == GOOD
    receipt = world.session.get_one(Receipt, ids[0]).text
    assert bo.get(f"/submissions/{ids[0]}/receipt").text == hidden["receipt"] == receipt
    assert json.loads(receipt)["signed"]["receipt"] == ids[0]


def test_organizers_list_all_scores_only_with_an_organizer_token(world: World) -> None:
    submission = world.upload(world.run(), "p2s")
    team = submission.run.team_id
    path = f"/submissions/{submission.id}"
    assert Program(world, "ada", "organize").get(path).json["state"] == "scored"
    assert Program(world, "ada", "read").get(path).status_code == 404
    assert Program(world, "ada", "read").get("/tasks/small/runs").status_code == 403
    assert Program(world, "bo", "submit").get(path).json["detail"].startswith("This token lacks the scope “")
    assert Program(world, "ada").get(f"/tasks/small/submissions?team={team}").json["total"] == 1
    assert Program(world, "ada").get("/tasks/small/runs").json["total"] > 1  # baselines
    world.found_team("dee", "elm")
    assert Program(world, "dee").get(f"/tasks/small/submissions?team={team}").status_code == 404
