"""Reads the rows of `history.json`, each value by the type of its column; all faults come at once."""

import hashlib
import json
from collections.abc import Callable
from datetime import datetime
from io import BytesIO
from pathlib import Path
from typing import Any

from scorer.bundles.bundle import Bundle
from scorer.campaigns.reader import read_campaign
from scorer.errors import DataError
from scorer.typed_json import Fault, Member, Members, Scalar, TypedReader, is_finite, is_storable, parse_json
from server.annotation.models import AnnotationRound, Campaign, Entry
from server.bundles.task_history.history import Row, TaskHistory
from server.bundles.task_history.tables import ACCOUNT, TABLES, HistoryTable, RowField
from server.core.errors import InvalidFile
from server.core.storage import is_sha256
from server.core.zips import WEB_LIMITS, unpacked
from server.phases.models import Phase
from server.tasks.models import Level, Split

SCHEMA = "assay.history/1"
_MAX_INTEGER = 2**31 - 1
"""The largest integer that the database accepts."""


def _text_type(fault: Callable[[str], str | None]) -> Scalar:
    return Scalar("text", lambda value: type(value) is str, fault=fault)


def _text_fault(text: str) -> str | None:
    return None if is_storable(text) else "has a character that no text has"


def _limited_text_type(length: int) -> Scalar:
    def fault(text: str) -> str | None:
        is_short = len(text) <= length
        return _text_fault(text) if is_short else f"has {len(text)} characters; {length} is the most"

    return _text_type(fault)


def _hash_fault(text: str) -> str | None:
    return None if is_sha256(text) else "must be 64 hexadecimal digits"


def _integer_fault(number: int) -> str | None:
    return None if 0 <= number <= _MAX_INTEGER else f"must be from 0 to {_MAX_INTEGER}"


def _drop_nulls(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    return {key: inner for key, inner in value.items() if inner is not None}


def _moment_fault(moment: datetime) -> str | None:
    if moment.tzinfo is None or not 1970 <= moment.year <= 9000:
        return "must have an offset from UTC, and lie in the years 1970 to 9000"
    return None


_SCALARS = {
    str: _text_type(_text_fault),
    bool: Scalar("true or false", lambda value: type(value) is bool),
    int: Scalar("a whole number", lambda value: type(value) is int, fault=_integer_fault),
    float: Scalar("a finite number", is_finite, float),
    datetime: Scalar(
        "a date and time, such as 2026-03-30T11:59:59Z",
        lambda value: type(value) is str,
        datetime.fromisoformat,
        _moment_fault,
    ),
}


def read_history(bundle: Bundle, data: bytes, faults: list[Fault]) -> TaskHistory | None:
    """Read all lists, whose rows are complete and refer to rows and files that exist; None: it has faults."""
    try:
        values = parse_json(data)
    except ValueError as error:
        faults.append(("", f"is not valid JSON: {error}"))
        return None
    schema = values.get("schema") if isinstance(values, dict) else None
    if schema != SCHEMA:
        faults.append(("schema", f'must be "{SCHEMA}", not {schema!r:.80}'))
        return None
    reader = _HistoryReader(TaskHistory(bundle, _list_files(bundle.folder)), faults)
    reader.read(values)
    return None if faults else reader.history


def _list_files(folder: Path) -> dict[str, Path]:
    """Return the files that lie in the folder, by their SHA-256."""
    root = folder.resolve()
    paths = (
        path for path in sorted(folder.rglob("*")) if path.is_file() and path.resolve().is_relative_to(root)
    )
    return {_hash_file(path): path for path in paths}


def _hash_file(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class _HistoryReader:
    """Reads the lists in their order, and notes the keys by which later rows refer to theirs."""

    def __init__(self, history: TaskHistory, faults: list[Fault]) -> None:
        self.history = history
        self.faults = faults
        self.reader = TypedReader(
            _SCALARS,
            mismatch=lambda words, value: f"must be {words}, not {value!r:.80}",
            unknown_key="unknown key; it may be of a later version of Assay",
        )
        levels = history.bundle.levels
        self.keys: dict[str, set[str] | int] = {
            Phase.__tablename__: {phase.slug for phase in history.bundle.phases},
            Level.__tablename__: {level.slug for level in levels},
            Split.__tablename__: {f"{level.slug}/{split}" for level in levels for split in level.splits},
        }
        """The keys of a table's rows, or how many there are."""
        self.campaigns: dict[str, dict[Any, int]] = {}
        """The numbers of the campaigns that rows are of, by table and key."""

    def read(self, values: dict[str, Any]) -> None:
        """Read everything."""
        members: Members = {"schema": Member("schema", str), "created_at": Member("created_at", datetime)}
        members |= {name: Member(name, list[Any]) for name in TABLES}
        lists = self.reader.read_members(members, values, self.faults)
        if self.faults:
            return
        self.history.created_at = lists["created_at"]
        for name, table in TABLES.items():
            self.history.rows[name] = self._read_list(name, table, lists[name])
            if name == "people":
                self.keys[ACCOUNT] = {f"person {number}" for number in range(1, len(lists[name]) + 1)}
            if name == "campaigns" and not self.faults:
                self._read_campaigns()
            if name == "campaigns" and self.faults:
                return  # whether later rows refer to a round cannot be known

    def _read_list(self, name: str, table: HistoryTable, values: list[Any]) -> list[Row]:
        members: Members = {
            row_field.name: Member(row_field.name, self._type_of(table, row_field), row_field.may_be_missing)
            for row_field in table.fields
        }
        rows, before = list[Row](), len(self.faults)
        for k, value in enumerate(values):
            self.keys[table.table_name] = k  # a row of its own list comes earlier
            row = self.reader.read_members(members, _drop_nulls(value), self.faults, f"{name}[{k}]")
            rows.append(row | {key: value[key] for key in row.keys() & table.types.keys()})
        self.keys[table.table_name] = len(rows)
        if len(self.faults) == before:
            self._check_keys(name, table, rows)
            self._check_campaigns(name, table, rows)
        return rows

    def _type_of(self, table: HistoryTable, row_field: RowField) -> Any:
        name = row_field.name
        if row_field.target is not None:
            return self._reference_type("person" if row_field.is_author else name, row_field.target)
        if name in table.types:
            return table.types[name]
        if name == table.stored or name in table.texts.values():
            return _text_type(self._file_fault if name == table.stored else self._text_file_fault)
        if name.endswith("sha256"):
            return _text_type(_hash_fault)
        length = getattr(row_field.column.type, "length", None)
        if length is None or row_field.kind not in (str, str | None):
            return row_field.kind
        return _limited_text_type(length)

    def _reference_type(self, name: str, target: str) -> Scalar:
        def fault(key: int | str) -> str | None:
            keys = self.keys[target]
            exists = type(key) is int and 1 <= key <= keys if isinstance(keys, int) else key in keys
            return None if exists else f"there is no {name} {json.dumps(key):.80}"

        return Scalar("a number or a name", lambda value: type(value) in (int, str), fault=fault)

    def _file_fault(self, sha256: str) -> str | None:
        if not is_sha256(sha256):
            return _hash_fault(sha256)
        if sha256 not in self.history.files:
            return "no file of the bundle has this SHA-256; it was changed, or left out"
        return None

    def _text_file_fault(self, sha256: str) -> str | None:
        fault = self._file_fault(sha256)
        if fault is None:
            try:
                fault = _text_fault(self.history.text(sha256))
            except UnicodeDecodeError:
                fault = "the file with this SHA-256 is not UTF-8"
        return fault

    def _check_keys(self, name: str, table: HistoryTable, rows: list[Row]) -> None:
        """Add a fault for each row that is like an earlier one, and for numbers that do not count up."""
        for names in table.unique:
            keys = set()
            for k, row in enumerate(rows):
                key = tuple(row.get(field_name) for field_name in names)
                if key in keys:
                    self.faults.append((f"{name}[{k}]", f"two rows have the same {', '.join(names)}"))
                if None not in key:
                    keys.add(key)
        numbers: dict[str, list[int]] = {}
        for row in rows if table.numbered_by is not None else ():
            group = ", ".join(row[field_name] for field_name in table.numbered_by or ())
            numbers.setdefault(f"{name} of {group}" if group else name, []).append(row["number"])
        for place, counted in numbers.items():
            if counted != list(range(1, len(counted) + 1)):
                self.faults.append((place, "its numbers must be 1, 2, 3 and so on, in this order"))

    def _check_campaigns(self, name: str, table: HistoryTable, rows: list[Row]) -> None:
        """Add a fault for each row that refers to rows of two campaigns."""
        if self.campaigns.keys().isdisjoint(each.target for each in table.fields):
            return
        numbers = self.campaigns[table.table_name] = {}
        fields = [each for each in table.fields if each.target in self.campaigns]
        for k, row in enumerate(rows):
            of_row = {self.campaigns[str(each.target)][row[each.name]] for each in fields if each.name in row}
            numbers[k + 1] = min(of_row)
            if len(of_row) > 1:
                self.faults.append((f"{name}[{k}]", "refers to rows of two campaigns"))

    def _read_campaigns(self) -> None:
        """Read the configuration files of campaigns, which have entries and rounds."""
        for place, row in self.history.places("campaigns"):
            try:
                with unpacked(BytesIO(self.history.data(row["bundle_sha256"])), WEB_LIMITS) as folder:
                    config = read_campaign(folder)
            except (DataError, InvalidFile) as error:
                self.faults.append((f"{place}.bundle_sha256", f"is not a campaign: {error}"))
                continue
            if config.slug != row["slug"]:
                self.faults.append((f"{place}.slug", f'annotation.toml says "{config.slug}"'))
            self.history.campaigns.append(config)
        campaigns = list(enumerate(self.history.campaigns, start=1))
        self.campaigns = {
            Campaign.__tablename__: {number: number for number, _ in campaigns},
            AnnotationRound.__tablename__: {
                f"{config.slug}/{each.slug}": number for number, config in campaigns for each in config.rounds
            },
            Entry.__tablename__: {
                f"{config.slug}/{each.slug}": number
                for number, config in campaigns
                for each in config.entries
            },
        }
        self.keys |= {
            name: set(numbers) for name, numbers in self.campaigns.items() if name != Campaign.__tablename__
        }
