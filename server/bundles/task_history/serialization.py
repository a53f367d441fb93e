"""`history.json`, the part of a bundle beside its leaderboard: writing, reading and validating it."""

import json
import types
from collections.abc import Iterator
from dataclasses import MISSING, fields, is_dataclass
from datetime import UTC, datetime
from functools import cache
from typing import Any, Literal, cast, get_args, get_origin, get_type_hints

from server.bundles.task_history.records import TaskHistory
from server.core.errors import FileProblem
from server.core.storage import is_sha256

SCHEMA = "assay.history/1"
HISTORY_FILE = "history.json"
MAX_INTEGER = 2**31 - 1
"""The largest integer that the database accepts."""
_MAX_LENGTHS = {
    "filename": 255,
    "name": 80,
    "team": 80,
    "baseline": 16,
    "level": 64,
    "phase": 64,
    "split": 16,
    "title": 200,
    "words": 255,
}
"""The maximum length of a text, by the name of its field."""
_TYPE_NAMES: dict[type, str] = {
    str: "text",
    int: "a whole number",
    float: "a number with a point",
    bool: "true or false",
}


def write_history(history: TaskHistory) -> bytes:
    """Serialize the history as JSON, one record a line, so that two exports can be compared."""
    lines = []
    for name, value in plain_values(history).items():
        if isinstance(value, list):
            inner = ",\n  ".join(_dumps(record) for record in value)
            lines.append(f"{_dumps(name)}: [\n  {inner}\n ]" if value else f"{_dumps(name)}: []")
        else:
            lines.append(f"{_dumps(name)}: {_dumps(value)}")
    return ("{\n " + ",\n ".join([f'"schema": {_dumps(SCHEMA)}', *lines]) + "\n}\n").encode()


def _dumps(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def plain_values(value: Any) -> Any:
    """Convert a record to plain values without defaults, except the lists of the history."""
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
    if isinstance(value, list):
        return [plain_values(inner) for inner in value]
    if not is_dataclass(value):
        return value
    whole = isinstance(value, TaskHistory)
    return {
        item.name: plain_values(getattr(value, item.name))
        for item in fields(value)
        if whole or getattr(value, item.name) != _default(item)
    }


def _default(item: Any) -> Any:
    return item.default_factory() if item.default_factory is not MISSING else item.default


@cache
def _type_hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def record_of(kind: Any, value: Any) -> Any:
    """Convert the JSON in a row to a record of this type; it was checked when it was stored."""
    kinds = [inner for inner in get_args(kind) if inner is not types.NoneType]
    if value is None:
        return None
    if isinstance(value, list):
        return [record_of(kinds[0], inner) for inner in value]
    kind = kinds[0] if kinds else kind
    if kind is datetime:
        return datetime.fromisoformat(value)
    if not is_dataclass(kind):
        return value
    hints = _type_hints(cast(type, kind))
    return cast(type, kind)(**{name: record_of(hints[name], inner) for name, inner in value.items()})


_LINE_FIELDS = ("text", "before", "after")
"""Lines of rejected files, which may contain any characters."""


def read_history(data: bytes, problems: list[FileProblem]) -> TaskHistory | None:
    """Parse the history to records; problems are added to `problems`, each with its place."""
    try:
        values = json.loads(data)
    except RecursionError:
        problems.append(_problem("bad_json", "is not valid JSON: its lists are nested too deeply"))
        return None
    except ValueError as error:
        problems.append(_problem("bad_json", f"is not valid JSON: {error}"))
        return None
    if not isinstance(values, dict) or values.get("schema") != SCHEMA:
        schema = values.get("schema") if isinstance(values, dict) else None
        problems.append(_problem("bad_schema", f'schema: must be "{SCHEMA}", not {schema!r:.80}'))
        return None
    reader = _HistoryReader(problems)
    history = reader.record(TaskHistory, {key: values[key] for key in values if key != "schema"}, "")
    return history if isinstance(history, TaskHistory) and not problems else None


def _problem(code: str, message: str) -> FileProblem:
    return FileProblem(HISTORY_FILE, None, code, message)


class _HistoryReader:
    """Converts plain values to records, by the types of their fields."""

    def __init__(self, problems: list[FileProblem]) -> None:
        self.problems = problems

    def record(self, kind: type, values: object, where: str) -> Any:
        if not isinstance(values, dict):
            return self._refuse(where, "must be an object")
        hints = _type_hints(kind)
        before, arguments = len(self.problems), {}
        for name in values.keys() - hints.keys():
            self._refuse(_join_path(where, str(name)), "unknown key; it may be of a later version of Assay")
        for item in fields(kind):
            place = _join_path(where, item.name)
            if item.name in values:
                arguments[item.name] = self._value(hints[item.name], values[item.name], place, item.name)
            elif _default(item) is MISSING:
                self._refuse(place, "is missing")
        return kind(**arguments) if len(self.problems) == before else None

    def _value(self, kind: Any, value: object, where: str, name: str) -> Any:
        if get_origin(kind) is types.UnionType:
            if value is None:
                return None
            (kind,) = (inner for inner in get_args(kind) if inner is not types.NoneType)
        if get_origin(kind) is list:
            if not isinstance(value, list):
                return self._refuse(where, "must be a list")
            (inner,) = get_args(kind)
            return [self._value(inner, item, f"{where}[{k}]", name) for k, item in enumerate(value)]
        if get_origin(kind) is Literal:  # the words themselves are checked later, with the record
            kind = str
        if is_dataclass(kind):
            return self.record(cast(type, kind), value, where)
        return self._moment(value, where) if kind is datetime else self._plain(kind, value, where, name)

    def _plain(self, kind: type, value: object, where: str, name: str) -> object:
        if type(value) is not kind:
            return self._refuse(where, f"must be {_TYPE_NAMES[kind]}, not {value!r:.80}")
        if isinstance(value, (int, float)) and not 0 <= value <= MAX_INTEGER:  # false for NaN as well
            return self._refuse(where, f"must be from 0 to {MAX_INTEGER}")
        if isinstance(value, str):
            nul = "\0" in value and name not in _LINE_FIELDS
            if nul or any("\ud800" <= char <= "\udfff" for char in value):
                return self._refuse(where, "has a character that no text has")
            if len(value) > _MAX_LENGTHS.get(name, len(value)):
                return self._refuse(where, f"has {len(value)} characters; {_MAX_LENGTHS[name]} is the most")
            if name == "sha256" and not is_sha256(value):
                return self._refuse(where, "must be 64 hexadecimal digits")
        return value

    def _moment(self, value: object, where: str) -> Any:
        try:
            return read_moment(value)
        except ValueError as error:
            return self._refuse(where, str(error))

    def _refuse(self, where: str, message: str) -> Any:
        self.problems.append(_problem("bad_value", f"{where}: {message}" if where else message))
        return None


def read_moment(value: object) -> datetime:
    """Read a date and time.

    Raises:
        ValueError: it is none; the message says what it must be.
    """
    try:
        moment = datetime.fromisoformat(value if isinstance(value, str) else "")
    except ValueError:
        raise ValueError("must be a date and time, such as 2026-03-30T11:59:59Z") from None
    if moment.tzinfo is None or not 1970 <= moment.year <= 9000:
        raise ValueError("must have an offset from UTC, and lie in the years 1970 to 9000")
    return moment.astimezone(UTC)


def _join_path(where: str, name: str) -> str:
    return f"{where}.{name}" if where else name


def list_mentions(history: TaskHistory) -> Iterator[tuple[str, str]]:
    """Yield every mention of a person, with its place."""
    for list_name in (item.name for item in fields(TaskHistory)):
        records = getattr(history, list_name)
        for k, record in enumerate(records if isinstance(records, list) else ()):
            for name in ("person", "captain", "made_by", "submitted_by", "withdrawn_by", "named_by"):
                mentioned = getattr(record, name, None)
                if mentioned is not None:
                    yield mentioned, f"{list_name}[{k}].{name}"
