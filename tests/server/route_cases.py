"""One request of the route tables: who sends it, and who gets which status.

The columns are the roles in the order of COLUMNS; an annotator gets what a stranger gets, unless a case says
otherwise. A status in brackets is a redirect to the sign-in page.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

COLUMNS = ("visitor", "stranger", "admin", "member", "other", "organizer", "co-organizer", "observer")
"""Nobody signed in; dee without a team; an admin of the site; bo, a captain; the captain of another team, one
without a file; ada; and those whom ada gave the two lower roles."""
ANNOTATOR = "annotator"
"""A stranger who annotates the hidden split, and has answered a step."""
ROLES = (*COLUMNS, ANNOTATOR)
SEE_ALL = ("organizer", "co-organizer", "observer")
CLOSED, RELEASED, ANONYMOUS, WITHDRAWN = STATES = ("closed", "released", "anonymous", "withdrawn")
FILE = b"0.5\n1.75\n1.25\n3.5\n"
"""A run file whose scores have digits that occur nowhere else."""
EVERYBODY = "200 200 200 200 200 200 200 200"
NOBODY = "404 404 404 404 404 404 404 404"
TAKEN_BACK = "410 410 410 410 410 410 410 410"
FIRST_ONE = {CLOSED: NOBODY, RELEASED: NOBODY, WITHDRAWN: TAKEN_BACK}
"""What a first release has not, or not yet: nothing came before it, its gold is hidden, its ranks wait."""
PUBLISHED = {CLOSED: NOBODY, RELEASED: EVERYBODY, WITHDRAWN: TAKEN_BACK}
"""An anonymous release is one."""
FIRST = {"number": "1"}
TEST_FILE = {"level": "p2s", "split": "test"}
GOOD_FILE = b"1\n2\n3\n4\n"
NO_TOKEN = {"token": "nonsense"}


@dataclass(frozen=True)
class Case:
    """One request, and the statuses by role; by release state where that matters."""

    endpoint: str
    statuses: str | Mapping[str, str]
    method: str = "GET"
    values: Mapping[str, str] = field(default_factory=dict)
    """Parts of the URL in addition to those that every world has."""
    query: str = ""
    """The query string."""
    form: Mapping[str, str] = field(default_factory=dict)
    file: bytes | None = None
    filename: str = "run.tsv"
    json: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    """What only programs send."""
    annotator: str = ""
    """The status of the annotator, if it differs from the stranger's."""
    page: str = ""
    """The endpoint of an annotators' page with the form, whose hidden fields are sent."""

    def status(self, role: str, state: str) -> str:
        by_state = {state: self.statuses} if isinstance(self.statuses, str) else self.statuses
        by_role = by_state[RELEASED if state == ANONYMOUS and state not in by_state else state]
        if role == ANNOTATOR:
            return self.annotator or by_role.split()[COLUMNS.index("stranger")]
        return by_role.split()[COLUMNS.index(role)]

    def is_denied(self, role: str) -> bool:
        """Whether a role is denied this in every state: because of what it is, not of what is released."""
        return {self.status(role, state) for state in STATES} <= {"401", "403", "404", "(302)"}
