"""Reading bytes: files, standard input, and what cannot be read."""

import io
import sys
from pathlib import Path

import pytest

from scorer.errors import DataError
from scorer.files.reading import read_bytes


def test_file_is_read_unchanged(tmp_path: Path) -> None:
    (tmp_path / "run.tsv").write_bytes(b"\xff\r\n")
    assert read_bytes(str(tmp_path / "run.tsv")) == b"\xff\r\n"


def test_a_hyphen_is_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"1\n")))
    assert read_bytes("-") == b"1\n"


@pytest.mark.parametrize(
    ("name", "code", "sentence"),
    [
        ("none.tsv", "no_file", "none.tsv: there is no such file"),
        ("", "is_folder", ": this is a folder; name a file in it"),
        ("x" * 300, "unreadable", ": the file cannot be read: File name too long"),
    ],
)
def test_unreadable_file_is_one_problem(tmp_path: Path, name: str, code: str, sentence: str) -> None:
    with pytest.raises(DataError) as caught:
        read_bytes(str(tmp_path / name))
    (problem,) = caught.value.problems
    assert problem.code == code
    assert str(problem).endswith(sentence)
