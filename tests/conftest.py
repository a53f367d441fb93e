"""What every test may ask for."""

import gc
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROOT = Path(__file__).parents[1]

settings.register_profile("ci", derandomize=True, deadline=None, max_examples=50)
settings.register_profile("dev", deadline=None, max_examples=50)
settings.load_profile("ci" if os.environ.get("CI") else "dev")


gc.set_threshold(100_000, 50, 100)
"""Collected as often as Python does by itself, garbage costs a seventh of a run."""


def pytest_collection_finish() -> None:
    """What was imported stays, so nobody needs to look through it again."""
    gc.freeze()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the slow tests, so that at the end no process works on one while the others have none."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of other people's data, which is read in place and never copied into the project."""
    folder = Path(os.environ.get("ASSAY_SHARED", ROOT.parent / "shared"))
    if not (folder / "data" / "clss").is_dir():
        pytest.skip(
            f"missed: agreement with the official CLSS data and figures; none in {folder} (ASSAY_SHARED)"
        )
    return folder


@pytest.fixture(scope="session")
def chromium() -> "Iterator[Browser]":
    """Debian's Chromium as a headless shell, which draws the same pages with less than half the work."""
    executable = shutil.which("chromium-headless-shell")
    if executable is None:
        pytest.skip("missed: the pages in a real browser; apt-get install chromium-headless-shell")
    from playwright.sync_api import expect, sync_playwright  # noqa: PLC0415  (the scorer's tests are without)

    expect.set_options(timeout=60_000)  # a busy machine is slow, and no fault of a page
    with sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking"]
        browser = playwright.chromium.launch(executable_path=executable, args=arguments)
        yield browser
        browser.close()
