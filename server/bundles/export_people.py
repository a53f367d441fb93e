"""The people of an export: opaque ids, with names if requested; never addresses."""

from collections import defaultdict
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from server.accounts.models import User
from server.bundles.models import Attribution, AttributionPart, ImportedPerson
from server.bundles.task_history.records import PersonRecord
from server.tasks.models import Task


class ExportPeople:
    """Gives each person an opaque id, in the order of their first occurrence."""

    def __init__(self, session: Session, task: Task) -> None:
        query = select(Attribution).where(Attribution.task_id == task.id).order_by(Attribution.id)
        self.imported: dict[tuple[str | None, int], list[Attribution]] = defaultdict(list)
        for attribution in session.scalars(query):
            self.imported[attribution.part, attribution.row_id].append(attribution)
        self.ids: dict[tuple[str, int], str] = {}

    def who(self, part: AttributionPart | None, row_id: int, user_id: int | None) -> str | None:
        """Return who did this: an account, or a person of an import."""
        if user_id is not None:
            return self.account(user_id)
        attributions = self.imported.get((part, row_id))
        return self._id("imported", attributions[0].person_id) if attributions else None

    def came_with(self, part: AttributionPart | None, row_id: int) -> list[tuple[str, datetime]]:
        """Return the people of an import, where each has a time of their own."""
        attributions = self.imported.get((part, row_id), [])
        return [
            (self._id("imported", attribution.person_id), attribution.at)
            for attribution in attributions
            if attribution.at is not None
        ]

    def account(self, user_id: int) -> str:
        """Return the id of an account's person."""
        return self._id("account", user_id)

    def _id(self, kind: str, number: int) -> str:
        return self.ids.setdefault((kind, number), f"person {len(self.ids) + 1}")

    def records(self, session: Session, *, with_names: bool) -> list[PersonRecord]:
        """Return a record of each person, with names if requested and known."""
        names: dict[tuple[str, int], str | None] = {}
        if with_names:
            for kind, table in (("account", User), ("imported", ImportedPerson)):
                numbers = [number for id_kind, number in self.ids if id_kind == kind]
                rows = session.execute(select(table.id, table.name).where(table.id.in_(numbers)))
                names |= {(kind, row.id): row.name for row in rows}
        return [PersonRecord(label, names.get(key)) for key, label in self.ids.items()]
