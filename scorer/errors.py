"""The exceptions of the scorer.

ScorerError                 has a code and a message
├── DataError               bad input data, with all problems of a file (exit 1)
│   ├── RunError
│   │   └── NotEntered      a run with NA for every item
│   ├── GoldError
│   ├── ItemsError
│   ├── BundleError
│   ├── BoardError
│   ├── RatingsError        ratings, best-worst answers or decisions that cannot be used
│   └── ProofError          a receipt, a list of keys or a part of evidence that cannot be read
├── SiteError               a request that a site rejects (exit 1)
│   ├── SiteUnavailable     no answer, or not from an Assay site (exit 3)
│   └── TokenError          no token, or a token that the site does not accept (exit 4)
├── UndefinedError          a statistic that has no value for this input, with the reason
└── RequestError            a request that is not valid for any data, such as an unknown metric (exit 2)
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

MAX_PROBLEMS = 100
"""The maximum number of problems that an error lists. Its count is always complete."""

MAX_LINES = 5
"""The maximum number of lines that are listed for one problem."""

_QUOTED = r"\"[^\"]*\"|'[^']*'"
_VARYING_PARTS = re.compile(rf"{_QUOTED}|\([^)]*\)|(?<!\S)\S*[0-9]\S*")
"""The parts in which messages of the same cause differ: quoted values, explanations in (), numbers."""


def printable(text: object) -> str:
    """Replace each character that a terminal does not print, so that no text can change what is shown."""
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in str(text))


@dataclass(frozen=True, slots=True)
class ProblemLine:
    """Another line with the same problem, and the message for that line."""

    line: int | None
    message: str
    text: str | None = None


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem of a file: where it is, what is wrong, and how to fix it.

    It can represent several lines with the same problem. Then line, message and text belong to the first.
    """

    source: str
    line: int | None
    code: str
    message: str
    text: str | None = None
    """The bad line as it was read, without its line end; None if there is no such line."""
    count: int = 1
    """The number of lines with this problem."""
    others: tuple[ProblemLine, ...] = ()
    """The next lines with this problem that are listed."""

    def __str__(self) -> str:
        source = printable(self.source)
        where = source if self.line is None else f"{source}:{self.line}"
        return f"{where}: {self.message}{self._others()}"

    def _others(self) -> str:
        """List the numbers of the other lines, each with its own value if the message quotes one."""
        if not self.others:
            return ""
        differ = any(other.message != self.message for other in self.others)
        listed = ", ".join(
            f"{other.line} {value[0]}"
            if differ and (value := re.search(_QUOTED, other.message))
            else f"{other.line}"
            for other in self.others
        )
        more = self.count - 1
        lines = "1 more line" if more == 1 else f"{more} more lines"
        return f"; {lines} like this: {listed}{', …' if more > len(self.others) else ''}"


def merge_problems(problems: Iterable[Problem]) -> list[Problem]:
    """Merge problems of the same cause into the first of them, with their number and a few more lines.

    Two problems have the same cause if they are on two lines of one file and their messages differ only in
    the values that they quote. A problem of a whole file is never merged.

    Examples
    --------
    >>> for problem in merge_problems(
    ...     [
    ...         Problem("run.tsv", 2, "not_a_number", 'score "x" is not a number'),
    ...         Problem("run.tsv", 3, "missing", "there is no score"),
    ...         Problem("run.tsv", 4, "not_a_number", 'score "y" is not a number'),
    ...     ]
    ... ):
    ...     print(problem)
    run.tsv:2: score "x" is not a number; 1 more line like this: 4 "y"
    run.tsv:3: there is no score
    """
    causes: dict[object, list[Problem]] = {}
    on_line = Counter[object]()
    for place, problem in enumerate(problems):
        kind = problem.source, problem.code, _VARYING_PARTS.sub("", problem.message)
        # Three missing columns of a header are three problems of one line, and each must be listed.
        cause = kind, on_line[kind, problem.line]
        on_line[kind, problem.line] += 1
        causes.setdefault(place if problem.line is None else cause, []).append(problem)
    return [same[0] if len(same) == 1 else _merge_same_cause(same) for same in causes.values()]


def _merge_same_cause(same: Sequence[Problem]) -> Problem:
    first, *rest = same
    others = list(first.others)
    for problem in rest[:MAX_LINES]:
        others += ProblemLine(problem.line, problem.message, problem.text), *problem.others
    count = sum(problem.count for problem in same)
    return replace(first, count=count, others=tuple(others[: MAX_LINES - 1]))


def _select_listed(problems: Sequence[Problem]) -> tuple[Problem, ...]:
    """Select the first hundred problems in order, with at least one of each file if there is room."""
    if len(problems) <= MAX_PROBLEMS:
        return tuple(problems)
    first_places = {problem.source: place for place, problem in reversed(list(enumerate(problems)))}
    first = sorted(first_places.values())[:MAX_PROBLEMS]
    rest = sorted({*range(len(problems))} - {*first})[: MAX_PROBLEMS - len(first)]
    return tuple(problems[place] for place in sorted((*first, *rest)))


class ScorerError(Exception):
    """The base class of the scorer's errors; `code` is stable, the message is for people."""

    code = "scorer_error"


class DataError(ScorerError):
    """One or several files that cannot be used.

    `problems` has the first hundred problems, each merged over the lines that have it, and at least one of
    each file. `count` is the number of all problems, counted by line.
    """

    code = "bad_data"

    def __init__(self, problems: Sequence[Problem], count: int | None = None) -> None:
        merged = merge_problems(problems)
        self.problems = _select_listed(merged)
        self.count = sum(problem.count for problem in merged) if count is None else count
        super().__init__(self._sentences())

    @classmethod
    def of_all(cls, errors: Sequence["DataError"]) -> Self:
        """Combine the problems of several errors into one error."""
        problems = [problem for error in errors for problem in error.problems]
        return cls(problems, sum(error.count for error in errors))

    def _sentences(self) -> str:
        lines = [str(problem) for problem in self.problems]
        hidden = self.count - sum(problem.count for problem in self.problems)
        if hidden > 0:
            sources = {problem.source for problem in self.problems}
            where = f"{sources.pop()}: " if len(sources) == 1 else ""
            lines.append(f"{where}and {hidden} more problems")
        return "\n".join(lines)


class RunError(DataError):
    """A run file that cannot be scored."""

    code = "bad_run"


class NotEntered(RunError):
    """A run with NA on every line, which is how some teams do not enter a level; not an error on boards."""

    code = "not_entered"


class GoldError(DataError):
    """A gold file that cannot be used."""

    code = "bad_gold"


class ItemsError(DataError):
    """An items file that cannot be used."""

    code = "bad_items"


class BundleError(DataError):
    """A task bundle, or the configuration or a plan of a campaign, that cannot be used."""

    code = "bad_bundle"


class BoardError(DataError):
    """A file that is not a leaderboard as `scorer board --format json` prints it."""

    code = "bad_board"


class RatingsError(DataError):
    """A file of ratings, of best-worst answers or of decisions that cannot be used."""

    code = "bad_ratings"


class ProofError(DataError):
    """A file that should be a receipt, a list of keys or a part of evidence, and is not."""

    code = "bad_proof"


class UndefinedError(ScorerError):
    """A statistic that has no value for this input. `code` is stable; the message is the reason."""

    code = "undefined"

    def __init__(self, code: str, reason: str) -> None:
        self.code = code
        self.reason = reason
        super().__init__(reason)


class RequestError(ScorerError):
    """A request that is not valid for any data, such as an unknown metric or an option out of range."""

    code = "bad_request"


class SiteError(ScorerError):
    """A request that a site rejects, with the code and the whole problem document of the site."""

    code = "refused"

    def __init__(self, message: str, problem: Mapping[str, Any] | None = None) -> None:
        self.problem = dict(problem or {})
        self.code = str(self.problem.get("code", self.code))
        super().__init__(message)


class SiteUnavailable(SiteError):
    """A site that does not answer, or does not answer like an Assay site."""

    code = "site_away"


class TokenError(SiteError):
    """A token that is missing or that the site does not accept."""

    code = "bad_token"
