"""The files that the client reads from a run's folder, and those that it writes."""

from pathlib import Path

import pytest

from scorer.client.files import plain_name, save
from scorer.client.hosted import HostedFile, HostedTask
from scorer.client.run_folder import RunFile, read_run_folder
from scorer.client.uploads import check_files, upload_key
from scorer.errors import DataError, RequestError, SiteAway
from scorer.io import parse_items

LEVELS = ("p2s", "s2p")


def folder_of(folder: Path, *names: str) -> Path:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(b"1\n")
    return folder


def test_files_are_found_by_their_names_or_folders_and_documents_are_left_out(tmp_path: Path) -> None:
    folder_of(tmp_path, "s2p.tsv", "p2s/run.txt", "README.md", "receipts/receipt-1.json", ".hidden/p2s.tsv")
    found = read_run_folder(tmp_path, LEVELS)
    assert [(file.level, file.path.relative_to(tmp_path).as_posix()) for file in found] == [
        ("p2s", "p2s/run.txt"),
        ("s2p", "s2p.tsv"),
    ]


@pytest.mark.parametrize(
    ("names", "words"),
    [
        ((), "has no run file; the name of one holds its level: p2s, s2p"),
        (("one.tsv", "p2s.tsv"), "one.tsv: its name says no level"),
        (("p2s-s2p.tsv",), "says more than one level: p2s, s2p"),
        (("a/p2s.tsv", "b/p2s.tsv"), "a/p2s.tsv: is not the only file for p2s"),
    ],
)
def test_a_folder_that_is_not_clear_is_refused(tmp_path: Path, names: tuple[str, ...], words: str) -> None:
    with pytest.raises(DataError, match=words):
        read_run_folder(folder_of(tmp_path, *names), LEVELS)


def test_a_run_is_a_folder(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="is no folder"):
        read_run_folder(tmp_path / "none", LEVELS)
    folder_of(tmp_path, *(f"{number}.md" for number in range(1001)))
    with pytest.raises(RequestError, match="more than 1000 files"):
        read_run_folder(tmp_path, LEVELS)


def test_the_faults_of_all_files_are_told_at_once(tmp_path: Path) -> None:
    values = {"keyed": None, "scale_min": 0.0, "scale_max": 4.0, "confidence_max": 1.0}
    items = dict.fromkeys(LEVELS, parse_items(b"a\tb\nc\td\n", "items.tsv"))
    levels = {level: HostedFile(level, "test", "items", "x.tsv", "", 2, 20) for level in LEVELS}
    files = [RunFile("p2s", tmp_path / "p2s", b"1\nn/a\n"), RunFile("s2p", tmp_path / "s2p", b"1\n" * 11)]
    with pytest.raises(DataError) as refused:
        check_files(HostedTask("small", values, ()), levels, items, files)
    assert [(problem.code, problem.line) for problem in refused.value.problems] == [
        ("no_number", 2),
        ("too_large", None),
    ]


def test_an_upload_keeps_its_name_until_something_else_has_come() -> None:
    file = RunFile("p2s", Path("p2s.tsv"), b"1\n")
    own = "4355a46b19d348dc2f57c046f8ef63d4538ebb936000f3c9ee954a27460dd865"  # the SHA-256 of b"1\n"

    def key(*filed: tuple[int, str, bool]) -> str:
        files = [{"submission": {"id": id_, "sha256": sha}, "withdrawn": gone} for id_, sha, gone in filed]
        return upload_key("https://x", {"run": {"id": 1}, "levels": [{"level": "p2s", "files": files}]}, file)

    assert key() == key((1, own, False))
    assert key((1, "other", False)) == key((1, "other", False), (2, own, False))
    others = key((1, "other", False)), key((2, own, True)), key((2, own, True), (3, "other", False))
    assert len({key(), *others}) == 4


def test_a_file_of_a_site_is_written_whole_and_over_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "new" / "file"
    assert [save(path, b"1"), save(path, b"1")] == ["written", "there already"]
    with pytest.raises(DataError, match="other bytes"):
        save(path, b"2")
    assert save(path, b"2", force=True) == "replaced"
    assert [each.name for each in path.parent.iterdir()] == ["file"]


@pytest.mark.parametrize("name", ["", "../x", "a/b", "c:x", ".bashrc", "a\nb", None])
def test_a_name_of_a_site_leads_nowhere(name: object) -> None:
    with pytest.raises(SiteAway):
        plain_name(name)
