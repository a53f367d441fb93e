"""One table of run files and what is to be said of each: for scorer and site."""

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scorer.errors import DataError, NotEntered, Problem
from scorer.files import reading as io

TABLE = Path(__file__).parent / "golden" / "run_files.json"
SOURCE = "run.tsv"

Said = dict[str, Any]
"""`count` problems, each cause once, and the warnings: [line, code, sentence], and of several lines their
count and the next few; `not_entered`."""


@dataclass(frozen=True, slots=True)
class Case:
    """A run file, the format that it should have, and what is said of it."""

    name: str
    format: str
    data: bytes
    said: Said


def formats() -> dict[str, dict[str, Any]]:
    """What a run of each format has to be."""
    found: dict[str, dict[str, Any]] = _table()["formats"]
    return found


def cases() -> list[Case]:
    """Every case; a file is a text whose characters are bytes, or such texts with how often each stands."""
    return [Case(one["name"], one["format"], _bytes(one["run"]), one["said"]) for one in _table()["cases"]]


def scorer_says(data: bytes, facts: dict[str, Any]) -> tuple[Said, DataError | None]:
    """What the scorer says about a run file, in the format of the table, and its error."""
    keyed = None if facts["keyed"] is None else io.KeyedFormat(**facts["keyed"])
    try:
        run = io.parse_run(
            data,
            SOURCE,
            n=facts["n"],
            ids=facts["ids"],
            keyed=keyed,
            scale=tuple(facts["scale"]),
            confidence_max=facts["confidence_max"],
        )
    except DataError as error:
        missing = isinstance(error, NotEntered)
        said = {"count": error.count, "not_entered": missing, "problems": list(map(_row, error.problems))}
        return {**said, "warnings": []}, error
    return {"count": 0, "not_entered": False, "problems": [], "warnings": list(map(_row, run.warnings))}, None


def rewrite() -> bool:
    """Write what the scorer says into the table, if that was asked for; what it says is then to be read."""
    if not os.environ.get("ASSAY_WRITE_GOLDENS"):
        return False
    table = _table()
    for one in table["cases"]:
        one["said"] = scorer_says(_bytes(one["run"]), table["formats"][one["format"]])[0]
    lines = ["{", '"formats": {']
    lines.append(",\n".join(f"{json.dumps(key)}: {json.dumps(one)}" for key, one in table["formats"].items()))
    lines += ["},", '"cases": [', ",\n".join(_written(one) for one in table["cases"]), "]", "}"]
    TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return True


def _written(case: dict[str, Any]) -> str:
    said = case["said"]
    head = ", ".join(f'"{key}": {json.dumps(case[key])}' for key in ("name", "format", "run"))
    rows = {key: [json.dumps(row) for row in said[key]] for key in ("problems", "warnings")}
    body = ", ".join(
        f'"{key}": ' + ("[]" if not found else "[\n   " + ",\n   ".join(found) + "]")
        for key, found in rows.items()
    )
    numbers = f'"count": {said["count"]}, "not_entered": {json.dumps(said["not_entered"])}'
    return f'{{{head},\n  "said": {{{numbers}, {body}}}}}'


def _row(problem: Problem) -> list[Any]:
    row = [problem.line, problem.code, problem.message]
    return [*row, problem.count, [other.line for other in problem.others]] if problem.others else row


def _table() -> dict[str, Any]:
    table: dict[str, Any] = json.loads(TABLE.read_text(encoding="utf-8"))
    return table


def _bytes(run: str | list[list[Any]]) -> bytes:
    pieces = [[run, 1]] if isinstance(run, str) else run
    return b"".join(text.encode("latin-1") * times for text, times in pieces)
