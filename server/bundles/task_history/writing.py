"""Writes the history of a task: its rows, with references in place of ids, and the files that they name."""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from server.accounts.models import User
from server.annotation.models import Campaign
from server.bundles.export_files import ExportFiles
from server.bundles.models import Attribution, ImportedPerson
from server.bundles.task_history.history import Row
from server.bundles.task_history.reading import SCHEMA
from server.bundles.task_history.tables import (
    TABLES,
    HistoryTable,
    list_campaign_rows,
    list_task_rows,
    of_task,
)
from server.phases.models import Phase
from server.tasks.models import Task

_PERSON = "person"
"""The key of a row's person if it is from an import, and has no row of an account."""


def write_history(
    session: Session, task: Task, phases: Sequence[Phase], files: ExportFiles, *, with_names: bool
) -> bytes:
    """Write `history.json`, one row a line, so that the same task always gives the same bytes.

    The files that it names are added to `files`.
    """
    writer = _HistoryWriter(session, task, phases, files)
    lists = {name: writer.list_rows(table) for name, table in TABLES.items() if name != "people"}
    lists = {"people": writer.list_people(with_names=with_names), **lists}
    lines = [f'"schema": "{SCHEMA}"', f'"created_at": "{_plain(task.created_at)}"']
    for name, rows in lists.items():
        inner = ",\n  ".join(json.dumps(row, ensure_ascii=False) for row in rows)
        lines.append(f'"{name}": [\n  {inner}\n ]' if rows else f'"{name}": []')
    return ("{\n " + ",\n ".join(lines) + "\n}\n").encode()


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
    return value


class _HistoryWriter:
    """One export: what rows are called by those that refer to them, and the people so far."""

    def __init__(self, session: Session, task: Task, phases: Sequence[Phase], files: ExportFiles) -> None:
        self.session = session
        self.task = task
        self.files = files
        campaigns = list(session.scalars(select(Campaign).where(Campaign.task_id == task.id)))
        configured = list_task_rows(task, {phase.slug: phase for phase in phases})
        configured |= list_campaign_rows(campaigns)
        self.keys: dict[str, dict[int, int | str]] = {
            name: {row.id: key for key, row in rows.items()} for name, rows in configured.items()
        }
        """The keys of rows, by table and row id."""
        self.people: dict[tuple[type[Any], int], str] = {}
        """What accounts and imported people are called, in the order in which they were met."""
        query = select(Attribution).where(Attribution.task_id == task.id).order_by(Attribution.id)
        self.attributions = list(session.scalars(query))
        self.authors: dict[tuple[str | None, int], int] = {
            (each.part, each.row_id): each.person_id for each in self.attributions
        }

    def list_rows(self, table: HistoryTable) -> list[Row]:
        """Return the rows of a table, without those that refer to a row that is left out."""
        keys, rows = self.keys.setdefault(table.table_name, {}), list[Row]()
        if any(not self.keys.get(target, True) for target in table.needed):
            return rows  # there is nothing to which a row could refer
        for stored in self._query(table):
            row = self._write(table, stored)
            if row is not None:
                rows.append(row)
                keys[stored[table.row_id]] = len(rows)
        if len(table.key) > 1 and not table.is_of_people:  # by ids, which differ elsewhere
            rows.sort(key=lambda row: [row[name] for name in table.key])
        return rows

    def _query(self, table: HistoryTable) -> Iterator[Mapping[Any, Any]]:
        """Yield the columns of the rows, and before them what an import has in place of such rows."""
        if table.is_of_people:
            yield from self._list_attributions(table)
        names = dict.fromkeys([table.row_id, *(field.attribute for field in table.fields), *table.texts])
        columns = [getattr(table.model, name) for name in names]
        query = select(*columns).where(of_task(table.model, self.task.id))
        if table.where is not None:
            query = query.where(table.where)
        if table.only:  # rows that differ in other columns alone
            query = query.distinct()
        keys = [column for column in columns if column.property.columns[0].primary_key]
        yield from self.session.execute(query.order_by(*keys)).mappings()

    def _list_attributions(self, table: HistoryTable) -> Iterator[Mapping[Any, Any]]:
        person, reference, moment = table.people_fields
        for attribution in self.attributions:
            if attribution.part == table.part:
                yield {
                    table.row_id: None,
                    person.attribute: None,
                    reference.attribute: attribution.row_id,
                    moment.attribute: attribution.at,
                    _PERSON: attribution.person_id,
                }

    def _write(self, table: HistoryTable, stored: Mapping[Any, Any]) -> Row | None:
        """Return the values of a row that are not null; None: it refers to a row that is left out."""
        row: Row = {}
        for row_field in table.fields:
            value = stored[row_field.attribute]
            if row_field.is_author:
                value = self._who(table, stored, value)
            elif row_field.target is not None and value is not None:
                value = self.keys[row_field.target].get(value)
                if value is None:
                    return None
            elif row_field.name in table.nested and value is not None:
                target = table.nested[row_field.name]
                value = [item | {target: self.keys[target][item[target]]} for item in value]
            if value is not None:
                row[row_field.name] = _plain(value)
        for column, name in table.texts.items():
            if stored[column] is not None:
                row[name] = self.files.text(stored[column])
        if table.stored is not None:
            self.files.stored(row[table.stored])
        return row

    def _who(self, table: HistoryTable, stored: Mapping[Any, Any], user_id: int | None) -> str | None:
        """Return who did this: an account, or a person of an import."""
        if user_id is not None:
            return self._label(User, user_id)
        person_id = stored.get(_PERSON) or self.authors.get((table.part, stored[table.row_id]))
        return None if person_id is None else self._label(ImportedPerson, person_id)

    def _label(self, model: type[Any], row_id: int) -> str:
        return self.people.setdefault((model, row_id), f"person {len(self.people) + 1}")

    def list_people(self, *, with_names: bool) -> list[Row]:
        """Return a row for each person that was met, with names if requested and known."""
        names: dict[tuple[type[Any], int], str | None] = {}
        for model in (User, ImportedPerson) if with_names else ():
            ids = [row_id for kind, row_id in self.people if kind is model]
            rows = self.session.execute(select(model.id, model.name).where(model.id.in_(ids)))
            names |= {(model, row.id): row.name for row in rows}
        return [{} if names.get(key) is None else {"name": names[key]} for key in self.people]
