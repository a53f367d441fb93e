"""Invented packages in the field's own formats: what each of `deploy/tasks/` names, with texts of our own."""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TASKS = Path(__file__).parents[1] / "deploy" / "tasks"
PACKAGES = (
    "sick-2014",
    "sts-2012",
    "sts-2013",
    "sts-2014",
    "sts-2015",
    "sts-2016",
    "sts-2017",
    "semrel-2024",
)
FAMILIES = ("sick-2014", "sts-2015", "semrel-2024")
"""One of each format."""
TEXTS = (
    ("the ferry waits for no one", 'the "ferry" waits, for us'),
    ("a lamp is burning", "nobody had seen the lamp"),
    ("bread is sold from seven", "bread, salt and dark ale"),
    ("the boat came in before the storm", "the storm; the boat"),
    ("two gulls on a mast", "gulls on masts"),
    ("shoes and ships", "a harbour without ships"),
)
SHARES = (0.875, 0.25, 0.5, 0.75, 1.0, 0.0)
"""Gold as a share of the scale; every number of it is exact."""
EMPTY = 3
"""The item of aligned gold that is not scored."""
GOOD = ((0.5, 0.125, 0.25, 0.625, 0.75, 0.375), (0.125, 0.5, 0.375, 0.25, 0.875, 0.75))
"""Two runs as shares of the scale."""
IDS = ("4", "12", "7", "103", "58", "9")


@dataclass(frozen=True)
class Package:
    """An unpacked package, and the task.toml that hosts it."""

    folder: Path
    config: Path

    @property
    def values(self) -> dict[str, Any]:
        return tomllib.loads(self.config.read_text(encoding="utf-8"))

    @property
    def scale(self) -> tuple[float, float]:
        scale = self.values["task"]["scale"]
        return scale["min"], scale["max"]

    def splits(self) -> Iterator[tuple[str, str, dict[str, Any]]]:
        """Level, split and its table."""
        for level in self.values["level"]:
            for split in ("trial", "training", "test"):
                if split in level:
                    yield level["slug"], split, level[split]

    def points(self, shares: tuple[float, ...]) -> list[float]:
        low, high = self.scale
        return [low + share * (high - low) for share in shares]

    def run_file(self, shares: tuple[float, ...] = GOOD[0], split: str = "test", level: str = "") -> bytes:
        """A run as teams of this task send it: any order of columns and rows, CRLF, confidences to 100."""
        scores = self.points(shares)
        if self.name.startswith("sick"):
            rows = [f"NEUTRAL\t{score}\t{key}" for key, score in zip(IDS, scores, strict=True)]
            return _lines("entailment_judgment\trelatedness_score\tpair_ID", *reversed(rows), end="\r\n")
        if self.name.startswith("semrel"):
            keys = [f"{level.upper()}-{split}-{key}" for key in IDS]
            return _lines(
                "PairID,Pred_Score", *(f"{key},{score}" for key, score in zip(keys, scores, strict=True))
            )
        known = {(slug, name): files for slug, name, files in self.splits()}
        unscored = [scores[0]] * (_n_sts(known.get((level, split), {})) - len(scores))
        return _lines(
            *(f"{score}\t{max(0, 100 - place)}" for place, score in enumerate([*scores, *unscored]))
        )

    @property
    def name(self) -> str:
        return self.config.stem

    @property
    def run_ending(self) -> str:
        return "csv" if self.name.startswith("semrel") else "txt"


def write_package(folder: Path, name: str, *, runs: bool = True) -> Package:
    """Write every file that the task.toml of this name asks for, and two runs for each level of the test."""
    package = Package(folder, TASKS / f"{name}.toml")
    for level, split, files in package.splits():
        writer = {"sick": _sick, "semr": _semrel}.get(name[:4], _sts)
        for path, data in writer(package, level, split, files).items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(data)
        if runs and split == "test":
            for team, shares in zip(("birch", "elm"), GOOD, strict=True):
                path = folder / "runs" / team / "one" / f"{level}.{package.run_ending}"
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(package.run_file(shares, split, level))
    return package


def _lines(*lines: str, end: str = "\n") -> bytes:
    return "".join(line + end for line in lines).encode()


def _sick(package: Package, _level: str, _split: str, files: dict[str, Any]) -> dict[str, bytes]:
    rows = [
        f"{key}\t{left}\t{right}\t{point}\tNEUTRAL"
        for key, (left, right), point in zip(IDS, TEXTS, package.points(SHARES), strict=True)
    ]
    header = "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment"
    return {files["items"]: _lines(header, *rows, end="\r\n")}


def _semrel(package: Package, level: str, split: str, files: dict[str, Any]) -> dict[str, bytes]:
    rows = [
        (f'{level.upper()}-{split}-{key},"{left}\n{right.replace(chr(34), chr(34) * 2)}"', point)
        for key, (left, right), point in zip(IDS, TEXTS, package.points(SHARES), strict=True)
    ]
    labelled = _lines("PairID,Text,Score", *(f"{row},{point}" for row, point in rows))
    return {files["items"]: _lines("PairID,Text", *(row for row, _ in rows)), files["gold"]: labelled}


def _sts(package: Package, _level: str, _split: str, files: dict[str, Any]) -> dict[str, bytes]:
    notes = ("", "\tnote", "\tone\ttwo", "", "", "")
    rows = [f"{left}\t{right}{note}" for (left, right), note in zip(TEXTS, notes, strict=True)]
    items = _lines(*rows, *rows[:1] * (_n_sts(files) - len(rows)), end="\r\n")
    points = ["" if place == EMPTY else str(point) for place, point in enumerate(package.points(SHARES))]
    points += [""] * (files.get("scored", len(rows)) - len(rows))
    return {files["items"]: items, files["gold"]: _lines(*points)}


def _n_sts(files: dict[str, Any]) -> int:
    """How many items a split has: twice as many as are scored, where task.toml says how many these are."""
    return 2 * files["scored"] if "scored" in files else len(TEXTS)
