"""The actors of the site: a user, the operator at the console, the worker, or an anonymous visitor."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True)
class Actor:
    """Who acts: a user (an opaque id), the console (`assay`, the operator), the worker, or a visitor."""

    user_id: int | None = None
    console: bool = False
    worker: bool = False
    without_roles: bool = False
    """Act through an API token that may not organize: with the user's teams, but without their roles."""

    @property
    def label(self) -> str:
        """The actor's label in the audit log; it never contains a person's name."""
        if self.console or self.worker:
            return "console" if self.console else "worker"
        return "visitor" if self.user_id is None else f"user:{self.user_id}"

    def made(self, now: datetime) -> dict[str, Any]:
        """Return the columns of a row that say who made it, and when."""
        return {"made_by": self.user_id, "made_at": now}


VISITOR = Actor()
CONSOLE = Actor(console=True)
WORKER = Actor(worker=True)
"""The actor of rules of a task that a job carries out; it has no more rights than a visitor."""
