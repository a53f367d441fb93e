"""Which level a file of a whole run is for, by its name. static/upload/names.js does the same."""

from collections.abc import Sequence


def levels_of(name: str, slugs: Sequence[str]) -> list[str]:
    """The slugs that a file's name holds, in the order of the levels; without one, its folders are asked.

    A name that begins with a slug and a point has that one alone; of a slug within another only the longer.
    """
    path = name.replace("\\", "/").lower()
    return _named(path.rpartition("/")[2], slugs) or _named(path, slugs)


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
