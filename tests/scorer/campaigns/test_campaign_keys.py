"""`scorer campaign keys` explains every key that the reader accepts, and the examples are valid."""

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from scorer.bundles.toml_table import Key
from scorer.campaigns.keys import ANNOTATION_TOML, LATER_KEYS
from scorer.campaigns.reader import read_campaign
from scorer.cli.__main__ import cli
from tests.scorer.small_campaign import CONSENT, UNITS


def all_keys(keys: tuple[Key, ...] = ANNOTATION_TOML, parent: str = "") -> Iterator[tuple[str, Key]]:
    for key in keys:
        path = f"{parent}.{key.name}" if parent else key.name
        yield path, key
        yield from all_keys(tuple(key.keys), path)


KEYS = dict(all_keys())


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["campaign", "keys", *arguments])


@pytest.mark.parametrize("path", KEYS)
def test_every_key_has_a_meaning_and_an_example(path: str) -> None:
    key = KEYS[path]
    assert key.meaning[:1].isupper()
    assert key.meaning.endswith((".", '"].'))
    assert key.example or key.keys


def test_examples_of_all_keys_together_are_a_valid_campaign(tmp_path: Path) -> None:
    """The reference shows one example after the other: a campaign of exactly these has no problem."""
    lines = []
    for table in ANNOTATION_TOML:
        heading = {"entry": "[entry.students]", "round": "[[round]]"}.get(table.name, f"[{table.name}]")
        keys = table.keys[0].keys if table.name == "entry" else table.keys
        lines += [heading, *(f"{key.name} = {key.example}" for key in keys)]
    text = "\n".join(lines)
    assert len(tomllib.loads(text)) == len(ANNOTATION_TOML)
    units = UNITS.replace("\tnote", "\tcontext").replace("awake.\t", "awake.\tx")
    units = "\n".join(line + "x" * line.endswith("\t") for line in units.splitlines())
    for name, content in (("annotation.toml", text), ("pairs.tsv", units)):
        (tmp_path / name).write_text(content, encoding="utf-8")
    for name in ("consent.en.md", "guide.en.md"):
        (tmp_path / name).write_text(CONSENT, encoding="utf-8")
    campaign = read_campaign(tmp_path)
    assert campaign.gold is not None
    assert campaign.rounds[0].show == ("left", "right", "context")


def test_keys_of_later_versions_are_not_keys_of_this_one() -> None:
    for table, names in LATER_KEYS.items():
        parent = {"entry": "entry.NAME", "ask": "round.ask"}.get(table, table)
        assert parent in KEYS
        assert not {f"{parent}.{name}" for name in names} & KEYS.keys()


def test_names_limit_the_output() -> None:
    assert "lease_hours" in run("[entry.NAME]").output
    assert "title" not in run("gold").output
    tables = json.loads(run("round.ask", "--format", "json").output)["tables"]
    names = [entry["name"] for table in tables for entry in table["entries"]]
    assert names == ["ask", "comment", "cannot_judge"]


def test_unknown_name_is_refused_with_a_hint() -> None:
    found = run("gold.at_most")
    assert found.exit_code == 2
    assert 'annotation.toml has no table or key "gold.at_most"; did you mean "gold.at_least"?' in found.output
    assert "`scorer campaign keys` lists all of them" in run("zzz").output
