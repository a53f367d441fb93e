"""Hostile and damaged zips: each is rejected before extraction, and the invalid members are named.

The unpacker is the scorer's; these hold what it finds, in the site's sentences and under its limits.
"""

import stat
import struct
import tracemalloc
import warnings
import zipfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest

from scorer.bundles.zip_members import ZipLimits
from server.core.errors import InvalidFile
from server.core.zips import unpacked, write_zip

Fill = Callable[[zipfile.ZipFile], None]
LIMITS = ZipLimits(members=20, unpacked=4_000_000, directory=2_000, depth=4)
SHORT = "This zip file is truncated or damaged. Create it again."
SPOILT = "The zip is damaged; download it again, or create it again."


def zipped(fill: Fill, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    file = BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        archive.writestr("task.toml", "[task]\n")
        fill(archive)
    return file.getvalue()


def member(name: str, mode: int = stat.S_IFREG | 0o644, data: bytes = b"x") -> Fill:
    def fill(archive: zipfile.ZipFile) -> None:
        info = zipfile.ZipInfo("placeholder")
        info.filename = info.orig_filename = name
        info.create_system = 3
        info.compress_type = zipfile.ZIP_DEFLATED
        info.external_attr = mode << 16
        archive.writestr(info, data)

    return fill


def several(*fills: Fill) -> Fill:
    def fill(archive: zipfile.ZipFile) -> None:
        with warnings.catch_warnings(action="ignore"):  # zipfile says of a second one that it is one
            for one in fills:
                one(archive)

    return fill


def rejection(data: bytes, limits: ZipLimits = LIMITS) -> InvalidFile:
    """The error for a zip, of which nothing was left in the folder for temporary files."""
    with pytest.raises(InvalidFile) as refused, unpacked(BytesIO(data), limits) as folder:
        pytest.fail(f"unpacked: {sorted(folder.rglob('*'))}")
    return refused.value


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    return folder


NAMES = {
    "parent": ("../outside", "leads outside"),
    "inner parent": ("runs/../../outside", "leads outside"),
    "absolute": ("/outside", "leads outside"),
    "drive": ("C:/outside", "leads outside"),
    "drive and backslash": ("C:\\outside", "leads outside"),
    "drive alone": ("c:outside", "leads outside"),
    "stream": ("gold.tsv:other", "has a colon in its name"),
    "backslash": ("..\\outside", "leads outside"),
    "host": ("\\\\host\\share\\outside", "leads outside"),
    "double slash": ("runs//outside", "has an empty folder name"),
    "dot": ("./outside", "has an empty folder name, or a dot"),
    "escape": ("run\x1b[2Js.tsv", "invisible characters"),
    "turned": ("gold\u202evst.tsv", "invisible characters"),
    "newline": ("a\nb", "invisible characters"),
    "long part": ("a" * 201, "has a name that is too long"),
    "long path": ("/".join(["b" * 190] * 3), "has a name that is too long"),
    "deep": ("a/b/c/d/e", "is more than 4 folders deep"),
}


@pytest.mark.parametrize(("name", "message"), NAMES.values(), ids=NAMES)
def test_member_name_that_is_not_a_plain_relative_path_is_rejected(
    temporary: Path, name: str, message: str
) -> None:
    refused = rejection(zipped(member(name)))
    (problem,) = refused.problems
    assert message in problem.message
    assert str(problem).isprintable()
    assert refused.message == "The zip file has 1 problem. Fix it, create the zip again and upload it."
    assert list(temporary.iterdir()) == []
    assert not list(temporary.parent.rglob("outside"))


KINDS = {
    "link": (stat.S_IFLNK, "is a link"),
    "device": (stat.S_IFCHR, "is a device"),
    "disk": (stat.S_IFBLK, "is a device"),
    "pipe": (stat.S_IFIFO, "is a device"),
    "socket": (stat.S_IFSOCK, "is a device"),
    "folder": (stat.S_IFDIR, "is a folder without a slash"),
}


@pytest.mark.parametrize(("kind", "message"), KINDS.values(), ids=KINDS)
def test_only_regular_files_are_accepted(kind: int, message: str) -> None:
    (problem,) = rejection(zipped(member("gold.tsv", kind | 0o777, b"/etc/passwd"))).problems
    assert (problem.source, message in problem.message) == ("gold.tsv", True)


def test_symlink_through_a_symlink_cannot_leave_the_folder() -> None:
    """A link to a folder, and a file "in" it: neither is unpacked."""
    fill = several(member("out", stat.S_IFLNK | 0o777, b"/tmp"), member("out/inner"))
    assert {problem.source for problem in rejection(zipped(fill)).problems} == {"out"}


TWINS = {
    "twice": ("gold.tsv", "gold.tsv", "is in the zip twice"),
    "one letter, twice": ("b", "b", "is in the zip twice"),
    "case": ("gold.tsv", "Gold.TSV", 'is the same file as "gold.tsv" on some disks'),
    "normal form": ("\u00e9.tsv", "e\u0301.tsv", 'is the same file as "\u00e9.tsv" on some disks'),
    "folder case": ("runs/a.tsv", "Runs/b.tsv", 'lies in a folder that is the same as "runs" on some disks'),
    "file and folder": ("odd", "odd/inner", "is a file and a folder"),
    "the description": ("TASK.toml", "other", 'is the same file as "task.toml" on some disks'),
}


@pytest.mark.parametrize(("one", "other", "message"), TWINS.values(), ids=TWINS)
def test_members_that_collide_on_some_file_system_are_rejected(one: str, other: str, message: str) -> None:
    refused = rejection(zipped(several(member(one), member(other))))
    assert [(problem.code, problem.message) for problem in refused.problems] == [("twins", message)]


def test_every_invalid_member_is_named() -> None:
    noughts = bytes(3_000_000)
    fill = several(member("../a"), member("good"), member("b", stat.S_IFLNK), member("c:\\d", data=noughts))
    refused = rejection(zipped(fill))
    assert [(problem.source, problem.code) for problem in refused.problems] == [
        ("../a", "outside"),
        ("b", "no_file"),
        ("c:/d", "outside"),
        ("c:/d", "bomb"),
    ]
    assert refused.message == "The zip file has 4 problems. Fix them, create the zip again and upload it."


def test_hundred_problems_are_shown_and_all_are_counted() -> None:
    fill = several(*(member(f"../{number}") for number in range(130)))
    refused = rejection(zipped(fill), ZipLimits())
    assert (len(refused.problems), refused.count) == (100, 130)


# What it unpacks to


def test_too_many_files_are_rejected() -> None:
    fill = several(*(member(str(number)) for number in range(20)))
    assert "more than 20 files" in rejection(zipped(fill)).message
    with unpacked(BytesIO(zipped(several(*(member(str(number)) for number in range(19))))), LIMITS) as folder:
        assert len(list(folder.iterdir())) == 20


def test_too_many_bytes_are_rejected() -> None:
    fill = several(*(member(str(number), data=bytes(range(256)) * 4000) for number in range(4)))
    assert "or 3 MB" in rejection(zipped(fill)).message


def test_member_with_an_extreme_compression_ratio_is_rejected() -> None:
    data = zipped(member("bomb", data=b"0" * 3_000_000))
    assert len(data) < 10_000
    (problem,) = rejection(data).problems
    assert problem.message == "unpacks to more than 200 times its size"


def test_too_long_central_directory_is_not_read() -> None:
    fill = several(*(member(f"{number:0100}") for number in range(16)))
    assert "has more than 20 files" in rejection(zipped(fill)).message


def patched(data: bytes, signature: bytes, at: int, value: bytes) -> bytes:
    """The zip with a field of its last header of this kind changed."""
    start = data.rindex(signature) + at
    return data[:start] + value + data[start + len(value) :]


LOCAL, CENTRAL, END = b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06"


def test_understated_member_size_is_detected(temporary: Path) -> None:
    """It declares ten bytes and contains two million: only ten are read, and the checksum fails."""
    data = zipped(member("liar", data=bytes(range(256)) * 8000))
    lying = patched(data, CENTRAL, 24, struct.pack("<I", 10))
    assert rejection(lying).message == SPOILT
    assert list(temporary.iterdir()) == []


def test_overstated_member_size_is_rejected_before_extraction() -> None:
    data = patched(zipped(member("liar")), CENTRAL, 24, struct.pack("<I", 1 << 30))
    assert "or 3 MB" in rejection(data).message


def test_overlapping_members_are_rejected() -> None:
    """The better bombs let every member point to one kernel."""
    fill = several(member("one", data=bytes(range(256))), member("two", data=bytes(range(256))))
    data = zipped(fill)
    first = data.index(LOCAL, 4)
    assert rejection(patched(data, CENTRAL, 42, struct.pack("<I", first))).message == SPOILT


def test_nested_end_record_does_not_hide_the_size_of_the_central_directory() -> None:
    """A reader that searches for the last end record finds another size than Python does."""
    fill = several(*(member(f"{number:0100}") for number in range(16)))
    data = zipped(fill)
    assert rejection(patched(data, END, 6, END)).message == SHORT


def test_zip64_is_rejected() -> None:
    data = zipped(member("gold.tsv"))
    at = data.rindex(END)
    data = data[:at] + struct.pack("<4sIQI", b"PK\x06\x07", 0, 0, 1) + data[at:]
    assert "(zip64)" in rejection(data).message


# What is spoilt or odd


def every(data: bytes, change: Callable[[bytearray, int, bool], None]) -> bytes:
    """The zip with each header of a member changed: the local ones, and those of the list."""
    out = bytearray(data)
    for signature in (LOCAL, CENTRAL):
        at = out.find(signature)
        while at >= 0:
            change(out, at, signature == LOCAL)
            at = out.find(signature, at + 4)
    return bytes(out)


def encrypt(out: bytearray, at: int, local: bool) -> None:
    out[at + (6 if local else 8)] |= 1


def pack_oddly(out: bytearray, at: int, local: bool) -> None:
    struct.pack_into("<H", out, at + (8 if local else 10), 97)


def say_no_utf8(out: bytearray, at: int, local: bool) -> None:
    out[at + (7 if local else 9)] &= ~0x08


def test_encrypted_zip_is_rejected() -> None:
    refused = rejection(every(zipped(member("gold.tsv")), encrypt))
    assert {problem.code for problem in refused.problems} == {"encrypted"}


def test_unknown_compression_method_is_rejected() -> None:
    refused = rejection(every(zipped(member("gold.tsv")), pack_oddly))
    assert {problem.code for problem in refused.problems} == {"bad_method"}


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_member_that_cannot_be_decompressed_in_chunks_is_rejected(method: int) -> None:
    (problem, _) = rejection(zipped(lambda archive: archive.writestr("gold.tsv", "1\n"), method)).problems
    assert (
        problem.message
        == "is compressed with an unsupported method; create the zip again with the usual method, deflate"
    )


def test_small_bzip2_member_cannot_use_much_memory() -> None:
    """It says ten bytes, and would be fifty million in one piece."""
    data = zipped(lambda archive: archive.writestr("liar", bytes(50_000_000)), zipfile.ZIP_BZIP2)
    lying = patched(data, CENTRAL, 24, struct.pack("<I", 10))
    tracemalloc.start()
    try:
        assert {problem.code for problem in rejection(lying).problems} == {"bad_method"}
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()


def test_utf8_names_without_the_utf8_flag_are_read_as_utf8() -> None:
    data = every(zipped(member("straße/märchen.tsv")), say_no_utf8)
    with unpacked(BytesIO(data), LIMITS) as folder:
        assert (folder / "straße" / "märchen.tsv").read_bytes() == b"x"


def test_names_in_an_unknown_encoding_are_rejected() -> None:
    data = every(zipped(member("märz.tsv")), say_no_utf8).replace("märz".encode(), b"m\xe4\xe4rz")
    (problem,) = rejection(data).problems
    assert "unknown encoding; use UTF-8" in problem.message


def test_names_flagged_as_utf8_with_invalid_bytes_are_rejected() -> None:
    data = zipped(member("märz.tsv")).replace("märz".encode(), b"m\xe4\xe4rz")
    assert rejection(data).message == "The zip has names that are not UTF-8; create the zip again."


def test_name_with_a_null_character_is_rejected() -> None:
    data = zipped(member("gold.tsv")).replace(b"gold.tsv", b"gold\0tsv")
    assert "invisible characters" in rejection(data).problems[0].message


def test_name_that_differs_between_directory_and_member_header_is_rejected() -> None:
    data = patched(zipped(member("gold.tsv")), CENTRAL, 46, b"cold.tsv")
    assert rejection(data).message == SPOILT


@pytest.mark.parametrize("data", [b"PK", b"not a zip" * 100, b"PK\x05\x06" + b"\0" * 4])
def test_file_that_is_not_a_zip_is_rejected(data: bytes) -> None:
    assert rejection(data).message == (SHORT if data.startswith(b"PK") else "This is not a zip file.")
    assert rejection(b"").message == "This file is empty. Create the zip again."


@pytest.mark.parametrize("cut", [10, 60, 120])
def test_truncated_zip_is_rejected(cut: int) -> None:
    data = zipped(member("gold.tsv", data=bytes(range(256)) * 4))
    assert rejection(data[:-cut]).message in (SHORT, SPOILT)


def test_corrupted_bytes_are_detected() -> None:
    data = bytearray(zipped(member("gold.tsv", data=bytes(range(256)) * 4)))
    at = data.index(b"gold.tsv") + 40
    data[at : at + 20] = b"\xff" * 20
    assert rejection(bytes(data)).message == SPOILT


# What is good


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_common_compression_methods_are_accepted(method: int, temporary: Path) -> None:
    def fill(archive: zipfile.ZipFile) -> None:
        archive.writestr("data/items.tsv", "a\tb\tx-1\n")

    with unpacked(BytesIO(zipped(fill, method)), LIMITS) as folder:
        assert (folder / "data" / "items.tsv").read_text(encoding="utf-8") == "a\tb\tx-1\n"
    assert list(temporary.iterdir()) == []


def test_executable_permission_is_not_restored() -> None:
    with unpacked(BytesIO(zipped(member("run.sh", stat.S_IFREG | 0o4777))), LIMITS) as folder:
        assert (folder / "run.sh").stat().st_mode & 0o7111 == 0


def test_zip_has_the_same_bytes_for_any_order_of_files() -> None:
    files = [("b.tsv", lambda: b"2"), ("a/c.tsv", lambda: b"1")]
    packed = []
    for order in (files, files[::-1]):
        file = BytesIO()
        write_zip(file, "task", order)
        packed.append(file.getvalue())
    assert packed[0] == packed[1]
    with unpacked(BytesIO(packed[0]), LIMITS) as folder:
        assert (folder / "a" / "c.tsv").read_bytes() == b"1"
