"""Zipped bundles with `assay task import`: valid ones are hosted, hostile ones rejected unextracted."""

import stat
import struct
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.server.commands import Assay
from tests.server.small_task import write_bundle

pytestmark = pytest.mark.one_database

Fill = Callable[[zipfile.ZipFile], None]


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    return write_bundle(tmp_path / "bundle")


def pack(bundle: Path, inner: str = "", fill: Fill | None = None, method: int = zipfile.ZIP_DEFLATED) -> Path:
    """The bundle as a zip, inside the folder `inner`, with whatever `fill` adds."""
    path = bundle.parent / "bundle.zip"
    with zipfile.ZipFile(path, "w", method) as archive:
        for file in sorted(bundle.rglob("*")):
            archive.write(file, inner + file.relative_to(bundle).as_posix())
        if fill is not None:
            fill(archive)
    return path


@pytest.mark.parametrize("inner", ["", "small-task/", "märchen und straße/"])
def test_zip_of_the_folder_or_of_its_files_can_be_imported(assay: Assay, bundle: Path, inner: str) -> None:
    result = assay("task", "import", pack(bundle, inner))
    assert result.exit_code == 0
    assert assay("task", "list").stdout == "small~1\tA small task\tdraft\n"


def test_uncompressed_zip_is_accepted(assay: Assay, bundle: Path) -> None:
    assert assay("task", "import", pack(bundle, method=zipfile.ZIP_STORED)).exit_code == 0


def member(name: str, mode: int = 0o644, data: str = "../../outside") -> Fill:
    def fill(archive: zipfile.ZipFile) -> None:
        info = zipfile.ZipInfo(name)
        info.create_system = 3
        info.external_attr = mode << 16
        archive.writestr(info, data)

    return fill


@pytest.mark.parametrize(
    ("fill", "message"),
    [
        (member("../outside"), "../outside: leads outside"),
        (member("runs/../../outside"), "runs/../../outside: leads outside"),
        (member("/tmp/assay-outside"), "/tmp/assay-outside: leads outside"),  # noqa: S108  (must not get there)
        (member("..\\outside"), "../outside: leads outside"),
        (member("runs/elm/one/p2s.tsv", stat.S_IFLNK | 0o777), "runs/elm/one/p2s.tsv: is a link"),
        (member("p2s.test.gold.link", stat.S_IFLNK | 0o777, "/etc/passwd"), "p2s.test.gold.link: is a link"),
    ],
    ids=["parent", "inner parent", "absolute", "backslash", "link", "absolute link"],
)
def test_zip_member_outside_the_folder_rejects_the_whole_zip(
    assay: Assay, bundle: Path, fill: Fill, message: str
) -> None:
    result = assay("task", "import", pack(bundle, fill=fill))
    assert (result.exit_code, result.stdout) == (1, "")
    problem, summary = result.stderr.splitlines()
    assert problem.startswith(message)
    assert (
        summary == "assay: The zip file has 1 problem. Fix it, create the zip again and upload it. "
        "Nothing was changed."
    )
    assert not list(bundle.parent.parent.rglob("outside"))
    assert not Path("/tmp/assay-outside").exists()  # noqa: S108  (see above)
    assert assay("task", "list").stdout == ""


def twice(archive: zipfile.ZipFile) -> None:
    with warnings.catch_warnings(action="ignore"):
        archive.writestr("task.toml", "[task]\n")


def file_and_folder(archive: zipfile.ZipFile) -> None:
    archive.writestr("odd", "")
    archive.writestr("odd/inner", "")


@pytest.mark.parametrize("fill", [twice, file_and_folder, member("a" * 300), member("b/" * 2100 + "c")])
def test_zip_that_cannot_be_unpacked_safely_names_the_member(assay: Assay, bundle: Path, fill: Fill) -> None:
    result = assay("task", "import", pack(bundle, fill=fill))
    assert (result.exit_code, result.stdout) == (1, "")
    assert len(result.stderr.splitlines()) == 2
    assert result.stderr.splitlines()[-1].startswith("assay: The zip file has 1 problem")
    assert assay("task", "list").stdout == ""


def patched(path: Path, change: Callable[[bytearray], None]) -> Path:
    data = bytearray(path.read_bytes())
    change(data)
    path.write_bytes(data)
    return path


def claim_more(data: bytearray) -> None:
    at = data.index(b"PK\x01\x02")
    struct.pack_into("<I", data, at + 24, (1 << 30) + 1)


def spoil(data: bytearray) -> None:
    data[60:90] = b"\xff" * 30


@pytest.mark.parametrize("change", [claim_more, spoil, lambda data: data.clear()])
def test_damaged_zip_is_rejected_in_one_line(
    assay: Assay, bundle: Path, change: Callable[[bytearray], None]
) -> None:
    result = assay("task", "import", patched(pack(bundle), change))
    assert (result.exit_code, result.stdout) == (1, "")
    assert len(result.stderr.splitlines()) == 1
    assert "zip" in result.stderr
    assert assay("task", "list").stdout == ""


def test_path_that_is_neither_folder_nor_zip_is_rejected(assay: Assay, tmp_path: Path) -> None:
    path = tmp_path / "task.tar"
    path.write_bytes(b"not a zip")
    result = assay("task", "import", path)
    assert result.exit_code == 1
    assert "is neither a folder nor a zip" in result.stderr


def test_macos_metadata_in_a_zip_is_ignored(assay: Assay, bundle: Path) -> None:
    def mac(archive: zipfile.ZipFile) -> None:
        archive.writestr("__MACOSX/small-task/._task.toml", b"\x00\x05\x16\x07")
        archive.writestr(".DS_Store", b"\x00\x00\x00\x01Bud1")

    assert assay("task", "import", pack(bundle, "small-task/", mac)).exit_code == 0


def test_zip_without_task_description_says_what_is_missing(assay: Assay, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "notes.txt").write_text("hello", encoding="utf-8")
    result = assay("task", "import", pack(tmp_path / "empty"))
    assert result.exit_code == 1
    assert "task.toml: there is no such file at the top of the bundle; `scorer bundle new" in result.stderr
    assert str(tmp_path) not in result.stderr
