"""Folders that stand at the top of the tree, or in an installed wheel inside `server/`."""

from pathlib import Path


def beside(name: str) -> Path:
    """The folder `templates` or `migrations`, wherever this version has it."""
    inside = Path(__file__).parents[1] / name
    return inside if inside.is_dir() else Path(__file__).parents[2] / name
