"""The reference of `task.toml` has every key that the reader accepts, and its examples are valid."""

import csv
import json
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from click.testing import CliRunner

from scorer.bundles.key_reference import list_key_sections
from scorer.bundles.task_keys import TASK_TOML
from scorer.bundles.toml_table import Key, TomlTable
from scorer.cli.__main__ import cli
from scorer.files.text import Problems


def all_keys(keys: tuple[Key, ...] = TASK_TOML, parent: str = "") -> Iterator[tuple[str, Key]]:
    for key in keys:
        path = f"{parent}.{key.name}" if parent else key.name
        yield path, key
        yield from all_keys(tuple(key.keys), path)


KEYS = dict(all_keys())


@pytest.mark.parametrize("path", KEYS)
def test_every_key_of_the_reader_has_a_meaning_and_an_example(path: str) -> None:
    key = KEYS[path]
    assert key.meaning[:1].isupper()
    assert key.meaning.endswith((".", ".)"))
    assert key.example or key.keys


@pytest.mark.parametrize("path", [path for path, key in KEYS.items() if key.example])
def test_the_reader_accepts_the_example_of_each_key(path: str, tmp_path: Path) -> None:
    key = KEYS[path]
    value = tomllib.loads(f"example = {key.example}")["example"]
    if key.kind == "file":
        (tmp_path / value).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / value).touch()
    table = TomlTable({key.name: value}, "", (key,), tmp_path, Problems("task.toml"))
    read = table.read()[key.name]
    if isinstance(read, TomlTable):
        replace(read, keys=key.keys or [Key(name) for name in value]).read()
    assert table.problems.kept == []


def test_reference_lists_every_key_of_the_reader_once() -> None:
    listed = [entry.path for section in list_key_sections() for entry in section.entries]
    expected = [
        path.replace("level.test", "level.SPLIT")
        for path in KEYS
        if "." in path and not path.startswith(("level.trial.", "level.training."))
    ]
    expected[expected.index("level.SPLIT")] = "level.test"
    assert sorted(listed) == sorted(expected)


def test_reference_names_types_limits_and_defaults() -> None:
    entries = {entry.path: entry for section in list_key_sections() for entry in section.entries}
    assert entries["task.slug"].default_text == "required"
    assert entries["task.metrics"].default_text == '["pearson", "spearman"]'
    assert entries["phase.grace_hours"].type == "whole number from 0 to 8784"
    assert entries["phase.board"].type == '"released" or "live"'
    assert entries["phase.runs_public"].default_text == "false"
    assert entries["level.sides"].default_text == '["left", "right"]'
    assert entries["task.confidence"].default_text == "1"


def keys(*arguments: str) -> str:
    result = CliRunner().invoke(cli, ["bundle", "keys", *arguments])
    assert (result.exit_code, result.stderr) == (0, "")
    return result.stdout


def test_command_prints_all_keys_in_three_formats() -> None:
    paths = [entry.path for section in list_key_sections() for entry in section.entries]
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
