"""The JSON of an inference: reading, validating, and reducing it to what a leaderboard's page shows."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NewType

from scorer.boards.board import ColumnKey, Kind, SystemKey
from scorer.typed_json import Fault, Scalar, TypedReader, is_storable, parse_json
from scorer.values import Undefined

SCHEMA = "assay.inference/1"
_LARGEST = 1e12
System = NewType("System", int)
"""The index of a system in the list of an inference."""


@dataclass(frozen=True, slots=True)
class ResamplingOptions:
    """How the intervals were computed."""

    b: int
    seed: int
    interval: str
    level: float
    adjust: str | None = field(default=None, metadata={"type": str})
    """How p values were adjusted, if there are tests."""


@dataclass(frozen=True, slots=True)
class InferredSystem:
    """A system of the leaderboard."""

    kind: Kind
    team: str
    run: str

    @property
    def key(self) -> SystemKey:
        """Its kind, team and run."""
        return self.kind, self.team, self.run


@dataclass(frozen=True, slots=True)
class SystemInterval:
    """The confidence interval of a system's value, or why it has none."""

    system: System
    low: float | None
    high: float | None
    degenerate: int
    undefined: Undefined | None

    @property
    def ends(self) -> tuple[float, float] | None:
        """Both ends; None: there is no interval."""
        return None if self.low is None or self.high is None else (self.low, self.high)


@dataclass(frozen=True, slots=True)
class SignificanceTests:
    """How the pairs of systems were tested, or why they were not."""

    systems: int
    pairs: int
    permutations: int | None
    alpha: float
    refused: str | None
    signature: str | None = field(default=None, metadata={"type": str})


@dataclass(frozen=True, slots=True)
class SystemRank:
    """The rank of a system, the range of its rank, and its cluster."""

    system: System
    rank: int
    low: int
    high: int
    cluster: int


@dataclass(frozen=True, slots=True)
class BaselineTest:
    """The test of a system against the best baseline."""

    system: System
    difference: float
    p: float
    adjusted: float
    better: bool


@dataclass(frozen=True, slots=True)
class BaselineTests:
    """The tests against the best baseline, which is `system`."""

    system: System
    permutations: int
    tests: tuple[BaselineTest, ...]
    signature: str


@dataclass(frozen=True, slots=True)
class ComparedPair:
    """The test of a pair of systems: the first minus the second, and the better one of them, if any."""

    a: System
    b: System
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    adjusted: float | None
    better: System | None


@dataclass(frozen=True, slots=True)
class InferredColumn:
    """A column of the leaderboard; only an official one has tests and what follows from them."""

    level: str | None
    metric: str
    n: int | None
    groups: int | None
    official: bool
    intervals: tuple[SystemInterval, ...]
    tests: SignificanceTests | None = None
    ranks: tuple[SystemRank, ...] = ()
    baseline: BaselineTests | None = field(default=None, metadata={"type": BaselineTests})
    pairs: tuple[ComparedPair, ...] = ()

    @property
    def key(self) -> ColumnKey:
        """Its level (None: the total) and metric."""
        return self.level, self.metric


@dataclass(frozen=True, slots=True)
class RankByRule:
    """The rank of a system under another rule."""

    system: System
    rank: int


@dataclass(frozen=True, slots=True)
class RankingByRule:
    """The ranking under another rule; `name`: the level or the genre that is left out."""

    rule: str
    name: str | None
    tau: float | None
    systems: int
    undefined: Undefined | None
    ranks: tuple[RankByRule, ...] = ()


@dataclass(frozen=True, slots=True)
class LeftOutSystem:
    """A system whose file the scorer cannot read."""

    kind: Kind
    team: str
    run: str
    level: str
    reason: str


@dataclass(frozen=True, slots=True)
class BoardInference:
    """An inference, or its summary, which lacks pairs and ranks by rule; `genres`: the levels with genres."""

    schema: str
    scorer: str
    options: ResamplingOptions
    systems: tuple[InferredSystem, ...]
    columns: tuple[InferredColumn, ...]
    stability: tuple[RankingByRule, ...]
    left_out: tuple[LeftOutSystem, ...] = ()
    genres: tuple[str, ...] = ()

    @property
    def keys(self) -> list[SystemKey]:
        """The systems, in the order of their indices."""
        return [system.key for system in self.systems]


def read_inference(text: str) -> BoardInference:
    """Parse an inference that this or another site computed.

    Raises:
        ValueError: it is not valid; the message names the first wrong place.
    """
    return read_inference_values(parse_json(text))


def read_inference_values(values: Any) -> BoardInference:
    """Read an inference, or its summary, from parsed JSON.

    Raises:
        ValueError: it is not valid; the message names the first wrong place.
    """
    systems = values.get("systems") if isinstance(values, dict) else None
    count = len(systems) if isinstance(systems, list) else 0
    is_system = Scalar("one of the systems", lambda value: type(value) is int and 0 <= value < count)
    faults = list[Fault]()
    inference = TypedReader({**_SCALARS, System: is_system}).read(BoardInference, values, faults)
    for place, fault in faults:
        raise ValueError(f"{place or 'the file'} {fault}")
    if inference.schema != SCHEMA:
        raise ValueError(f'schema is not "{SCHEMA}"')
    return inference


_SCALARS: dict[Any, Scalar] = {
    str: Scalar("a text", lambda value: type(value) is str and is_storable(value)),
    bool: Scalar("true or false", lambda value: type(value) is bool),
    int: Scalar("a whole number", lambda value: type(value) is int and 0 <= value < _LARGEST),
    float: Scalar("a number", lambda value: type(value) in (int, float) and abs(value) < _LARGEST),
}


def summarize_inference(text: str) -> dict[str, Any]:
    """Reduce an inference to what a leaderboard's page shows: without pairs, most orders, and signatures.

    Raises:
        ValueError: it is not valid.
    """
    read_inference(text)
    values: Mapping[str, Any] = parse_json(text)
    columns = [
        {
            **{name: part for name, part in column.items() if name != "pairs"},
            "intervals": [
                {name: part for name, part in entry.items() if name != "signature"}
                for entry in column["intervals"]
            ],
        }
        for column in values["columns"]
    ]
    stability = [
        {name: part for name, part in entry.items() if name != "ranks"} for entry in values["stability"]
    ]
    return {**values, "columns": columns, "stability": stability}
