"""The `assay` command, run in the test's process on the test's site."""

import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from click.testing import CliRunner, Result

from server.cli.__main__ import main as assay_command
from server.core.config import Config

Assay = Callable[..., Result]
"""Runs the `assay` command as the operator does, with settings from the environment."""


@pytest.fixture
def assay(config: Config, monkeypatch: pytest.MonkeyPatch) -> Iterator[Assay]:
    """The command on the test's site, which is empty where the test has no world."""
    for name in [name for name in os.environ if name.startswith("ASSAY_") or name == "DATABASE_URL"]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("ASSAY_SECRET_KEY", config.secret_key)
    monkeypatch.setenv("ASSAY_DATA_DIR", str(config.data_dir))
    monkeypatch.setenv("ASSAY_DATABASE_URL", config.database_url)
    monkeypatch.setenv("ASSAY_TESTING", "true")

    def run(*arguments: object, **options: Any) -> Result:
        return CliRunner().invoke(assay_command, [str(argument) for argument in arguments], **options)

    before = os.umask(0o077)  # as `assay` has it as a process
    yield run
    os.umask(before)
