"""Whether each bit turned in a receipt is found by `scorer verify`.

Run it as `python tests/bench/bench_flips_receipt.py [FLIPS]`: bits drawn at random, one a receipt. Exit 1 if
one is missed, or ends in anything but a sentence.
"""

import sys
from collections import Counter
from pathlib import Path
from time import perf_counter

from click.testing import CliRunner, Result

sys.path.insert(0, str(Path(__file__).parents[2]))

from scorer.cli.__main__ import cli
from tests.bench.flips import flipped
from tests.scorer.small_receipt import receipt


def outcome(result: Result) -> str:
    """What the command made of a receipt with a turned bit."""
    if not isinstance(result.exception, SystemExit | None):
        return "missed: a traceback"
    if result.exit_code == 1 and ("FAILED" in result.stdout or result.stderr.startswith("<stdin>")):
        return "found"
    if result.exit_code == 0 and "open: The signature does not cover the layout of the file" in result.stdout:
        return "said not to be covered"
    return "missed"


def main() -> None:
    """Turn bits, and count what became of each."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    start, found = perf_counter(), Counter[str]()
    for _, data in flipped(receipt(), count, seed=7):
        found[outcome(CliRunner().invoke(cli, ["verify", "-"], input=data))] += 1
    print(f"{count} bits turned in a receipt, {perf_counter() - start:.1f} s")
    for name, times in sorted(found.items()):
        print(f"{times:6} {name}")
    sys.exit(any(name.startswith("missed") for name in found))


if __name__ == "__main__":
    main()
