"""Which level a file of a whole run is for, by its name.

Of a zip or a folder, what is no run file is left out.
"""

from collections.abc import Sequence

RUN_FILE_ENDINGS = (".tsv", ".txt", ".csv", ".tab")
"""What names of run files end in, mostly."""
NO_LEVEL, LEVEL_TWICE = "no_level", "level_twice"
"""What a run is refused for whose files do not say their levels, for programs."""
_DOCUMENT_ENDINGS = (
    ".md", ".rst", ".html", ".pdf", ".doc", ".docx", ".odt", ".tex", ".bib", ".png", ".jpg", ".json",
)  # fmt: skip
_DOCUMENT_STEMS = ("readme", "license", "licence", "copying", "citation")


def levels_in_name(name: str, slugs: Sequence[str]) -> list[str]:
    """The levels that a file is for, by its name.

    Parameters
    ----------
    name : str
        Of the file, with the folders that it lies in.
    slugs : sequence of str
        Of the levels, in their order.

    Returns
    -------
    list of str
        The slugs that the name holds; without one, those that its folders hold. A name that begins with a
        slug and a point has that one alone; of a slug within another only the longer; both of two that
        overlap.

    Examples
    --------
    >>> levels_in_name("run1/phrase2word.tsv", ["phrase2word", "word2sense"])
    ['phrase2word']
    """
    path = name.replace("\\", "/").lower()
    return _slugs_in(path.rpartition("/")[2], slugs) or _slugs_in(path, slugs)


def ignored_files(names: Sequence[str], slugs: Sequence[str]) -> list[str]:
    """The files that are no run's: documents, and what lies beside the one that ends as runs do.

    Parameters
    ----------
    names : sequence of str
        Of all files, with their folders.
    slugs : sequence of str
        Of the levels.

    Returns
    -------
    list of str
        In the given order. Where two of a level's files end as runs do, or none does, nothing tells which is
        meant, and all of them stay.

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
    for same in levels.values():
        runs = [name for name in same if name.lower().endswith(RUN_FILE_ENDINGS)]
        ignored_names |= set(same) - set(runs) if len(runs) == 1 else set()
    return [name for name in names if name in ignored_names]


def is_document(name: str) -> bool:
    """Whether a file is there to be read by people, by its name."""
    last = name.replace("\\", "/").rpartition("/")[2].lower()
    return last.endswith(_DOCUMENT_ENDINGS) or last.split(".", maxsplit=1)[0] in _DOCUMENT_STEMS


def _slugs_in(name: str, slugs: Sequence[str]) -> list[str]:
    stem = name.split(".", maxsplit=1)[0]
    alone = [slug for slug in slugs if slug.lower() == stem]
    if alone:
        return alone
    return [slug for slug in slugs if _contains_slug(name, slug.lower(), [other.lower() for other in slugs])]


def _contains_slug(name: str, slug: str, slugs: Sequence[str]) -> bool:
    """Whether a slug stands in a name, and not only within a longer one."""
    longer = [other for other in slugs if len(other) > len(slug)]
    over = [(other, at) for other in longer for at in range(len(other)) if other.startswith(slug, at)]
    return any(
        name.startswith(slug, at)
        and not any(at >= before and name.startswith(other, at - before) for other, before in over)
        for at in range(len(name))
    )
