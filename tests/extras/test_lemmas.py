"""Lemmas, with the package that only the extra `lemmas` installs."""

import json

import pytest
from click.testing import CliRunner

from scorer.cli.__main__ import cli
from scorer.errors import RequestError
from scorer.items.words import open_lemmatizer

ITEMS = "The old ships of the island wait\ta ship\tSEA-1\nShips wait by the long pier\ta ship waits\tSEA-2\n"


def test_lemmas_equal_the_library() -> None:
    lemma = open_lemmatizer("en")
    assert [lemma(word) for word in ("Harbours", "went", "children", "zzz")] == [
        "harbour",
        "go",
        "child",
        "zzz",
    ]
    assert open_lemmatizer("cs")("ostrovů") == "ostrov"
    with pytest.raises(RequestError, match='no lemmas for the language "xx"; it has ar, ast'):
        open_lemmatizer("xx")


def test_lemmas_are_counted_beside_types() -> None:
    result = CliRunner().invoke(cli, ["items", "-", "--lemmas", "en", "--format", "json"], input=ITEMS)
    assert result.exit_code == 0
    words = json.loads(result.stdout)["tables"]["words"]
    counts = {row["side"]: (row["types"], row["lemmas"]) for row in words}
    # ship and ships, wait and waits are a lemma each
    assert counts == {"left": (9, 9), "right": (3, 3), "all": (12, 10)}
    assert "lemmas:en" in json.loads(result.stdout)["signature"]
