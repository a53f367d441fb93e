"""Files of word vectors: each format, the words that are kept, and every kind of damage."""

import gzip
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from scorer.errors import DataError
from scorer.vectors.reading import read_vectors

VECTORS = {"pier": (1.0, -2.5, 0.125), "Hafen": (0.5, 0.25, 0.0), "přístav": (-1.0, 1e-3, 3.0)}
Vectors = Mapping[str, Sequence[float]]


def as_text(vectors: Vectors, *, header: bool = False, end: str = "\n") -> bytes:
    width = len(next(iter(vectors.values())))
    lines = [f"{len(vectors)} {width}"] if header else []
    lines += [" ".join([word, *map(repr, numbers)]) for word, numbers in vectors.items()]
    return "".join(line + end for line in lines).encode()


def as_binary(vectors: Vectors, end: bytes = b"\n") -> bytes:
    width = len(next(iter(vectors.values())))
    entries = [word.encode() + b" " + struct.pack(f"<{width}f", *v) + end for word, v in vectors.items()]
    return f"{len(vectors)} {width}\n".encode() + b"".join(entries)


def read(folder: Path, data: bytes, words: Sequence[str] = tuple(VECTORS)) -> dict[str, list[float]]:
    path = folder / "vectors"
    path.write_bytes(data)
    return {word: vector.tolist() for word, vector in read_vectors(str(path), words).items()}


def refuse(folder: Path, data: bytes) -> list[tuple[int | None, str]]:
    with pytest.raises(DataError) as refused:
        read(folder, data)
    return [(problem.line, problem.message) for problem in refused.value.problems]


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(as_text(VECTORS), id="GloVe"),
        pytest.param(as_text(VECTORS, header=True), id="fastText"),
        pytest.param(as_text(VECTORS, header=True, end=" \n"), id="word2vec"),
        pytest.param(as_text(VECTORS, end="\r\n"), id="Windows"),
        pytest.param(as_text(VECTORS).rstrip(b"\n"), id="no last line end"),
        pytest.param(as_binary(VECTORS), id="binary of word2vec"),
        pytest.param(as_binary(VECTORS, end=b""), id="binary of gensim"),
    ],
)
def test_each_format_has_the_same_vectors(tmp_path: Path, data: bytes) -> None:
    for content in (data, gzip.compress(data)):
        found = read(tmp_path, content)
        assert list(found) == list(VECTORS)
        for word, values in VECTORS.items():
            assert found[word] == pytest.approx(values, rel=1e-7)  # a float in binary has 24 bits


tables = st.integers(4, 8).flatmap(
    lambda width: st.dictionaries(
        st.text("aZěß-’", min_size=1, max_size=5),
        st.lists(st.floats(-100, 100, width=32), min_size=width, max_size=width),
        min_size=1,
    )
)


@given(tables)
def test_text_and_binary_give_exactly_the_numbers_that_were_written(
    tmp_path_factory: pytest.TempPathFactory, vectors: dict[str, list[float]]
) -> None:
    folder = tmp_path_factory.mktemp("vectors")
    files = as_text(vectors), as_text(vectors, header=True), as_binary(vectors), as_binary(vectors, b"")
    for data in files:
        assert read(folder, data, list(vectors)) == vectors


def test_only_asked_words_are_kept_and_the_first_of_two_counts(tmp_path: Path) -> None:
    assert read(tmp_path, b"a 1 2\nb 3 4\na 5 6\n", ["a", "c"]) == {"a": [1.0, 2.0]}


def test_words_with_spaces_are_skipped(tmp_path: Path) -> None:
    """The file of GloVe with 840 billion tokens has some, such as ". . ."."""
    assert read(tmp_path, b"pier 1 2\npier of 3 4\n. . . 5 6\n") == {"pier": [1.0, 2.0]}


def test_a_file_that_is_larger_than_the_buffer(tmp_path: Path) -> None:
    many = {f"w{n}": [float(n), -float(n)] for n in range(100_000)}
    asked = ["w0", "w77777", "w99999"]
    for data in (as_text(many), as_binary(many)):
        assert len(data) > 2**20
        assert read(tmp_path, data, asked) == {word: many[word] for word in asked}


HINT = "a line has a word and its numbers, separated by single spaces"
WIDTH = f"after the word, where others have 2; {HINT}"
COUNTS = "the first line says that there are {} vectors, and the file has {}; download the file again"
NO_NUMBER = "is infinite or not a number; download the file again"


@pytest.mark.parametrize(
    ("data", "problems"),
    [
        (b"a 1 2\npier 3\nb 1 2\n", [(2, f"1 number {WIDTH}")]),
        (b"a 1 2\nb 1 2 3\n", [(2, f"3 numbers {WIDTH}")]),
        (b"3 2\na 1 2\nb 1\nc 1 2\n", [(3, f"1 number {WIDTH}")]),
        (b"a 1 2\npier 3 x\n", [(2, f'"x" is not a number; {HINT}')]),
        (b"a 1 2\npier 3 nan\n", [(2, f"a value {NO_NUMBER}")]),
        (b"pier\t1\t2\n", [(1, f"the line has no numbers; {HINT}")]),
        (b"5 2\na 1 2\nb 1 2\n", [(1, COUNTS.format(5, 2))]),
        (b"1 2\na 1 2\nb 1 2\n", [(1, COUNTS.format(1, 2))]),
        (b"", [(None, "the file is empty; is it the right one?")]),
        (b"PK\x03\x04rest", [(None, "this is a zip archive; unpack it first")]),
        (
            b"\xba\x16\x4f\x2f\x0c",
            [(None, "this is a fastText model; use the text file (.vec) of its vectors")],
        ),
        (
            gzip.compress(as_text(VECTORS), mtime=0)[:-9],
            [(None, "the gzip archive is damaged or incomplete; download the file again")],
        ),
    ],
)
def test_damage_is_named_with_its_line(
    tmp_path: Path, data: bytes, problems: list[tuple[int | None, str]]
) -> None:
    assert refuse(tmp_path, data) == problems


def test_numbers_of_other_words_are_counted_and_not_parsed(tmp_path: Path) -> None:
    assert read(tmp_path, b"pier 1 2\nb 3 x\n") == {"pier": [1.0, 2.0]}


def test_truncated_and_damaged_binary_files(tmp_path: Path) -> None:
    data = as_binary(VECTORS)
    for end in (-2, -12, -20):
        assert refuse(tmp_path, data[:end]) == [(None, COUNTS.format(3, 2))]
    one_more = data + data.partition(b"\n")[2][:20]
    assert refuse(tmp_path, one_more) == [(None, COUNTS.format(3, 4))]
    infinite = as_binary({**VECTORS, "Hafen": (0.0, float("inf"), 1.0)})
    assert refuse(tmp_path, infinite) == [(None, f"vector 2 has a value that {NO_NUMBER}")]


def test_a_binary_file_without_spaces_is_not_read_to_its_end(tmp_path: Path) -> None:
    data = b"3 2\na " + struct.pack("<2f", 1, 2) + b"\xff" * 2**22
    assert refuse(tmp_path, data) == [(None, COUNTS.format(3, 1))]


def test_a_missing_file_is_an_error_with_its_name(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"nothing\.vec: there is no such file"):
        read_vectors(str(tmp_path / "nothing.vec"), ["a"])
