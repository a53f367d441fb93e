"""Compiles a paper with the pdflatex of the machine."""

import os
import shutil
import subprocess
from pathlib import Path

from scorer.errors import RequestError

_INSTALL = "apt-get install texlive-latex-base texlive-latex-recommended texlive-fonts-recommended"
_SECONDS = 120
"""The longest time of one run of pdflatex."""


def require_pdflatex() -> None:
    """Raise RequestError if there is no pdflatex."""
    if shutil.which("pdflatex") is None:
        raise RequestError(f"--pdf needs pdflatex, which is not installed; on Debian: {_INSTALL}")


def compile_paper(folder: Path) -> None:
    """Make main.pdf from main.tex, twice with pdflatex, with BibTeX in between if there is a bibliography.

    Raises
    ------
    RequestError
        If LaTeX fails. The message has its first error; main.log has all.
    """
    latex = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "main.tex"]
    _run(latex, folder)
    if (folder / "systems.bib").stat().st_size:
        subprocess.run(["bibtex", "main"], cwd=folder, capture_output=True, timeout=_SECONDS, check=False)  # noqa: S607
        if not (folder / "main.bbl").stat().st_size:
            raise RequestError(
                f"BibTeX could not write the references of {folder / 'main.tex'}; see main.blg"
            )
        _run(latex, folder)
    _run(latex, folder)


def _run(command: list[str], folder: Path) -> None:
    dated = os.environ | {"SOURCE_DATE_EPOCH": "0"}
    done = subprocess.run(  # noqa: S603
        command, cwd=folder, capture_output=True, timeout=_SECONDS, check=False, env=dated
    )
    if done.returncode:
        lines = done.stdout.decode(errors="replace").splitlines()
        fault = next((line for line in lines if line.startswith("!")), "it stopped without an error")
        raise RequestError(f"LaTeX could not set {folder / 'main.tex'}: {fault}; see main.log")
