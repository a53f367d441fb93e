"""What looks at the records of one history: notes what is wrong, each problem with its place."""

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path

from scorer.bundles.bundle import Bundle
from server.bundles.history import SOURCE
from server.bundles.records import TaskHistory
from server.core.errors import BadLine


class CheckedRows:
    """One history beside its bundle; what is wrong with it goes to `problems`."""

    def __init__(self, bundle: Bundle, history: TaskHistory, problems: list[BadLine]) -> None:
        self.bundle = bundle
        self.history = history
        self.problems = problems
        self.phases = {phase.slug: phase for phase in bundle.phases}
        self.levels = {level.slug: level for level in bundle.levels}
        self.runs = {run.id: run for run in history.runs}
        self.teams = {team.name for team in history.teams}

    def refuse(self, where: str, message: str) -> None:
        """Note a problem of one record."""
        self.problems.append(BadLine(SOURCE, None, "bad_history", f"{where}: {message}"))

    def read(self, where: str, file: str | None, sha256: str | None) -> bytes | None:
        """A file of the bundle, if it is the one whose hash the record has."""
        path = self.bundle.folder / (file or "")
        root = self.bundle.folder.resolve()
        if not file or Path(file).is_absolute() or not path.resolve().is_relative_to(root):
            self.refuse(where, f'"{file}" lies outside the bundle')
        elif not _is_file(path):
            self.refuse(where, f'there is no file "{file}" in the bundle')
        elif hashlib.sha256(data := path.read_bytes()).hexdigest() != sha256:
            self.refuse(where, f'"{file}" is not the file that was exported: its SHA-256 differs')
        else:
            return data
        return None

    def once(self, where: str, keys: Iterable[object]) -> None:
        """Refuse what stands there a second time."""
        seen: set[object] = set()
        for number, key in enumerate(keys):
            if key in seen:
                self.refuse(f"{where}[{number}]", "stands there twice")
            seen.add(key)

    def counted(self, where: str, numbers: Sequence[int]) -> None:
        """Refuse numbers that do not count from one."""
        if list(numbers) != list(range(1, len(numbers) + 1)):
            self.refuse(where, "its numbers must be 1, 2, 3 and so on, in this order")

    def plain_name(self, where: str, name: str) -> None:
        """Refuse a name that no page could show."""
        odd = not all(
            char.isprintable() or char in "\u200c\u200d" for char in name
        )  # joiners are letters' own
        if odd or not name or name != " ".join(name.split()) or "/" in name or "\\" in name:
            self.refuse(where, "must be a name of one line, without controls, slashes and doubled blanks")


def _is_file(path: Path) -> bool:
    """Whether there is such a file; none has a name longer than names can be."""
    try:
        return path.is_file()
    except OSError:
        return False
