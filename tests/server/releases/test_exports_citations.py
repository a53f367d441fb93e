import re
from datetime import UTC, date, datetime

import pytest

from server.releases.exports import Citation

TITLES = ("A small task", r"50% of {braces} & more_{", 'Say "and" and } $x$ @ #1 \\', "Żółw–Ω [x]*\nline")


def citation(title: str, board: str = "Evaluation", organizers: str = "") -> Citation:
    url = "https://assay.test/tasks/small/boards/evaluation/releases/2"
    made_at = datetime(2026, 3, 19, 16, tzinfo=UTC)
    return Citation(
        "small-evaluation-release-2", title, organizers, board, 2, made_at, url, "ab" * 32, "0.1.0"
    )


def depths(text: str) -> list[int]:
    """How deep in braces each character is, as BibTeX counts them: escaped ones too."""
    found, depth = [], 0
    for char in text:
        depth += {"{": 1, "}": -1}.get(char, 0)
        found.append(depth)
    return found


@pytest.mark.parametrize("title", TITLES)
def test_citation_entry_is_valid_for_any_task_title(title: str) -> None:
    entry = citation(title, title).bibtex(date(2026, 11, 21))
    deep = depths(entry)
    assert (min(deep[:-2]), deep[-2:]) == (0, [0, 0])
    at = [k for k, depth in enumerate(deep) if depth == 0]
    assert entry[: at[len("@misc") - 1] + 1] == "@misc"
    assert at[len("@misc") :] == [len(entry) - 2, len(entry) - 1]
    fields = dict(re.findall(r"^  (\w+) = (.*?),?$", entry, re.MULTILINE))
    assert list(fields) == ["author", "title", "year", "month", "url", "urldate", "note"]
    assert (fields["year"], fields["month"], fields["urldate"]) == ("{2026}", "mar", "{2026-11-21}")
    assert fields["author"].startswith("{{Organizers of ")
    assert not re.search(r"(?<!\\)[%&#$_^~]", fields["title"])


def test_author_is_the_organizers_if_the_task_names_them() -> None:
    entry = citation("A small task", organizers="Ada and {Bo}").bibtex(date(2026, 11, 21))
    assert r"author = {{Ada and \textbraceleft{}Bo\textbraceright{}}}" in entry
    assert citation("A small task", organizers="Ada").words(date(2026, 11, 21)).startswith("Ada (2026). ")


def test_citation_text_identifies_the_release() -> None:
    assert citation("A small task").words(date(2026, 11, 21)) == (
        "Organizers of A small task (2026). A small task: Evaluation leaderboard, release 2. "
        "https://assay.test/tasks/small/boards/evaluation/releases/2 "
        f"(SHA-256 {'ab' * 32}; computed by the scorer of Assay, version 0.1.0; accessed 2026-11-21)."
    )
