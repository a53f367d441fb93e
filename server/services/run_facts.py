"""What a run file of a split has to be: for the script that checks files before they are sent. Never gold."""

from typing import TypedDict

from server.domain.quota import upload_limit
from server.models import Split
from server.services import scoring
from server.storage import Storage


class KeyedColumns(TypedDict):
    """The columns of a keyed run."""

    id: str
    score: str
    confidence: str | None
    delimiter: str | None


class RunFacts(TypedDict):
    """The facts that the scorer reads a run by, as plain values, and how many bytes it may have."""

    title: str
    n: int
    ids: list[str]
    keyed: KeyedColumns | None
    scale: tuple[float, float]
    confidence_max: float
    limit: int


def facts_of(storage: Storage, split: Split) -> RunFacts:
    """The facts of a split's runs."""
    level, keyed = split.level, scoring.keyed_of(split.level)
    return RunFacts(
        title=level.title,
        n=split.n_items,
        ids=list(scoring.items_of(storage, split).ids),
        keyed=None
        if keyed is None
        else KeyedColumns(
            id=keyed.id, score=keyed.score, confidence=keyed.confidence, delimiter=keyed.delimiter
        ),
        scale=(level.task.scale_min, level.task.scale_max),
        confidence_max=level.task.confidence_max,
        limit=upload_limit(split.n_items, keyed=keyed is not None),
    )
