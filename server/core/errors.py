"""All errors that the site reports to the person or program that asked.

ServerError             code, HTTP status, message for the person who asked
├── NotFound            404   does not exist, or this person may not know of it
├── BadJson             400   a body that is not JSON
├── BadToken            401   a token that is missing, unknown, expired or revoked
├── Forbidden           403   exists, but this role may not use it
│   └── ScopeMissing    403   a token without the scope, whatever its person may do
├── Conflict            409   a rule of the task does not allow it now
│   ├── PhaseClosed     409   before the phase opens, or after the grace period
│   ├── QuotaExceeded   409   the team has as many files or runs as it may have
│   ├── NotCompeting    409   a team that may not have runs and files now
│   ├── RunWithdrawn    409   the run has to be restored first
│   ├── NoGold          409   nothing can be scored yet
│   ├── NameTaken       409   a name that has to be unique
│   ├── TitleTaken      409   a phase's title that another phase of the task has
│   ├── InvalidDates    409   a phase or a deadline would end too early
│   ├── FilesPrivate    409   teams were promised that their files are not published
│   ├── ChangedMeanwhile 409  what a form edits was changed after its page was made
│   ├── NoAssignmentLeft 409   an annotator who can get no assignment now
│   ├── ConfirmationRequired 409  it cannot be undone, and was not confirmed
│   └── TermsNotAccepted 409  the terms have to be accepted first
├── Gone                410   an invitation that is no longer valid
├── ReleaseWithdrawn    410   a release that was withdrawn, with the reason that the public reads
├── ReusedIdempotencyKey 422  the key of another upload
├── InvalidFile         422   a file that cannot be used, with every problem
├── InvalidRunFiles     422   files of a whole run that cannot be used, each with its problems
├── UnsupportedCondition 412  a conditional request on a header that is not supported
├── TooLarge            413   a body that is too large
├── BackupFailed        500   a backup that cannot be made or restored
│   └── BadBackup       422   a backup that is damaged, or not for this site
└── RateLimited         429   invalid files arrive faster than a person sends them
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from inspect import getdoc
from typing import Self, TypeVar

from scorer.errors import Problem
from server.core.i18n import gettext, ngettext

Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class FileProblem(Problem):
    """One problem of a file, as the scorer reports it, and the line between its neighbours."""

    before: str | None = None
    after: str | None = None

    @property
    def said(self) -> str:
        """The whole sentence, with its place."""
        return str(self)


class ServerError(Exception):
    """The base of all errors that the site reports; the message says what happened and what to do."""

    code = "server_error"
    status = 400

    def __init__(self, message: str) -> None:
        self.message = message
        super().__init__(message)

    @classmethod
    def of(cls, message: str, /, **values: object) -> Self:
        """Create the error with a message that is translated, and its values, as `gettext` does."""
        return cls(gettext(message, **values))

    @classmethod
    def of_count(cls, one: str, many: str, num: int, /, **values: object) -> Self:
        """Create the error with the plural form of a message for a count, as `ngettext` does."""
        return cls(ngettext(one, many, num, **values))

    @classmethod
    def kinds(cls) -> "list[type[ServerError]]":
        """Return each kind of error below this one, in the order of their definition."""
        return [kind for subclass in cls.__subclasses__() for kind in (subclass, *subclass.kinds())]


class NotFound(ServerError):
    """The resource does not exist, or you do not have access to it."""

    code, status = "not_found", 404


def require_found(row: Found | None, message: str) -> Found:
    """Return what was looked up.

    Raises:
        NotFound: it is None.
    """
    if row is None:
        raise NotFound(message)
    return row


class BadJson(ServerError):
    """The body is not valid JSON; `detail` has the line and column if they are known."""

    code, status = "bad_json", 400


class BadToken(ServerError):
    """The token is missing, unknown, expired or revoked."""

    code, status = "bad_token", 401


class Forbidden(ServerError):
    """Your role does not allow this."""

    code, status = "forbidden", 403


class ScopeMissing(Forbidden):
    """The token does not have the required scope."""

    code = "scope_missing"


class Conflict(ServerError):
    """A rule of the task does not allow this now."""

    code, status = "conflict", 409


class PhaseClosed(Conflict):
    """The phase does not accept files at this time."""

    code = "phase_shut"


class QuotaExceeded(Conflict):
    """The team has reached its maximum number of files or runs."""

    code = "quota_used"


class NotCompeting(Conflict):
    """The team cannot compete: it is waiting for approval, was declined, or has no members."""

    code = "team_not_approved"


class RunWithdrawn(Conflict):
    """The run was withdrawn. Restore it first."""

    code = "run_withdrawn"


class NoGold(Conflict):
    """The file cannot be scored, because the organizers have not uploaded the gold labels yet."""

    code = "no_gold"


class NameTaken(Conflict):
    """The name is already in use."""

    code = "name_taken"


class TitleTaken(Conflict):
    """Another phase of the task already has this title."""

    code = "title_taken"


class InvalidDates(Conflict):
    """The phase would close before it opens, or the new deadline is too early."""

    code = "dates_crossed"


class FilesPrivate(Conflict):
    """The files cannot be published: when they were uploaded, teams were promised that they would not be."""

    code = "files_private"


class ChangedMeanwhile(Conflict):
    """It was changed after you read it. Read it again, and repeat the request."""

    code = "changed_meanwhile"


class NoAssignmentLeft(Conflict):
    """There is no assignment for this annotator now."""

    code = "no_assignment_left"


class ConfirmationRequired(Conflict):
    """The action cannot be undone, and the request did not confirm it."""

    code = "not_sure"


class TermsNotAccepted(Conflict):
    """You have to read and accept the terms of the task first."""

    code = "terms_not_accepted"


class Gone(ServerError):
    """The invitation has expired, or was revoked or used."""

    code, status = "gone", 410


class ReleaseWithdrawn(ServerError):
    """The organizers withdrew the release."""

    code, status = "withdrawn", 410


class ReusedIdempotencyKey(ServerError):
    """The Idempotency-Key was already used for another upload."""

    code, status = "key_reused", 422


class InvalidFile(ServerError):
    """The file has errors: `problems` has an entry for each kind of error, `count` is the number of all."""

    code, status = "refused", 422

    def __init__(self, message: str, problems: Sequence[FileProblem], count: int) -> None:
        super().__init__(message)
        self.problems = tuple(problems)
        self.count = count

    @property
    def codes(self) -> frozenset[str]:
        """The codes of the problems."""
        return frozenset(problem.code for problem in self.problems)


@dataclass(frozen=True, slots=True)
class FileFault:
    """What is wrong with one file of a whole run; `level` and `title` name what the file is for, if known.

    `code` is the code that the file would get alone; for a bad name or zip member, it is the scorer's code.
    """

    filename: str
    code: str
    message: str
    level: str | None = None
    title: str | None = None
    refused: InvalidFile | None = None
    data: bytes = b""


class InvalidRunFiles(ServerError):
    """Some files of the whole run have errors, so none is stored; `files` has the error of each.

    `good`: the names of the other files; `ignored`: the names of zip members that belong to no run.
    """

    code, status = "run_refused", 422

    def __init__(
        self, message: str, faults: Sequence[FileFault], good: Sequence[str], ignored: Sequence[str] = ()
    ) -> None:
        super().__init__(message)
        self.faults = tuple(faults)
        self.good = tuple(good)
        self.ignored = tuple(ignored)

    @property
    def codes(self) -> frozenset[str]:
        """The codes of the problems of all files."""
        return frozenset().union(*(fault.refused.codes for fault in self.faults if fault.refused))


class UnsupportedCondition(ServerError):
    """The headers `If-Match` and `If-Unmodified-Since` are not supported; nothing was done."""

    code, status = "precondition_failed", 412


class TooLarge(ServerError):
    """The body is too large for a request of this kind."""

    code, status = "too_large", 413


class RateLimited(ServerError):
    """Your team has uploaded too many invalid files within a short time; `Retry-After` says when to retry.

    `retry_at`: when the errors of the next file are shown again.
    """

    code, status = "too_many_refused", 429

    def __init__(self, message: str, retry_at: datetime) -> None:
        super().__init__(message)
        self.retry_at = retry_at


class BackupFailed(ServerError):
    """The backup cannot be made or restored."""

    code, status = "backup_failed", 500


class BadBackup(BackupFailed):
    """The backup is damaged, or does not belong to this site."""

    code, status = "bad_backup", 422


FAILED_CODE = "failed"
WEB_SERVER_CODES = (
    ("bad_request", 400, "The request cannot be read."),
    ("method_not_allowed", 405, "The path does not support this method; see the header `Allow`."),
    ("address_too_long", 414, "The URL is too long."),
    ("unsupported_media_type", 415, "The body has the wrong content type for this path."),
    ("unprocessable_entity", 422, "The body or the query is not valid; `fields` lists the errors."),
    (
        FAILED_CODE,
        500,
        "An internal error, or (503) the database or the disk is not available; nothing was counted.",
    ),
)
"""Errors that the web server raises and no service does: code, status, and description."""


def list_codes() -> list[tuple[str, int, str]]:
    """List the codes that an error of the API can have, each with its status and its description."""
    ours = [kind for kind in ServerError.kinds() if not issubclass(kind, BackupFailed)]
    codes = [(kind.code, kind.status, (getdoc(kind) or "").partition("\n")[0]) for kind in ours]
    return sorted([*codes, *WEB_SERVER_CODES], key=lambda one: (one[1], one[0]))
