"""Temporary faults of the disk and of the database, after which a request may be retried unchanged."""

import errno
from typing import TypeGuard

from obstore.exceptions import GenericError
from sqlalchemy.exc import InterfaceError, OperationalError

RETRY_SECONDS = 60
"""Seconds after which a client should retry."""
_OUTAGE_ERRNOS = {
    errno.ENOSPC, errno.EDQUOT, errno.EFBIG,  # the disk or this account's quota is full
    errno.EIO, errno.EROFS, errno.ESTALE,  # the disk does not work
    errno.EMFILE, errno.ENFILE, errno.ENOMEM,  # too many open files, no memory
}  # fmt: skip


def is_outage(error: BaseException | None) -> TypeGuard[Exception]:
    """Whether a request failed because the disk is full or broken, or the database is away.

    The store reports such faults as obstore's `GenericError`; a missing file is not one.
    """
    if isinstance(error, OSError):
        return error.errno in _OUTAGE_ERRNOS
    return isinstance(error, GenericError | InterfaceError | OperationalError)
