"""Exports a campaign: its configuration and plans as files, and its rows in `campaign.json`.

Trials are left out, and so is every answer of annotators who withdrew their consent; the assignments that
they took stay, since others were given only what remained.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from server.annotation.campaigns import standing
from server.annotation.models import Annotator, Campaign, Step, UnitAnswer
from server.bundles.export_files import ExportFiles
from server.bundles.export_people import ExportPeople
from server.bundles.task_history.campaign_tables import (
    CAMPAIGN_TABLES,
    CONFIGURED,
    SCHEMA,
    STORED_FILES,
    CampaignTable,
)
from server.bundles.task_history.serialization import plain_values


def export_rows(session: Session, campaign: Campaign, people: ExportPeople, files: ExportFiles) -> bytes:
    """Return `campaign.json`, and add the plans to the files."""
    exporter = _RowExporter(session, campaign, people)
    lists = {name: list(exporter.list_rows(table)) for name, table in CAMPAIGN_TABLES.items()}
    for row in lists[STORED_FILES]:
        files.campaign_plan(campaign.slug, row["sha256"])
    lines = [f'"schema": "{SCHEMA}"']
    for name, rows in lists.items():
        inner = ",\n  ".join(json.dumps(row, ensure_ascii=False) for row in rows)
        lines.append(f'"{name}": [\n  {inner}\n ]' if rows else f'"{name}": []')
    return ("{\n " + ",\n ".join(lines) + "\n}\n").encode()


class _RowExporter:
    """One export of a campaign: what rows are called by those that refer to them."""

    def __init__(self, session: Session, campaign: Campaign, people: ExportPeople) -> None:
        self.session = session
        self.campaign = campaign
        self.people = people
        self.keys: dict[str, dict[int, int | str]] = {
            name: {row.id: row.slug for row in session.scalars(select(model).filter_by(campaign=campaign))}
            for name, model in CONFIGURED.items()
        }
        """The slugs or numbers of rows, by table and row id."""

    def list_rows(self, table: CampaignTable) -> Iterator[dict[str, Any]]:
        """Yield the rows of a table, without those that refer to a row that is left out."""
        columns = table.model.__table__.columns
        query = select(columns).where(table.of_campaign(self.campaign.id))
        left_out, keys = self._list_left_out(table), self.keys.setdefault(table.table_name, {})
        for row in self.session.execute(query.order_by(*table.model.__table__.primary_key)).mappings():
            row_id = row.get(columns.get("id"))
            values = self._values(table, row, row_id)
            if values is not None and row_id not in left_out:
                if row_id is not None:
                    keys[row_id] = len(keys) + 1
                yield values

    def _values(
        self, table: CampaignTable, row: Mapping[Any, Any], row_id: int | None
    ) -> dict[str, Any] | None:
        """Return the values of a row that are not null; None: it refers to a row that is left out."""
        values = {}
        for row_field in table.fields:
            value = row[row_field.column]
            if row_field.is_author and table.part is not None:
                value = self.people.who(table.part, row_id or 0, value)
            elif row_field.target is not None and value is not None:
                value = self.keys[row_field.target].get(value)
                if value is None:
                    return None
            if value is not None:
                values[row_field.name] = plain_values(value)
        return values

    def _list_left_out(self, table: CampaignTable) -> set[int]:
        """Return the ids of a table's rows that are in no export."""
        query: Select[int]
        if table.model is Annotator:
            query = select(Annotator.id).where(
                Annotator.campaign_id == self.campaign.id, Annotator.trial.is_(True)
            )
        elif table.model is UnitAnswer:
            withdrawn = Step.annotator_id.in_(standing.select_withdrawn(self.campaign.id))
            query = select(UnitAnswer.id).join(Step, Step.id == UnitAnswer.step_id).where(withdrawn)
        else:
            return set()
        return set(self.session.scalars(query))
