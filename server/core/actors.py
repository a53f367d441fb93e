"""Who does something: a person, the operator at the console, or nobody who signed in."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Actor:
    """A person by opaque id, the console (`assay` run by the operator), the worker, or a visitor (none)."""

    user_id: int | None = None
    console: bool = False
    worker: bool = False
    without_roles: bool = False
    """A token of theirs calls that may not organize: as if they had a team and no role."""

    @property
    def label(self) -> str:
        """How the audit log names them; never by name."""
        if self.console or self.worker:
            return "console" if self.console else "worker"
        return "visitor" if self.user_id is None else f"user:{self.user_id}"


VISITOR = Actor()
CONSOLE = Actor(console=True)
WORKER = Actor(worker=True)
"""Who does what a rule of the task says, by a job; it may do no more than a visitor."""
