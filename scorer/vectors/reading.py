"""Reads from a file of word vectors the vectors of some words, without the whole file in memory."""

import codecs
import gzip
import re
import zlib
from collections.abc import Collection, Iterator
from functools import partial
from io import BufferedReader, FileIO
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from scorer.errors import DataError
from scorer.files.file_types import explain_non_text
from scorer.files.reading import unreadable
from scorer.files.text import Problems, count_noun, shorten

Vector = NDArray[np.float64]
_Stream: TypeAlias = "BufferedReader[Any]"
_CHUNK = 2**20
"""Also the largest length of a line or a word: 50 times the length of a line with 2,000 numbers."""
_GZIP = b"\x1f\x8b"
_FASTTEXT_MODEL = b"\xba\x16\x4f\x2f"
_HEADER = re.compile(rb"([0-9]{1,9})[ \t]([0-9]{1,5})[ \t\r]*\n")
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f]")
_FLOAT = np.dtype("<f4")
_DOWNLOAD = "download the file again"
_HINT = "a line has a word and its numbers, separated by single spaces"


def read_vectors(path: str, words: Collection[str]) -> dict[str, Vector]:
    """Read the vectors of some words from a file.

    Parameters
    ----------
    path : str
        A text file of word2vec, fastText (.vec) or GloVe, or a binary file of word2vec; it may be compressed
        by gzip. The first line of a text file can have the numbers of words and of dimensions, as GloVe's
        files do not.
    words : collection of str
        The words whose vectors are needed.

    Returns
    -------
    dict of str to (d,) array of float
        The vectors of the words that the file has. If it has a word twice, its first vector counts.

    Raises
    ------
    DataError
        If the file cannot be read, or a line does not have as many numbers as others, or a value of one of
        these words is not a finite number, or the file does not have as many vectors as its first line says.

    Notes
    -----
    Only these vectors are kept, and only their values are parsed. Of all other lines, the numbers are
    counted. Words with spaces, which some files have, are skipped.
    """
    problems, wanted = Problems(path), {word.encode() for word in words}
    try:
        with BufferedReader(FileIO(path), _CHUNK) as file:
            is_packed = file.peek().startswith(_GZIP)
            unpacked = BufferedReader(gzip.GzipFile(fileobj=file), _CHUNK) if is_packed else file
            vectors = _read(unpacked, wanted, problems)
    except (EOFError, zlib.error, gzip.BadGzipFile):
        problems.add(None, "truncated", f"the gzip archive is damaged or incomplete; {_DOWNLOAD}")
    except OSError as error:
        raise unreadable(path, error) from error
    problems.raise_as(DataError)
    return {word.decode(): vector for word, vector in vectors.items()}


def _read(file: _Stream, wanted: Collection[bytes], problems: Problems) -> dict[bytes, Vector]:
    start = file.peek()
    header = _HEADER.match(start)
    if header is None:
        refusal = _explain_start(start)
        if refusal is not None:
            problems.add(None, *refusal)
            return {}
        return _read_text(file, 1, None, wanted, problems)[0]
    n, width = int(header[1]), int(header[2])
    file.readline()
    is_binary = _is_binary(start[header.end() :].partition(b" ")[2][: _FLOAT.itemsize * width])
    vectors, found = (
        _read_binary(file, n, width, wanted, problems)
        if is_binary
        else _read_text(file, 2, width, wanted, problems)
    )
    if found != n:
        message = f"the first line says that there are {n} vectors, and the file has {found}; {_DOWNLOAD}"
        problems.add(None if is_binary else 1, "truncated", message)
    return vectors


def _explain_start(start: bytes) -> tuple[str, str] | None:
    """Return the code and the message of a file that has no vectors by its first bytes, or None."""
    if not start.strip():
        return "empty_file", "the file is empty; is it the right one?"
    if start.startswith(_FASTTEXT_MODEL):
        return "binary_file", "this is a fastText model; use the text file (.vec) of its vectors"
    return explain_non_text(start)


def _is_binary(sample: bytes) -> bool:
    """Whether the bytes after the first word are no text. Of four or more binary floats, hardly any are."""
    try:
        return _CONTROL.search(codecs.getincrementaldecoder("utf-8")().decode(sample)) is not None
    except UnicodeDecodeError:
        return True


def _read_text(
    file: _Stream, first: int, width: int | None, wanted: Collection[bytes], problems: Problems
) -> tuple[dict[bytes, Vector], int]:
    """Read the lines of a text file; return the vectors of the wanted words, and the number of all."""
    vectors, found = dict[bytes, Vector](), 0
    for number, line in enumerate(iter(partial(file.readline, _CHUNK), b""), start=first):
        line = line.rstrip()  # noqa: PLW2901  the C tools write a space at the end of a line
        if not line:
            continue
        found += 1
        spaces = line.count(b" ")
        if not width:
            width = spaces
        if not width:
            problems.add(number, "wrong_columns", f"the line has no numbers; {_HINT}")
            break
        if spaces != width:
            _check_phrase(line, width, number, problems)
            continue
        word = line[: line.index(b" ")]
        if word in wanted and word not in vectors:
            vectors[word] = _parse_numbers(line[len(word) + 1 :], number, problems)
    return vectors, found


def _check_phrase(line: bytes, width: int, number: int, problems: Problems) -> None:
    """Note a line with another number of numbers, unless it only has a word with spaces."""
    fields = line.split(b" ")
    extra = fields[1:-width]
    if not extra or all(map(_is_number, extra)):
        counts = f"{count_noun(len(fields) - 1, 'number')} after the word, where others have {width}"
        problems.add(number, "wrong_columns", f"{counts}; {_HINT}")


def _is_number(field: bytes) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True


def _parse_numbers(numbers: bytes, line: int, problems: Problems) -> Vector:
    try:
        vector = np.array([float(field) for field in numbers.split(b" ")])
    except ValueError:
        wrong = next(field for field in numbers.split(b" ") if not _is_number(field))
        shown = shorten(wrong.decode(errors="replace"))
        problems.add(line, "not_a_number", f"{shown} is not a number; {_HINT}")
        return np.zeros(0)
    if not np.isfinite(vector).all():
        problems.add(line, "not_finite", f"a value is infinite or not a number; {_DOWNLOAD}")
    return vector


def _read_binary(
    file: _Stream, n: int, width: int, wanted: Collection[bytes], problems: Problems
) -> tuple[dict[bytes, Vector], int]:
    """Read a binary file; return the vectors of the wanted words, and the number of whole vectors."""
    vectors, found = dict[bytes, Vector](), 0
    for word, values in _split_binary(file, _FLOAT.itemsize * width):
        found += 1
        if found > n:
            break
        if word in wanted and word not in vectors:
            vectors[word] = np.frombuffer(values, _FLOAT).astype(np.float64)
            if not np.isfinite(vectors[word]).all():
                message = f"vector {found} has a value that is infinite or not a number; {_DOWNLOAD}"
                problems.add(None, "not_finite", message)
    return vectors, found


def _split_binary(file: _Stream, size: int) -> Iterator[tuple[bytes, bytes]]:
    """Yield each word and the bytes of its vector. Only some tools write a line end after a vector."""
    buffer, at = b"", 0
    while True:
        space = buffer.find(b" ", at)
        end = space + 1 + size
        if space >= 0 and end <= len(buffer):
            yield buffer[at:space].lstrip(b"\n"), buffer[space + 1 : end]
            at = end
            continue
        more = file.read(_CHUNK)
        if not more or (space < 0 and len(buffer) - at > _CHUNK):
            return
        buffer, at = buffer[at:] + more, 0
