"""Holding gold against what the site signed: each commitment follows from salt and file as they are now."""

import re
from collections.abc import Iterator
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from scorer.proof.signing import gold_commitment
from server.activity.telling import number_of
from server.audit import rows as audit_rows
from server.audit.chain import ChainProblems
from server.core.storage import STORAGE_KEY, Storage
from server.gold.models import GoldVersion
from server.tasks.models import Level, Split, Task

Place = tuple[str, str, str, int]
"""Task, level, split and the number of the version."""
_HEX = re.compile(rb"[0-9a-f]{64}")


class GoldCheck:
    """Computes the commitment to each gold version once, and names a version that fits no longer once."""

    def __init__(self, session: Session, problems: ChainProblems) -> None:
        self.session, self.problems = session, problems
        self.known: dict[Place, str | None] = {}
        """What follows from each that was asked for; None: nothing does."""
        self.told: set[Place] = set()

    @property
    def count(self) -> int:
        """The versions that documents name and that are as they were."""
        return len(self.known) - len(self.told)

    def check(self, name: str, content: dict[str, Any], *, may_be_gone: bool) -> None:
        """Hold against the gold what a document of this site says of it."""
        for place, commitment in _claims(content):
            if place not in self.known:
                self.known[place] = self._compute(place)
            is_now = self.known[place]
            if is_now == commitment or place in self.told or (is_now is None and may_be_gone):
                continue
            self.told.add(place)
            task, level, split, number = place
            self.problems.add(
                f"gold {number} of {level} ({split}) of {task} is not the one that {name} names: "
                f"its salt or its file {'is gone' if is_now is None else 'was changed'}"
            )

    def _compute(self, place: Place) -> str | None:
        dialect = self.session.get_bind().dialect.name
        salt, sha256 = (audit_rows.raw(dialect, column) for column in (GoldVersion.salt, GoldVersion.sha256))
        query = (
            select(salt.label("salt"), sha256.label("sha256"))
            .join(Split, Split.id == GoldVersion.split_id)
            .join(Level, Level.id == Split.level_id)
            .join(Task, Task.id == Level.task_id)
            .where(Task.slug == place[0], Level.slug == place[1])
            .where(Split.name == place[2], GoldVersion.number == min(place[3], 2**31 - 1))
        )
        row = self.session.execute(query).first()
        if row is None or not all(_HEX.fullmatch(bytes(cell or b"")) for cell in row):
            return None
        storage: Storage = self.session.info[STORAGE_KEY]
        try:
            gold = storage.get(bytes(row.sha256).decode())
        except OSError:
            return None
        return gold_commitment(bytes.fromhex(bytes(row.salt).decode()), gold)


def _claims(content: dict[str, Any]) -> Iterator[tuple[Place, str]]:
    """The gold versions that a receipt or a statement names, with the commitments to them."""
    gold = content.get("gold")
    if isinstance(gold, dict):
        gold = [{**gold, "level": content.get("level")}]
    for one in gold if isinstance(gold, list) else []:
        if isinstance(one, dict):
            task, level, split = (
                str(value) for value in (content.get("task"), one.get("level"), content.get("split"))
            )
            yield (task, level, split, number_of(one.get("version")) or 0), str(one.get("commitment"))
