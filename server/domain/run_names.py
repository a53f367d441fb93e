"""Which level a file of a whole run is for, by its name. static/upload/names.js does the same.

Of a zip, what is no run file is left out.
"""

from collections.abc import Sequence

_ENDINGS = (".tsv", ".txt", ".csv", ".tab")
"""What names of run files end in, mostly."""
_DOCUMENTS = (
    ".md",
    ".rst",
    ".html",
    ".pdf",
    ".doc",
    ".docx",
    ".odt",
    ".tex",
    ".bib",
    ".png",
    ".jpg",
    ".json",
)
_READ_FIRST = ("readme", "license", "licence", "copying", "citation")


def levels_of(name: str, slugs: Sequence[str]) -> list[str]:
    """The slugs that a file's name holds, in the order of the levels; without one, its folders are asked.

    A name that begins with a slug and a point has that one alone; of a slug within another only the longer.
    """
    path = name.replace("\\", "/").lower()
    return _named(path.rpartition("/")[2], slugs) or _named(path, slugs)


def left_out(names: Sequence[str], slugs: Sequence[str]) -> list[str]:
    """The files of a zip that are no run's: documents, and what lies beside the one that ends as runs do.

    Where two of a level's files end so, or none does, nothing tells which is meant, and all stay.
    """
    out = {name for name in names if is_document(name)}
    levels: dict[str, list[str]] = {}
    for name in names:
        if name not in out and len(found := levels_of(name, slugs)) == 1:
            levels.setdefault(found[0], []).append(name)
    for same in levels.values():
        runs = [name for name in same if name.lower().endswith(_ENDINGS)]
        out |= set(same) - set(runs) if len(runs) == 1 else set()
    return [name for name in names if name in out]


def is_document(name: str) -> bool:
    """Whether a file is there to be read by people, by its name."""
    last = name.replace("\\", "/").rpartition("/")[2].lower()
    return last.endswith(_DOCUMENTS) or last.split(".", maxsplit=1)[0] in _READ_FIRST


def _named(name: str, slugs: Sequence[str]) -> list[str]:
    stem = name.split(".", maxsplit=1)[0]
    alone = [slug for slug in slugs if slug.lower() == stem]
    if alone:
        return alone
    found: set[str] = set()
    for slug in sorted({slug.lower() for slug in slugs}, key=len, reverse=True):
        if slug in name:
            found.add(slug)
            name = name.replace(slug, "\n")
    return [slug for slug in slugs if slug.lower() in found]
