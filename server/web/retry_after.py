"""When a client may come again, as the answer's header says it."""

from email.utils import format_datetime

from server.core.errors import ServerError, TooManyRefused


def retry_after(error: ServerError | None) -> dict[str, str]:
    """The header `Retry-After`, where the refusal knows when the next request is taken."""
    if not isinstance(error, TooManyRefused):
        return {}
    return {"Retry-After": format_datetime(error.retry_at, usegmt=True)}
