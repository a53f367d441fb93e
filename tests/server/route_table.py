"""Every route of the site, by method: who gets which status. `test_embargo.py` holds the site against it.

The columns are the roles in the order of ROLES. A status in brackets is a redirect to the sign-in page.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from tests.server.small_task import PASSWORD

ROLES = ("visitor", "stranger", "member", "other", "organizer")
"""Nobody signed in; dee without a team; bo; dee in a team of her own; ada."""
CLOSED, RELEASED, WITHDRAWN = STATES = ("closed", "released", "withdrawn")

FILE = b"0.5\n1.75\n1.25\n3.5\n"
"""A run file whose scores have digits that stand nowhere else."""
EVERYBODY = "200 200 200 200 200"
NOBODY = "404 404 404 404 404"
ORGANIZERS = "(302) 404 403 403 200"
OWN_TEAM = "(302) 404 200 404 404"
SIGNED_IN = "(302) 200 200 200 200"
READERS = "(302) 404 200 404 200"


@dataclass(frozen=True)
class Case:
    """One request, and the statuses by role; by release state where that matters."""

    endpoint: str
    statuses: str | Mapping[str, str]
    method: str = "GET"
    values: Mapping[str, str] = field(default_factory=dict)
    """Parts of the address beside those that every world has."""
    form: Mapping[str, str] = field(default_factory=dict)
    file: bytes | None = None

    def status(self, role: str, state: str) -> str:
        by_role = self.statuses if isinstance(self.statuses, str) else self.statuses[state]
        return by_role.split()[ROLES.index(role)]


TEST_FILE = {"level": "p2s", "split": "test"}
TRIAL_FILE = {"level": "p2s", "split": "trial"}
SIGN_UP = {"name": "Newcomer", "email": "newcomer@example.org", "password": PASSWORD}
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
}
NEW_GOLD = {"target": "p2s.test", "reason": "mistyped"}

CASES = (
    Case("static", EVERYBODY, values={"filename": "icon.svg"}),
    Case("tasks.index", EVERYBODY),
    Case("tasks.show", EVERYBODY),
    Case("tasks.data", EVERYBODY, values={**TEST_FILE, "kind": "items"}),
    Case("tasks.data", "404 404 404 404 200", values={**TEST_FILE, "kind": "gold"}),
    Case("tasks.data", EVERYBODY, values={**TRIAL_FILE, "kind": "gold"}),
    Case("terms.show", NOBODY),
    Case("terms.accept", "(302) 404 404 404 404", "POST"),
    Case("boards.show", EVERYBODY),
    Case("boards.as_json", {CLOSED: NOBODY, RELEASED: EVERYBODY, WITHDRAWN: NOBODY}),
    Case("boards.as_json", NOBODY, values={"phase": "practice"}),
    Case("teams.show", "(302) 200 200 200 200"),
    Case("teams.create", "(302) 200 409 409 409"),
    Case("teams.create", "(302) 302 409 409 409", "POST", form={"name": "elm"}),
    Case("teams.join", "(302) 200 302 409 409"),
    Case("teams.join", "(302) 302 409 409 409", "POST"),
    Case("runs.create", "(302) 403 200 200 403"),
    Case("runs.create", "(302) 403 302 302 403", "POST", form={"name": "new"}),
    Case("submissions.upload", OWN_TEAM),
    Case("submissions.upload", "(302) 404 302 404 404", "POST", file=FILE),
    Case("submissions.upload", "(302) 404 422 404 404", "POST", file=b"0.5\nn/a\n2\n3\n"),
    Case("submissions.upload", "413 404 413 404 404", "POST", file=b"1" * 100_000),
    Case("submissions.show", READERS),
    Case("submissions.file", READERS),
    Case("submissions.refusal", READERS),
    Case("submissions.withdraw", OWN_TEAM),
    Case("submissions.withdraw", "(302) 404 302 404 404", "POST"),
    Case("submissions.restore", "(302) 404 409 404 404", "POST"),
    Case("organize.show", ORGANIZERS),
    Case("organize.preview", ORGANIZERS),
    Case("organize.preview_json", ORGANIZERS),
    Case("organize.release", "(302) 404 403 403 302", "POST"),
    Case("organize.withdraw_release", "(302) 404 403 403 302", "POST", form={"reason": "a mistake"}),
    Case("organize.upload_gold", ORGANIZERS),
    Case("organize.upload_gold", "(302) 404 403 403 302", "POST", form=NEW_GOLD, file=b"1\n2\n3\n4\n"),
    Case("organize.gold_file", ORGANIZERS),
    Case("edits.edit_task", ORGANIZERS),
    Case("edits.edit_task", "(302) 404 403 403 302", "POST", form=TEXTS),
    Case("edits.edit_phase", ORGANIZERS),
    Case("edits.edit_phase", "(302) 404 403 403 302", "POST", form=RULES),
    Case("exports.download", "(302) 404 403 403 200", "POST", form={"people": "names"}),
    Case("imports.create", "(302) 403 403 403 200"),
    Case("imports.create", "(302) 403 403 403 422", "POST", file=b"PK no zip"),
    Case("security.login", "200 302 302 302 302"),
    Case("security.login", "200 302 302 302 302", "POST", form={"email": "x@example.org", "password": "x"}),
    Case("security.register", "200 302 302 302 302"),
    Case("security.register", "302 302 302 302 302", "POST", form=SIGN_UP),
    Case("security.verify", "(302) 200 200 200 200"),
    Case("security.verify", "(302) 302 302 302 302", "POST", form={"password": PASSWORD}),
    Case("security.send_confirmation", EVERYBODY),
    Case("security.send_confirmation", EVERYBODY, "POST", form={"email": "bo@example.org"}),
    Case("security.confirm_email", "302 302 302 302 302", values=NO_TOKEN),
    Case("security.forgot_password", EVERYBODY),
    Case("security.forgot_password", EVERYBODY, "POST", form={"email": "bo@example.org"}),
    Case("security.reset_password", "302 302 302 302 302", values=NO_TOKEN),
    Case("security.reset_password", "302 302 302 302 302", "POST", values=NO_TOKEN),
    Case("security.two_factor_token_validation", "(302) 302 302 302 302"),
    Case("security.two_factor_token_validation", "(302) 302 302 302 302", "POST", form={"code": "1"}),
    Case("security.mf_recovery", "(302) 302 302 302 302"),
    Case("security.mf_recovery", "(302) 302 302 302 302", "POST", form={"code": "1"}),
    Case("security.confirm_email", "302 302 302 302 302", "POST", values=NO_TOKEN),
    Case("security.two_factor_rescue", NOBODY),
    Case("security.two_factor_rescue", NOBODY, "POST"),
    Case("security.tf_select", NOBODY),
    Case("security.tf_select", NOBODY, "POST"),
    Case("security.change_password", SIGNED_IN),
    Case("security.change_password", SIGNED_IN, "POST", form={"password": "not it"}),
    Case("security.change_email", SIGNED_IN),
    Case("security.change_email", SIGNED_IN, "POST", form={"email": "other@example.org"}),
    Case("security.change_email_confirm", "302 302 302 302 302", values=NO_TOKEN),
    Case("security.two_factor_setup", SIGNED_IN),
    Case("security.two_factor_setup", SIGNED_IN, "POST", form={"setup": "nonsense"}),
    Case("security.two_factor_setup_validate", "(302) 302 302 302 302", "POST", values=NO_TOKEN),
    Case("security.mf_recovery_codes", SIGNED_IN),
    Case("security.mf_recovery_codes", SIGNED_IN, "POST", form={"generate_new_codes": "yes"}),
    Case("accounts.show", SIGNED_IN),
    Case("accounts.show", "(302) 302 302 302 302", "POST", form={"name": "Newcomer"}),
    Case("accounts.end_sign_in", "(302) 404 404 404 404", "POST", values={"sign_in_id": "2147483647"}),
    Case("accounts.end_other_sign_ins", "(302) 302 302 302 302", "POST"),
    Case("accounts.confirm_member", ORGANIZERS),
    Case("accounts.confirm_member", "(302) 404 403 403 302", "POST", form={"email": "dee@example.org"}),
    Case("security.logout", "302 302 302 302 302", "POST"),
)
