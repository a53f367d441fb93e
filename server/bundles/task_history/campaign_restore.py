"""Restores a campaign of an import: its rows are those of `campaign.json`, with new ids.

Its annotators are pseudonyms without a name, an address or a link; an organizer can create new links.
"""

from collections.abc import Callable
from typing import Any

from sqlalchemy.orm import Session

from server.annotation.models import Annotator, AnnotatorIdentity, Campaign
from server.bundles.models import AttributionPart
from server.bundles.task_history.campaign_plan import CampaignPlan
from server.bundles.task_history.campaign_tables import CAMPAIGN_TABLES, CampaignTable

Attribute = Callable[[AttributionPart, int, str | None], None]
"""Records who did what a row describes."""


def restore_rows(session: Session, campaign: Campaign, plan: CampaignPlan, attribute: Attribute) -> None:
    """Add the rows of a campaign in their order, so that ids grow as before."""
    rows_by_key: dict[str, dict[Any, Any]] = {
        "annotation_entry": {entry.slug: entry for entry in campaign.entries},
        "annotation_round": {of_round.slug: of_round for of_round in campaign.rounds},
    }
    for name, table in CAMPAIGN_TABLES.items():
        values = plan.rows[name]
        rows = [table.model(**_columns(table, row, campaign, rows_by_key)) for row in values]
        session.add_all(rows)
        session.flush()
        rows_by_key[table.table_name] = dict(enumerate(rows, start=1))
        _refer_to_own_list(table, rows, values)
        if table.model is Annotator:
            session.add_all(AnnotatorIdentity(annotator_id=row.id) for row in rows)
        for row_field in table.fields:
            if row_field.is_author and table.part is not None:
                for row, row_values in zip(rows, values, strict=True):
                    attribute(table.part, row.id, row_values.get(row_field.name))
        session.flush()


def _columns(
    table: CampaignTable, row: dict[str, Any], campaign: Campaign, rows_by_key: dict[str, dict[Any, Any]]
) -> dict[str, Any]:
    """Return the columns of a row, except references to its own list, whose rows have no ids yet."""
    values = {}
    for row_field in table.fields:
        value = row.get(row_field.name)
        if value is None or row_field.is_author or row_field.target == table.table_name:
            continue
        target = row_field.target
        values[row_field.attribute] = value if target is None else rows_by_key[target][value].id
    if hasattr(table.model, "campaign_id"):
        values["campaign_id"] = campaign.id
    return values


def _refer_to_own_list(table: CampaignTable, rows: list[Any], values: list[dict[str, Any]]) -> None:
    """Set the references of rows to earlier rows of their list."""
    for row_field in table.fields:
        if row_field.target == table.table_name:
            for row, row_values in zip(rows, values, strict=True):
                number = row_values.get(row_field.name)
                if number is not None:
                    setattr(row, row_field.attribute, rows[number - 1].id)
