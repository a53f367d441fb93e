"""The BibTeX entries by which a task asks to be cited."""

from pathlib import Path

import pytest

from scorer.bundles.citations import find_citation_fault
from scorer.bundles.reader import read_bundle
from scorer.errors import BundleError
from tests.scorer.small_bundle import TASK, write_bundle

ENTRY = (
    '@inproceedings{small-2026,\n  author = {{The River Group} and Q, P.},\n  title = "A {Small} task"\n}\n'
)


@pytest.mark.parametrize("text", ["", "  \n", ENTRY, f"{ENTRY}\n{ENTRY}", r"@misc{a:b/1, title = {\{x\}}}"])
def test_entries_and_nothing_are_accepted(text: str) -> None:
    assert find_citation_fault(text) is None


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("@misc{a, title = {A}", "a brace is not closed"),
        ("@misc{a, title = {A}}}", "a closing brace has no opening one"),
        ("}@misc{a, title = {A}{", "a closing brace has no opening one"),
        ("Please cite us.", "write each as"),
        ("@misc{title = {A}}", "write each as"),
        ("@misc{, title = {A}}", "write each as"),
        (f"{ENTRY} or {ENTRY}", "nothing between them"),
    ],
)
def test_other_texts_are_refused_with_the_reason(text: str, fault: str) -> None:
    assert fault in (find_citation_fault(text) or "")


def test_entries_have_a_maximum_size_in_bytes() -> None:
    entry = "@misc{a, title = {" + "é" * 5000 + "}}"
    assert find_citation_fault(entry) == "they have 10020 bytes; use at most 10000"
    assert find_citation_fault(entry.replace("é" * 10, "", 1)) is None


def test_bundle_has_the_entries_itself_or_in_a_file(tmp_path: Path) -> None:
    folder = write_bundle(tmp_path, TASK.replace("[task]", '[task]\ncitation = "task.bib"'))
    (folder / "task.bib").write_text(ENTRY, encoding="utf-8")
    assert read_bundle(folder).task.citation == ENTRY
    inline = TASK.replace("[task]", f"[task]\ncitation = '''{ENTRY}'''")
    (folder / "task.toml").write_text(inline, encoding="utf-8")
    assert read_bundle(folder).task.citation == ENTRY


def test_bundle_with_other_text_is_refused(tmp_path: Path) -> None:
    folder = write_bundle(tmp_path, TASK.replace("[task]", '[task]\ncitation = "@misc{a"'))
    with pytest.raises(BundleError) as error:
        read_bundle(folder)
    assert "task.citation: give one or more BibTeX entries: a brace is not closed" in str(error.value)
