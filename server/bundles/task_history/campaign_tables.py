"""The rows of a campaign in an export: a list in its `campaign.json` for each table here.

A row is an object with the values of its columns, without those that are null. A row has no id: others refer
to it by its number in its list, so that `step_id` becomes `step`; to entries and rounds, by their slugs.
Accounts become people of the history. A column that is added to a table needs no change here, but a default
or null for older exports; a table that is added needs a line.

The rows of the campaign, its entries and its rounds are made again from the configuration file. Who the
annotators are, and their links, are in no export.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, get_args, get_type_hints

from sqlalchemy import Column, ColumnElement, PrimaryKeyConstraint, UniqueConstraint, inspect, select

from server.accounts.models import User
from server.annotation.models import (
    AnnotationRound,
    Annotator,
    AnswerText,
    Assignment,
    AssignmentEvent,
    AssignmentPlan,
    Campaign,
    Consent,
    ConsentVersion,
    Entry,
    Exclusion,
    RoundEvent,
    Step,
    Unit,
    UnitAnswer,
)
from server.bundles.models import AttributionPart

SCHEMA = "assay.campaign-rows/1"
CONFIGURED: Mapping[str, type[Any]] = {
    Entry.__tablename__: Entry,
    AnnotationRound.__tablename__: AnnotationRound,
}
"""The tables whose rows come from the configuration file, by name; they are referred to by slug."""


@dataclass(frozen=True, slots=True)
class RowField:
    """A field of a row: a value, or a reference to a row of the table `target`."""

    name: str
    """The key in the file."""
    attribute: str
    column: Column[Any]
    kind: Any
    """The type of the values."""
    target: str | None

    @property
    def is_author(self) -> bool:
        """Whether the field names a person."""
        return self.target == User.__tablename__

    @property
    def may_be_missing(self) -> bool:
        """Whether a row may lack the field: the column is null, or gets its default."""
        return bool(self.column.nullable) or self.column.server_default is not None


@dataclass(slots=True)
class CampaignTable:
    """One table of a campaign. `part`: the part of the attributions that has the authors of its rows."""

    model: type[Any]
    part: AttributionPart | None = None
    fields: tuple[RowField, ...] = field(init=False)
    unique: tuple[tuple[str, ...], ...] = field(init=False)
    """The combinations of fields that must be unique."""

    def __post_init__(self) -> None:
        self.fields = tuple(_list_fields(self.model))
        names = {row_field.column: row_field.name for row_field in self.fields}
        self.unique = tuple(
            tuple(names[column] for column in constraint.columns if column in names)
            for constraint in self.model.__table__.constraints
            if isinstance(constraint, (UniqueConstraint, PrimaryKeyConstraint))
            and any(column in names for column in constraint.columns)
        )

    @property
    def table_name(self) -> str:
        """The name of the table in the database."""
        return str(self.model.__tablename__)

    def of_campaign(self, campaign_id: int) -> ColumnElement[bool]:
        """Return the condition for the rows of a campaign."""
        return _of_campaign(self.model, campaign_id)


def _list_fields(model: type[Any]) -> Iterator[RowField]:
    hints = get_type_hints(model)
    for attribute in inspect(model).column_attrs:
        column = attribute.columns[0]
        target = next((key.column.table.name for key in column.foreign_keys), None)
        is_own_id = column.primary_key and target is None
        if not is_own_id and target != Campaign.__tablename__:
            name = (
                attribute.key if target in (None, User.__tablename__) else attribute.key.removesuffix("_id")
            )
            (kind,) = get_args(hints[attribute.key])
            yield RowField(name, attribute.key, column, kind, target)


def _of_campaign(model: type[Any], campaign_id: int) -> ColumnElement[bool]:
    """Return the condition for the rows of a campaign, by the first reference that leads there."""
    if hasattr(model, "campaign_id"):
        of_model: ColumnElement[bool] = model.campaign_id == campaign_id
        return of_model
    models = {**CONFIGURED, **{table.table_name: table.model for table in _ROW_TABLES}}
    target, column = next(
        (row_field.target, row_field.column)
        for row_field in _list_fields(model)
        if row_field.target in models
    )
    return column.in_(select(models[target].id).where(_of_campaign(models[target], campaign_id)))


CAMPAIGN_TABLES: Mapping[str, CampaignTable] = {
    "units": CampaignTable(Unit),
    "round_events": CampaignTable(RoundEvent, "round-event"),
    "plans": CampaignTable(AssignmentPlan, "assignment-plan"),
    "consent_versions": CampaignTable(ConsentVersion, "consent-text"),
    "annotators": CampaignTable(Annotator),
    "consents": CampaignTable(Consent),
    "exclusions": CampaignTable(Exclusion, "exclusion"),
    "assignments": CampaignTable(Assignment),
    "assignment_events": CampaignTable(AssignmentEvent),
    "steps": CampaignTable(Step),
    "answers": CampaignTable(UnitAnswer),
    "answer_texts": CampaignTable(AnswerText),
}
"""The tables by the names of their lists; a row refers to rows of earlier lists, and of its own."""
_ROW_TABLES = CAMPAIGN_TABLES.values()
STORED_FILES = "plans"
"""The list whose rows name files of the store, by their SHA-256."""
