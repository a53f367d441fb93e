"""Every example of a docstring runs."""

import doctest
import importlib
import pkgutil

import pytest

import scorer

MODULES = ["scorer", *(module.name for module in pkgutil.walk_packages(scorer.__path__, "scorer."))]


@pytest.mark.parametrize("name", [name for name in MODULES if not name.endswith("__main__")])
def test_module_examples_pass(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_each_metric_has_an_example() -> None:
    for name, metric in scorer.METRICS.items():
        assert ">>> " + name in (metric.function.__doc__ or "")
