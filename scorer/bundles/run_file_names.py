"""Finds out from the name of a run file which level it is for; where there is one level, any name will do.

Files in a zip or a folder that are not run files are ignored.
"""

from collections.abc import Sequence

RUN_FILE_ENDINGS = (".tsv", ".txt", ".csv", ".tab")
"""The usual extensions of run files."""
NO_LEVEL, LEVEL_TWICE = "no_level", "level_twice"
"""The codes for files whose name has no or several levels, and for two files of one level."""
_DOCUMENT_ENDINGS = (
    ".md", ".rst", ".html", ".pdf", ".doc", ".docx", ".odt", ".tex", ".bib", ".png", ".jpg", ".json",
)  # fmt: skip
_DOCUMENT_STEMS = ("readme", "license", "licence", "copying", "citation")


def levels_in_name(name: str, slugs: Sequence[str]) -> list[str]:
    """Return the levels that the name of a file contains.

    Parameters
    ----------
    name : str
        The name of the file, with its folders.
    slugs : sequence of str
        The slugs of the levels, in order.

    Returns
    -------
    list of str
        The slugs in the name; if there are none, the slugs in the names of its folders. If the name begins
        with a slug and a dot, only that slug. If a slug is contained in another, only the longer one. If two
        slugs overlap, both. If there is one slug only, that one.

    Examples
    --------
    >>> levels_in_name("run1/phrase2word.tsv", ["phrase2word", "word2sense"])
    ['phrase2word']
    """
    if len(slugs) == 1:
        return list(slugs)
    path = name.replace("\\", "/").lower()
    return _slugs_in(path.rpartition("/")[2], slugs) or _slugs_in(path, slugs)


def ignored_files(names: Sequence[str], slugs: Sequence[str]) -> list[str]:
    """Return the files to ignore: documents, and other files of a level that has exactly one run file.

    Parameters
    ----------
    names : sequence of str
        The names of all files, with their folders.
    slugs : sequence of str
        The slugs of the levels.

    Returns
    -------
    list of str
        In the given order. If two files of a level have the extension of a run file, or none has, it is not
        clear which one is meant, and none of them is ignored.

    Examples
    --------
    >>> ignored_files(["a.tsv", "a.log", "readme.md"], ["a"])
    ['a.log', 'readme.md']
    """
    ignored_names = {name for name in names if is_document(name)}
    levels: dict[str, list[str]] = {}
    for name in names:
        if name not in ignored_names and len(named_levels := levels_in_name(name, slugs)) == 1:
            levels.setdefault(named_levels[0], []).append(name)
    for level_names in levels.values():
        runs = [name for name in level_names if name.lower().endswith(RUN_FILE_ENDINGS)]
        ignored_names |= set(level_names) - set(runs) if len(runs) == 1 else set()
    return [name for name in names if name in ignored_names]


def is_document(name: str) -> bool:
    """Whether a file is a document for people, by its name."""
    last = name.replace("\\", "/").rpartition("/")[2].lower()
    return last.endswith(_DOCUMENT_ENDINGS) or last.split(".", maxsplit=1)[0] in _DOCUMENT_STEMS


def _slugs_in(name: str, slugs: Sequence[str]) -> list[str]:
    stem = name.split(".", maxsplit=1)[0]
    alone = [slug for slug in slugs if slug.lower() == stem]
    if alone:
        return alone
    return [slug for slug in slugs if _contains_slug(name, slug.lower(), [other.lower() for other in slugs])]


def _contains_slug(name: str, slug: str, slugs: Sequence[str]) -> bool:
    """Whether a name contains a slug, not only as a part of a longer slug."""
    longer = [other for other in slugs if len(other) > len(slug)]
    over = [(other, at) for other in longer for at in range(len(other)) if other.startswith(slug, at)]
    return any(
        name.startswith(slug, at)
        and not any(at >= before and name.startswith(other, at - before) for other, before in over)
        for at in range(len(name))
    )
