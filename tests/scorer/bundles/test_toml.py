"""A hostile `task.toml` is answered with a sentence, fast and in little memory; a good one is read."""

import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given, strategies as st

from scorer.bundles.reader import read_bundle
from scorer.bundles.toml import MAX_DEPTH, MAX_PARTS, MAX_TOML_BYTES, MAX_WORD_LENGTH, require_limits
from scorer.cli.__main__ import cli
from scorer.errors import BundleError
from tests.scorer.small_bundle import TASK, write_bundle
from tests.scorer.toml_mutations import mutated, write_named_files

ROOT = Path(__file__).parents[3]
FILES = [TASK.encode(), *(path.read_bytes() for path in sorted((ROOT / "deploy/tasks").glob("*.toml")))]
ATTACKS = {
    "key": ("a." * 24_000 + "b = 1", "task.toml:1: a key has more than 10 parts"),
    "lists": ("\nx = " + "[" * 5_000, "task.toml:2: lists and tables are nested more than 20 deep"),
    "tables": ("\n\nx = " + "{a=" * 5_000, "task.toml:3: lists and tables are nested more than 20 deep"),
    "integer": ("x = " + "1" * 5_000, "task.toml:1: a key, number or date has more than 200 characters"),
    "size": (
        "#" * (MAX_TOML_BYTES + 1),
        f"task.toml: has {MAX_TOML_BYTES + 1} bytes; the maximum is {MAX_TOML_BYTES}",
    ),
    "tables of one part": (
        "[[run]]\n" * 30_000,
        "task.toml:25001: the file has more than 50000 lists and tables",
    ),
    "string": (
        'x = """' + "[" * 100,
        "task.toml:1: is not valid TOML: a string that begins in this line is not",
    ),
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_each_toml_attack_is_rejected_with_its_line_and_the_limit(tmp_path: Path, attack: str) -> None:
    text, sentence = ATTACKS[attack]
    folder = write_bundle(tmp_path, text)
    with pytest.raises(BundleError) as error:
        read_bundle(folder)
    assert str(error.value).startswith(sentence)
    assert error.value.count == 1
    said = CliRunner().invoke(cli, ["board", str(folder)])
    assert (said.exit_code, said.stdout) == (1, "")
    assert sentence in said.stderr


def test_limits_do_not_apply_inside_strings_and_comments(tmp_path: Path) -> None:
    strings = (
        '"' + "[{a.b " * 400 + '\\""',
        "'" + "[{a.b " * 400 + "'",
        '"""' + '\n[{a.b "" \\""" ' * 400 + '"""""',
        "'''" + "\n[{a.b '' \\ " * 400 + "'''''",
    )
    for string in strings:
        text = TASK.replace("scale =", f"description = {string} # {'[{a.b ' * 400}\nscale =", 1)
        assert (
            read_bundle(write_bundle(tmp_path, text)).task.description == tomllib.loads(f"x = {string}")["x"]
        )


def test_file_at_the_limits_is_read() -> None:
    depth, word = "[" * MAX_DEPTH + "]" * MAX_DEPTH, "1" * MAX_WORD_LENGTH
    parts = ".".join("a" * MAX_PARTS)
    require_limits(f'x = {depth}\ny = {word}\n[{parts}]\n"{"k" * 5000}" = 1.5\n', "task.toml")


VALUES = st.recursive(
    st.integers()
    | st.booleans()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text("ab\"'\\#[]{}.=\n "),
    lambda inner: st.lists(inner, max_size=4),
    max_leaves=12,
)


def written(value: object, multiline: bool) -> str:
    """A value as TOML: strings are quoted in the two ways that know escapes."""
    if isinstance(value, str):
        plain = value.replace("\\", "\\\\").replace('"', '\\"')
        return f'"""\n{plain}"""' if multiline else '"{}"'.format(plain.replace("\n", "\\n"))
    if isinstance(value, list):
        return "[" + ",\n ".join(written(one, multiline) for one in value) + "]"
    return str(value).lower() if isinstance(value, bool) else repr(value)


def test_too_long_file_name_is_reported_as_missing_file(tmp_path: Path) -> None:
    name = "x" * 300
    with pytest.raises(BundleError, match=f'level.p2s..test.items: there is no file "{name}" in the folder'):
        read_bundle(write_bundle(tmp_path, TASK.replace('"items.tsv"', f'"{name}"', 1)))


def test_message_about_a_long_value_is_short_and_has_the_full_count(tmp_path: Path) -> None:
    long = "x" * 10_000
    text = TASK.replace("[board]", f'[board]\ntotal = "{long}"', 1)
    text += "".join(f"\n[[run]]\nteam = 'a'\nname = '{long}'\nunknown{number} = 1" for number in range(150))
    with pytest.raises(BundleError) as error:
        read_bundle(write_bundle(tmp_path, text))
    assert (len(error.value.problems), error.value.count) == (100, 1 + 3 * 150 + 1)
    assert max(map(len, map(str, error.value.problems))) < 1000


def test_too_many_runs_in_a_task_are_rejected_with_the_limit(tmp_path: Path) -> None:
    with pytest.raises(BundleError, match=r"^task.toml: run: has 10004 entries; use at most 10000"):
        read_bundle(write_bundle(tmp_path, TASK + "[[run]]\n" * 10_001))


@given(VALUES, st.booleans())
def test_small_valid_toml_is_never_rejected(value: object, multiline: bool) -> None:
    text = f"x = {written(value, multiline)} # a comment\n"
    assert tomllib.loads(text) == {"x": value}
    require_limits(text, "task.toml")


def test_mutated_files_are_read_or_rejected_with_a_bundle_error(tmp_path: Path) -> None:
    folder, sentences = write_bundle(tmp_path), list[str]()
    write_named_files(folder, FILES)
    for data in mutated(FILES, 100, seed=28):
        (folder / "task.toml").write_bytes(data)
        try:
            read_bundle(folder)
        except BundleError as error:
            sentences.append(str(error))
    assert 50 < len(sentences) < 100
    assert all(0 < len(sentence) < 100_000 for sentence in sentences)
