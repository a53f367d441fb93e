"""Checks the BibTeX entries by which a task asks to be cited."""

import re

MAX_CITATION = 10_000
"""The maximum size of the entries, in bytes."""
_ENTRIES = re.compile(r"(\s*@[A-Za-z]+\s*\{\s*[^\s{},\"#%=]+\s*,[^{}]*\})+\s*")


def find_citation_fault(text: str) -> str | None:
    """Return why a text is not BibTeX entries, or None; an empty text is none.

    >>> find_citation_fault("@misc{small, title = {A {Small} task}}")
    >>> find_citation_fault("@misc{small, title = {A task}")
    'a brace is not closed'
    """
    size = len(text.encode(errors="replace"))
    if size > MAX_CITATION:
        return f"they have {size} bytes; use at most {MAX_CITATION}"
    depth, outline = 0, ""
    for char in text:
        before, depth = depth, depth + {"{": 1, "}": -1}.get(char, 0)
        if depth < 0:
            return "a closing brace has no opening one"
        if max(before, depth) < 2:  # the braces in an entry can contain anything
            outline += char
    if depth:
        return "a brace is not closed"
    if text.strip() and not _ENTRIES.fullmatch(outline):
        return "write each as @misc{key, title = {...}}, and nothing between them"
    return None
