"""What programs ask of `/api/v1`, with a token that may do all that its person may do."""

from tests.server.route_cases import (
    ANONYMOUS,
    CLOSED,
    EVERYBODY,
    FIRST,
    FIRST_ONE,
    GOOD_FILE,
    NO_TOKEN,
    NOBODY,
    PUBLISHED,
    RELEASED,
    STATES,
    TEST_FILE,
    WITHDRAWN,
    Case,
)

READERS = "401 404 404 200 404 200 200 200"
SEEN = "401 404 404 403 403 200 200 200"
TEAMS = "401 403 403 200 200 200 200 200"
"""What programs read: of their own team, or as those who see all."""
STORED = "401 404 404 201 404 404 404 404"
MADE = "401 404 404 403 403 201 201 403"
RUN = "401 404 404 403 403 204 204 403"
CANNOT = "401 404 404 403 403 409 409 403"
RELEASE = {CLOSED: MADE, RELEASED: CANNOT, WITHDRAWN: MADE}
REASON = "401 404 404 403 403 422 422 403"
"""What programs of organizers do."""
NOT_THERE = "401 404 404 404 404 404 404 404"
CHANGE = "401 404 404 200 404 404 404 404"
DONE = "401 404 404 204 404 404 404 404"
"""What programs of a team change."""

CALLS = (
    Case("api_me.show", "401 200 200 200 200 200 200 200"),
    Case("api_tasks.index", EVERYBODY),
    Case("api_tasks.show", EVERYBODY),
    Case("api_tasks.download", EVERYBODY, values={**TEST_FILE, "kind": "items"}),
    Case("api_tasks.download", "404 404 404 404 404 200 200 200", values={**TEST_FILE, "kind": "gold"}),
    Case("api_runs.index", TEAMS, query="phase=evaluation"),
    Case("api_runs.index", "401 403 403 404 404 200 200 200", query="team=2147483647"),
    Case("api_runs.show", READERS),
    Case("api_runs.what_counts", "401 403 403 200 200 403 403 403"),
    Case("api_submissions.index", TEAMS, query="level=p2s"),
    Case("api_submissions.index", "401 403 403 404 404 404 404 404", query="run=2147483647"),
    Case("api_submissions.show", READERS),
    Case("api_submissions.file", READERS),
    Case("api_submissions.receipt", READERS),
    Case("api_uploads.upload", STORED, "POST", file=b"1\n2\n3\n4\n"),
    Case("api_uploads.upload", "401 404 404 422 404 404 404 404", "POST", file=b"1\nn/a\n"),
    Case("api_run_edits.create", "401 403 403 201 201 403 403 403", "POST", json={"name": "deux"}),
    Case("api_run_edits.edit", CHANGE, "PATCH", json={"name": "uno", "is_primary": True}),
    Case("api_run_edits.withdraw", DONE, "POST"),
    Case("api_run_edits.restore", "401 404 404 409 404 404 404 404", "POST"),
    Case(
        "api_uploads.upload_all",
        STORED,
        "POST",
        file=GOOD_FILE,
        filename="p2s.tsv",
    ),
    Case("api_memberships.create", "401 201 201 409 409 409 409 409", "POST", json={"name": "elm"}),
    Case("api_memberships.join", NOT_THERE, "POST", json=NO_TOKEN),
    Case("api_memberships.leave", "401 403 403 409 204 403 403 403", "POST"),
    Case("api_terms.show", NOBODY),
    Case("api_terms.accept", NOT_THERE, "POST", json={"sha256": 64 * "0"}),
    Case("api_tokens.index", "401 200 200 200 200 200 200 200"),
    Case("api_tokens.revoke", NOT_THERE, "DELETE", values={"token_id": "2147483647"}),
    Case(
        "api_organizing.bring_gold",
        MADE,
        "POST",
        form={"reason": "mistyped"},
        file=GOOD_FILE,
        values=TEST_FILE,
    ),
    Case("api_organizing.publish_gold", RUN, "POST"),
    Case("api_organizing.drop_gold", REASON, "POST", json={"reason": ""}),
    Case("api_organizing.put_gold_back", REASON, "POST", json={"reason": ""}),
    Case("api_organizing.approve", RUN, "POST"),
    Case("api_organizing.decline", REASON, "POST", json={"reason": ""}),
    Case("api_organizing.announce", RUN, "POST", json={"title": "The data is out", "text": "Have fun."}),
    Case("api_scheduling.edit", "401 404 404 403 403 200 200 403", "PATCH", json={"runs_per_team": 4}),
    Case("api_scheduling.extend", REASON, "POST", json={"reason": "", "closes": "2027-03-16T12:00:00Z"}),
    Case(
        "api_scheduling.release",
        RELEASE,
        "POST",
        json={"note": "The first."},
    ),
    Case("api_scheduling.cancel_plan", RUN, "POST"),
    Case("api_scheduling.name_releases", {**dict.fromkeys(STATES, CANNOT), ANONYMOUS: RUN}, "POST"),
    Case("api_scheduling.withdraw_release", REASON, "POST", values=FIRST, json={"reason": ""}),
    Case("api_withdrawals.withdraw", DONE, "POST"),
    Case("api_withdrawals.restore", "401 404 404 409 404 404 404 404", "POST"),
    Case("api_boards.show", {CLOSED: NOBODY, RELEASED: EVERYBODY, WITHDRAWN: NOBODY}),
    Case("api_boards.releases", EVERYBODY),
    Case("api_boards.release", PUBLISHED, values=FIRST),
    Case("api_boards.release", NOBODY, values={"number": "99"}),
    *(Case("api_released.board", PUBLISHED, values={**FIRST, "ending": name}) for name in ("json", "tsv")),
    Case("api_released.statement", PUBLISHED, values=FIRST),
    Case("api_released.inference", FIRST_ONE, values=FIRST),
    Case("api_released.pairs", FIRST_ONE, values=FIRST),
    Case("api_released.genres_table", FIRST_ONE, values=FIRST),
    Case("api_released.genres_json", FIRST_ONE, values=FIRST),
    Case("api_released.changes", FIRST_ONE, values={**FIRST, "ending": "json"}),
    Case("api_released.runs", PUBLISHED, values=FIRST),
    Case(
        "api_released.run_file",
        PUBLISHED | {ANONYMOUS: NOBODY},
        values={**FIRST, "path": "birch/one/p2s.tsv"},
    ),
    Case("api_released.proof", PUBLISHED, values=FIRST),
    Case("api_released.gold", FIRST_ONE, values={**FIRST, "level": "p2s"}),
    Case("api_tasks.list_items", EVERYBODY, query="split=test"),
    Case("api_tasks.list_items", NOBODY, query="split=training"),
    Case("api_tasks.read_phase", EVERYBODY),
    Case("api_keys.show", EVERYBODY),
    Case("api_teams.show", "401 403 403 200 200 403 403 403"),
    Case("api_teams.index", SEEN),
    Case("api_gold.index", SEEN),
    Case("api_gold.show", SEEN),
    Case("api_gold.file", SEEN),
    Case("api_log.show", SEEN, query="kind=files"),
    Case("api_log.of_team", "401 404 404 200 200 403 403 403"),
    Case("api_log.jobs", SEEN, query="state=waiting"),
)
