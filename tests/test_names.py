"""The names of classes: each names one thing in the whole tree, and is a noun."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("server", "scorer")
ROWS_AND_SCHEMAS = {"models.py", "schemas.py"}
"""A table and the schema that describes its rows may share a name."""
NO_NOUNS = {
    *("Asked", "Found", "Held", "Kept", "Left", "Noted", "Sent", "Told"),  # of what?
    *("All", "Both", "Each", "Every", "It", "One", "Other", "Others", "Some", "That", "This", "Those"),
}
"""Participles and pronouns: they say what happened to a thing, or point at it, and not what it is."""


def classes() -> Iterator[tuple[str, str]]:
    """The name of each top-level class, and where it is."""
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            place = path.relative_to(ROOT)
            if path.name in ROWS_AND_SCHEMAS or "schemas" in place.parts:
                continue
            for node in ast.parse(path.read_text("utf-8")).body:
                if isinstance(node, ast.ClassDef):
                    yield node.name, f"{place.as_posix()}:{node.lineno}"


@pytest.fixture(scope="module")
def places() -> dict[str, list[str]]:
    by_name = defaultdict(list)
    for name, place in classes():
        by_name[name].append(place)
    return dict(by_name)


def test_a_class_name_is_used_once_in_the_tree(places: dict[str, list[str]]) -> None:
    assert len(places) > 300, "the classes were not found"
    assert {name: where for name, where in places.items() if len(where) > 1} == {}


def test_no_class_is_named_by_a_bare_participle_or_pronoun(places: dict[str, list[str]]) -> None:
    assert {name: where for name, where in places.items() if name.lstrip("_") in NO_NOUNS} == {}
