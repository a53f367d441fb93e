"""What the help says about bundles: every key of `task.toml`, and the example bundles as zip files."""

from collections.abc import Mapping
from functools import cache
from io import BytesIO

from scorer.bundles import example_bundles, key_reference
from server.core.zips import write_members

EXAMPLES: Mapping[str, str] = example_bundles.EXAMPLES
KeySection = key_reference.KeySection


@cache
def list_key_sections() -> tuple[KeySection, ...]:
    """List every key of `task.toml`, as the scorer's reader describes it."""
    return key_reference.list_key_sections()


@cache
def zip_example(name: str) -> bytes:
    """Return an example bundle as a zip file, which always has the same bytes."""
    files = example_bundles.example_files(name)
    file = BytesIO()
    write_members(file, [(f"{name}/{path}", data) for path, data in files])
    return file.getvalue()
