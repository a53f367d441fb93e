"""The tables: columns, constraints, relationships. No queries, no Flask."""

from server.models.accounts import Attempt, Role, SignIn, User
from server.models.audit import AuditEntry
from server.models.gold import GoldVersion
from server.models.phases import Phase
from server.models.releases import Release, ReleaseWithdrawal
from server.models.runs import Run
from server.models.scores import Score
from server.models.submissions import Refusal, Standing, Submission, Withdrawal
from server.models.tasks import Level, Organizer, Split, Task
from server.models.teams import Membership, Team

__all__ = [
    "Attempt",
    "AuditEntry",
    "GoldVersion",
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
    "User",
    "Withdrawal",
]
