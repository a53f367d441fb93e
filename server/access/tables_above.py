"""Tables of packages above this one, which it cannot import: it finds them by name in the metadata."""

from typing import Literal

from sqlalchemy import Table

from server.core.db import Base

TableAbove = Literal[
    "run", "submission", "rejection",
    "campaign", "annotator", "annotator_identity", "consent", "annotation_bar",
]  # fmt: skip


def tables_above(*names: TableAbove) -> list[Table]:
    """Return tables that `server.tables` has loaded before the first query."""
    return [Base.metadata.tables[name] for name in names]
