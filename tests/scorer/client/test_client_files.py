"""The files that the client reads from a run's folder, and those that it writes."""

import os
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from httpx2 import Client

from scorer.client.connection import Connection
from scorer.client.hosted_tasks import HostedFile, HostedTask
from scorer.client.local_files import check_file_name, require_folder, require_writable, save_file
from scorer.client.run_folder import RunFile, read_level_files, read_run, read_run_folder
from scorer.client.settings import Login
from scorer.client.uploads import RunUpload, check_files, upload_key
from scorer.errors import DataError, RequestError, SiteUnavailable
from scorer.files.reading import parse_items

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
        ((), "has no run file; the name of a run file contains its level: p2s, s2p"),
        (("one.tsv", "p2s.tsv"), "one.tsv: its name contains no level"),
        (("p2s-s2p.tsv",), "contains several levels: p2s, s2p"),
        (("a/p2s.tsv", "b/p2s.tsv"), "a/p2s.tsv: is not the only file for p2s"),
    ],
)
def test_ambiguous_folder_is_rejected(tmp_path: Path, names: tuple[str, ...], words: str) -> None:
    with pytest.raises(DataError, match=words):
        read_run_folder(folder_of(tmp_path, *names), LEVELS)


def test_links_are_followed(tmp_path: Path) -> None:
    folder_of(tmp_path, "away/p2s.tsv", "away/s2p/run.tsv", "run/notes.md")
    (tmp_path / "run" / "p2s.tsv").symlink_to(tmp_path / "away" / "p2s.tsv")
    (tmp_path / "run" / "s2p").symlink_to(tmp_path / "away" / "s2p")
    assert [file.name for file in read_run_folder(tmp_path / "run", LEVELS)] == ["p2s.tsv", "s2p/run.tsv"]


def test_unreadable_file_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder_of(tmp_path, "p2s.tsv", "shut/s2p.tsv", "s2p.tsv/run", "deep/er/notes.md")
    (tmp_path / "gone.tsv").symlink_to(tmp_path / "nowhere")
    (tmp_path / "gone.md").symlink_to(tmp_path / "nowhere")
    (tmp_path / ".gone.tsv").symlink_to(tmp_path / "nowhere")
    (tmp_path / "deep" / "er" / "up").symlink_to(tmp_path / "deep")
    os.mkfifo(tmp_path / "pipe")
    listed = Path.iterdir

    def iterdir(path: Path) -> Iterator[Path]:
        if path.name == "shut":
            raise PermissionError(13, "Permission denied")
        return listed(path)

    monkeypatch.setattr(Path, "iterdir", iterdir)
    with pytest.raises(DataError) as refused:
        read_run_folder(tmp_path, LEVELS)
    assert {
        Path(problem.source).relative_to(tmp_path).as_posix(): problem.message
        for problem in refused.value.problems
    } == {
        "deep/er/up": "is a link to a folder that contains it; remove it",
        "gone.tsv": "is a broken link; move it away",
        "pipe": "is a pipe, a socket or a device; move it away",
        "s2p.tsv": "is a folder with the name of a run file; rename it",
        "shut": "the folder cannot be read: Permission denied",
    }


def test_name_that_is_not_utf8_is_rejected_before_anything_is_sent(tmp_path: Path) -> None:
    name = os.fsdecode(b"p2s\xff.tsv")
    with pytest.raises(DataError, match=r"its name is not UTF-8; rename it$") as refused:
        read_run_folder(folder_of(tmp_path, name, "s2p.tsv"), LEVELS)
    assert [problem.code for problem in refused.value.problems] == ["no_utf8"]


def test_a_run_is_a_folder(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="is not a folder"):
        read_run_folder(tmp_path / "none", LEVELS)
    folder_of(tmp_path, *(f"{number}.md" for number in range(1001)))
    with pytest.raises(RequestError, match="more than 1000 files"):
        read_run_folder(tmp_path, LEVELS)


def test_problems_of_all_files_are_reported_at_once(tmp_path: Path) -> None:
    values = {"keyed": None, "scale_min": 0.0, "scale_max": 4.0, "confidence_max": 1.0}
    items = dict.fromkeys(LEVELS, parse_items(b"a\tb\nc\td\n", "items.tsv"))
    levels = {level: HostedFile(level, "test", "items", "x.tsv", "", 2, 20) for level in LEVELS}
    files = [
        RunFile("p2s", "p2s", tmp_path / "p2s", b"1\nn/a\n"),
        RunFile("s2p", "s2p", tmp_path / "s2p", b"1\n" * 11),
    ]
    with pytest.raises(DataError) as refused:
        check_files(HostedTask("small", values, ()), levels, items, files)
    assert [(problem.code, problem.line) for problem in refused.value.problems] == [
        ("no_number", 2),
        ("too_large", None),
    ]


OWN = "4355a46b19d348dc2f57c046f8ef63d4538ebb936000f3c9ee954a27460dd865"
"""The SHA-256 of b"1\\n"."""


def run_of(*filed: tuple[int, str, str]) -> dict[str, Any]:
    """A run with files at p2s, as the site has it: number, SHA-256, and "late" or "withdrawn" if one is."""
    files = [
        {
            "submission": {"id": id_, "sha256": sha256, "late": state == "late"},
            "withdrawn": state == "withdrawn",
        }
        for id_, sha256, state in filed
    ]
    return {"run": {"id": 1}, "levels": [{"level": "p2s", "files": files}]}


def test_upload_keeps_its_idempotency_key_until_another_file_was_uploaded() -> None:
    file = RunFile("p2s", "p2s.tsv", Path("p2s.tsv"), b"1\n")

    def key(*filed: tuple[int, str, str]) -> str:
        return upload_key("https://x", run_of(*filed), [file], is_open=True)

    assert key() == key((1, OWN, ""))
    assert key((1, "other", "")) == key((1, "other", ""), (2, OWN, ""))
    others = key((1, "other", "")), key((2, OWN, "withdrawn")), key((2, OWN, "withdrawn"), (3, "other", ""))
    renamed = RunFile("p2s", "new/p2s.tsv", Path("p2s.tsv"), b"1\n")
    assert len({key(), *others, upload_key("https://x", run_of(), [renamed], is_open=True)}) == 5


@pytest.mark.parametrize(
    ("filed", "is_open", "there"),
    [
        ([], True, []),
        ([(1, OWN, "")], True, [1]),
        ([(2, OWN, ""), (1, "other", "")], True, [2]),
        ([(2, "other", ""), (1, OWN, "")], True, []),
        ([(1, OWN, "withdrawn")], True, []),
        ([(1, OWN, "late")], True, []),
        ([(1, OWN, "late")], False, [1]),
        ([(1, OWN, "")], False, [1]),
    ],
)
def test_file_already_on_the_site_is_sent_only_if_it_would_count_again(
    filed: list[tuple[int, str, str]], is_open: bool, there: list[int]
) -> None:
    class OneSite(Connection):
        def json(self, path: str) -> dict[str, Any]:
            return {"path": path}

    file = RunFile("p2s", "p2s.tsv", Path("p2s.tsv"), b"1\n")
    site = OneSite(Login("https://x", None), Client())
    sending = RunUpload(site, run_of(*filed), [file], is_open=is_open)
    assert [one.answer for one in sending.sent] == [
        {"path": f"/submissions/{number}", "new": False} for number in there
    ]
    assert len(sending.left) == 1 - len(there)


def test_downloaded_file_is_written_atomically_and_overwrites_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "new" / "file"
    assert [save_file(path, b"1"), save_file(path, b"1")] == ["written", "there already"]
    with pytest.raises(
        DataError, match="already exists and differs; move it away, or replace it with --force"
    ):
        save_file(path, b"2")
    assert save_file(path, b"2", force=True) == "replaced"
    assert [each.name for each in path.parent.iterdir()] == ["file"]
    with pytest.raises(DataError, match=r"/file/in: cannot be written: .+; name another folder"):
        save_file(path / "in", b"1")


def test_file_cannot_be_used_as_a_download_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"1")
    for folder in (tmp_path / "file", tmp_path / "file" / "in" / "it"):
        for refused in (require_folder, require_writable):
            with pytest.raises(DataError, match="/file: is not a folder; name a folder to write to"):
                refused(folder)
    require_folder(tmp_path / "new" / "one")
    assert [each.name for each in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("name", ["", "../x", "a/b", "c:x", ".bashrc", "a\nb", None])
def test_hostile_file_name_from_a_site_cannot_leave_the_folder(name: object) -> None:
    with pytest.raises(SiteUnavailable):
        check_file_name(name)


def test_zip_of_a_run_is_read_like_its_folder_without_system_files(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "quay.zip", "w") as archive:
        for name in ("quay/p2s.tsv", "quay/s2p.tsv", "__MACOSX/quay/._p2s.tsv"):
            archive.writestr(name, "1\n")
    files = read_run(tmp_path / "quay.zip", LEVELS)
    assert [(file.level, file.path, file.data) for file in files] == [
        ("p2s", tmp_path / "quay.zip" / "quay" / "p2s.tsv", b"1\n"),
        ("s2p", tmp_path / "quay.zip" / "quay" / "s2p.tsv", b"1\n"),
    ]


def test_errors_in_a_zip_name_the_zip(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "quay.zip", "w") as archive:
        archive.writestr("other.tsv", "1\n")
    with pytest.raises(DataError, match=r"quay\.zip/other\.tsv: its name contains no level"):
        read_run(tmp_path / "quay.zip", LEVELS)


def test_single_file_needs_the_name_of_its_level_only_if_there_are_several(tmp_path: Path) -> None:
    folder_of(tmp_path, "mine.tsv", "p2s.tsv")
    only = read_run(tmp_path / "mine.tsv", ("only",))
    assert [(file.level, file.name, file.path.name) for file in only] == [("only", "mine.tsv", "mine.tsv")]
    assert [file.level for file in read_run(tmp_path / "p2s.tsv", LEVELS)] == ["p2s"]
    with pytest.raises(RequestError, match=r"its name contains no level.*--level LEVEL=FILE"):
        read_run(tmp_path / "mine.tsv", LEVELS)


def test_files_of_given_levels_can_have_any_name_and_are_sent_under_one_with_their_level(
    tmp_path: Path,
) -> None:
    folder_of(tmp_path, "a.tsv", "p2s.tsv", "my.p2s.txt", "p2s.zip")
    files = read_level_files({"s2p": tmp_path / "p2s.tsv", "p2s": tmp_path / "a.tsv"}, LEVELS)
    assert [(file.level, file.name) for file in files] == [("p2s", "p2s.tsv"), ("s2p", "s2p.tsv")]
    for name, sent in (("my.p2s.txt", "my.p2s.txt"), ("p2s.zip", "p2s.tsv")):
        assert [file.name for file in read_level_files({"p2s": tmp_path / name}, LEVELS)] == [sent]
    with pytest.raises(RequestError, match='there is no level "x"; the levels are: p2s, s2p'):
        read_level_files({"x": tmp_path / "a.tsv"}, LEVELS)
    with pytest.raises(DataError, match="none"):
        read_level_files({"p2s": tmp_path / "none.tsv"}, LEVELS)
