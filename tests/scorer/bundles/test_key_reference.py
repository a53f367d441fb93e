"""The reference of `task.toml` has every key that the reader accepts, and its examples are valid."""

import csv
import json
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from scorer.bundles.key_reference import TASK_TEXTS, list_key_sections
from scorer.bundles.task_keys import TASK_TOML
from scorer.bundles.toml_table import Key, TomlTable
from scorer.campaigns.keys import ANNOTATION_TEXTS, ANNOTATION_TOML
from scorer.cli.__main__ import cli
from scorer.files.text import Problems


def all_keys(keys: tuple[Key, ...] = TASK_TOML, parent: str = "") -> Iterator[tuple[str, Key]]:
    for key in keys:
        path = f"{parent}.{key.name}" if parent else key.name
        yield path, key
        yield from all_keys(tuple(key.keys), path)


KEYS = dict(all_keys())
ENTRIES = {entry.path: entry for section in list_key_sections() for entry in section.entries}


def test_every_key_of_the_reader_has_a_meaning_and_an_example() -> None:
    for path, entry in ENTRIES.items():
        assert entry.meaning[:1].isupper(), path
        assert entry.meaning.endswith((".", ".)")), path
        assert entry.example or path in ("level.trial", "level.training", "level.test")


@pytest.mark.parametrize("path", [path for path, entry in ENTRIES.items() if entry.example])
def test_the_reader_accepts_the_example_of_each_key(path: str, tmp_path: Path) -> None:
    key = KEYS[path.replace("level.SPLIT", "level.test")]
    value = tomllib.loads(f"example = {ENTRIES[path].example}")["example"]
    if key.kind == "file":
        (tmp_path / value).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / value).touch()
    table = TomlTable({key.name: value}, "", (key,), tmp_path, Problems("task.toml"))
    read = table.read()[key.name]
    if isinstance(read, TomlTable):
        replace(read, keys=key.keys or [Key(name) for name in value]).read()
    assert table.problems.kept == []


def test_reference_lists_every_key_of_the_reader_once() -> None:
    expected = [
        path.replace("level.test", "level.SPLIT")
        for path in KEYS
        if "." in path and not path.startswith(("level.trial.", "level.training."))
    ]
    expected[expected.index("level.SPLIT")] = "level.test"
    assert sorted(ENTRIES) == sorted(expected)


def list_texts(texts: Mapping[str, Any], path: str = "") -> Iterator[str]:
    for name, values in texts.items():
        if isinstance(values, dict):
            yield f"{path}{name}"
            yield from list_texts(values, f"{path}{name}.")


@pytest.mark.parametrize(("tables", "texts"), [(TASK_TOML, TASK_TEXTS), (ANNOTATION_TOML, ANNOTATION_TEXTS)])
def test_each_text_is_of_a_key_or_a_table(tables: tuple[Key, ...], texts: Path) -> None:
    sections = list_key_sections(tables, texts)
    named = {section.name for section in sections}
    named |= {entry.path for section in sections for entry in section.entries}
    assert set(list_texts(tomllib.loads(texts.read_text(encoding="utf-8")))) == named


def test_reference_names_types_limits_and_defaults() -> None:
    assert ENTRIES["task.slug"].default_text == "required"
    assert ENTRIES["task.metrics"].default_text == '["pearson", "spearman"]'
    assert ENTRIES["phase.grace_hours"].type == "whole number from 0 to 8784"
    assert ENTRIES["phase.board"].type == '"released" or "live"'
    assert ENTRIES["phase.runs_public"].default_text == "false"
    assert ENTRIES["level.sides"].default_text == '["left", "right"]'
    assert ENTRIES["task.confidence"].default_text == "1"


def keys(*arguments: str) -> str:
    result = CliRunner().invoke(cli, ["bundle", "keys", *arguments])
    assert (result.exit_code, result.stderr) == (0, "")
    return result.stdout


def test_command_prints_all_keys_in_three_formats() -> None:
    paths = list(ENTRIES)
    rows = list(csv.DictReader(StringIO(keys("--format", "tsv")), delimiter="\t", quoting=csv.QUOTE_NONE))
    assert [row["key"] for row in rows] == paths
    tables = json.loads(keys("--format", "json"))["tables"]
    assert [entry["path"] for table in tables for entry in table["entries"]] == paths
    text = keys()
    assert text.count("\n    ") >= 2 * len(paths)
    assert "[[phase]]\n" in text


def test_command_limits_the_output_to_named_tables_and_keys() -> None:
    text = keys("[teams]", "level.test.gold")
    assert [line for line in text.splitlines() if line.startswith("[")] == ["[teams]", "[level.SPLIT]"]
    assert "  scored\n" not in text


def test_command_suggests_the_nearest_key() -> None:
    result = CliRunner().invoke(cli, ["bundle", "keys", "phase.close"])
    assert (result.exit_code, result.stdout) == (2, "")
    assert 'no table or key "phase.close"; did you mean "phase.closes"?' in result.stderr
