"""Everything that the site refuses.

ServerError             code, HTTP status, message for the person who asked
├── NotFound            404   not there, or not for this person to know of
├── BadJson             400   a body that is no JSON
├── BadToken            401   a token that is missing, unknown, over or revoked
├── Forbidden           403   there, but not for this role
│   └── ScopeMissing    403   a token that may not do that, whoever's it is
├── Conflict            409   a rule of the task says no, now
│   ├── PhaseShut       409   before it opens, or after the grace
│   ├── QuotaUsed       409   as many files or runs as a team may have
│   ├── NotCompeting    409   a team that may have no runs and files now
│   ├── RunWithdrawn    409   the run is to be brought back first
│   ├── NoGold          409   nothing can be scored yet
│   ├── NameTaken       409   a name that has to be unique
│   ├── TitleTaken      409   a phase's title that another phase of the task has
│   ├── DatesCrossed    409   a phase or a deadline would end too early
│   ├── FilesPrivate    409   teams were told that their files are not made public
│   ├── NotSure         409   it cannot be taken back, and was not confirmed
│   └── TermsNotAccepted 409  the terms come first
├── Gone                410   an invitation that is over
├── Withdrawn           410   a release that was taken back, with the reason that the public reads
├── KeyReused           422   the name of an upload that was another one's
├── Refused             422   a file that cannot be used, with every problem
├── RunRefused          422   files of a whole run that cannot be used, each with what is wrong
├── NoCondition         412   on a condition that is not looked at
├── TooLarge            413
├── BackupFailed        500   a backup that cannot be made or put back
│   └── BadBackup       422   one that is damaged, or not for this site
└── TooManyRefused      429   invalid files faster than a person sends them
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from inspect import getdoc

from scorer.errors import Problem


@dataclass(frozen=True, slots=True)
class FileProblem(Problem):
    """One problem of a file, as the scorer has it, and the line between its neighbours."""

    before: str | None = None
    after: str | None = None

    @property
    def said(self) -> str:
        """The whole sentence, with its place."""
        return str(self)


class ServerError(Exception):
    """Anything that the site refuses; the message says what, and how to go on."""

    code = "server_error"
    status = 400

    def __init__(self, message: str) -> None:
        self.message = message
        super().__init__(message)

    @classmethod
    def kinds(cls) -> "list[type[ServerError]]":
        """Each kind of refusal below this one, in the order of their definition."""
        return [kind for subclass in cls.__subclasses__() for kind in (subclass, *subclass.kinds())]


class NotFound(ServerError):
    """Not there, or not for this person to know of."""

    code, status = "not_found", 404


class BadJson(ServerError):
    """A body that is no JSON, or more of it than can be read; the text names the place."""

    code, status = "bad_json", 400


class BadToken(ServerError):
    """A token that is missing, unknown, over or revoked."""

    code, status = "bad_token", 401


class Forbidden(ServerError):
    """There, but not for this role."""

    code, status = "forbidden", 403


class ScopeMissing(Forbidden):
    """A token without the scope that is needed."""

    code = "scope_missing"


class Conflict(ServerError):
    """A rule of the task says no, now."""

    code, status = "conflict", 409


class PhaseClosed(Conflict):
    """The phase takes no files at this time."""

    code = "phase_shut"


class QuotaExceeded(Conflict):
    """As many files, or runs, as a team may have."""

    code = "quota_used"


class NotCompeting(Conflict):
    """A team that waits for its approval, was declined, or has nobody in it."""

    code = "team_not_approved"


class RunWithdrawn(Conflict):
    """A run that was taken back: it is to be brought back first."""

    code = "run_withdrawn"


class NoGold(Conflict):
    """Nothing can be scored: the organizers have not brought the gold yet."""

    code = "no_gold"


class NameTaken(Conflict):
    """A name that has to be unique, and is in use."""

    code = "name_taken"


class TitleTaken(Conflict):
    """A phase's title that another phase of the task has."""

    code = "title_taken"


class InvalidDates(Conflict):
    """A phase that would close before it opens, or a deadline that is over or no later than it has to be."""

    code = "dates_crossed"


class FilesPrivate(Conflict):
    """Files that came in while teams were told that they are not made public."""

    code = "files_private"


class ConfirmationRequired(Conflict):
    """What was asked for cannot be taken back, and was not confirmed."""

    code = "not_sure"


class TermsNotAccepted(Conflict):
    """The terms of the task are to be read and accepted first."""

    code = "terms_not_accepted"


class Gone(ServerError):
    """An invitation that has expired, was revoked or used."""

    code, status = "gone", 410


class ReleaseWithdrawn(ServerError):
    """A release that the organizers took back."""

    code, status = "withdrawn", 410


class ReusedIdempotencyKey(ServerError):
    """An Idempotency-Key that named another upload before."""

    code, status = "key_reused", 422


class InvalidFile(ServerError):
    """A file that cannot be used; `problems` has each cause once, `count` is the number of all bad lines."""

    code, status = "refused", 422

    def __init__(self, message: str, problems: Sequence[FileProblem], count: int) -> None:
        super().__init__(message)
        self.problems = tuple(problems)
        self.count = count


@dataclass(frozen=True, slots=True)
class FileFault:
    """What is wrong with one file of a whole run; `level` and `title`: of the one that it is for, if any.

    `code` is that of the same file sent alone; of a name, or a file of a zip, the scorer's.
    """

    filename: str
    code: str
    message: str
    level: str | None = None
    title: str | None = None
    refused: InvalidFile | None = None
    data: bytes = b""


class InvalidRunFiles(ServerError):
    """Files of a whole run that cannot be used, so that none is stored; `files` has a code for each.

    `good`: the names of the others; `ignored`: the names of those of zips that are no run's.
    """

    code, status = "run_refused", 422

    def __init__(
        self, message: str, faults: Sequence[FileFault], good: Sequence[str], ignored: Sequence[str] = ()
    ) -> None:
        super().__init__(message)
        self.faults = tuple(faults)
        self.good = tuple(good)
        self.ignored = tuple(ignored)


class UnsupportedCondition(ServerError):
    """A request with `If-Match` or `If-Unmodified-Since`, which are not looked at; nothing was done."""

    code, status = "precondition_failed", 412


class TooLarge(ServerError):
    """More bytes than a file of this kind can need."""

    code, status = "too_large", 413


class RateLimited(ServerError):
    """Invalid files, which cost nothing, come faster than a person sends them.

    `retry_at`: when the errors of the next one are shown.
    """

    code, status = "too_many_refused", 429

    def __init__(self, message: str, retry_at: datetime) -> None:
        super().__init__(message)
        self.retry_at = retry_at


class BackupFailed(ServerError):
    """A backup that cannot be made or put back."""

    code, status = "backup_failed", 500


class BadBackup(BackupFailed):
    """A backup that is damaged, or not one for this site."""

    code, status = "bad_backup", 422


FAILED_CODE = "failed"
WEB_SERVER_CODES = (
    ("bad_request", 400, "A request that cannot be read."),
    ("method_not_allowed", 405, "The address takes other methods."),
    ("address_too_long", 414, "An address that is too long."),
    ("unsupported_media_type", 415, "A body of another kind than the address takes."),
    ("unprocessable_entity", 422, "A body or a query of another form; `fields` has what is wrong."),
    (FAILED_CODE, 500, "A fault of ours, or (503) of the database or the disk; nothing was counted."),
)
"""What no service refuses: code, status, and what it says."""


def list_codes() -> list[tuple[str, int, str]]:
    """What a refusal may have as its code, with its status, and what it says."""
    ours = [kind for kind in ServerError.kinds() if not issubclass(kind, BackupFailed)]
    codes = [(kind.code, kind.status, (getdoc(kind) or "").partition("\n")[0]) for kind in ours]
    return sorted([*codes, *WEB_SERVER_CODES], key=lambda one: (one[1], one[0]))
