"""Everything that the scorer refuses, and how it says so.

ScorerError                 code, message
├── DataError               bad input data: every problem of a file at once (exit 1)
│   ├── RunError
│   │   └── NotEntered      a run that says NA to every item
│   ├── GoldError
│   ├── ItemsError
│   ├── BundleError
│   ├── BoardError
│   ├── RatingsError        ratings, best-worst answers or decisions that cannot be used
│   └── ProofError          a receipt, a list of keys or a part of evidence that cannot be read
├── SiteError               a site that refuses what it is asked, as its pages say it (exit 1)
│   ├── SiteAway            no answer, or not that of such a site (exit 3)
│   └── TokenError            no token, or one that the site does not take (exit 4)
├── UndefinedError          a statistic that has no value for this input, with the reason
└── RequestError            a request that makes no sense, such as an unknown metric (exit 2)
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

MAX_PROBLEMS = 100
"""How many problems an error lists; its count is always complete."""

MAX_LINES = 5
"""How many lines are listed for one problem."""

_QUOTED = r"\"[^\"]*\"|'[^']*'"
_VARYING_PARTS = re.compile(rf"{_QUOTED}|\([^)]*\)|(?<!\S)\S*[0-9]\S*")
"""What differs between the messages of one cause: quoted values, what they stand for, and numbers."""


@dataclass(frozen=True, slots=True)
class ProblemLine:
    """A further line with the same problem, and what the message says of that line."""

    line: int | None
    message: str
    text: str | None = None


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong in one file: where it is, what it is, how to fix it.

    It may stand for several lines that have the same problem: then line, message and text are those of the
    first one.
    """

    source: str
    line: int | None
    code: str
    message: str
    text: str | None = None
    """The offending line as it was read, without its line end; None where there is no such line."""
    count: int = 1
    """How many lines have this problem."""
    others: tuple[ProblemLine, ...] = ()
    """The lines after the first one, as many as are listed."""

    def __str__(self) -> str:
        source = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in self.source)
        where = source if self.line is None else f"{source}:{self.line}"
        return f"{where}: {self.message}{self._others()}"

    def _others(self) -> str:
        """The other lines by their numbers, each with its own value if the message quotes one."""
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
        words = "1 more line" if more == 1 else f"{more} more lines"
        return f"; {words} like this: {listed}{', …' if more > len(self.others) else ''}"


def merge_problems(problems: Iterable[Problem]) -> list[Problem]:
    """Replace problems of the same cause by the first of them, with the number of all and a few more lines.

    Two problems have the same cause if they are on two lines of one file, and their messages differ in
    nothing but the values that they quote. A problem of a file as a whole stands alone.

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
        # Three columns that a header lacks are three problems of one line, and each is listed.
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
    """The first hundred, in their order, but no file without one for which there is room."""
    if len(problems) <= MAX_PROBLEMS:
        return tuple(problems)
    first_places = {problem.source: place for place, problem in reversed(list(enumerate(problems)))}
    first = sorted(first_places.values())[:MAX_PROBLEMS]
    rest = sorted({*range(len(problems))} - {*first})[: MAX_PROBLEMS - len(first)]
    return tuple(problems[place] for place in sorted((*first, *rest)))


class ScorerError(Exception):
    """Anything that the scorer refuses; `code` is stable, the message is for people."""

    code = "scorer_error"


class DataError(ScorerError):
    """A file that cannot be used, or several.

    `problems` are the first hundred, each once for all lines that have it; each file is among them. `count`
    is how many there are, line by line.
    """

    code = "bad_data"

    def __init__(self, problems: Sequence[Problem], count: int | None = None) -> None:
        folded = merge_problems(problems)
        self.problems = _select_listed(folded)
        self.count = sum(problem.count for problem in folded) if count is None else count
        super().__init__(self._sentences())

    @classmethod
    def of_all(cls, errors: Sequence["DataError"]) -> Self:
        """One error with the problems of several files."""
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
    """A run whose score is NA on every line: the field's way of not entering a level. Not a board's error."""

    code = "not_entered"


class GoldError(DataError):
    """A gold file that cannot be used."""

    code = "bad_gold"


class ItemsError(DataError):
    """An items file that cannot be used."""

    code = "bad_items"


class BundleError(DataError):
    """A task bundle that cannot be used."""

    code = "bad_bundle"


class BoardError(DataError):
    """A file that is no board as `scorer board --format json` prints it."""

    code = "bad_board"


class RatingsError(DataError):
    """A file of ratings, of best-worst answers or of decisions that cannot be used."""

    code = "bad_ratings"


class ProofError(DataError):
    """A file that is no receipt, no list of keys, or no part of evidence."""

    code = "bad_proof"


class UndefinedError(ScorerError):
    """A statistic without a value for this input. `code` is stable; the message is the reason."""

    code = "undefined"

    def __init__(self, code: str, reason: str) -> None:
        self.code = code
        self.reason = reason
        super().__init__(reason)


class RequestError(ScorerError):
    """A request that makes no sense whatever the data is: an unknown metric, an option out of range."""

    code = "bad_request"


class SiteError(ScorerError):
    """What a site refuses; `code` is the site's, `problem` all that it says."""

    code = "refused"

    def __init__(self, message: str, problem: Mapping[str, Any] | None = None) -> None:
        self.problem = dict(problem or {})
        self.code = str(self.problem.get("code", self.code))
        super().__init__(message)


class SiteUnavailable(SiteError):
    """A site that does not answer, or whose answer is not that of a site of Assay."""

    code = "site_away"


class TokenError(SiteError):
    """No token, or one that the site does not take."""

    code = "bad_token"
