"""Stores the vectors of a model on disk, so that a run that was stopped goes on where it was."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from scorer.encoders.onnx_model import Vectors
from scorer.errors import RequestError

if TYPE_CHECKING:
    from tokenizers import Encoding

_TYPE = "<f4"


class VectorCache:
    """The vectors of one model, in an SQLite file that is named by the hash of the model.

    Parameters
    ----------
    folder : Path
        The folder of the file. It is created if needed.
    model : str
        The hash of the model.

    Raises
    ------
    RequestError
        If the file cannot be created or is none of ours.
    """

    def __init__(self, folder: Path, model: str) -> None:
        self._path = folder / f"{model[:32]}.sqlite"
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise self._failure(error) from None
        with self._open() as database:
            database.execute(
                "CREATE TABLE IF NOT EXISTS vectors (tokens BLOB PRIMARY KEY, vector BLOB NOT NULL)"
            )

    def find(self, encodings: Sequence["Encoding"]) -> Vectors | None:
        """Return the vectors of a batch, or None if one of them is missing."""
        select = "SELECT vector FROM vectors WHERE tokens = ?"
        with self._open() as database:
            rows = [database.execute(select, (_key(encoding),)).fetchone() for encoding in encodings]
        if None in rows:
            return None
        return np.stack([np.frombuffer(row[0], dtype=_TYPE) for row in rows])

    def add(self, encodings: Sequence["Encoding"], vectors: Vectors) -> None:
        """Store the vectors of a batch; all are there after a crash, or none."""
        rows = [
            (_key(encoding), vector.astype(_TYPE).tobytes())
            for encoding, vector in zip(encodings, vectors, strict=True)
        ]
        with self._open() as database, database:
            database.executemany("INSERT OR IGNORE INTO vectors VALUES (?, ?)", rows)

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        try:
            with closing(sqlite3.connect(self._path)) as database:
                yield database
        except sqlite3.Error as error:
            raise self._failure(error) from None

    def _failure(self, error: Exception) -> RequestError:
        return RequestError(f"{self._path}: cannot be used as a cache: {error}; choose another --cache")


def _key(encoding: "Encoding") -> bytes:
    """Hash what the model reads. The tokens differ if the tokenizer, the prefix or the context differ."""
    return sha256(repr((encoding.ids, encoding.type_ids)).encode()).digest()
