"""The tables: columns, constraints, relationships. No queries, no Flask."""

from server.models.accounts import Attempt, Role, SignIn, User
from server.models.audit import AuditEntry
from server.models.gold import GoldVersion
from server.models.histories import Attribution, ImportedPerson
from server.models.phases import Phase
from server.models.releases import Release, ReleaseWithdrawal
from server.models.roles import RoleInvitation, TaskRole
from server.models.runs import Run
from server.models.scores import Score
from server.models.submissions import Refusal, Standing, Submission, Withdrawal
from server.models.tasks import Level, Split, Task
from server.models.teams import Membership, Team, TeamInvitation
from server.models.terms import TermsAcceptance, TermsVersion

__all__ = [
    "Attempt",
    "Attribution",
    "AuditEntry",
    "GoldVersion",
    "ImportedPerson",
    "Level",
    "Membership",
    "Phase",
    "Refusal",
    "Release",
    "ReleaseWithdrawal",
    "Role",
    "RoleInvitation",
    "Run",
    "Score",
    "SignIn",
    "Split",
    "Standing",
    "Submission",
    "Task",
    "TaskRole",
    "Team",
    "TeamInvitation",
    "TermsAcceptance",
    "TermsVersion",
    "User",
    "Withdrawal",
]
