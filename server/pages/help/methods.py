"""Every statistic of the site and the scorer: what it means, what it does not, its source and citation."""

import tomllib
from pathlib import Path
from typing import Any, NamedTuple

from server.core.i18n import N_


class Reference(NamedTuple):
    """Where a method was published; `link` is its address."""

    words: str
    link: str = ""


class Method(NamedTuple):
    """One entry; `cite` may contain the scorer's %(version)s, %(name)s and %(sources)s: authors and years."""

    anchor: str
    name: str
    says: str
    says_not: str
    sources: tuple[Reference, ...]
    cite: str


CITE_WITH_SOURCES = N_("“%(name)s (%(sources)s), computed with Assay’s scorer %(version)s.”")
CITE_BY_NAME = N_("“%(name)s, computed with Assay’s scorer %(version)s.”")

_PAGE = tomllib.loads(Path(__file__).with_name("methods.toml").read_text(encoding="utf-8"))
_REFERENCES = {key: Reference(**reference) for key, reference in _PAGE["reference"].items()}


def _method(entry: dict[str, Any]) -> Method:
    sources = tuple(_REFERENCES[key] for key in entry.get("sources", ()))
    cite = CITE_WITH_SOURCES if sources else CITE_BY_NAME
    return Method(**{"cite": cite, **entry, "sources": sources})


GROUPS: tuple[tuple[str, str, tuple[Method, ...]], ...] = tuple(
    (group["anchor"], group["title"], tuple(map(_method, group["method"]))) for group in _PAGE["group"]
)
"""The page's sections: anchor, title and entries of each, in order."""
