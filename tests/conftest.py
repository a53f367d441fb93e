"""What every test may ask for."""

import gc
import os
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).parents[1]

settings.register_profile("ci", derandomize=True, deadline=None)
settings.register_profile("dev", deadline=None)
settings.load_profile("ci" if os.environ.get("CI") else "dev")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of other people's data, which is read in place and never copied into the project."""
    folder = Path(os.environ.get("ASSAY_SHARED", ROOT.parent / "shared"))
    if not (folder / "data" / "clss").is_dir():
        pytest.skip(
            f"missed: agreement with the official CLSS data and figures; none in {folder} (ASSAY_SHARED)"
        )
    return folder


def pytest_collection_finish() -> None:
    """Leave what was imported and collected out of every search for garbage: it stays until the end."""
    gc.collect()
    gc.freeze()
