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
│   └── BadToken            no token, or one that the site does not take (exit 4)
├── UndefinedError          a statistic that has no value for this input, with the reason
└── RequestError            a request that makes no sense, such as an unknown metric (exit 2)
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

MAX_PROBLEMS = 100
"""How many problems of one file are kept; the count is always complete."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong in one file: where it is, what it is, how to mend it."""

    source: str
    line: int | None
    code: str
    message: str
    text: str | None = None
    """The offending line as it was read, without its line end; None where there is no such line."""

    def __str__(self) -> str:
        source = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in self.source)
        where = source if self.line is None else f"{source}:{self.line}"
        return f"{where}: {self.message}"


class ScorerError(Exception):
    """Anything that the scorer refuses; `code` is stable, the message is for people."""

    code = "scorer_error"


class DataError(ScorerError):
    """A file that cannot be used. `problems` are the first hundred, `count` is how many there are."""

    code = "bad_data"

    def __init__(self, problems: Sequence[Problem], count: int | None = None) -> None:
        self.problems = tuple(problems[:MAX_PROBLEMS])
        self.count = len(problems) if count is None else count
        super().__init__(self._sentences())

    def _sentences(self) -> str:
        lines = [str(problem) for problem in self.problems]
        hidden = self.count - len(self.problems)
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


class SiteAway(SiteError):
    """A site that does not answer, or whose answer is not that of a site of Assay."""

    code = "site_away"


class BadToken(SiteError):
    """No token, or one that the site does not take."""

    code = "bad_token"
