"""Every route of the site, by method: who gets which status. `test_embargo.py` holds the site against it.

The columns are the roles in the order of ROLES. A status in brackets is a redirect to the sign-in page.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.server.small_task import PASSWORD

ROLES = ("visitor", "stranger", "admin", "member", "other", "organizer", "co-organizer", "observer")
"""Nobody signed in; dee without a team; an admin of the site; bo, a captain; the captain of another team, one
without a file; ada; and those whom ada gave the two lower roles."""
SEE_ALL = ("organizer", "co-organizer", "observer")
CLOSED, RELEASED, ANONYMOUS, WITHDRAWN = STATES = ("closed", "released", "anonymous", "withdrawn")

FILE = b"0.5\n1.75\n1.25\n3.5\n"
"""A run file whose scores have digits that stand nowhere else."""
EVERYBODY = "200 200 200 200 200 200 200 200"
NOBODY = "404 404 404 404 404 404 404 404"
TAKEN_BACK = "410 410 410 410 410 410 410 410"
FIRST_ONE = {CLOSED: NOBODY, RELEASED: NOBODY, WITHDRAWN: TAKEN_BACK}
"""What a first release has not, or not yet: nothing came before it, its gold is hidden, its ranks wait."""
PUBLISHED = {CLOSED: NOBODY, RELEASED: EVERYBODY, WITHDRAWN: TAKEN_BACK}
"""An anonymous release is one."""
SEEN = "(302) 404 404 403 403 200 200 200"
RUN = "(302) 404 404 403 403 200 200 403"
DECLARE = "(302) 404 404 403 403 422 422 403"
"""Files have come."""
RUN_POST = "(302) 404 404 403 403 302 302 403"
PEOPLE_POST = "(302) 404 404 403 403 302 403 403"
OWN_TEAM = "(302) 404 404 200 404 404 404 404"
READERS = "(302) 404 404 200 404 200 200 200"
TEAMS = "(302) 403 403 200 200 403 403 403"
TEAMS_POST = "(302) 403 403 302 302 403 403 403"
SIGNED_IN = "(302) 200 200 200 200 200 200 200"
DONE = "(302) 302 302 302 302 302 302 302"
NOT_THEIRS = "(302) 404 404 404 404 404 404 404"
API_READERS = "401 404 404 200 404 200 200 200"
API_SEEN = "401 404 404 403 403 200 200 200"
API_TEAMS = "401 403 403 200 200 200 200 200"
"""What programs read: of their own team, or as those who see all."""
API_STORED = "401 404 404 201 404 404 404 404"
API_MADE = "401 404 404 403 403 201 201 403"
API_RUN = "401 404 404 403 403 204 204 403"
API_CANNOT = "401 404 404 403 403 409 409 403"
API_RELEASE = {CLOSED: API_MADE, RELEASED: API_CANNOT, WITHDRAWN: API_MADE}
API_REASON = "401 404 404 403 403 422 422 403"
"""What programs of organizers do."""
API_NOT_THERE = "401 404 404 404 404 404 404 404"
API_CHANGE = "401 404 404 200 404 404 404 404"
API_DONE = "401 404 404 204 404 404 404 404"
"""What programs of a team change."""
MOVED = "302 302 302 302 302 302 302 302"
MOVED_IN = "200 302 302 302 302 302 302 302"


@dataclass(frozen=True)
class Case:
    """One request, and the statuses by role; by release state where that matters."""

    endpoint: str
    statuses: str | Mapping[str, str]
    method: str = "GET"
    values: Mapping[str, str] = field(default_factory=dict)
    """Parts of the address beside those that every world has."""
    query: str = ""
    """What stands behind its question mark."""
    form: Mapping[str, str] = field(default_factory=dict)
    file: bytes | None = None
    filename: str = "run.tsv"
    json: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    """What only programs send."""

    def status(self, role: str, state: str) -> str:
        by_state = {state: self.statuses} if isinstance(self.statuses, str) else self.statuses
        by_role = by_state[RELEASED if state == ANONYMOUS and state not in by_state else state]
        return by_role.split()[ROLES.index(role)]


FIRST = {"number": "1"}
BIRCH, LETTER = "official/birch/one", "official/Team%20A/run%201"
"""Keys of a system, as it is called in a release with names and in one without."""
TEST_FILE = {"level": "p2s", "split": "test"}
TRIAL_FILE = {"level": "p2s", "split": "trial"}
SIGN_UP = {"name": "Newcomer", "email": "newcomer@example.org", "password": PASSWORD}
GOOD_FILE = b"1\n2\n3\n4\n"
NO_TOKEN = {"token": "nonsense"}
TEXTS = {"title": "A smaller task", "description": "How alike?", "licence": "", "terms": ""}
RULES = {
    "title": "Evaluation",
    "opens": "2026-03-01 00:00",
    "closes": "2026-03-16 12:00",
    "grace_hours": "72",
    "runs_per_team": "2",
    "files_per_level": "3",
    "feedback": "hidden",
    "board": "released",
}
MORE_TIME = {"closes": "2027-03-16 12:00", "team": "", "reason": "the server was down"}
WORD = {"audience": "*", "title": "The data is out", "text": "Have *fun*."}
NEW_GOLD = {"target": "p2s.test", "reason": "mistyped"}

CASES = (
    Case("static", EVERYBODY, values={"filename": "icon.svg"}),
    Case("tasks.index", EVERYBODY),
    Case("help.index", EVERYBODY),
    Case("help.teams", EVERYBODY),
    Case("help.organizers", EVERYBODY),
    Case("help.readers", EVERYBODY),
    Case("help.statistics", EVERYBODY),
    Case("help.api", EVERYBODY),
    Case("keys.show", EVERYBODY),
    Case("keys.published", EVERYBODY),
    Case("tasks.show", EVERYBODY),
    Case("tasks.data", EVERYBODY, values={**TEST_FILE, "kind": "items"}),
    Case("tasks.data", "404 404 404 404 404 200 200 200", values={**TEST_FILE, "kind": "gold"}),
    Case("tasks.data", EVERYBODY, values={**TRIAL_FILE, "kind": "gold"}),
    Case("rules.show", EVERYBODY),
    Case("terms.show", NOBODY),
    Case("terms.accept", NOT_THEIRS, "POST"),
    Case("boards.show", EVERYBODY),
    Case("boards.as_json", {CLOSED: NOBODY, RELEASED: EVERYBODY, WITHDRAWN: NOBODY}),
    Case("boards.as_json", NOBODY, values={"phase": "practice"}),
    Case("published.show", PUBLISHED, values={"number": "1"}),
    Case("published.show", NOBODY, values={"number": "99"}),
    *(
        Case("published.export", PUBLISHED, values={"number": "1", "ending": name})
        for name in ("json", "csv")
    ),
    Case("published.export", NOBODY, values={"phase": "practice", "number": "1", "ending": "tex"}),
    Case("published.bibtex", PUBLISHED, values={"number": "1"}),
    Case("published.statement", PUBLISHED, values={"number": "1"}),
    Case("published.proof", PUBLISHED, values={"number": "1"}),
    Case("published.changes", FIRST_ONE, values={"number": "1", "ending": "tsv"}),
    Case("published.inference", FIRST_ONE, values={"number": "1"}),
    Case("published.genres", FIRST_ONE, values={"number": "1"}),
    Case("published.pairs", FIRST_ONE, values={"number": "1"}),
    Case("published.run_files", PUBLISHED, values={"number": "1"}),
    Case(
        "published.run_file", PUBLISHED | {ANONYMOUS: NOBODY}, values={**FIRST, "path": "birch/one/p2s.tsv"}
    ),
    Case(
        "published.run_file",
        PUBLISHED | {RELEASED: NOBODY, ANONYMOUS: EVERYBODY},
        values={**FIRST, "path": "Team-A/run-1/p2s.tsv"},
    ),
    Case("published.gold", FIRST_ONE, values={**FIRST, "level": "p2s", "ending": "tsv"}),
    Case("release_systems.show", PUBLISHED | {ANONYMOUS: NOBODY}, values=FIRST, query=f"of={BIRCH}"),
    Case(
        "release_systems.show",
        PUBLISHED | {RELEASED: NOBODY, ANONYMOUS: EVERYBODY},
        values=FIRST,
        query=f"of={LETTER}",
    ),
    Case("release_systems.show", FIRST_ONE, values=FIRST, query="of=nobody"),
    Case("comparisons.show", PUBLISHED, values=FIRST),
    Case("comparisons.show", PUBLISHED | {ANONYMOUS: NOBODY}, values=FIRST, query=f"of={BIRCH}&level=s2p"),
    Case("stability.show", PUBLISHED, values=FIRST),
    Case("statistics.show", EVERYBODY),
    Case("feeds.releases", EVERYBODY),
    Case("teams.show", "(302) 200 200 200 200 200 200 200"),
    Case("teams.create", "(302) 200 200 409 409 409 409 409"),
    Case("teams.create", "(302) 302 302 409 409 409 409 409", "POST", form={"name": "elm"}),
    Case("teams.members", TEAMS),
    Case("teams.edit", TEAMS),
    Case("teams.edit", TEAMS_POST, "POST", form={"name": "alder", "affiliations": "Forest University"}),
    Case("invitations.invite", TEAMS_POST, "POST"),
    Case("invitations.revoke", "(302) 403 403 302 404 403 403 403", "POST"),
    Case("invitations.join", "(302) 200 200 302 409 409 409 409"),
    Case("invitations.join", "(302) 302 302 302 409 409 409 409", "POST"),
    Case("memberships.leave", "(302) 403 403 409 200 403 403 403"),
    Case("memberships.leave", "(302) 403 403 409 302 403 403 403", "POST"),
    Case("memberships.remove", "(302) 403 403 409 404 403 403 403"),
    Case("memberships.remove", "(302) 403 403 409 404 403 403 403", "POST"),
    Case("memberships.hand_over", "(302) 403 403 200 404 403 403 403"),
    Case("memberships.hand_over", "(302) 403 403 302 404 403 403 403", "POST"),
    Case("runs.create", TEAMS),
    Case("runs.create", TEAMS_POST, "POST", form={"name": "new"}),
    Case("runs.show", READERS),
    Case("runs.edit", OWN_TEAM),
    Case("runs.edit", "(302) 404 404 302 404 404 404 404", "POST", form={"name": "new"}),
    Case("runs.choose_primary", "(302) 404 404 302 404 404 404 404", "POST"),
    Case("runs.move", "(302) 404 404 302 404 404 404 404", "POST", form={"direction": "up"}),
    Case("runs.withdraw", OWN_TEAM),
    Case("runs.withdraw", "(302) 404 404 302 404 404 404 404", "POST"),
    Case("runs.restore", "(302) 404 404 409 404 404 404 404", "POST"),
    Case("submissions.upload", OWN_TEAM),
    Case("submissions.upload", "(302) 404 404 302 404 404 404 404", "POST", file=FILE),
    Case("submissions.upload", "(302) 404 404 422 404 404 404 404", "POST", file=b"0.5\nn/a\n2\n3\n"),
    Case("submissions.upload", "413 404 404 413 404 404 404 404", "POST", file=b"1" * 100_000),
    Case("whole_runs.upload", OWN_TEAM),
    Case("whole_runs.upload", "(302) 404 404 302 404 404 404 404", "POST", file=FILE, filename="one.S2P.tsv"),
    Case("whole_runs.upload", "(302) 404 404 422 404 404 404 404", "POST", file=FILE),
    Case("whole_runs.upload", "(302) 404 404 422 404 404 404 404", "POST", file=b"x", filename="p2s.tsv"),
    Case("whole_runs.upload", "413 404 404 413 404 404 404 404", "POST", file=b"1" * 200_000),
    Case("whole_runs.show", OWN_TEAM),
    Case("whole_runs.show", NOT_THEIRS, values={"files": "1-x"}),
    Case("submissions.show", READERS),
    Case("submissions.file", READERS),
    Case("submissions.receipt", READERS),
    Case("submissions.send_again", "(302) 404 404 409 404 404 404 404", "POST"),
    Case("submissions.refusal", READERS),
    Case("counts.show", SIGNED_IN),
    Case("counts.of_team", SEEN),
    Case("log.task", SEEN),
    Case("log.download", SEEN, values={"ending": "tsv"}),
    Case("log.download", SEEN, values={"ending": "jsonl"}),
    Case("log.team", "(302) 404 404 200 200 403 403 403"),
    Case("log.site", "(302) 404 200 404 404 404 404 404"),
    Case("submissions.withdraw", OWN_TEAM),
    Case("submissions.withdraw", "(302) 404 404 302 404 404 404 404", "POST"),
    Case("submissions.restore", "(302) 404 404 409 404 404 404 404", "POST"),
    Case("organize.show", SEEN),
    Case("desk.team", SEEN),
    Case("desk.files", SEEN),
    Case("run_archives.download", SEEN, "POST"),
    Case("dry_runs.test", RUN),
    Case("dry_runs.test", RUN, "POST", form={"target": "p2s.test"}, file=FILE),
    Case(
        "dry_runs.test", "(302) 404 404 403 403 422 422 403", "POST", form={"target": "p2s.test"}, file=b"x\n"
    ),
    Case("systems.show", SEEN),
    Case("systems.download", SEEN, values={"ending": "tex"}),
    Case("organize.preview", SEEN),
    Case("organize.preview_json", SEEN),
    Case("organize.inference_json", "(302) 404 404 403 403 404 404 404"),
    Case("organize.release", RUN_POST, "POST"),
    Case(
        "organize.release",
        RUN_POST,
        "POST",
        form={"when": "at", "at": "2099-03-20 09:00", "names": "anonymous"},
    ),
    Case("organize.release", RUN_POST, "POST", form={"names": "anonymous"}),
    Case("organize.release", RUN_POST, "POST", form={"when": "at"}),
    Case("organize.cancel_plan", RUN_POST, "POST"),
    Case("organize.name_releases", RUN_POST, "POST"),
    Case("organize.make_live", RUN_POST, "POST"),
    Case("organize.withdraw_release", RUN_POST, "POST", form={"reason": "a mistake"}),
    Case("gold.upload", RUN),
    Case("gold.upload", RUN_POST, "POST", form=NEW_GOLD, file=GOOD_FILE),
    Case("gold.file", SEEN),
    Case("gold.show", SEEN),
    Case("gold.as_json", SEEN),
    Case("gold.publish", RUN_POST, "POST"),
    Case("gold.drop", RUN_POST, "POST", form={"reason": "a mistake"}),
    Case("gold.put_back", RUN_POST, "POST", form={"reason": "it was right"}),
    Case("gold.score", RUN_POST, "POST"),
    Case("gold.again", RUN_POST, "POST"),
    Case("edits.edit_task", RUN),
    Case("edits.edit_task", RUN_POST, "POST", form=TEXTS),
    Case("phases.edit", RUN),
    Case("phases.edit", RUN_POST, "POST", form=RULES),
    Case("phases.add", RUN),
    Case(
        "phases.add",
        RUN_POST,
        "POST",
        form={**RULES, "title": "Afterwards", "slug": "afterwards", "split": "test"},
    ),
    Case("phases.remove", RUN_POST, "POST"),
    Case("phases.extend", RUN),
    Case("phases.extend", RUN_POST, "POST", form=MORE_TIME),
    Case("phases.declare_public", RUN),
    Case("phases.declare_public", DECLARE, "POST", form={"percent": "50", "seed": "7"}),
    Case("exports.download", "(302) 404 404 403 403 200 200 403", "POST", form={"people": "names"}),
    Case("imports.create", "(302) 403 200 403 403 200 200 403"),
    Case("imports.create", "(302) 403 422 403 403 422 422 403", "POST", file=b"PK no zip"),
    Case("registrations.show", SEEN),
    Case("registrations.approve", RUN_POST, "POST"),
    Case("registrations.decline", RUN),
    Case("registrations.decline", RUN_POST, "POST", form={"reason": "a mistake"}),
    Case("roles.people", SEEN),
    Case("roles.invite", PEOPLE_POST, "POST", form={"role": "observer"}),
    Case("roles.revoke", PEOPLE_POST, "POST"),
    Case("roles.change", "(302) 404 404 403 403 200 403 403"),
    Case("roles.change", PEOPLE_POST, "POST", form={"role": "co-organizer"}),
    Case("roles.remove", PEOPLE_POST, "POST"),
    Case("roles.accept", "(302) 200 200 409 200 409 409 409"),
    Case("roles.accept", "(302) 302 302 409 302 409 409 409", "POST"),
    Case("security.login", MOVED_IN),
    Case("security.login", MOVED_IN, "POST", form={"email": "x@example.org", "password": "x"}),
    Case("security.register", MOVED_IN),
    Case("security.register", MOVED, "POST", form=SIGN_UP),
    Case("security.verify", SIGNED_IN),
    Case("security.verify", DONE, "POST", form={"password": PASSWORD}),
    Case("security.send_confirmation", EVERYBODY),
    Case("security.send_confirmation", EVERYBODY, "POST", form={"email": "bo@example.org"}),
    Case("security.confirm_email", MOVED, values=NO_TOKEN),
    Case("security.forgot_password", EVERYBODY),
    Case("security.forgot_password", EVERYBODY, "POST", form={"email": "bo@example.org"}),
    Case("security.reset_password", MOVED, values=NO_TOKEN),
    Case("security.reset_password", MOVED, "POST", values=NO_TOKEN),
    Case("security.two_factor_token_validation", DONE),
    Case("security.two_factor_token_validation", DONE, "POST", form={"code": "1"}),
    Case("security.mf_recovery", DONE),
    Case("security.mf_recovery", DONE, "POST", form={"code": "1"}),
    Case("security.confirm_email", MOVED, "POST", values=NO_TOKEN),
    Case("security.two_factor_rescue", NOBODY),
    Case("security.two_factor_rescue", NOBODY, "POST"),
    Case("security.tf_select", NOBODY),
    Case("security.tf_select", NOBODY, "POST"),
    Case("security.change_password", SIGNED_IN),
    Case("security.change_password", SIGNED_IN, "POST", form={"password": "not it"}),
    Case("security.change_email", SIGNED_IN),
    Case("security.change_email", SIGNED_IN, "POST", form={"email": "new@example.org"}),
    Case("security.change_email_confirm", MOVED, values=NO_TOKEN),
    Case("security.two_factor_setup", SIGNED_IN),
    Case("security.two_factor_setup", SIGNED_IN, "POST", form={"setup": "nonsense"}),
    Case("security.two_factor_setup_validate", DONE, "POST", values=NO_TOKEN),
    Case("security.mf_recovery_codes", SIGNED_IN),
    Case("security.mf_recovery_codes", SIGNED_IN, "POST", form={"generate_new_codes": "yes"}),
    Case("accounts.show", SIGNED_IN),
    Case("accounts.show", DONE, "POST", form={"name": "Newcomer"}),
    Case("accounts.choose_mails", DONE, "POST", form={"reminder": "y"}),
    Case("mails.stop", EVERYBODY),
    Case("mails.stop_now", EVERYBODY, "POST"),
    Case("mails.stop", NOBODY, values=NO_TOKEN),
    Case("announcements.organize", SEEN),
    Case("announcements.write", RUN),
    Case(
        "announcements.write", "(302) 404 404 403 403 200 200 403", "POST", form={**WORD, "step": "preview"}
    ),
    Case("announcements.write", RUN_POST, "POST", form={**WORD, "step": "send"}),
    Case("mails.show", SEEN),
    Case("mails.send_again", RUN_POST, "POST"),
    Case("mails.send_all_again", RUN_POST, "POST"),
    Case("mails.send_all_again_anywhere", "(302) 404 302 404 404 404 404 404", "POST"),
    Case("mails.everywhere", "(302) 404 200 404 404 404 404 404"),
    Case("mails.send_again_anywhere", "(302) 404 302 404 404 404 404 404", "POST"),
    Case("accounts.choose_time_zone", DONE, "POST", form={"time_zone": "Asia/Kathmandu"}),
    Case(
        "accounts.choose_time_zone", "(302) 422 422 422 422 422 422 422", "POST", form={"time_zone": "Mars"}
    ),
    Case("accounts.end_sign_in", NOT_THEIRS, "POST", values={"sign_in_id": "2147483647"}),
    Case("accounts.end_other_sign_ins", DONE, "POST"),
    Case("accounts.confirm_member", RUN),
    Case("accounts.confirm_member", RUN_POST, "POST", form={"email": "dee@example.org"}),
    Case("tokens.show", SIGNED_IN),
    Case("tokens.show", SIGNED_IN, "POST", form={"name": "script", "scopes": "read", "days": "30"}),
    Case("tokens.revoke", NOT_THEIRS, "POST", values={"token_id": "2147483647"}),
    Case("api.openapi", EVERYBODY),
    Case("wheels.index", EVERYBODY),
    Case("wheels.download", NOBODY, values={"name": "none.whl"}),
    Case("api_me.show", "401 200 200 200 200 200 200 200"),
    Case("api_tasks.index", EVERYBODY),
    Case("api_tasks.show", EVERYBODY),
    Case("api_tasks.download", EVERYBODY, values={**TEST_FILE, "kind": "items"}),
    Case("api_tasks.download", "404 404 404 404 404 200 200 200", values={**TEST_FILE, "kind": "gold"}),
    Case("api_runs.index", API_TEAMS, query="phase=evaluation"),
    Case("api_runs.index", "401 403 403 404 404 200 200 200", query="team=2147483647"),
    Case("api_runs.show", API_READERS),
    Case("api_runs.what_counts", "401 403 403 200 200 403 403 403"),
    Case("api_submissions.index", API_TEAMS, query="level=p2s"),
    Case("api_submissions.index", "401 403 403 404 404 404 404 404", query="run=2147483647"),
    Case("api_submissions.show", API_READERS),
    Case("api_submissions.file", API_READERS),
    Case("api_submissions.receipt", API_READERS),
    Case("api_uploads.upload", API_STORED, "POST", file=b"1\n2\n3\n4\n"),
    Case("api_uploads.upload", "401 404 404 422 404 404 404 404", "POST", file=b"1\nn/a\n"),
    Case("api_run_edits.create", "401 403 403 201 201 403 403 403", "POST", json={"name": "deux"}),
    Case("api_run_edits.edit", API_CHANGE, "PATCH", json={"name": "uno", "is_primary": True}),
    Case("api_run_edits.withdraw", API_DONE, "POST"),
    Case("api_run_edits.restore", "401 404 404 409 404 404 404 404", "POST"),
    Case(
        "api_uploads.upload_all",
        API_STORED,
        "POST",
        file=GOOD_FILE,
        filename="p2s.tsv",
    ),
    Case("api_memberships.create", "401 201 201 409 409 409 409 409", "POST", json={"name": "elm"}),
    Case("api_memberships.join", API_NOT_THERE, "POST", json=NO_TOKEN),
    Case("api_memberships.leave", "401 403 403 409 204 403 403 403", "POST"),
    Case("api_terms.show", NOBODY),
    Case("api_terms.accept", API_NOT_THERE, "POST", json={"sha256": 64 * "0"}),
    Case("api_tokens.index", "401 200 200 200 200 200 200 200"),
    Case("api_tokens.revoke", API_NOT_THERE, "DELETE", values={"token_id": "2147483647"}),
    Case(
        "api_organizing.bring_gold",
        API_MADE,
        "POST",
        form={"reason": "mistyped"},
        file=GOOD_FILE,
        values=TEST_FILE,
    ),
    Case("api_organizing.publish_gold", API_RUN, "POST"),
    Case("api_organizing.drop_gold", API_REASON, "POST", json={"reason": ""}),
    Case("api_organizing.put_gold_back", API_REASON, "POST", json={"reason": ""}),
    Case("api_organizing.approve", API_RUN, "POST"),
    Case("api_organizing.decline", API_REASON, "POST", json={"reason": ""}),
    Case("api_organizing.announce", API_RUN, "POST", json={"title": "The data is out", "text": "Have fun."}),
    Case("api_scheduling.edit", "401 404 404 403 403 200 200 403", "PATCH", json={"runs_per_team": 4}),
    Case("api_scheduling.extend", API_REASON, "POST", json={"reason": "", "closes": "2027-03-16T12:00:00Z"}),
    Case(
        "api_scheduling.release",
        API_RELEASE,
        "POST",
        json={"note": "The first."},
    ),
    Case("api_scheduling.cancel_plan", API_RUN, "POST"),
    Case("api_scheduling.name_releases", {**dict.fromkeys(STATES, API_CANNOT), ANONYMOUS: API_RUN}, "POST"),
    Case("api_scheduling.withdraw_release", API_REASON, "POST", values=FIRST, json={"reason": ""}),
    Case("api_withdrawals.withdraw", API_DONE, "POST"),
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
    Case("api_teams.index", API_SEEN),
    Case("api_gold.index", API_SEEN),
    Case("api_gold.show", API_SEEN),
    Case("api_gold.file", API_SEEN),
    Case("api_log.show", API_SEEN, query="kind=files"),
    Case("api_log.of_team", "401 404 404 200 200 403 403 403"),
    Case("api_log.jobs", API_SEEN, query="state=waiting"),
    Case("security.logout", MOVED, "POST"),
)
