"""The package as a whole: version, public names, what it imports."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import scorer

ROOT = Path(__file__).parents[2]


def test_the_distribution_takes_its_version_from_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["project"]["dynamic"] == ["version"]
    assert project["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "scorer._version.__version__"}
    assert scorer.__version__.count(".") == 2


def test_every_public_name_exists_and_has_a_docstring() -> None:
    for name in scorer.__all__:
        value = getattr(scorer, name)
        assert name in ("METRICS", "__version__") or value.__doc__
    assert callable(scorer.evaluate)


def test_importing_needs_only_the_standard_library_and_click() -> None:
    code = (
        "import sys; start = set(sys.modules)\n"
        "import scorer, scorer.reports.scores, scorer.cli.score, scorer.cli.check\n"
        "tops = {name.partition('.')[0] for name in set(sys.modules) - start}\n"
        "print(*sorted(tops - sys.stdlib_module_names - {'scorer', 'click'}))\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", code]
    found = subprocess.run(command, env=environment, capture_output=True, check=True, text=True)
    assert found.stdout == "\n"


def test_no_pattern_repeats_a_group_for_good() -> None:
    """Python before 3.11.5, such as Debian 12's, then misses matches, or finds wrong ones."""
    for_good = re.compile(r"\)(?:[*+?]|\{\{?\d*,?\d*\}\}?)\+|\(\?>")
    found = [
        f"{path.relative_to(ROOT)}:{number}"
        for package in ("scorer", "server")
        for path in sorted((ROOT / package).rglob("*.py"))
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if for_good.search(line)
    ]
    assert found == []
