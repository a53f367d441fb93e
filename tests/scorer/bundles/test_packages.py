"""Zipped bundles: the same board as from the folder, and a message for each that is rejected."""

import random
import stat
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from scorer.bundles.reader import read_bundle
from scorer.bundles.recompute import Recomputation
from scorer.bundles.zip_members import ZipLimits
from scorer.bundles.zips import open_folder_or_zip, unpack_zip
from scorer.cli.__main__ import cli
from scorer.errors import BundleError
from tests.scorer.small_bundle import TASK, write_bundle


def board(path: Path) -> Result:
    return CliRunner().invoke(cli, ["board", str(path), "--format", "json"])


def packed(folder: Path, top: str = "small/") -> Path:
    target = folder.with_suffix(".zip")
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.rglob("*.*")):
            name = top + path.relative_to(folder).as_posix()
            archive.write(path, name.replace("/", "\\") if "\\" in top else name)
    return target


def with_member(target: Path, name: str, data: bytes = b"", mode: int = stat.S_IFREG) -> Path:
    """The zip with one more member, of any name and kind."""
    info = zipfile.ZipInfo("placeholder")
    info.filename, info.external_attr = name, mode << 16
    with zipfile.ZipFile(target, "a") as archive:
        archive.writestr(info, data)
    return target


@pytest.mark.parametrize("top", ["", "small/", "small\\"])
def test_zip_gives_the_same_board_as_its_folder(tmp_path: Path, top: str) -> None:
    folder = write_bundle(tmp_path / "bundle")
    target = packed(folder, top)
    for clutter in ("__MACOSX/._task.toml", f"{top}runs/ash/__MACOSX/p2s.tsv"):
        with_member(target, clutter, b"clutter")
    found = board(target)
    assert (found.exit_code, found.stdout) == (0, board(folder).stdout)


@pytest.mark.parametrize(
    ("name", "mode", "words"),
    [
        ("../out.tsv", stat.S_IFREG, 'leads outside: ".." is in its name'),
        ("/etc/out.tsv", stat.S_IFREG, "leads outside: its name begins with a slash"),
        ("C:/out.tsv", stat.S_IFREG, "leads outside: its name begins with a drive"),
        ("..\\out.tsv", stat.S_IFREG, 'leads outside: ".." is in its name'),
        ("\\\\host\\out.tsv", stat.S_IFREG, "leads outside: its name begins with a slash"),
        ("small\\task.toml", stat.S_IFREG, "is in the zip twice"),
        ("small\\TASK.toml", stat.S_IFREG, 'is the same file as "small/task.toml" on some disks'),
        ("small/TASK.toml", stat.S_IFREG, 'is the same file as "small/task.toml" on some disks'),
        ("small/link", stat.S_IFLNK, "is a link; put the file itself there"),
        ("small/" + "d/" * 12 + "f", stat.S_IFREG, "is more than 12 folders deep"),
    ],
)
def test_harmful_members_are_rejected_by_name(tmp_path: Path, name: str, mode: int, words: str) -> None:
    found = board(with_member(packed(write_bundle(tmp_path / "bundle")), name, b"x", mode))
    assert (found.exit_code, found.stdout) == (1, "")
    path = name.replace("\\", "/")
    assert f"bundle.zip/{path}: {words}" in found.stderr
    assert not (tmp_path.parent / "out.tsv").exists()


def test_every_invalid_member_is_named(tmp_path: Path) -> None:
    target = with_member(packed(write_bundle(tmp_path / "bundle")), "../out.tsv")
    found = board(with_member(target, "small/link", mode=stat.S_IFLNK))
    assert [line.partition(":")[0] for line in found.stderr.splitlines()[-2:]] == [
        "bundle.zip/../out.tsv",
        "bundle.zip/small/link",
    ]


def test_damaged_zip_gives_a_message_and_never_a_traceback(tmp_path: Path) -> None:
    target = packed(write_bundle(tmp_path / "bundle"))
    data, draw = target.read_bytes(), random.Random(1)  # noqa: S311  (damage, not secrets)
    cut = [data[:n] for n in range(4, len(data), 97)]
    holes = [data[:n] + draw.randbytes(4) + data[n + 4 :] for n in draw.sample(range(4, len(data) - 4), 60)]
    for spoilt in [*cut, *holes]:
        target.write_bytes(spoilt)
        found = board(target)
        assert found.exception is None or isinstance(found.exception, SystemExit), found.exception
        assert found.exit_code == 0 or found.stderr.strip()


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        (ZipLimits(unpacked=2 << 20), "unpacks to more than 100000 files or 2 MB"),
        (ZipLimits(members=3), "unpacks to more than 3 files"),
        (ZipLimits(directory=100), "has more than 100000 files"),
    ],
)
def test_too_large_zip_is_rejected_as_a_whole(tmp_path: Path, limits: ZipLimits, words: str) -> None:
    target = with_member(packed(write_bundle(tmp_path / "bundle")), "small/zeros", bytes(3 << 20))
    with pytest.raises(BundleError, match=f"bundle.zip: {words}"), unpack_zip(target, target.name, limits):
        pytest.fail("unpacked")


def test_folder_in_a_zip_is_the_bundle_only_if_nothing_is_beside_it(tmp_path: Path) -> None:
    target = packed(write_bundle(tmp_path / "bundle"))
    with open_folder_or_zip(target) as folder:
        assert folder.name == "small"
    with open_folder_or_zip(with_member(target, "other.txt")) as folder:
        assert {path.name for path in folder.iterdir()} == {"small", "other.txt"}


def test_zip_of_zero_bytes_is_rejected_before_extraction(tmp_path: Path) -> None:
    target = packed(write_bundle(tmp_path / "bundle"))
    with zipfile.ZipFile(target, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("small/noughts", bytes(3 << 20))
    found = board(target)
    assert (found.exit_code, "small/noughts: unpacks to more than 200 times" in found.stderr) == (1, True)


def test_baseline_with_a_file_is_read_and_not_computed(tmp_path: Path) -> None:
    plain = write_bundle(tmp_path / "plain")
    bundle = read_bundle(plain)
    lcs = Recomputation(bundle, "test").baseline("lcs", bundle.levels[0])
    text = TASK.replace('baseline = "lcs"\n', 'baseline = "lcs"\nfiles = { p2s = "lcs.p2s.tsv" }\n')
    folder = write_bundle(tmp_path / "filed", text)
    (folder / "lcs.p2s.tsv").write_text(lcs, encoding="utf-8")
    assert board(folder).stdout == board(plain).stdout
    (folder / "lcs.p2s.tsv").write_text("4\n1\n0\n", encoding="utf-8")
    changed = board(folder)
    assert changed.exit_code == 0
    assert changed.stdout != board(plain).stdout


def test_a_baseline_is_never_late(tmp_path: Path) -> None:
    text = TASK.replace('baseline = "lcs"\n', 'baseline = "lcs"\nlate_files = { p2s = "gold.tsv" }\n')
    found = board(write_bundle(tmp_path, text))
    assert found.exit_code == 1
    assert "run[LCS].late: a baseline is never late; leave it out" in found.stderr
