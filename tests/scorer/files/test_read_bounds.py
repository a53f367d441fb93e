"""Limits on what the scorer reads: endless streams and huge files are rejected without filling memory."""

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from scorer.errors import DataError
from scorer.files.reading import read_bytes

MEMORY = 2 * 2**30
TOO_LARGE = (
    "the file cannot be read: it has more than {}, which is the limit; name the right file, or split this one"
)


def run_scorer(*args: str, stdin: str = "/dev/null", **variables: str) -> subprocess.CompletedProcess[str]:
    """Run the command with 2 GB of address space, so that reading without end is a MemoryError."""
    with open(stdin, "rb") as source:  # noqa: PTH123  (may be a device)
        return subprocess.run(
            [sys.executable, "-m", "scorer.cli", *args],
            stdin=source,
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, **variables},
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)),
        )


@pytest.mark.parametrize(
    "args",
    [
        ("score", "gold.tsv", "/dev/zero"),
        ("check", "/dev/zero", "gold.tsv"),
        ("agree", "/dev/zero"),
        ("bws", "score", "/dev/zero"),
        ("changes", "/dev/zero", "gold.tsv"),
    ],
)
def test_endless_file_is_rejected_with_the_limit_and_the_fix(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, args: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("gold.tsv").write_text("1\n2\n")
    result = run_scorer(*args)
    assert result.returncode == 1, result.stderr
    assert result.stderr.startswith("/dev/zero: ")
    assert "it has more than 256 MB, which is the limit; name the right file" in result.stderr
    assert result.stderr.count("\n") == 1


def test_endless_standard_input_is_rejected(tmp_path: Path) -> None:
    gold = tmp_path / "gold.tsv"
    gold.write_text("1\n2\n")
    result = run_scorer("score", str(gold), "-", stdin="/dev/zero")
    assert (result.returncode, result.stderr) == (1, f"<stdin>: {TOO_LARGE.format('256 MB')}\n")


def test_endless_settings_are_rejected(tmp_path: Path) -> None:
    (tmp_path / "assay").mkdir()
    (tmp_path / "assay" / "client.toml").symlink_to("/dev/zero")
    result = run_scorer("tasks", XDG_CONFIG_HOME=str(tmp_path))
    assert result.returncode == 1, result.stderr
    assert "it has more than 256 MB" in result.stderr


@pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n"])
def test_file_with_too_many_lines_is_rejected(tmp_path: Path, end: bytes) -> None:
    path = tmp_path / "run.tsv"
    path.write_bytes((b"1" + end) * 5_000_001)
    with pytest.raises(DataError) as caught:
        read_bytes(str(path))
    (problem,) = caught.value.problems
    assert (problem.code, str(problem)) == ("too_large", f"{path}: {TOO_LARGE.format('5 million lines')}")


def test_size_of_a_regular_file_is_checked_before_reading(tmp_path: Path) -> None:
    path = tmp_path / "huge.tsv"
    with path.open("wb") as file:
        file.truncate(2**40)  # sparse: it takes no space
    with pytest.raises(DataError, match="it has more than 256 MB"):
        read_bytes(str(path))


def test_a_file_of_the_largest_size_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scorer.files.read_limits.MAX_BYTES", 5)
    (tmp_path / "five").write_bytes(b"12345")
    (tmp_path / "six").write_bytes(b"123456")
    assert read_bytes(str(tmp_path / "five")) == b"12345"
    with pytest.raises(DataError):
        read_bytes(str(tmp_path / "six"))
