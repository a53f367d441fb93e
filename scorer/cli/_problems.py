"""What is wrong with a file, as the commands print it for programs."""

from dataclasses import asdict
from typing import Any

from scorer.errors import Problem


def problem_values(problem: Problem) -> dict[str, Any]:
    """A problem as JSON has it: the first line with it, how many lines have it, and the next few."""
    values = asdict(problem)
    return {"file": values.pop("source"), **values}
