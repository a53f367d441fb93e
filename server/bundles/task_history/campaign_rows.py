"""Reads the rows of `campaign.json`, each value by the type of its column."""

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from math import isfinite
from types import NoneType, UnionType
from typing import Any, Literal, get_args, get_origin

from scorer.campaigns.config import CampaignConfig
from server.bundles.task_history.campaign_tables import CAMPAIGN_TABLES, SCHEMA, CampaignTable, RowField
from server.bundles.task_history.serialization import MAX_INTEGER, read_moment

_MOMENTS = (datetime, datetime | None)
Rows = dict[str, list[dict[str, Any]]]
"""The rows of a campaign by the name of their list: the values of each by the name of its field."""


class RowReader:
    """Reads `campaign.json`; a value that no row has raises ValueError with its place."""

    def __init__(self, config: CampaignConfig, people: set[str]) -> None:
        self.people = people
        self.keys: dict[str, set[str] | int] = {
            "annotation_entry": {entry.slug for entry in config.entries},
            "annotation_round": {of_round.slug for of_round in config.rounds},
        }
        """The slugs of a table's rows, or how many there are."""

    def read(self, data: bytes) -> Rows:
        """Read all lists."""
        try:
            values = json.loads(data)
        except (ValueError, RecursionError):
            raise ValueError("is not valid JSON") from None
        if not isinstance(values, dict) or values.get("schema") != SCHEMA:
            raise ValueError(f'its schema must be "{SCHEMA}"')
        unknown = sorted(values.keys() - {"schema", *CAMPAIGN_TABLES})
        if unknown:
            raise ValueError(f'has an unknown list "{unknown[0]}"; it may be of a later version of Assay')
        return {
            name: self._read_list(name, table, values.get(name, []))
            for name, table in CAMPAIGN_TABLES.items()
        }

    def _read_list(self, name: str, table: CampaignTable, values: object) -> list[dict[str, Any]]:
        if not isinstance(values, list):
            raise ValueError(f"{name}: must be a list")  # noqa: TRY004  (all problems are of one class)
        known = {row_field.name: row_field for row_field in table.fields}
        rows = []
        for k, row in enumerate(values):
            self.keys[table.table_name] = k  # a row of its own list comes earlier
            rows.append(self._read_row(f"{name}[{k}]", known, row))
        self.keys[table.table_name] = len(rows)
        for names in table.unique:
            keys = [key for row in rows if None not in (key := tuple(row.get(name) for name in names))]
            if len(keys) != len(set(keys)):
                raise ValueError(f"{name}: two rows have the same {', '.join(names)}")
        return rows

    def _read_row(self, where: str, known: Mapping[str, RowField], row: object) -> dict[str, Any]:
        if not isinstance(row, dict):
            raise ValueError(f"{where}: must be an object")  # noqa: TRY004
        if unknown := sorted(row.keys() - known.keys()):
            raise ValueError(f"{where}.{unknown[0]}: unknown key; it may be of a later version of Assay")
        for name, row_field in known.items():
            if row.get(name) is None and not row_field.may_be_missing:
                raise ValueError(f"{where}.{name}: is missing")
        return {
            name: self._read_field(f"{where}.{name}", known[name], value)
            for name, value in row.items()
            if value is not None
        }

    def _read_field(self, where: str, row_field: RowField, value: object) -> Any:
        if row_field.target is None:
            try:
                return read_value(row_field.kind, value, getattr(row_field.column.type, "length", None))
            except ValueError as error:
                raise ValueError(f"{where}: {error}") from None
        keys = self.people if row_field.is_author else self.keys[row_field.target]
        if isinstance(keys, int):
            exists = type(value) is int and 1 <= value <= keys
        else:
            exists = isinstance(value, str) and value in keys
        if not exists:
            raise ValueError(f"{where}: there is no {row_field.name} {value!r:.80}")
        return value


def read_value(kind: Any, value: object, most: int | None = None) -> Any:
    """Return a value of JSON as a column of this type has it; `most`: the maximum length of a text.

    Raises:
        ValueError: it is of another type.
    """
    if isinstance(kind, UnionType):
        (kind,) = (inner for inner in get_args(kind) if inner is not NoneType)
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Literal:
        if value not in arguments:
            raise ValueError(f"must be one of {', '.join(arguments)}")
        return value
    if origin is list and isinstance(value, list):
        return [read_value(arguments[0], inner) for inner in value]
    if origin is dict and isinstance(value, dict):
        return {read_value(str, key): read_value(arguments[1], inner) for key, inner in value.items()}
    if kind is datetime:
        return read_moment(value)
    if kind is not Any and type(value) is not kind:
        raise ValueError(f"cannot be {value!r:.80}")
    _check_plain(value, most)
    return value


def _check_plain(value: object, most: int | None) -> None:
    """Raise ValueError if the database accepts no such text or number."""
    if isinstance(value, str):
        if "\0" in value or any("\ud800" <= char <= "\udfff" for char in value):
            raise ValueError("has a character that no text has")
        if most is not None and len(value) > most:
            raise ValueError(f"has {len(value)} characters; {most} is the most")
    if isinstance(value, int) and not 0 <= value <= MAX_INTEGER:
        raise ValueError(f"must be from 0 to {MAX_INTEGER}")
    if isinstance(value, float) and not isfinite(value):
        raise ValueError("must be a finite number")


def list_moments(rows: Rows) -> Iterator[tuple[str, Any]]:
    """Yield every time of the rows, with its place."""
    for name, table in CAMPAIGN_TABLES.items():
        names = [row_field.name for row_field in table.fields if row_field.kind in _MOMENTS]
        for k, row in enumerate(rows[name]):
            yield from ((f"{name}[{k}].{moment}", row[moment]) for moment in names if moment in row)
