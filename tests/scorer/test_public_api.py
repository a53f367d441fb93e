import subprocess
import sys

import scorer


def test_an_unknown_name_is_an_attribute_error() -> None:
    assert not hasattr(scorer, "no_such_name")


def test_scoring_does_not_load_board_modules() -> None:
    program = "import sys, scorer; print([name for name in sys.modules if name in %r])"
    seldom = ["scorer.boards.board", "scorer.bundles.bundle", "scorer.baselines", "tomllib", "json", "csv"]
    done = subprocess.run(
        [sys.executable, "-c", program % seldom], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
