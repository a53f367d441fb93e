"""The commands that pages of the site tell people to type, typed in a shell as they are written."""

import html
import os
import pty
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

BLOCK = re.compile(r'<pre class="command"><code>(.*?)</code></pre>', re.DOTALL)
ORDER = (
    "pip install",
    "scorer login",
    "scorer download",
    "scorer check",
    "scorer submit",
    "scorer status",
    "scorer receipt",
    "scorer standings",
    "scorer verify",
    "curl",
)
"""A command that begins with none of these stops the test: nobody has typed it yet."""


def commands_of(page: str, stands_for: Mapping[str, str]) -> list[str]:
    """What the page tells to type, its placeholders filled, in an order that works."""
    texts = [re.sub("</?span[^>]*>", "", block) for block in BLOCK.findall(page)]
    blocks = [html.unescape(text).replace("\\\n", "") for text in texts]
    lines = [line for block in blocks for line in block.splitlines()]
    for placeholder, meant in stands_for.items():
        assert any(re.search(rf"\b{placeholder}\b", line) for line in lines), placeholder
        lines = [re.sub(rf"\b{placeholder}\b", meant, line) for line in lines]
    return sorted(lines, key=lambda line: next(i for i, start in enumerate(ORDER) if line.startswith(start)))


def type_in(
    command: str, folder: Path, said: str, environment: Mapping[str, str], *, hidden: bool = False
) -> str:
    """Type a command into a terminal and answer what it asks; its output, once it ended well.

    What is typed without an echo comes through a pipe: a terminal forgets what was typed ahead of that.
    """
    ours, theirs = os.pipe()[::-1] if hidden else pty.openpty()
    try:
        os.write(ours, said.encode())
        done = subprocess.run(
            ["/bin/sh", "-c", command],
            cwd=folder,
            env=dict(environment),
            stdin=theirs,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
    finally:
        os.close(ours)
        os.close(theirs)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout
