"""Puts templates/ and migrations/, which stand at the top of the tree, into the wheel under server/."""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py


class BuildPy(build_py):
    """The packages, and beside them the folders that `server.core.config.find_package_folder` looks for."""

    def run(self) -> None:
        """Build, then copy."""
        super().run()
        if self.editable_mode:
            return
        for name in ("templates", "migrations"):
            ignore = shutil.ignore_patterns("__pycache__")
            target = Path(self.build_lib) / "server" / name
            shutil.copytree(Path(__file__).parent / name, target, ignore=ignore, dirs_exist_ok=True)


setup(cmdclass={"build_py": BuildPy})
