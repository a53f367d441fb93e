"""A receipt of the small run in tests/golden/cli, signed with a key that is no secret, and the keys."""

import json
from copy import deepcopy
from hashlib import sha256
from pathlib import Path
from typing import Any

from scorer.proof.signing import gold_commitment, public_key, sign

FOLDER = Path(__file__).parents[1] / "golden" / "cli"
PRIVATE = bytes(range(32))
SITE = "https://assay.example.org"
SALT = bytes(range(32, 64))


def hash_of(name: str) -> str:
    return sha256((FOLDER / name).read_bytes()).hexdigest()


CONTENT: dict[str, Any] = {
    "schema": "assay.receipt/1",
    "site": SITE,
    "receipt": 17,
    "task": "harbour",
    "phase": "evaluation",
    "split": "test",
    "level": "sentence2phrase",
    "team": {"id": 3, "name": "birch"},
    "run": {"id": 5, "name": "one"},
    "arrived": "2026-03-10T12:00:00.123456Z",
    "file": {"sha256": hash_of("run.tsv"), "bytes": (FOLDER / "run.tsv").stat().st_size},
    "items": {"sha256": hash_of("items.tsv"), "count": 10, "public_sha256": None},
    "gold": {"version": 1, "commitment": gold_commitment(SALT, (FOLDER / "gold.tsv").read_bytes())},
    "scorer": {"version": "0.0.9", "metrics": ["pearson", "spearman"]},
    "late": False,
    "counts": True,
    "replaces": 12,
    "scores": [
        {
            "metric": "pearson",
            "value": "0.9259298223980535",
            "undefined": None,
            "signature": "pearson|n:9|v:0.0.9",
        },
        {
            "metric": "spearman",
            "value": "0.7866177642303797",
            "undefined": None,
            "signature": "spearman|n:9|v:0.0.9",
        },
    ],
    "audit": {"number": 1234, "sha256": "ab" * 32},
}


def content(**changes: Any) -> dict[str, Any]:
    """What the receipt says, with changes: `team__name="ash"` for what lies deeper."""
    values = deepcopy(CONTENT)
    for path, value in changes.items():
        *outer, last = path.split("__")
        inner = values
        for name in outer:
            inner = inner[int(name) if isinstance(inner, list) else name]
        inner[last] = value
    return values


def receipt(**changes: Any) -> bytes:
    """The receipt as a file, signed again with its changes."""
    return sign(content(**changes), PRIVATE).encode()


def keys(
    *, site: str = SITE, since: str = "2026-03-01", until: str | None = None, key: bytes = PRIVATE
) -> bytes:
    """The list of keys that the site published, where the receipt's is the second."""
    times = [f"{day}T00:00:00.000000Z" for day in ("2026-01-01", since)]
    listed = [
        {"number": 1, "key": public_key(bytes(32)), "from": times[0], "until": times[1]},
        {
            "number": 2,
            "key": public_key(key),
            "from": times[1],
            "until": None if until is None else f"{until}T00:00:00.000000Z",
        },
    ]
    return (json.dumps({"schema": "assay.keys/1", "site": site, "keys": listed}, indent=1) + "\n").encode()
