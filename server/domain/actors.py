"""Who does something: a person, the operator at the console, or nobody who signed in."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Actor:
    """A person by opaque id, or the console (`assay` run by the operator), or a visitor (neither)."""

    user_id: int | None = None
    console: bool = False

    @property
    def label(self) -> str:
        """How the audit log names them; never by name."""
        return "console" if self.console else "visitor" if self.user_id is None else f"user:{self.user_id}"


VISITOR = Actor()
CONSOLE = Actor(console=True)
