"""Invalid requests are reported with the place and the fix, in messages of the site and not of a library."""

from typing import Any

import pytest

from tests.server.programs import Program
from tests.server.world import World

pytestmark = pytest.mark.one_database

PHASE = "/tasks/small/phases/evaluation"
PHASES = "/tasks/small/phases"
NEW = {"slug": "later", "title": "Later", "split": "test"}


@pytest.mark.parametrize(
    ("where", "method", "given", "faults"),
    [
        (PHASES, "POST", {"slug": "later", "title": "Later"}, {"split": "This field is required."}),
        (PHASES, "POST", {**NEW, "split": "dev"}, {"split": "Send one of: test, trial."}),
        (
            PHASE,
            "PATCH",
            {"title": None},
            {"title": "This field cannot be null. Send a value, or leave it out."},
        ),
        (PHASE, "PATCH", {"title": 7}, {"title": "Send a text."}),
        (PHASE, "PATCH", {"grace_hours": "7"}, {"grace_hours": "Send a whole number, without quotes."}),
        (PHASE, "PATCH", {"ladder_step": "1"}, {"ladder_step": "Send a number, without quotes."}),
        (PHASE, "PATCH", {"runs_public": "no"}, {"runs_public": "Send true or false, without quotes."}),
        (
            PHASE,
            "PATCH",
            {"closes": "0001-01-01T00:00:00+14:00"},
            {"closes": "Write a year from 1971 to 8999."},
        ),
        (PHASE, "PATCH", {"closes": "9000-01-01T00:00:00Z"}, {"closes": "Write a year from 1971 to 8999."}),
        (PHASE, "PATCH", {"reminders": 24}, {"reminders": "Send a list."}),
        (PHASE, "PATCH", {"reminders": [24, "1"]}, {"reminders": "1: Send a whole number, without quotes."}),
        (PHASE, "PATCH", {"board": "open"}, {"board": "Send one of: released, live."}),
        (
            "/tasks/small/team",
            "PATCH",
            {"nam": "elm", "x": 1},
            {name: f"There is no field “{name}”. Known fields: name, affiliations." for name in ("nam", "x")},
        ),
        (
            "/tasks/small/team",
            "PATCH",
            ["elm"],
            {"_schema": "Send a JSON object with these fields: name, affiliations."},
        ),
        ("/tasks/small/terms/accept", "POST", {"sha256": "0"}, {"sha256": "Send 64 hexadecimal digits."}),
        ("/tasks/small/runs?team=x", "GET", None, {"team": "Send a whole number."}),
        ("/tasks/small/runs?per_page=1_0", "GET", None, {"per_page": "Send a whole number."}),
        ("/tasks/small/runs?page=%D9%A1", "GET", None, {"page": "Send a whole number."}),
        ("/tasks/small/runs?per_page=101", "GET", None, {"per_page": "Enter a number from 1 to 100."}),
        ("/tasks/small/runs?phase=", "GET", None, {"phase": "Send 1 to 64 characters."}),
        ("/tasks/small/jobs?state=x", "GET", None, {"state": "Send one of: waiting, running, done, failed."}),
        ("/tasks/", "POST", None, {"file": "This field is required."}),
    ],
)
def test_each_problem_says_where_it_is_and_how_to_fix_it(
    world: World, where: str, method: str, given: Any, faults: dict[str, str]
) -> None:
    refused = Program(world, "ada").open(where, method, **({} if given is None else {"json": given}))
    assert (refused.status_code, refused.json["code"]) == (422, "unprocessable_entity")
    assert {one["field"]: one["detail"] for one in refused.json["fields"]} == faults
