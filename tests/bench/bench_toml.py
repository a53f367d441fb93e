"""What a hostile `task.toml` costs: mutated files through the reader of bundles, and through plain `tomllib`.

Run it as `python tests/bench/bench_toml.py [FILES]`. Each file is read in a process of its own, which may
take 1 GB and 10 seconds. Exit 1 if the reader ends one with anything but a bundle or a BundleError, or takes
more than 5 seconds or more than 200 MB.
"""

import os
import resource
import signal
import sys
import time
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[2]))

from scorer.bundles.reader import read_bundle
from scorer.errors import BundleError
from tests.scorer.small_bundle import TASK, write_bundle
from tests.scorer.toml_mutations import mutated, write_named_files

ROOT = Path(__file__).parents[2]
MEMORY, SECONDS = 1 << 30, 10
MOST_MEMORY, MOST_SECONDS = 200, 5.0
READ, REFUSED, CRASHED = "read", "refused", "crashed"
_CODES = {0: READ, 1: REFUSED, 2: CRASHED}


@dataclass
class Costs:
    """What became of the files of one reader, and the most that one of them took."""

    outcomes: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    megabytes: float = 0.0

    def note(self, outcome: str, seconds: float, megabytes: float) -> None:
        self.outcomes[outcome] += 1
        self.seconds, self.megabytes = max(self.seconds, seconds), max(self.megabytes, megabytes)


def measure(
    read: Callable[[Path], object], rejection: type[Exception], folder: Path
) -> tuple[str, float, float]:
    """Read the file in a child: what became of it, its seconds, and the megabytes that it took."""
    start = time.perf_counter()
    child = os.fork()
    if child == 0:
        os._exit(_code(read, rejection, folder))
    _pid, status, used = os.wait4(child, 0)
    seconds = time.perf_counter() - start
    code = os.waitstatus_to_exitcode(status)
    outcome = _CODES[code] if code >= 0 else f"killed by {signal.Signals(-code).name}"
    return outcome, seconds, used.ru_maxrss / 1024


def _code(read: Callable[[Path], object], rejection: type[Exception], folder: Path) -> int:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    signal.alarm(SECONDS)
    try:
        read(folder)
    except rejection:
        return 1
    except BaseException:
        return 2
    return 0


def plain(folder: Path) -> object:
    """The rival: the standard library alone."""
    return tomllib.loads((folder / "task.toml").read_bytes().decode(errors="replace"))


def run(files: Iterable[bytes], folder: Path) -> dict[str, Costs]:
    """The costs of both readers."""
    costs = {"scorer": Costs(), "tomllib": Costs()}
    for data in files:
        (folder / "task.toml").write_bytes(data)
        costs["scorer"].note(*measure(read_bundle, BundleError, folder))
        costs["tomllib"].note(*measure(plain, tomllib.TOMLDecodeError, folder))
    return costs


def main() -> int:
    """Print the figures of both; whether the reader of bundles kept to its limits."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    valid = [TASK.encode(), *(path.read_bytes() for path in sorted((ROOT / "deploy/tasks").glob("*.toml")))]
    with TemporaryDirectory() as name:
        folder = write_bundle(Path(name))
        write_named_files(folder, valid)
        costs = run(mutated(valid, count, seed=1), folder)
    print(f"{count} mutated task.toml files, of {len(valid)} valid ones")
    for reader, cost in costs.items():
        said = ", ".join(f"{outcome} {times}" for outcome, times in cost.outcomes.most_common())
        print(f"  {reader:8} {said}; at most {cost.seconds:.2f} s and {cost.megabytes:.0f} MB")
    ours = costs["scorer"]
    kept = {*ours.outcomes} <= {READ, REFUSED}
    return 0 if kept and ours.seconds <= MOST_SECONDS and ours.megabytes <= MOST_MEMORY else 1


if __name__ == "__main__":
    sys.exit(main())
