"""The tables: columns, constraints, relationships. No queries, no Flask."""

from server.accounts.models import ApiToken, Attempt, IdempotencyKey, Role, SignIn, User
from server.audit.models import AuditEntry
from server.bundles.models import Attribution, ImportedPerson
from server.gold.models import GoldEvent, GoldVersion
from server.jobs.models import Job
from server.mail.models import Announcement, Mail, Reminder
from server.phases.models import Extension, Phase
from server.releases.models import (
    Inference,
    Pseudonym,
    Release,
    ReleaseNaming,
    ReleasePlan,
    ReleaseSeal,
    ReleaseWithdrawal,
)
from server.runs.models import Run, RunWithdrawal
from server.scoring.models import PartScore, Score
from server.signing.models import SigningKey
from server.submissions.models import Flag, Receipt, Refusal, Standing, Submission, Withdrawal
from server.tasks.models import Level, RoleInvitation, Split, Task, TaskRole, TermsAcceptance, TermsVersion
from server.teams.models import Membership, Team, TeamInvitation

__all__ = [
    "Announcement",
    "ApiToken",
    "Attempt",
    "Attribution",
    "AuditEntry",
    "Extension",
    "Flag",
    "GoldEvent",
    "GoldVersion",
    "IdempotencyKey",
    "ImportedPerson",
    "Inference",
    "Job",
    "Level",
    "Mail",
    "Membership",
    "PartScore",
    "Phase",
    "Pseudonym",
    "Receipt",
    "Refusal",
    "Release",
    "ReleaseNaming",
    "ReleasePlan",
    "ReleaseSeal",
    "ReleaseWithdrawal",
    "Reminder",
    "Role",
    "RoleInvitation",
    "Run",
    "RunWithdrawal",
    "Score",
    "SignIn",
    "SigningKey",
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
