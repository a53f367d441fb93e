"""The tables: columns, constraints, relationships. No queries, no Flask."""

from server.models.accounts import Attempt, Role, SignIn, User
from server.models.audit import AuditEntry
from server.models.gold import GoldVersion
from server.models.histories import Attribution, ImportedPerson
from server.models.phases import Phase
from server.models.releases import Release, ReleaseWithdrawal
from server.models.runs import Run
from server.models.scores import Score
from server.models.submissions import Refusal, Standing, Submission, Withdrawal
from server.models.tasks import Level, Organizer, Split, Task
from server.models.teams import Membership, Team
from server.models.terms import TermsAcceptance, TermsVersion

__all__ = [
    "Attempt",
    "Attribution",
    "AuditEntry",
    "GoldVersion",
    "ImportedPerson",
    "Level",
    "Membership",
    "Organizer",
    "Phase",
    "Refusal",
    "Release",
    "ReleaseWithdrawal",
    "Role",
    "Run",
    "Score",
    "SignIn",
    "Split",
    "Standing",
    "Submission",
    "Task",
    "Team",
    "TermsAcceptance",
    "TermsVersion",
    "User",
    "Withdrawal",
]
