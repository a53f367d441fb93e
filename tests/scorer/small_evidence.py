"""The evidence of an invented release, signed by an invented site, for what verifies it."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

from scorer import __version__
from scorer.boards.serialization import board_json
from scorer.bundles.reader import read_bundle
from scorer.bundles.recompute import open_recomputation
from scorer.inference.board_inference import InferenceOptions, infer_board
from scorer.proof.signing import format_instant, gold_commitment, public_key, sign
from tests.scorer.small_bundle import TASK

SITE = "https://assay.test"
KEY = bytes(range(32))
SALT = bytes(32)
MADE = datetime(2026, 3, 20, 12, tzinfo=UTC)
CAME = datetime(2026, 3, 10, 12, tzinfo=UTC)
ITEMS = "".join(
    f"{left}\t{right}\tx-{number}\n"
    for number, (left, right) in enumerate(
        [
            ("a boat", "a boat"),
            ("a lamp", "the lamp"),
            ("bread", "dark ale"),
            ("ten men", "ten old men"),
            ("o", "p"),
        ],
        1,
    )
)
FILES = {
    "description.md": "How alike?\n",
    "items/p2s.tsv": ITEMS,
    "items/s2p.tsv": ITEMS,
    "gold/p2s.tsv": "4\n3\n0\n2\n1\n",
    "gold/s2p.tsv": "4\n2\n0\n3\n1\n",
    "runs/evaluation/ash/a_b/p2s.tsv": "4\n2\n1\n3\n0\n",
    "runs/evaluation/ash/a_b/s2p.late.tsv": "2\n2\n2\n2\n1\n",
    "runs/evaluation/birch/one/p2s.tsv": "1\n2\n3\n4\n0\n",
    "runs/evaluation/birch/one/s2p.tsv": "4\n1\n0\n3\n1\n",
}
RUNS = """
[[run]]
team = "ash"
name = "a b"
phase = "evaluation"
files = { p2s = "runs/evaluation/ash/a_b/p2s.tsv" }
late_files = { s2p = "runs/evaluation/ash/a_b/s2p.late.tsv" }

[[run]]
team = "birch"
name = "one"
phase = "evaluation"
files = { p2s = "runs/evaluation/birch/one/p2s.tsv", s2p = "runs/evaluation/birch/one/s2p.tsv" }
"""
BASELINE = """
[[run]]
team = "organizers"
name = "LCS"
baseline = "lcs"
"""
Change = Callable[[dict[str, Any]], object]


def write_evidence(
    folder: Path, *, inference: bool = False, receipts: bool = True, baseline: bool = False
) -> Path:
    """All of it, with its gold, in a folder."""
    text = TASK[: TASK.index("[[run]]")] + (BASELINE if baseline else "")
    for level in ("p2s", "s2p"):
        level_files = f'items = "items/{level}.tsv", gold = "gold/{level}.tsv", public_gold = true'
        text = text.replace('items = "items.tsv", gold = "gold.tsv"', level_files, 1)
    files = {**FILES, "task.toml": text + RUNS}
    for path, content in files.items():
        write(folder, path, content)
    work = open_recomputation(replace(read_bundle(folder), first_is_score=True))
    write(folder, "board.json", board_json(work.board(), task="small", title="Small & simple", split="test"))
    if inference:
        found = infer_board(work.board(), work.level_data(), work.systems(), InferenceOptions(b=200))
        write(folder, "inference.json", json.dumps(found, ensure_ascii=False) + "\n")
    levels = [{"slug": slug, "gold": {"version": 1}} for slug in ("p2s", "s2p")]
    write_json(folder, "rules.json", {"phase": {"slug": "evaluation", "split": "test"}, "levels": levels})
    salts = [
        {"level": slug, "version": 1, "salt": SALT.hex(), "file": f"gold/{slug}.tsv"}
        for slug in ("p2s", "s2p")
    ]
    write_json(folder, "salts.json", {"schema": "assay.salts/1", "salts": salts})
    since = {"number": 1, "key": public_key(KEY), "from": format_instant(CAME), "until": None}
    write_json(folder, "keys.json", {"schema": "assay.keys/1", "site": SITE, "keys": [since]})
    for number, path in enumerate(sorted(path for path in files if path.startswith("runs/")), 1):
        if receipts:
            write(folder, f"receipts/{number}.json", sign(receipt(folder, number, path), KEY))
    write(folder, "release.json", sign(statement(folder), KEY))
    return sealed(folder)


def human_ceiling(metric: str, value: float) -> dict[str, object]:
    """How well three annotators of three items would do, as the rules of a release have it."""
    signature = f"human-{metric}|n:3|annotators:3|v:{__version__}"
    return {"metric": metric, "value": value, "annotators": 3, "units": 3, "signature": signature}


def write_with_ceilings(folder: Path, ceilings: Mapping[str, Sequence[object]]) -> Path:
    """Evidence whose rules have these human ceilings by level."""
    write_evidence(folder)
    rules = json.loads((folder / "rules.json").read_text("utf-8"))
    for level in rules["levels"]:
        level["gold"]["human_ceiling"] = list(ceilings.get(level["slug"], ()))
    write_json(folder, "rules.json", rules)
    resign(folder, "release.json", lambda said: said.update(rules=sha256(folder, "rules.json")))
    return folder


def write(folder: Path, path: str, text: str) -> None:
    """One file."""
    (folder / path).parent.mkdir(parents=True, exist_ok=True)
    (folder / path).write_bytes(text.encode())


def write_json(folder: Path, path: str, values: object) -> None:
    """One file of plain values."""
    write(folder, path, json.dumps(values, ensure_ascii=False, indent=1) + "\n")


def sha256(folder: Path, path: str) -> str:
    """What names a file."""
    return hashlib.sha256((folder / path).read_bytes()).hexdigest()


def statement(folder: Path) -> dict[str, Any]:
    """What the site says of the release."""
    golds = {slug: (folder / f"gold/{slug}.tsv").read_bytes() for slug in ("p2s", "s2p")}
    return {
        "schema": "assay.release/1",
        "site": SITE,
        "task": "small",
        "phase": "evaluation",
        "split": "test",
        "number": 1,
        "made": format_instant(MADE),
        "board": sha256(folder, "board.json"),
        "rules": sha256(folder, "rules.json"),
        "gold": [
            {"level": slug, "version": 1, "commitment": gold_commitment(SALT, gold)}
            for slug, gold in golds.items()
        ],
        "audit": {"number": 40, "sha256": "0" * 64},
    }


def receipt(folder: Path, number: int, path: str) -> dict[str, Any]:
    """The receipt of the site for a file of a run."""
    level, team = Path(path).name.partition(".")[0], path.split("/")[2]
    return {
        "schema": "assay.receipt/1",
        "site": SITE,
        "receipt": number,
        "task": "small",
        "phase": "evaluation",
        "split": "test",
        "level": level,
        "team": {"id": len(team), "name": team},
        "run": {"id": number, "name": "a b" if team == "ash" else "one"},
        "arrived": format_instant(CAME),
        "file": {"sha256": sha256(folder, path), "bytes": (folder / path).stat().st_size},
        "items": {"sha256": sha256(folder, f"items/{level}.tsv"), "count": 5, "public_sha256": None},
        "gold": {
            "version": 1,
            "commitment": gold_commitment(SALT, (folder / f"gold/{level}.tsv").read_bytes()),
        },
        "scorer": {"version": __version__, "metrics": ["pearson", "spearman"]},
        "late": ".late" in path,
        "counts": True,
        "replaces": None,
        "scores": None,
        "audit": {"number": 10 + number, "sha256": "1" * 64},
    }


def sealed(folder: Path, left_out: tuple[tuple[str, str], ...] = (), key: bytes = KEY) -> Path:
    """The folder with a manifest of what is in it now."""
    paths = sorted(
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and path.name != "evidence.json"
    )
    runs = sorted(path for path in paths if path.startswith("runs/"))
    of = {f"receipts/{number}.json": path for number, path in enumerate(runs, 1)}
    content = {
        "schema": "assay.evidence/1",
        "site": SITE,
        "task": "small",
        "phase": "evaluation",
        "release": 1,
        "files": [
            {
                "path": path,
                "sha256": sha256(folder, path),
                "bytes": (folder / path).stat().st_size,
                "of": of.get(path),
            }
            for path in paths
        ],
        "left_out": [{"what": what, "why": why} for what, why in left_out],
    }
    write(folder, "evidence.json", sign(content, key))
    return folder


def resign(folder: Path, path: str, change: Change, key: bytes = KEY) -> None:
    """Another signed document in place of one, and a manifest of it: a site that contradicts itself."""
    content = json.loads((folder / path).read_text("utf-8"))["signed"]
    change(content)
    write(folder, path, sign(content, key))
    sealed(folder)


def packed(folder: Path) -> Path:
    """The folder as a zip, as a site packs it."""
    target = folder.with_suffix(".zip")
    with ZipFile(target, "w", ZIP_DEFLATED) as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                archive.write(path, f"{folder.name}/{path.relative_to(folder).as_posix()}")
    return target
