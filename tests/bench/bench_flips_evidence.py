"""Whether each bit turned in the evidence of a release, packed and unpacked, is found by `scorer verify`.

Run it as `python tests/bench/bench_flips_evidence.py [FLIPS]`. Exit 1 if one is missed, or ends in a
traceback. A bit of a zip that changes none of its files (dates, attributes) counts as not covered only if the
command says so, and says all else as before.
"""

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from click.testing import CliRunner, Result

sys.path.insert(0, str(Path(__file__).parents[2]))

from scorer.cli.__main__ import cli
from tests.bench.flips import flipped
from tests.scorer.small_evidence import packed, write_evidence

PACKING = "open: The evidence does not prove how the zip file is packed"
LAYOUT = "open: The signature does not cover the layout of evidence.json"


def verify(path: Path) -> Result:
    """The command, without what takes long: a changed inference.json is found by its hash."""
    return CliRunner().invoke(cli, ["verify", str(path), "--no-inference"])


def judge(found: Result, whole: Sequence[str] = ()) -> str:
    """What became of one bit."""
    if found.exception is not None and not isinstance(found.exception, SystemExit):
        return "traceback"
    if found.exit_code == 1 and found.output.strip():
        return "found"
    if LAYOUT in found.stdout or (PACKING in found.stdout and found.stdout.splitlines()[1:] == whole):
        return "said not to be covered"
    return "missed"


def in_zip(folder: Path, count: int) -> Iterator[str]:
    """Bits anywhere in the zip."""
    target = packed(folder)
    whole = verify(target).stdout.splitlines()[1:]
    for _, data in flipped(target.read_bytes(), count, seed=1):
        target.write_bytes(data)
        yield judge(verify(target), whole)


def in_files(folder: Path, count: int) -> Iterator[str]:
    """Bits of the files of the folder, as often as a file is long."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    joined = b"".join(path.read_bytes() for path in paths)
    for bit, _ in flipped(joined, count, seed=2):
        at, path = bit // 8, paths[0]
        for path in paths:
            if at < path.stat().st_size:
                break
            at -= path.stat().st_size
        before = path.read_bytes()
        turned = bytearray(before)
        turned[at] ^= 1 << (bit % 8)
        path.write_bytes(turned)
        yield judge(verify(folder))
        path.write_bytes(before)


def main() -> None:
    """Turn bits, and count what became of each."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    missed = False
    ways: tuple[tuple[str, Callable[[Path, int], Iterator[str]]], ...] = (
        ("a zip", in_zip),
        ("the files of a folder", in_files),
    )
    for name, way in ways:
        with TemporaryDirectory() as temporary:
            folder = write_evidence(Path(temporary) / "evidence", inference=True)
            start, found = time.perf_counter(), Counter(way(folder, count))
            print(f"{count} bits turned in {name}, {time.perf_counter() - start:.1f} s")
            for what, times in sorted(found.items()):
                print(f"{times:6} {what}")
                missed = missed or what in ("missed", "traceback")
    sys.exit(missed)


if __name__ == "__main__":
    main()
