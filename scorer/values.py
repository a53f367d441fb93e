"""Values that several rooms of the scorer hand to each other."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Undefined:
    """Where a number would stand, and why there is none; `code` is stable, `reason` is for people."""

    code: str
    reason: str
