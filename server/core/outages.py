"""Faults of the disk and of the database: they pass, and what was asked may be retried as it is."""

import errno
from typing import TypeGuard

from obstore.exceptions import GenericError
from sqlalchemy.exc import InterfaceError, OperationalError

RETRY_SECONDS = 60
"""Seconds after which to try again."""
_OUTAGE_ERRNOS = {
    errno.ENOSPC, errno.EDQUOT, errno.EFBIG,  # the disk is full, or what this account may have of it
    errno.EIO, errno.EROFS, errno.ESTALE,  # it does not work
    errno.EMFILE, errno.ENFILE, errno.ENOMEM,  # too many open files, no memory
}  # fmt: skip


def is_outage(error: BaseException | None) -> TypeGuard[Exception]:
    """Whether a request failed because the disk is full or broken, or the database is away.

    The store reports such faults as obstore's `GenericError`; a missing file is not one.
    """
    if isinstance(error, OSError):
        return error.errno in _OUTAGE_ERRNOS
    return isinstance(error, GenericError | InterfaceError | OperationalError)
