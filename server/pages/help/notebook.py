"""The examples for Python users, also as a notebook."""

import json
import tomllib
from pathlib import Path

_TEXT = Path(__file__).with_name("python_examples.toml").read_text(encoding="utf-8")
EXAMPLES = {name: str(text).rstrip() for name, text in tomllib.loads(_TEXT).items()}
"""Sessions of the interpreter, by name, in the order of the page. They use names of the ones before."""
OFFLINE = "data", "score", "errors", "compare", "board", "agree"
"""The examples that need no site."""


def build_notebook() -> str:
    """Return the examples that need no site as a notebook for Jupyter, without prompts and output."""
    rest: dict[str, object] = {"cell_type": "code", "metadata": {}, "execution_count": None, "outputs": []}
    sessions = (EXAMPLES[name].splitlines() for name in OFFLINE)
    codes = ([line[4:] for line in lines if line.startswith((">>> ", "... "))] for lines in sessions)
    cells = [{**rest, "source": "\n".join(code)} for code in codes]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    values = {"nbformat": 4, "nbformat_minor": 4, "metadata": {"kernelspec": kernel}, "cells": cells}
    return json.dumps(values, indent=1)
